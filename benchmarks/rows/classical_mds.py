"""Classical scaling, from features and from a table of distances."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.agreement import map_difference
from benchmarks.data import city_block_roll, mnist_30, mnist_distances, swiss_roll
from benchmarks.row import OURS, Array, Contender, Goal, Problem, Row


def ours(problem: Problem, metric: str) -> Array:
    """sidelight."""
    from sidelight import ClassicalMDS

    return np.asarray(ClassicalMDS(2, metric=metric).fit_transform(problem.X))


def sklearn_mds(problem: Problem, metric: str) -> Array:
    """scikit-learn, which computes every eigenvector."""
    from sklearn.manifold import ClassicalMDS

    return np.asarray(ClassicalMDS(n_components=2, metric=metric).fit_transform(problem.X))


def _contenders(metric: str) -> dict[str, Contender]:
    return {
        OURS: Contender(partial(ours, metric=metric)),
        "sklearn": Contender(partial(sklearn_mds, metric=metric), slow=True),
    }


_FEATURES, _DISTANCES = _contenders("euclidean"), _contenders("precomputed")

CLASSICAL_MDS = (
    Row(
        name="classical-mds-5000/swiss_roll",
        work="Classical MDS from features, n = 5,000",
        data=swiss_roll,
        size=5000,
        small=400,
        contenders=_FEATURES,
        compare=map_difference,
        tolerance=1e-6,
        goals=(Goal(40),),
    ),
    Row(
        name="classical-mds-5000/mnist_30",
        work="Classical MDS from features, n = 5,000",
        data=mnist_30,
        size=5000,
        small=400,
        contenders=_FEATURES,
        compare=map_difference,
        tolerance=1e-6,
        goals=(Goal(40),),
        real_data="mnist_t10k",
    ),
    Row(
        name="classical-mds-distances-5000/swiss_roll",
        work="Classical MDS from city-block distances, n = 5,000",
        data=city_block_roll,
        size=5000,
        small=400,
        contenders=_DISTANCES,
        compare=map_difference,
        tolerance=1e-3,
        goals=(Goal(40),),
    ),
    Row(
        name="classical-mds-distances-5000/mnist_30",
        work="Classical MDS from Euclidean distances, n = 5,000",
        data=mnist_distances,
        size=5000,
        small=400,
        contenders=_DISTANCES,
        compare=map_difference,
        tolerance=1e-3,
        goals=(Goal(40),),
        real_data="mnist_t10k",
    ),
)
