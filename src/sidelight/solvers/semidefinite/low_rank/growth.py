"""New columns of a low-rank factor: where the second eigenvalue of (L(y), C) is below one.

Its vectors are directions v along which R gains a column a·v and the barrier falls.
"""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray
from sidelight.solvers.semidefinite.low_rank.barrier import Unfolding
from sidelight.solvers.semidefinite.low_rank.newton_step import NewtonSystem, Shift
from sidelight.solvers.semidefinite.result import principal_axes

#: Columns of R below this share of the largest have only just begun to grow.
_BEGUN = 1e-2
#: Columns that are added at once, at most.
_MOST_COLUMNS = 3


def grow(
    newton: NewtonSystem, R: FloatArray, y: FloatArray, mu: float, below_one: float
) -> FloatArray:
    """Append the eigenvectors of (L(y), C) below one, outside the span of R, by exact search."""
    problem = newton.problem
    n, r = R.shape
    n_pairs = min(_MOST_COLUMNS, n - 1 - r)
    if n_pairs < 1:
        return R
    settled = R
    if len(problem.terms):  # a column that has just begun is no eigenvector yet
        R = principal_axes(R, problem.mass)
        sizes = np.linalg.norm(R, axis=0)
        settled = R[:, sizes > _BEGUN * sizes[0]]
    pairs = problem.smallest(y, n_pairs, np.column_stack([np.ones(n), settled]), 1e-5)
    if pairs is None:
        return R
    for value, vector in zip(pairs.values, pairs.vectors.T, strict=True):
        if value >= 1 - below_one:
            break
        if len(problem.terms):
            R = _bent(newton, R, vector, mu)
        else:
            R = np.column_stack([R, _amplitude(problem, R, vector, mu) * vector])
    return problem.centred(R)


def _bent(newton: NewtonSystem, R: FloatArray, vector: FloatArray, mu: float) -> FloatArray:
    """Append a·v where the other columns give way to it, so that stiff terms let it grow."""
    problem = newton.problem
    least = 0.005 * problem.slack(R)
    z = problem.central(mu, problem.slack(R), problem.E @ R)
    new = NewtonSystem(problem, R, z, Shift(), mu)
    change = new.answer(vector, mu)
    a = _amplitude(problem, R, vector, mu)
    best = np.column_stack([R, a * vector])
    lowest = problem.barrier(best, problem.slack(best), mu)
    for square in a**2 * 4.0 ** np.arange(1, 20):
        tried = np.column_stack([R + square * change, np.sqrt(square) * vector])
        slack = problem.slack(tried)
        if np.any(slack <= least):
            break
        value = problem.barrier(tried, slack, mu)
        if value > lowest:
            break
        best, lowest = tried, value
    return best


def _amplitude(problem: Unfolding, R: FloatArray, vector: FloatArray, mu: float) -> float:
    """The a that minimises F along a new column a·v: convex in a², found by bisection."""
    s, squares = problem.slack(R), (problem.E @ vector) ** 2
    terms = problem.terms
    g, more = terms.excess(R), terms.sign * (terms.E @ vector) ** 2

    def falls(a: float) -> bool:
        pull = mu * float((squares / (s - a * squares)).sum())
        if len(terms):
            pull += float(terms.multipliers(g + a * more, mu) @ more)
        return pull < 1.0

    low, high = 0.0, float((s / np.maximum(squares, 1e-300)).min(initial=np.inf)) * (1 - 1e-9)
    if not np.isfinite(high):
        high = 1.0
        while falls(high) and high < 1e12:
            high *= 4.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if falls(middle) else (low, middle)
    return float(np.sqrt(max(low, 1e-3 * high)))
