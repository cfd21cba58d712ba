"""Graphs that fell apart."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from sidelight.neighbors import component_labels, connect_components, neighborhood_graph


def graph_of(n, edges):
    rows, columns = np.array([*edges, *((j, i) for i, j in edges)]).reshape(-1, 2).T
    return sp.csr_array((np.ones(len(rows)), (rows, columns)), shape=(n, n))


def spanning_weight(D, labels):
    """Prim's algorithm over the table of closest pairs between pieces."""
    n = labels.max() + 1
    pieces = [labels == piece for piece in range(n)]
    gaps = np.array([[D[np.ix_(one, other)].min() for other in pieces] for one in pieces])
    reached, total = [0], 0.0
    while len(reached) < n:
        rest = [b for b in range(n) if b not in reached]
        near = gaps[np.ix_(reached, rest)].min(axis=0)
        total += near.min()
        reached.append(rest[int(near.argmin())])
    return total


def assert_joined_best(graph, X, D, metric="euclidean"):
    labels = component_labels(graph)
    joined, edges = connect_components(graph, X, metric=metric)
    assert not component_labels(joined).any()
    assert edges.shape == (labels.max(), 2)
    np.testing.assert_allclose(D[edges[:, 0], edges[:, 1]].sum(), spanning_weight(D, labels))
    # The old edges as they were, the new ones in both directions, and nothing else.
    expected = graph.toarray()
    expected[edges[:, 0], edges[:, 1]] = D[edges[:, 0], edges[:, 1]]
    expected[edges[:, 1], edges[:, 0]] = D[edges[:, 0], edges[:, 1]]
    np.testing.assert_allclose(joined.toarray(), expected, atol=1e-12)
    assert joined.nnz == graph.nnz + 2 * len(edges)


def test_labels_by_size_then_by_first_row():
    graph = graph_of(9, [(1, 4), (4, 6), (2, 3), (5, 8)])
    np.testing.assert_array_equal(component_labels(graph), [3, 0, 1, 1, 0, 2, 0, 4, 2])


def test_stored_zeros_are_edges():
    graph = neighborhood_graph(np.array([[0.0], [0.0], [9.0], [9.0]]), n_neighbors=1)
    np.testing.assert_array_equal(component_labels(graph), [0, 0, 1, 1])


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "cosine", "precomputed"])
@pytest.mark.parametrize("seed", range(5))
def test_minimum_spanning_tree_of_the_pieces(metric, seed):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(int(rng.integers(2, 25)), 3)) * 5
    X = centres[rng.integers(len(centres), size=150)] + 0.3 * rng.normal(size=(150, 3))
    D = cdist(X, X, "euclidean" if metric == "precomputed" else metric)
    D = (D + D.T) / 2
    np.fill_diagonal(D, 0.0)
    given = D if metric == "precomputed" else X
    graph = neighborhood_graph(given, n_neighbors=2, metric=metric)
    assert component_labels(graph).max() > 2
    assert_joined_best(graph, given, D, metric)
    if metric in ("euclidean", "cosine"):
        joined = connect_components(graph, sp.csr_array(X), metric=metric)
        np.testing.assert_array_equal(joined[1], connect_components(graph, X, metric=metric)[1])


@pytest.mark.parametrize("seed", range(5))
def test_ties_make_no_rings(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, size=(60, 2)).astype(float)
    empty = sp.csr_array((60, 60))
    assert_joined_best(empty, X, cdist(X, X))
    monkeypatch.setattr("sidelight.neighbors.search.tree.SMALL", 10)
    assert_joined_best(empty, X, cdist(X, X))


@pytest.mark.parametrize("seed", range(5))
def test_trees_find_the_same_edges(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 2))
    graph = neighborhood_graph(X, n_neighbors=1)
    edges = connect_components(graph, X)[1]
    monkeypatch.setattr("sidelight.neighbors.search.tree.SMALL", 10)
    np.testing.assert_array_equal(connect_components(graph, X)[1], edges)
    assert_joined_best(graph, X, cdist(X, X))


def test_two_pairs_on_a_line():
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    joined, edges = connect_components(neighborhood_graph(X, n_neighbors=1), X)
    np.testing.assert_array_equal(edges, [[1, 2]])
    assert joined[1, 2] == joined[2, 1] == 9.0


def test_equal_rows_in_different_pieces_are_joined_by_a_stored_zero():
    X = np.zeros((4, 2))
    joined, edges = connect_components(graph_of(4, [(0, 1), (2, 3)]), X)
    assert edges.shape == (1, 2)
    assert joined.nnz == 6
    assert not component_labels(joined).any()


def test_one_piece_is_returned_as_it_is():
    graph = graph_of(3, [(0, 1), (1, 2)])
    joined, edges = connect_components(graph, np.eye(3))
    assert joined is graph
    assert edges.shape == (0, 2)


def test_graph_of_other_rows():
    with pytest.raises(ValueError, match=r"'graph' parameter of Isomap must be of shape \(4, 4\)"):
        connect_components(sp.csr_array((3, 3)), np.eye(4), who="Isomap")
