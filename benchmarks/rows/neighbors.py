"""Nearest neighbours of every row among the others, exactly and nearly."""

from __future__ import annotations

import numpy as np

from benchmarks.agreement import (
    missed_by_peer,
    missed_neighbors,
    missed_of_sample,
    relative_distances,
)
from benchmarks.data import digits, digits_50, low_rank, mnist_pixels
from benchmarks.row import OURS, Array, Contender, Goal, Limit, Problem, Row

_NEIGHBORS = 12
#: As maps of many rows ask for.
_OF_MAPS = 15
#: A descent alone, without cells, took 14.1 s for 70,000 rows: at most two fifths of that.
_LESS = Limit(seconds=5.6)


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


def our_nearest(problem: Problem) -> Array:
    """sidelight, as it chooses."""
    from sidelight.neighbors import nearest_neighbors

    return nearest_neighbors(problem.X, _OF_MAPS, method="approximate").indices


def pynndescent_nearest(problem: Problem) -> Array:
    """pynndescent, which counts a row among its own neighbours."""
    from pynndescent import NNDescent

    return np.asarray(NNDescent(problem.X, n_neighbors=_OF_MAPS + 1).neighbor_graph[0][:, 1:])


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
    *(
        Row(
            name=f"approximate-neighbors-{n}/digits_50",
            work=f"{_OF_MAPS} nearest neighbours, nearly, {n:,} × 50",
            data=digits_50,
            size=n,
            small=3_000,
            warm=5_000,
            contenders={
                OURS: Contender(our_nearest, slow=n > 100_000),
                "pynndescent": Contender(
                    pynndescent_nearest, package="pynndescent", slow=n > 100_000, must_agree=False
                ),
            },
            compare=missed_by_peer,
            tolerance=missed,
            certificate=missed_of_sample,
            certified=missed,
            limit=limit,
            real_data="mnist_t10k",
        )
        for n, missed, limit in ((70_000, 0.02, _LESS), (1_000_000, 0.05, None))
    ),
)
