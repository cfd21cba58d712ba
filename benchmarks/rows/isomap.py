"""Isomap, exact and with landmarks."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.agreement import (
    fewer_kept_than_axes,
    map_difference,
    residual_ratio,
    residual_variance_ratio,
)
from benchmarks.data import digits_50, mnist_30, swiss_roll
from benchmarks.row import OURS, Array, Contender, Goal, Limit, Problem, Row

_NEIGHBORS = 12
_LANDMARKS = 300


def ours(problem: Problem) -> Array:
    """sidelight, every point a landmark."""
    from sidelight import Isomap

    return np.asarray(Isomap(2, n_neighbors=_NEIGHBORS).fit_transform(problem.X))


def ours_by_landmarks(problem: Problem) -> Array:
    """sidelight, with landmarks."""
    from sidelight import Isomap

    n_landmarks = min(_LANDMARKS, len(problem.X) // 2)
    isomap = Isomap(2, n_neighbors=_NEIGHBORS, n_landmarks=n_landmarks)
    return np.asarray(isomap.fit_transform(problem.X))


def sklearn_isomap(problem: Problem) -> Array:
    """scikit-learn, which knows no landmarks."""
    from sklearn.manifold import Isomap

    return np.asarray(Isomap(n_components=2, n_neighbors=_NEIGHBORS).fit_transform(problem.X))


def tapkee_isomap(problem: Problem) -> Array:
    """tapkee with its faster search for neighbours."""
    import tapkee

    Z = tapkee.embed(
        np.asfortranarray(problem.X.T),
        method="isomap",
        neighbors_method="vptree",
        num_neighbors=_NEIGHBORS,
        target_dimension=2,
    )
    return np.asarray(Z)[:, ::-1]  # its axes come in ascending order


def tapkee_by_landmarks(problem: Problem) -> Array:
    """tapkee, with as many landmarks (taken at random)."""
    import tapkee

    n = len(problem.X)
    return np.asarray(
        tapkee.embed(
            np.asfortranarray(problem.X.T),
            method="landmark_isomap",
            neighbors_method="vptree",
            num_neighbors=_NEIGHBORS,
            target_dimension=2,
            landmark_ratio=min(_LANDMARKS, n // 2) / n,
        )
    )


_SKLEARN = Contender(sklearn_isomap, slow=True)
_TAPKEE = Contender(tapkee_isomap, package="tapkee", slow=True, must_agree=False)
_LANDMARK_PEERS = {
    OURS: Contender(ours_by_landmarks),
    "sklearn exact": _SKLEARN,
    "tapkee": Contender(tapkee_by_landmarks, package="tapkee", must_agree=False),
}
_LANDMARK_GOALS = (Goal(50, over="sklearn"), Goal(3, over="tapkee"))

ISOMAP = (
    Row(
        name="isomap-5000/swiss_roll",
        work="Isomap, n = 5,000",
        data=swiss_roll,
        size=5000,
        small=400,
        contenders={OURS: Contender(ours), "sklearn": _SKLEARN, "tapkee": _TAPKEE},
        compare=map_difference,
        tolerance=1e-3,
        goals=(Goal(10, over="sklearn", memory=0.5),),
    ),
    Row(
        name="isomap-5000/mnist_30",
        work="Isomap, n = 5,000",
        data=mnist_30,
        size=5000,
        small=400,
        contenders={OURS: Contender(ours), "sklearn": _SKLEARN},
        compare=map_difference,
        tolerance=1e-3,
        goals=(Goal(5, over="sklearn", memory=0.5),),
        real_data="mnist_t10k",
    ),
    Row(
        name="isomap-10000/swiss_roll",
        work="Isomap, n = 10,000",
        data=swiss_roll,
        size=10_000,
        small=300,
        contenders={OURS: Contender(ours), "sklearn exact": _SKLEARN},
        compare=map_difference,
        tolerance=1e-3,
        goals=(Goal(15, over="sklearn", memory=0.35),),
    ),
    Row(
        name="landmark-isomap-10000/swiss_roll",
        work=f"Landmark Isomap, n = 10,000, {_LANDMARKS} landmarks",
        data=swiss_roll,
        size=10_000,
        small=600,
        contenders=_LANDMARK_PEERS,
        compare=residual_ratio,
        tolerance=1.2,
        goals=_LANDMARK_GOALS,
    ),
    Row(
        name="landmark-isomap-5000/mnist_30",
        work=f"Landmark Isomap, n = 5,000, {_LANDMARKS} landmarks",
        data=mnist_30,
        size=5000,
        small=600,
        contenders=_LANDMARK_PEERS,
        compare=partial(residual_variance_ratio, n_neighbors=_NEIGHBORS),
        tolerance=1.2,
        goals=(),
        real_data="mnist_t10k",
    ),
    Row(
        name="landmark-isomap-1000000/digits_50",
        work=f"Landmark Isomap, 1,000,000 × 50, {_LANDMARKS} landmarks",
        data=digits_50,
        size=1_000_000,
        small=3_000,
        contenders={OURS: Contender(ours_by_landmarks, slow=True)},
        compare=map_difference,
        tolerance=0.0,
        limit=Limit(seconds=300, megabytes=6_000),
        certificate=fewer_kept_than_axes,
        real_data="mnist_t10k",
    ),
)
