"""Nearest neighbours of every row among the others, exactly and nearly."""

from __future__ import annotations

import numpy as np

from benchmarks.agreement import missed_neighbors, relative_distances
from benchmarks.data import digits, low_rank, mnist_pixels
from benchmarks.row import OURS, Array, Contender, Goal, Problem, Row

_NEIGHBORS = 12


def exact_distances(problem: Problem) -> Array:
    """sidelight."""
    from sidelight.neighbors import nearest_neighbors

    return nearest_neighbors(problem.X, _NEIGHBORS).distances


def sklearn_distances(problem: Problem) -> Array:
    """scikit-learn by brute force, the best of its ways with so many features."""
    from sklearn.neighbors import NearestNeighbors

    search = NearestNeighbors(n_neighbors=_NEIGHBORS, algorithm="brute").fit(problem.X)
    return np.asarray(search.kneighbors()[0])


def approximate_indices(problem: Problem) -> Array:
    """sidelight, by cells and descent."""
    from sidelight.neighbors import nearest_neighbors

    return nearest_neighbors(problem.X, _NEIGHBORS, method="approximate").indices


def exact_indices(problem: Problem) -> Array:
    """sidelight, exactly."""
    from sidelight.neighbors import nearest_neighbors

    return nearest_neighbors(problem.X, _NEIGHBORS).indices


_EXACT = {OURS: Contender(exact_distances), "sklearn brute": Contender(sklearn_distances)}
_NEARLY = {OURS: Contender(approximate_indices), "sidelight exact": Contender(exact_indices)}

NEIGHBORS = (
    Row(
        name="neighbors-20000/low_rank",
        work="Exact 12 nearest neighbours, 20,000 × 784",
        data=low_rank,
        size=20_000,
        small=600,
        contenders=_EXACT,
        compare=relative_distances,
        tolerance=1e-5,
        goals=(Goal(2),),
    ),
    Row(
        name="neighbors-20000/mnist_pixels",
        work="Exact 12 nearest neighbours, 20,000 × 784",
        data=mnist_pixels,
        size=20_000,
        small=600,
        contenders=_EXACT,
        compare=relative_distances,
        tolerance=1e-5,
        goals=(Goal(2),),
        real_data="mnist_t10k",
    ),
    Row(
        name="neighbors-1797/digits",
        work="Exact 12 nearest neighbours, 1,797 × 64",
        data=digits,
        size=1797,
        small=600,
        contenders=_EXACT,
        compare=relative_distances,
        tolerance=1e-5,
    ),
    Row(
        name="approximate-neighbors-20000/low_rank",
        work="12 nearest neighbours, nearly, 20,000 × 784",
        data=low_rank,
        size=20_000,
        small=2100,
        contenders=_NEARLY,
        compare=missed_neighbors,
        tolerance=0.2,
    ),
    Row(
        name="approximate-neighbors-20000/mnist_pixels",
        work="12 nearest neighbours, nearly, 20,000 × 784",
        data=mnist_pixels,
        size=20_000,
        small=2100,
        contenders=_NEARLY,
        compare=missed_neighbors,
        tolerance=0.1,
        real_data="mnist_t10k",
    ),
)
