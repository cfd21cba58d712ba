"""Neighbourhoods from actions, against a reading of (4.1) word by word."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from sidelight.neighbors.graph.action_balls import action_neighbors


def by_definition(D, transitions, window, common):
    n = len(D)
    hops = np.full((n, n), np.inf)
    np.fill_diagonal(hops, 0)
    for i, j in transitions:
        hops[i, j] = hops[j, i] = 1
    for k in range(n):
        hops = np.minimum(hops, hops[:, [k]] + hops[[k]])
    joined = np.zeros((n, n), dtype=bool)
    for i in range(n):
        for j in range(n):
            joined[i, j] = any(
                hops[i, k] <= window and D[i, k] >= D[i, j] for k in range(n)
            ) and any(hops[j, k] <= window and D[j, k] >= D[i, j] for k in range(n))
    if common:
        joined = joined | (joined.T.astype(int) @ joined.astype(int) > 0)
    return {(i, j) for i in range(n) for j in range(i + 1, n) if joined[i, j]}


@pytest.mark.parametrize("window", [1, 2])
@pytest.mark.parametrize("common", [False, True])
def test_the_balls_are_those_of_the_definition(window, common):
    rng = np.random.default_rng(3)
    X = np.cumsum(rng.standard_normal((20, 3)), axis=0)
    D = cdist(X, X)
    before = np.r_[0:9, 10:19]  # two episodes
    transitions = np.column_stack([before, before + 1])
    found = action_neighbors(D, transitions, window=window, common=common)
    assert set(map(tuple, found.tolist())) == by_definition(D, transitions, window, common)


def test_one_walk_hangs_together():
    D = cdist(np.random.default_rng(0).standard_normal((30, 4)), np.zeros((1, 4)))
    D = np.abs(D - D.T)
    transitions = np.column_stack([np.arange(29), np.arange(1, 30)])
    joined = set(map(tuple, action_neighbors(D, transitions, common=False).tolist()))
    assert {(i, i + 1) for i in range(29)} <= joined
