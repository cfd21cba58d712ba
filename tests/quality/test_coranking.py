"""Co-ranking curves against the co-ranking matrix itself."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from sidelight.quality import coranking_curves


def naive_coranking(X, Z):
    """The co-ranking matrix, by sorting (squared distance, index) pairs."""
    n = len(X)
    matrix = np.zeros((n, n), dtype=int)
    for i in range(n):
        rank = []
        for points in (X, Z):
            others = [j for j in range(n) if j != i]
            others.sort(key=lambda j, p=points, i=i: (sum((p[i] - p[j]) ** 2), j))
            rank.append({j: place for place, j in enumerate(others, start=1)})
        for j in rank[0]:
            matrix[rank[0][j], rank[1][j]] += 1
    return matrix


@pytest.mark.parametrize("seed", range(3))
def test_naive_reference_with_ties(seed):
    rng = np.random.default_rng(seed)
    n = 16
    X = rng.integers(0, 4, (n, 3)).astype(float)
    Z = rng.integers(0, 3, (n, 2)).astype(float)
    matrix = naive_coranking(X, Z)
    curves = coranking_curves(X, Z)
    area = weights = 0.0
    for k in range(1, n):
        block = matrix[1 : k + 1, 1 : k + 1]
        q_nx = block.sum() / (k * n)
        # above the diagonal: the rank in the map (column) is the larger, the point moved away
        b_nx = (np.triu(block, 1).sum() - np.tril(block, -1).sum()) / (k * n)
        assert curves.q_nx[k - 1] == pytest.approx(q_nx, abs=1e-14)
        assert curves.b_nx[k - 1] == pytest.approx(b_nx, abs=1e-14)
        if k < n - 1:
            r_nx = ((n - 1) * q_nx - k) / (n - 1 - k)
            assert curves.r_nx[k - 1] == pytest.approx(r_nx, abs=1e-13)
            area, weights = area + r_nx / k, weights + 1 / k
    assert curves.auc == pytest.approx(area / weights, abs=1e-13)
    assert np.abs(curves.b_nx).max() > 0.01
    assert np.isnan(curves.r_nx[-1])
    np.testing.assert_array_equal(curves.k, np.arange(1, n))


def test_the_data_are_a_perfect_map_of_themselves():
    X = np.random.default_rng(0).normal(size=(90, 30))
    curves = coranking_curves(X, X)
    np.testing.assert_array_equal(curves.q_nx, 1.0)
    assert curves.auc == pytest.approx(1.0, abs=1e-13)


def test_a_turned_scaled_lattice_is_a_perfect_map_in_spite_of_its_ties():
    # rounding errors would otherwise break the ties of the two copies differently
    grid = np.stack(np.meshgrid(np.arange(9.0), np.arange(8.0)), axis=-1).reshape(-1, 2)
    turn = np.array([[np.cos(0.7), -np.sin(0.7)], [np.sin(0.7), np.cos(0.7)]])
    curves = coranking_curves(grid, 0.37 * grid @ turn + 5.0)
    np.testing.assert_array_equal(curves.q_nx, 1.0)


def test_a_random_map_scores_nothing():
    rng = np.random.default_rng(0)
    curves = coranking_curves(rng.normal(size=(600, 4)), rng.normal(size=(600, 2)))
    # Q_NX(K) of a random map is K/(n − 1) on average; 600 · K trials stand behind each value
    assert abs(curves.auc) < 0.01
    assert np.abs(curves.r_nx[4:-5]).max() < 0.03


def test_precomputed_distances_give_the_same_curves():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 25))
    Z = X[:, :2]
    expected = coranking_curves(X, Z)
    found = coranking_curves(cdist(X, X), Z, metric="precomputed")
    np.testing.assert_array_equal(found.q_nx, expected.q_nx)
    np.testing.assert_array_equal(found.b_nx, expected.b_nx)


def test_torn_and_folded_maps_have_opposite_behaviour():
    angle = np.sort(np.random.default_rng(0).random(200)) * 2 * np.pi
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    folded = coranking_curves(circle, circle[:, :1])
    assert folded.b_nx[9] > 0.2
    # the inverse map tears what the fold had joined
    torn = coranking_curves(circle[:, :1], circle)
    np.testing.assert_allclose(torn.b_nx, -folded.b_nx)
    np.testing.assert_array_equal(torn.q_nx, folded.q_nx)


def test_sampled_rows_are_ranked_against_all_points():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(700, 5))
    Z = X[:, :2]
    full = coranking_curves(X, Z)
    sample = coranking_curves(X, Z, max_samples=200, random_state=1)
    assert (full.n_samples_used, sample.n_samples_used, sample.n_samples) == (700, 200, 700)
    assert sample.auc == pytest.approx(full.auc, abs=0.02)
    # ranks among the sample alone would keep three times as many of ten neighbours
    assert sample.q_nx[9] == pytest.approx(full.q_nx[9], abs=0.02)


@pytest.mark.parametrize("max_samples", [1, 2.5, "all"])
def test_max_samples_out_of_range(max_samples):
    X = np.eye(5)
    with pytest.raises(ValueError, match="'max_samples' parameter of coranking_curves"):
        coranking_curves(X, X, max_samples=max_samples)
