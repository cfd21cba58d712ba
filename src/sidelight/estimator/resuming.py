"""Fits that can be left and gone on with: the best so far is a map, and a place to go on from."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sidelight.core.arrays import FloatArray
from sidelight.core.fingerprints import fingerprint
from sidelight.solvers.descent.quasi_newton import Descent, Objective, minimise


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


class Resumable:
    """The part of an iterative estimator that ``warm_start`` is about.

    A fit that was interrupted, or came to ``max_iter``, keeps where it was left besides its map.
    With ``warm_start`` the next fit goes on from there, if it is one to the same data and side
    information; of another it says that it starts afresh.  Parameters may be changed in between.
    The curvature that quasi-Newton steps had learned is learned anew.
    """

    warm_start: bool
    max_iter: int
    tol: float
    _unfinished: Unfinished

    def _left_off(self, n_variables: int, told: Any) -> Any:
        """Where a fit to the same was left; None to start afresh."""
        left: Unfinished | None = self.__dict__.pop("_unfinished", None)
        if left is None or not self.warm_start:
            return None
        who = type(self).__name__
        if left.told != fingerprint(told):
            reason = "it was one to other data or with other side information"
        elif left.n_variables != n_variables:
            reason = f"it had {left.n_variables} variables, and now there are {n_variables}"
        else:
            return left.where
        warnings.warn(
            f"{who} cannot go on with the fit that was left: {reason}. It starts afresh. Give fit "
            f"what it was given then, or set warm_start=False.",
            UserWarning,
            stacklevel=4,
        )
        return None

    def _leave_off(self, where: Any, n_variables: int, told: Any) -> None:
        """Keep where this fit was left; None where it is finished."""
        self.__dict__.pop("_unfinished", None)
        if where is not None:
            self._unfinished = Unfinished(fingerprint(told), n_variables, where)

    def _descend(
        self,
        objective: Objective,
        begin: Callable[[], FloatArray],
        n_variables: int,
        told: Any,
        *,
        stage: str,
        **options: Any,
    ) -> Descent:
        """Descend from a start, or from where a fit to the same was left."""
        left: FloatArray | None = self._left_off(n_variables, told)
        found = self._minimise(objective, begin() if left is None else left, stage, **options)
        self._leave_off(None if found.converged else found.x, n_variables, told)
        return found

    def _minimise(
        self, objective: Objective, start: FloatArray, stage: str, **options: Any
    ) -> Descent:
        return minimise(
            objective,
            start,
            max_iter=self.max_iter,
            tol=self.tol,
            stage=stage,
            who=type(self).__name__,
            **options,
        )
