"""Fits that can be left and gone on with: the best so far is a map, and a place to go on from.

A fit that was interrupted, or came to ``max_iter``, keeps where it was left besides its map.  With
``warm_start`` the next fit goes on from there, if it is one to the same data and side information;
of another it says that it starts afresh.  Parameters may be changed in between.  The curvature
that quasi-Newton steps had learned is learned anew, so that of several optima another one may be
reached than without the interrupt, never one that is worse than what was kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sidelight.core import FloatArray, fingerprint, warn
from sidelight.solvers.descent import Descent, Objective, minimise


@dataclass(frozen=True)
class Unfinished:
    """Where a fit was left.

    Parameters
    ----------
    told : str
        The fingerprint of the data and of the side information.
    n_variables : int
        The size of the vector that moves.
    where : object
        The vector, and what else its solver needs to go on.
    """

    told: str
    n_variables: int
    where: Any


@dataclass(frozen=True)
class Thread:
    """The thread of a fit: where it was left, and how the next fit would know it again.

    Parameters
    ----------
    told : object
        The data and the side information.
    n_variables : int
        The size of the vector that moves.
    where : object
        Where a fit to the same was left; None to start afresh.
    """

    told: Any
    n_variables: int
    where: Any

    def left_at(self, where: Any) -> Unfinished | None:
        """What to keep of a fit that was left; None where it is finished."""
        if where is None:
            return None
        return Unfinished(fingerprint(self.told), self.n_variables, where)


def pick_up(estimator: Any, told: Any, n_variables: int) -> Thread:
    """Take the thread of an estimator's last fit, if this one may go on with it."""
    left: Unfinished | None = vars(estimator).pop("_unfinished", None)
    if left is None or not estimator.warm_start:
        return Thread(told, n_variables, None)
    if left.told != fingerprint(told):
        reason = "it was one to other data or with other side information"
    elif left.n_variables != n_variables:
        reason = f"it had {left.n_variables} variables, and now there are {n_variables}"
    else:
        return Thread(told, n_variables, left.where)
    warn(
        f"{type(estimator).__name__} cannot go on with the fit that was left: {reason}. It starts "
        f"afresh. Give fit what it was given then, or set warm_start=False."
    )
    return Thread(told, n_variables, None)


def course_of(estimator: Any, stage: str) -> dict[str, Any]:
    """How far the descent of an estimator goes, and under which name it reports."""
    return {
        "max_iter": estimator.max_iter,
        "tol": estimator.tol,
        "stage": stage,
        "who": type(estimator).__name__,
    }


def descend(
    objective: Objective, begin: Callable[[], FloatArray], thread: Thread, **options: Any
) -> tuple[Descent, Unfinished | None]:
    """Descend from a start, or from where a fit to the same was left."""
    found = minimise(objective, begin() if thread.where is None else thread.where, **options)
    return found, thread.left_at(None if found.converged else found.x)


def facts_of(found: Descent, scale: float) -> dict[str, Any]:
    """What a descent on ``scale`` times the objective found, by the names it has on estimators."""
    return {
        "objective_": found.value / scale,
        "history_": found.history / scale,
        "n_iter_": found.n_iter,
    }
