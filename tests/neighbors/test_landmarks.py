"""Landmarks are spread: no two close together, no point far from all."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from sidelight.neighbors.landmarks import spread_landmarks


def test_farther_apart_than_random_ones():
    X = np.random.default_rng(0).random((600, 2))
    landmarks = spread_landmarks(X, 40)
    assert len(np.unique(landmarks)) == 40

    def closest(rows):
        D = cdist(X[rows], X[rows])
        return D[np.triu_indices(len(rows), 1)].min()

    random = [closest(np.random.default_rng(s).permutation(600)[:40]) for s in range(20)]
    assert closest(landmarks) > max(random)
    assert cdist(X, X[landmarks]).min(axis=1).max() < 0.25


def test_a_table_of_distances_and_all_points():
    X = np.random.default_rng(1).random((30, 3))
    given = spread_landmarks(cdist(X, X), 6, metric="precomputed")
    np.testing.assert_array_equal(given, spread_landmarks(X, 6))
    np.testing.assert_array_equal(spread_landmarks(X, 30), np.arange(30))


@pytest.mark.parametrize("unit", [0.1, 0.3, 1 / 3])
def test_a_grid_has_the_same_landmarks_in_any_unit(unit):
    grid = np.argwhere(np.ones((14, 14))).astype(float)
    for n_landmarks in (10, 30, 60):
        np.testing.assert_array_equal(
            spread_landmarks(unit * grid, n_landmarks), spread_landmarks(grid, n_landmarks)
        )
