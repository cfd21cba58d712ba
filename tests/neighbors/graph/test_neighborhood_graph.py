"""Symmetric neighbourhood graphs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from sidelight.neighbors import Neighbors, nearest_neighbors, neighborhood_graph, symmetrise


@pytest.mark.parametrize("seed", range(5))
def test_union_of_neighbourhoods(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, size=(50, 2)).astype(float)
    k = int(rng.integers(1, 49))
    graph = neighborhood_graph(X, n_neighbors=k)
    edges = {
        pair
        for i, row in enumerate(nearest_neighbors(X, k).indices.tolist())
        for j in row
        for pair in ((i, j), (j, i))
    }
    rows = np.repeat(np.arange(50), np.diff(graph.indptr))
    assert list(zip(rows.tolist(), graph.indices.tolist(), strict=True)) == sorted(edges)
    np.testing.assert_array_equal(graph.data, cdist(X, X)[rows, graph.indices])


def test_path():
    graph = neighborhood_graph(np.arange(5.0)[:, None] ** 2, n_neighbors=1)
    expected = np.diag([1.0, 3.0, 5.0, 7.0], 1)
    np.testing.assert_array_equal(graph.toarray(), expected + expected.T)


def test_radius_graph_is_symmetric_and_keeps_zeros():
    X = np.array([[0.0], [0.0], [1.0], [5.0]])
    graph = neighborhood_graph(X, radius=1.0)
    np.testing.assert_array_equal(graph.indices, [1, 2, 0, 2, 0, 1])
    np.testing.assert_array_equal(graph.data, [0.0, 1.0, 0.0, 1.0, 1.0, 1.0])


def test_the_shorter_of_two_directions_is_kept():
    graph = symmetrise(Neighbors(np.array([[1], [0]]), np.array([[3.0], [2.0]])))
    np.testing.assert_array_equal(graph.toarray(), [[0.0, 2.0], [2.0, 0.0]])


@pytest.mark.parametrize("options", [{}, {"n_neighbors": 1, "radius": 1.0}])
def test_exactly_one_kind_of_neighbourhood(options):
    with pytest.raises(ValueError, match="Isomap needs exactly one of 'n_neighbors' and 'radius'"):
        neighborhood_graph(np.eye(3), who="Isomap", **options)


@pytest.mark.parametrize("bad", [0, 3, 1.5, True])
def test_bad_number_of_neighbours(bad):
    with pytest.raises(ValueError, match=r"parameter of Isomap must be an int in \[1, n_samples\)"):
        neighborhood_graph(np.eye(3), n_neighbors=bad, who="Isomap")
