"""Maximum entropy unfolding: no package has it, so the peer is a plain dense program."""

from __future__ import annotations

import numpy as np

from benchmarks.agreement import map_difference
from benchmarks.data import swiss_roll
from benchmarks.peers.dense_springs import dense_map
from benchmarks.row import OURS, Array, Contender, Goal, Problem, Row

_NEIGHBORS = 7


def ours(problem: Problem) -> Array:
    """sidelight, to a violation of 1e-4."""
    from sidelight import MaximumEntropyUnfolding

    model = MaximumEntropyUnfolding(2, n_neighbors=_NEIGHBORS, tol=1e-4)
    return np.asarray(model.fit_transform(problem.X))


def dense(problem: Problem) -> Array:
    """L-BFGS-B of SciPy in the springs themselves, with a dense inverse in every step."""
    X = problem.X
    scatter = float(np.sum((X - X.mean(axis=0)) ** 2))
    return dense_map(X, _NEIGHBORS, 1e-3 / scatter)


def _row(size: int, contenders: dict[str, Contender], goals: tuple[Goal, ...] = ()) -> Row:
    return Row(
        name=f"meu-{size}/swiss_roll",
        work=f"maximum entropy unfolding, n = {size:,}",
        data=swiss_roll,
        size=size,
        small=250,
        warm=250,
        contenders=contenders,
        compare=map_difference,
        tolerance=2e-2,
        goals=goals,
    )


_ALONE = {OURS: Contender(ours)}

MAXIMUM_ENTROPY_UNFOLDING = (
    _row(300, {**_ALONE, "dense": Contender(dense, slow=True)}, (Goal(10),)),
    _row(800, _ALONE),
    _row(3000, _ALONE),
    _row(10_000, _ALONE),
)
