"""Laplacian eigenmaps: the same graph for all, its construction included in the time."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.agreement import fewer_kept_than_axes, laplacian_difference, neighbor_graph
from benchmarks.data import digits_50, mnist_30, swiss_roll
from benchmarks.row import OURS, Array, Contender, Goal, Limit, Problem, Row

_NEIGHBORS = 12


def ours(problem: Problem) -> Array:
    """sidelight."""
    from sidelight import LaplacianEigenmaps

    return np.asarray(LaplacianEigenmaps(2, n_neighbors=_NEIGHBORS).fit_transform(problem.X))


def sklearn_spectral(problem: Problem, eigen_solver: str) -> Array:
    """scikit-learn on its own graph of neighbours, with a solver of the eigenproblem.

    Its ``affinity="nearest_neighbors"`` gives half the weight to neighbours that are not mutual,
    so the graph is made beforehand.
    """
    from sklearn.manifold import SpectralEmbedding

    W = neighbor_graph(problem.X, _NEIGHBORS)
    embedding = SpectralEmbedding(
        n_components=2, affinity="precomputed", eigen_solver=eigen_solver, random_state=0
    )
    return np.asarray(embedding.fit_transform(W))


def _contenders(*, slow: bool) -> dict[str, Contender]:
    return {
        OURS: Contender(ours),
        "sklearn arpack": Contender(partial(sklearn_spectral, eigen_solver="arpack"), slow=slow),
        "sklearn amg": Contender(
            partial(sklearn_spectral, eigen_solver="amg"),
            package="pyamg",
            slow=slow,
            must_agree=False,
            tolerance=1e-2,
        ),
    }


_COMPARE = partial(laplacian_difference, n_neighbors=_NEIGHBORS)

LAPLACIAN_EIGENMAPS = (
    Row(
        name="laplacian-eigenmaps-10000/swiss_roll",
        work="Laplacian eigenmaps, n = 10,000",
        data=swiss_roll,
        size=10_000,
        small=500,
        contenders=_contenders(slow=False),
        compare=_COMPARE,
        tolerance=1e-5,
        goals=(Goal(1.3, over="sklearn"),),
    ),
    Row(
        name="laplacian-eigenmaps-50000/swiss_roll",
        work="Laplacian eigenmaps, n = 50,000",
        data=swiss_roll,
        size=50_000,
        small=600,
        contenders=_contenders(slow=True),
        compare=_COMPARE,
        tolerance=1e-5,
        goals=(Goal(1.3, over="sklearn"),),
    ),
    Row(
        name="laplacian-eigenmaps-5000/mnist_30",
        work="Laplacian eigenmaps, n = 5,000",
        data=mnist_30,
        size=5000,
        small=500,
        contenders=_contenders(slow=True),
        compare=_COMPARE,
        tolerance=1e-5,
        goals=(Goal(1.3, over="sklearn"),),
        real_data="mnist_t10k",
    ),
    Row(
        name="laplacian-eigenmaps-1000000/digits_50",
        work="Laplacian eigenmaps, 1,000,000 × 50",
        data=digits_50,
        size=1_000_000,
        small=3_000,
        contenders={OURS: Contender(ours, slow=True)},
        compare=_COMPARE,
        tolerance=0.0,
        limit=Limit(seconds=300, megabytes=6_000),
        certificate=fewer_kept_than_axes,
        real_data="mnist_t10k",
    ),
)
