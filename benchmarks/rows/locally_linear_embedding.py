"""Locally linear embedding."""

from __future__ import annotations

import numpy as np

from benchmarks.agreement import subspace_difference
from benchmarks.data import mnist_30, swiss_roll
from benchmarks.row import OURS, Array, Contender, Goal, Problem, Row

_NEIGHBORS = 12


def ours(problem: Problem) -> Array:
    """sidelight."""
    from sidelight import LocallyLinearEmbedding

    return np.asarray(LocallyLinearEmbedding(2, n_neighbors=_NEIGHBORS).fit_transform(problem.X))


def sklearn_lle(problem: Problem) -> Array:
    """scikit-learn with its default solver (ARPACK for all but tiny problems)."""
    from sklearn.manifold import LocallyLinearEmbedding

    lle = LocallyLinearEmbedding(n_components=2, n_neighbors=_NEIGHBORS, random_state=0)
    return np.asarray(lle.fit_transform(problem.X))


def tapkee_lle(problem: Problem) -> Array:
    """tapkee with its faster search for neighbours."""
    import tapkee

    return np.asarray(
        tapkee.embed(
            np.asfortranarray(problem.X.T),
            method="lle",
            neighbors_method="vptree",
            eigen_method="arpack",
            num_neighbors=_NEIGHBORS,
            target_dimension=2,
        )
    )


def _contenders(*, slow: bool) -> dict[str, Contender]:
    return {
        OURS: Contender(ours),
        "sklearn": Contender(sklearn_lle, slow=slow),
        "tapkee": Contender(tapkee_lle, package="tapkee", slow=slow, must_agree=False),
    }


LOCALLY_LINEAR_EMBEDDING = (
    Row(
        name="lle-10000/swiss_roll",
        work="LLE, n = 10,000",
        data=swiss_roll,
        size=10_000,
        small=500,
        contenders=_contenders(slow=False),
        compare=subspace_difference,
        tolerance=1e-2,
        goals=(Goal(4, over="sklearn"), Goal(1, over="tapkee")),
    ),
    Row(
        name="lle-50000/swiss_roll",
        work="LLE, n = 50,000",
        data=swiss_roll,
        size=50_000,
        small=600,
        contenders=_contenders(slow=True),
        compare=subspace_difference,
        tolerance=1e-2,
        goals=(Goal(3, over="sklearn"), Goal(1, over="tapkee")),
    ),
    Row(
        name="lle-5000/mnist_30",
        work="LLE, n = 5,000",
        data=mnist_30,
        size=5000,
        small=500,
        contenders=_contenders(slow=True),
        compare=subspace_difference,
        tolerance=1e-2,
        goals=(Goal(4, over="sklearn"), Goal(1, over="tapkee")),
        real_data="mnist_t10k",
    ),
)
