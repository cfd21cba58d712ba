"""Descent on a smooth function: limited-memory quasi-Newton steps, from any start.

One door for every method that moves parameters downhill.  A caller that changes the function as
it goes (a bandwidth that shrinks, a penalty that fades) calls it once per stage, each from where
the last one ended; so does one that goes on after an interruption.

References
----------
C. Zhu, R. H. Byrd, P. Lu and J. Nocedal (1997), "Algorithm 778: L-BFGS-B, Fortran subroutines for
large-scale bound-constrained optimization".
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

import numpy as np
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from sidelight.core import FloatArray, Interruption, counted, report
from sidelight.solvers.descent.polishing import polish
from sidelight.solvers.descent.reproducible import descend_reproducibly

#: A function of a vector that gives its value and its gradient.
Objective: TypeAlias = Callable[[FloatArray], tuple[float, FloatArray]]


@dataclass(frozen=True)
class Descent:
    """Where a descent ended and how it went.

    Parameters
    ----------
    x : ndarray of shape (n_parameters,)
        The lowest point seen.
    value : float
        The function there.
    history : ndarray of shape (n_iter + 1,)
        The value at the start and after each iteration; it never rises.
    n_iter : int
        Iterations taken.
    n_evaluations : int
        How often the function was called.
    converged : bool
        Whether the last iteration changed the value by no more than the tolerance.
    interrupted : bool
        Whether the user stopped it.
    """

    x: FloatArray
    value: float
    history: FloatArray
    n_iter: int
    n_evaluations: int
    converged: bool
    interrupted: bool = False


def minimise(
    value_and_gradient: Objective,
    start: FloatArray,
    *,
    max_iter: int,
    tol: float,
    stage: str,
    who: str,
    memory: int = 20,
    patience: int = 1,
    unit: float = 1.0,
    polished: bool = False,
    reproducible: bool = False,
) -> Descent:
    """Go downhill from a point until the value hardly changes.

    A ``polished`` descent goes on to where the gradient is zero, which tells an optimum to more
    digits than its value.  Steps of a ``reproducible`` one have the same bits on every processor.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.solvers.descent.quasi_newton import minimise
    >>> bowl = lambda x: (float(((x - 3) ** 2).sum()), 2 * (x - 3))
    >>> found = minimise(bowl, np.zeros(2), max_iter=50, tol=1e-12, stage="bowl", who="example")
    >>> found.x.round(6), found.converged
    (array([3., 3.]), True)
    """
    track = _Track(value_and_gradient, stage, max_iter, _Rest(tol, patience, unit))
    walk = _walk_reproducibly if reproducible else _walk
    x: FloatArray = np.asarray(start, dtype=np.float64)
    converged = False
    with Interruption() as interruption:
        first = track(x)[0]
        if not np.isfinite(first):
            raise ValueError(
                f"{who} cannot start: its objective is {first} at the start. Scale the data, or "
                f"give another start."
            )
        track.history.append(first)
        while track.n_iter < max_iter:
            before = track.value
            end = walk(track, x, memory)
            x = track.x
            settled = before - track.value <= tol * max(abs(before), unit)
            converged = track.at_rest or end is _End.FLAT or (end is _End.STUCK and settled)
            if converged or end is _End.EARLY:
                break
            # a line search failed: forget the curvature and go on from the best point
        if polished and converged:
            track.end_at(polish(value_and_gradient, track.x))
    if interruption:
        if not track.history:
            interruption.go_on()  # the value at the start is not known yet
        interruption.warn(
            f"{who} was interrupted after {counted(track.n_iter, 'iteration')} of {stage}; the "
            f"best so far is kept.",
            stacklevel=3,
        )
    elif not converged:
        warnings.warn(
            f"{who} stopped {stage} after max_iter={max_iter} iterations while the objective "
            f"still changed. Raise max_iter or tol={tol:g}.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return Descent(
        track.x,
        track.value,
        np.minimum.accumulate(np.array(track.history)),
        track.n_iter,
        track.n_evaluations,
        converged,
        bool(interruption),
    )


class _End(Enum):
    """Why a walk downhill ended: no slope is left, too many steps, or no step led down."""

    FLAT, EARLY, STUCK = range(3)


def _walk(track: _Track, start: FloatArray, memory: int) -> _End:
    """Walk by the library's steps."""
    watched: Any = track
    step: Any = track.step
    options: Any = {
        "maxiter": track.max_iter - track.n_iter,
        "maxfun": 20 * track.max_iter + 100,
        "maxcor": memory,
        "ftol": 0.0,
        "gtol": 0.0,
    }
    result = minimize(watched, start, jac=True, method="L-BFGS-B", callback=step, options=options)
    return {0: _End.FLAT, 1: _End.EARLY}.get(result.status, _End.STUCK)


def _walk_reproducibly(track: _Track, start: FloatArray, memory: int) -> _End:
    """Walk by steps that have the same bits on every processor."""
    left = track.max_iter - track.n_iter
    going = descend_reproducibly(track, start, track.step, max_iter=left, memory=memory)
    return _End.EARLY if going else _End.STUCK


@dataclass(frozen=True)
class _Rest:
    """When a descent is at rest: a value that falls by less than ``tol`` in an iteration."""

    tol: float
    patience: int
    unit: float

    def after(self, history: list[float]) -> bool:
        """Tell whether the last iterations changed so little."""
        if len(history) <= self.patience:
            return False
        fall, size = history[-1 - self.patience] - history[-1], abs(history[-1])
        return fall <= self.patience * self.tol * max(size, self.unit)


class _Track:
    """The objective, watched: the best point, the history, the reports."""

    def __init__(self, objective: Objective, stage: str, max_iter: int, rest: _Rest) -> None:
        self.objective, self.stage, self.max_iter, self.rest = objective, stage, max_iter, rest
        self.at_rest = False
        self.x: FloatArray = np.empty(0)
        self.value, self.n_iter, self.n_evaluations = float("inf"), 0, 0
        self.history: list[float] = []

    def __call__(self, x: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = self.objective(x)
        self.n_evaluations += 1
        if not (np.isfinite(value) and np.isfinite(gradient).all()):
            if not self.x.size:
                return float("nan"), gradient
            # a wall: the line search interpolates between here and the last point
            return self.value + 10 * (1 + abs(self.value)), x - self.x
        if value < self.value or not self.x.size:
            self.x, self.value = x.copy(), float(value)
        return float(value), gradient

    def end_at(self, x: FloatArray) -> None:
        """Take a point nearby for the end, which may be lower by less than the tolerance."""
        self.x, self.value = x, float(self.objective(x)[0])
        self.history[-1] = self.value

    def step(self, _: FloatArray) -> None:
        """Count an iteration."""
        self.n_iter += 1
        self.history.append(self.value)
        report(self.stage, self.n_iter, self.max_iter, self.value)
        self.at_rest = self.rest.after(self.history)
        if self.at_rest:
            raise StopIteration  # which tells the solver to stop
