"""Gliding: steps of one length downhill, with momentum.

    v ← μ v − η ∇f(x + μ v),   x ← x + v

A quasi-Newton descent learns curvatures as it goes and asks a line search; far from an optimum
that turns a difference in the last bit into another optimum within a hundred iterations.  A glide
decides nothing, so that it is a smooth function of its start and of f: where the valley matters
and not its bottom, it comes to the same valley on every processor, and in any unit.

References
----------
Y. Nesterov (1983), "A method of solving a convex programming problem with convergence rate
O(1/k²)".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidelight.core import FloatArray, Interruption, counted, report
from sidelight.solvers.descent.quasi_newton import Descent, Objective

#: A value that rises by this share of itself says that the steps are too long.
_THROWN = 0.01
#: So many times the steps are halved.
_HALVINGS = 30
#: So many iterations in a row that change nothing are rest, not the turn of an oscillation.
_STILL = 5


@dataclass(frozen=True)
class Pace:
    """How long the steps of a glide are, and how many.

    Parameters
    ----------
    rate : float
        η, in the units of the objective: below 1 / its largest curvature.
    momentum : float
        μ, the share of a step that is kept in the next one.
    n_iter : int
        Steps.
    """

    rate: float
    momentum: float
    n_iter: int


def glide(
    objective: Objective,
    start: FloatArray,
    velocity: FloatArray,
    pace: Pace,
    *,
    tol: float = 0.0,
    stage: str,
    who: str,
) -> tuple[Descent, FloatArray]:
    """Glide downhill from a point; give where that ended, and the velocity there.

    It ends early where the value rests, ``tol`` as in ``minimise``.  Steps that throw the point
    uphill are too long for this objective: they are halved, from the start.

    Examples
    --------
    >>> import numpy as np
    >>> bowl = lambda x: (float(((x - 3) ** 2).sum()), 2 * (x - 3))
    >>> found, _ = glide(
    ...     bowl, np.zeros(2), np.zeros(2), Pace(0.1, 0.5, 100), stage="bowl", who="example"
    ... )
    >>> found.x.round(6)
    array([3., 3.])
    """
    for halving in range(_HALVINGS + 1):
        shorter = Pace(pace.rate / 2**halving, pace.momentum, pace.n_iter)
        begin = velocity if halving == 0 else np.zeros_like(start)
        found, v = _glide(objective, start, begin, shorter, tol, stage, who)
        first, last = found.history[0], found.value
        if found.interrupted or last <= first + _THROWN * (1 + abs(first)):
            break
    return found, v


def _glide(
    objective: Objective,
    start: FloatArray,
    velocity: FloatArray,
    pace: Pace,
    tol: float,
    stage: str,
    who: str,
) -> tuple[Descent, FloatArray]:
    x, v = np.array(start, dtype=np.float64), velocity
    history: list[float] = []
    still = 0
    with Interruption() as interruption:
        while True:
            ahead = x + pace.momentum * v
            value, gradient = objective(ahead)
            still = still + 1 if history and _rests(history[-1], value, tol) else 0
            history.append(float(value))
            reached = ahead  # the value belongs to it: the last gradient is not followed
            report(stage, len(history), pace.n_iter, history[-1])
            if len(history) == pace.n_iter or still == _STILL or not np.isfinite(value):
                break
            v = pace.momentum * v - pace.rate * gradient
            x = x + v
    if interruption:
        if not history:
            interruption.go_on()
        interruption.warn(
            f"{who} was interrupted after {counted(len(history), 'iteration')} of {stage}; the "
            f"best so far is kept.",
            stacklevel=4,
        )
    n = len(history)
    rested = still == _STILL
    return Descent(reached, history[-1], np.array(history), n, n, rested, bool(interruption)), v


def _rests(before: float, value: float, tol: float) -> bool:
    return abs(before - value) <= tol * max(abs(value), 1.0)
