"""All rows within a radius."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from sidelight.neighbors import radius_neighbors


def assert_is_naive(graph, D, radius, exclude_self):
    within = radius >= D
    if exclude_self:
        np.fill_diagonal(within, False)
    left, right = np.nonzero(within)
    np.testing.assert_array_equal(np.repeat(np.arange(len(D)), np.diff(graph.indptr)), left)
    np.testing.assert_array_equal(graph.indices, right)
    np.testing.assert_allclose(graph.data, D[left, right], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "cosine"])
@pytest.mark.parametrize("seed", range(4))
def test_agrees_with_the_table(metric, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(int(rng.integers(2, 120)), int(rng.integers(2, 9))))
    X[-1] = X[0]
    D = cdist(X, X, metric)
    np.fill_diagonal(D, 0.0)
    radius = float(np.quantile(D, 0.3)) + 1e-9
    assert_is_naive(radius_neighbors(X, radius, metric=metric), D, radius, True)
    assert_is_naive(radius_neighbors(sp.csr_array(X), radius, metric=metric), D, radius, True)
    Q = rng.normal(size=(9, X.shape[1]))
    E = cdist(Q, X, metric)
    assert_is_naive(radius_neighbors(X, radius, metric=metric, queries=Q), E, radius, False)


def test_trees_agree_with_the_table():
    rng = np.random.default_rng(5)
    X = rng.random((2100, 2))
    X[7] = X[9]
    assert_is_naive(radius_neighbors(X, 0.05), cdist(X, X), 0.05, True)
    Q = np.vstack([rng.random((50, 2)), X[:3]])
    assert_is_naive(radius_neighbors(X, 0.05, queries=Q), cdist(Q, X), 0.05, False)


@pytest.mark.parametrize("side", [6, 50])
def test_the_radius_itself_is_within(side):
    X = np.stack(np.meshgrid(np.arange(side), np.arange(side)), -1).reshape(-1, 2)
    graph = radius_neighbors(X, 1)
    # Every edge of the grid in both directions, and no diagonal.
    assert graph.nnz == 4 * side * (side - 1)
    assert set(graph.data) == {1.0}


def test_duplicates_are_stored_zeros():
    graph = radius_neighbors([[0.0], [5.0], [0.0]], 1.0)
    np.testing.assert_array_equal(graph.indices, [2, 0])
    np.testing.assert_array_equal(graph.data, [0.0, 0.0])


def test_precomputed():
    X = np.random.default_rng(6).normal(size=(40, 3))
    D = cdist(X, X)
    assert_is_naive(radius_neighbors(D, 1.5, metric="precomputed"), D, 1.5, True)


@pytest.mark.parametrize("bad", [0, -1.0, np.nan, np.inf, "1", True, None])
def test_bad_radius(bad):
    with pytest.raises(ValueError, match="'radius' parameter of Isomap must be a float"):
        radius_neighbors(np.eye(3), bad, who="Isomap")


@pytest.mark.parametrize("n_features", [2, 20])
def test_too_many_pairs_are_refused(monkeypatch, n_features):
    monkeypatch.setenv("SIDELIGHT_MEMORY_LIMIT", "1MB")
    X = np.random.default_rng(7).random((2100, n_features))
    with pytest.raises(MemoryError, match="Take a smaller radius"):
        radius_neighbors(X, 100.0)
