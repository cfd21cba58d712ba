"""The objective of stochastic neighbour embedding and its gradient, ten times over."""

from __future__ import annotations

import numpy as np

from benchmarks.agreement import map_difference
from benchmarks.row import OURS, Array, Contender, Goal, Problem, Row

#: A fit evaluates the objective hundreds of times.
_EVALUATIONS = 10


def picked_neighbors(n: int) -> Problem:
    """Make probabilities from points in ten dimensions, and a map to compare them with."""
    from sidelight.similarity import choice_probabilities, wide_bandwidth

    X = np.random.default_rng(0).standard_normal((n, 10))
    squares = np.einsum("ij,ij->i", X, X)
    D = np.sqrt(np.maximum(squares[:, None] + squares - 2 * X @ X.T, 0.0))
    return Problem(choice_probabilities(D, wide_bandwidth(D)), truth=X[:, :2])


def compiled(problem: Problem) -> Array:
    """sidelight."""
    from sidelight.latent.neighbors import NeighborMismatch

    assert problem.truth is not None
    mismatch = NeighborMismatch(problem.X)
    Z = problem.truth
    for _ in range(_EVALUATIONS):
        value, gradient = mismatch(Z)
        Z = Z - 10 * gradient
    return np.vstack([Z, np.full((1, Z.shape[1]), value)])


def straightforward(problem: Problem) -> Array:
    """The formulas in NumPy, as they are printed."""
    assert problem.truth is not None
    P, Z = problem.X, problem.truth
    n = len(P)
    for _ in range(_EVALUATIONS):
        away = Z[:, None, :] - Z[None, :, :]
        Q = np.exp(-(away**2).sum(axis=-1))
        Q /= Q.sum(axis=1, keepdims=True)
        value = float(np.sum(P * np.log(P / Q))) / n
        gradient = 2 / n * ((P + P.T - Q - Q.T)[:, :, None] * away).sum(axis=1)
        Z = Z - 10 * gradient
    return np.vstack([Z, np.full((1, Z.shape[1]), value)])


NEIGHBOR_MISMATCH = (
    Row(
        name="neighbor-mismatch-2000/-",
        work="SNE objective and gradient, 10 times, n = 2,000",
        data=picked_neighbors,
        size=2000,
        small=300,
        warm=600,
        contenders={OURS: Contender(compiled), "numpy": Contender(straightforward, slow=True)},
        compare=map_difference,
        tolerance=1e-9,
        goals=(Goal(10),),
    ),
)
