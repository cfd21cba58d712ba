"""Rows that stand for all of them."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight.core.sampling import evenly_spaced, farthest_first


@pytest.mark.parametrize(("n", "most"), [(1, 1), (1, 5), (7, 7), (100, 7), (101, 100), (5000, 400)])
def test_evenly_spaced_rows_reach_from_the_first_to_the_last(n, most):
    rows = evenly_spaced(n, most)
    assert len(rows) == min(n, most)
    assert rows[0] == 0
    assert most == 1 or rows[-1] == n - 1
    gaps = np.diff(rows)
    assert gaps.size == 0 or gaps.max() - gaps.min() <= 1


def test_each_point_is_the_farthest_from_those_before_it():
    X = np.random.default_rng(0).random((60, 2))
    D = np.linalg.norm(X[:, None] - X, axis=-1)
    chosen = farthest_first(lambda i: D[i], 3, 12)
    assert chosen[0] == 3
    for step in range(1, 12):
        to_chosen = D[:, chosen[:step]].min(axis=1)
        assert to_chosen[chosen[step]] == to_chosen.max()
    assert len(set(chosen)) == 12


def test_of_points_that_are_as_far_the_first_is_chosen_whatever_the_last_bits_are():
    grid = np.argwhere(np.ones((6, 6)))
    squared = ((grid[:, None] - grid) ** 2).sum(axis=-1)  # whole numbers
    told = farthest_first(squared.__getitem__, 0, 12).tolist()
    for seed in range(5):
        noise = np.random.default_rng(seed).standard_normal(squared.shape)
        off = np.sqrt(squared) * (1 + 1e-15 * noise)
        assert farthest_first(off.__getitem__, 0, 12).tolist() == told
