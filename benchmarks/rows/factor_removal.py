"""A known factor taken out of 100,000 rows: batches, and a number."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.agreement import map_difference
from benchmarks.row import OURS, Array, Contender, Limit, Problem, Row


def rows_in_batches(n: int, *, numbers: bool) -> Problem:
    """Eight kinds of rows in fifty columns, moved by their batch, or along a curve."""
    rng = np.random.default_rng(0)
    X = 2 * rng.standard_normal((8, 50))[rng.integers(0, 8, n)] + rng.standard_normal((n, 50))
    if numbers:
        known = rng.random(n)
        return Problem(
            X + 2 * np.outer(np.sin(2 * np.pi * known), rng.standard_normal(50)), truth=known
        )
    batch = rng.integers(0, 4, n)
    return Problem(X + 1.5 * rng.standard_normal((4, 50))[batch], truth=batch)


def ours(problem: Problem, *, numbers: bool) -> Array:
    """Learned, judged and taken out."""
    from sidelight import FactorRemoval
    from sidelight.side import Condition

    assert problem.truth is not None
    known = Condition(problem.truth if numbers else problem.truth.astype(str))
    model = FactorRemoval().fit(problem.X, side=known)
    return np.asarray(model.transform(problem.X, condition=known))


FACTOR_REMOVAL = tuple(
    Row(
        name=f"factor-removal-100000/{name}",
        work=f"A known factor taken out, 100,000 × 50, {name}",
        data=partial(rows_in_batches, numbers=numbers),
        size=100_000,
        small=1_000,
        contenders={OURS: Contender(partial(ours, numbers=numbers))},
        compare=map_difference,
        tolerance=1e-3,
        limit=Limit(seconds=15),
    )
    for name, numbers in (("batches", False), ("numbers", True))
)
