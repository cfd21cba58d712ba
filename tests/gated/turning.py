"""Rows that are turned by one place, and a machine that has learned it."""

from __future__ import annotations

from functools import cache

import numpy as np

from sidelight.gated import GatedBoltzmannMachine

N = 10


def turned(n, seed, *, kind="binary"):
    """Rows, and what became of them: turned by one place to the left, to the right, or not."""
    rng = np.random.default_rng(seed)
    way = rng.integers(-1, 2, n)
    if kind == "gaussian":
        X = 3.0 + 2.0 * rng.standard_normal((n, N))
    elif kind == "poisson":
        X = (rng.random((n, N)) < 0.3) * 3.0
    else:
        X = (rng.random((n, N)) < 0.3) * 1.0
    came_from = (np.arange(N) - way[:, None]) % N
    return X, np.take_along_axis(X, came_from, axis=1), way


@cache
def turning_machine():
    """What tells the three turns apart."""
    X, Y, _ = turned(3000, 0)
    return GatedBoltzmannMachine(6, max_iter=1000).fit(X, Y)
