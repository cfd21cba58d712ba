"""Continuation: a hard objective reached through a path of easier ones.

Each objective of the path is descended from where the last one ended, so that a good optimum of
an easy problem is followed to one of the hard problem (deterministic annealing).

References
----------
E. L. Allgower and K. Georg (1993), "Continuation and path following".
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from sidelight.core import FloatArray, Interruption, report
from sidelight.solvers.choosing import first_least, improves
from sidelight.solvers.descent.gliding import Pace, glide
from sidelight.solvers.descent.quasi_newton import Descent, Objective, minimise

#: From the number of a step and where its descent ended to an error, lower for better.
Judge: TypeAlias = Callable[[int, FloatArray], float]
#: Iterations over which a descent that comes after a glide must rest: it has come near already.
_PATIENCE = 3
#: Where a reproducible step begins is rounded to this: what came before it may differ in the last
#: bits, and differs by less.
_ROUNDED = 2.0**-16


@dataclass(frozen=True)
class Continuation:
    """Where a path led.

    Parameters
    ----------
    x : ndarray of shape (n_parameters,)
        Where the best step ended; the last one where nothing judged them.
    value : float
        The objective of that step there.
    step : int
        Its number, from 0.
    values : ndarray of shape (n_steps_taken,)
        The objective at the end of every step.
    errors : ndarray of shape (n_steps_taken,)
        What the judge said; empty without one.
    n_iter : int
        Iterations in all.
    converged : bool
        Whether the descent of that step ended by its tolerance.
    interrupted : bool
        Whether the path was left early by the user.
    """

    x: FloatArray
    value: float
    step: int
    values: FloatArray
    errors: FloatArray
    n_iter: int
    converged: bool
    interrupted: bool


def follow(
    objective_at: Callable[[int], Objective],
    n_steps: int,
    start: FloatArray,
    *,
    first: int = 0,
    max_iter: int,
    final_max_iter: int,
    tol: float,
    judge: Judge | None = None,
    patience: int = 8,
    paces: tuple[Pace, Pace] | None = None,
    reproducible: bool = False,
    aside: FloatArray | None = None,
    stage: str,
    who: str,
) -> Continuation:
    """Descend one objective after the other, each from where the last one ended.

    With ``paces`` the steps on the way glide at the first of them, one velocity for all, and
    the last step glides at the second before it descends.  A ``reproducible`` last step begins at
    rest and at rounded numbers, about one, and has the same bits on every processor from there on.
    ``aside`` is a small step, as a part of how far numbers spread, that is taken before every
    descent: symmetric problems leave their saddles by it, and not by rounding.

    Examples
    --------
    A double well is entered from the side that the path prefers.

    >>> import numpy as np
    >>> from sidelight.solvers.descent.continuation import follow
    >>> def well(step):
    ...     tilt = 1 - step / 4
    ...     return lambda x: (
    ...         float(((x**2 - 1) ** 2).sum() + tilt * x.sum()),
    ...         4 * x * (x**2 - 1) + tilt,
    ...     )
    >>> path = follow(
    ...     well, 5, np.array([0.1]), max_iter=50, final_max_iter=50, tol=1e-12, stage="well",
    ...     who="example",
    ... )
    >>> path.x.round(3), path.step
    (array([-1.]), 4)
    """
    x: FloatArray = np.asarray(start, dtype=np.float64)
    best: tuple[int, Descent] | None = None
    values: list[float] = []
    errors: list[float] = []
    n_iter, stopped = 0, False
    velocity = np.zeros_like(x)
    with Interruption() as interruption:
        for step in range(first, n_steps):
            last = step == n_steps - 1
            objective, said = objective_at(step), list[warnings.WarningMessage]()
            if last and reproducible:
                x, velocity = np.round(x / _ROUNDED) * _ROUNDED, np.zeros_like(x)
            if aside is not None:
                x = x + float(x.std()) * aside
            if paces is not None:
                rest = tol if last else 0.0
                found, velocity = glide(
                    objective, x, velocity, paces[last], tol=rest, stage=stage, who=who
                )
                x, n_iter = found.x, n_iter + found.n_iter
            if paces is None or (last and not found.interrupted):
                most = final_max_iter if last else max_iter
                resting = 1 if paces is None else _PATIENCE
                found, said = _descend(
                    objective, x, most, tol, resting, last, last and reproducible, stage, who
                )
                x, n_iter = found.x, n_iter + found.n_iter
            stopped = found.interrupted
            if stopped or last:
                for one in said:
                    warnings.warn(one.message, one.category, stacklevel=3)
            if judge is not None:
                errors.append(judge(step, x))
            values.append(found.value)
            least = None if judge is None else int(first_least(np.array(errors)))
            if least is None or not improves(errors[least], errors[-1]):  # the later if as good
                best = (step, found)
            late = least is not None and len(errors) - least > patience
            if stopped or late:
                break
            report(f"{stage}: steps of the path", step + 1, n_steps, found.value)
    if best is None:
        if interruption:
            interruption.go_on()
        raise ValueError(f"A path needs at least one step. Got {n_steps}, of which {first} done.")
    if interruption and not stopped:
        interruption.warn(
            f"{who} was interrupted after step {first + len(values)} of {n_steps} of {stage}; the "
            f"best so far is kept.",
            stacklevel=3,
        )
    step, found = best
    return Continuation(
        found.x,
        found.value,
        step,
        np.array(values),
        np.array(errors),
        n_iter,
        found.converged,
        stopped or bool(interruption),
    )


def _descend(
    objective: Objective,
    x: FloatArray,
    max_iter: int,
    tol: float,
    patience: int,
    polished: bool,
    reproducible: bool,
    stage: str,
    who: str,
) -> tuple[Descent, list[warnings.WarningMessage]]:
    """One descent, and what it had to say."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = minimise(
            objective,
            x,
            max_iter=max_iter,
            tol=tol,
            stage=stage,
            who=who,
            patience=patience,
            polished=polished,
            reproducible=reproducible,
        )
    return found, list(said)
