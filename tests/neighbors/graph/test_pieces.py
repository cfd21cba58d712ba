"""Graphs that fell apart."""

from __future__ import annotations

import subprocess
import sys
from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from sidelight.core import DisconnectedGraphWarning
from sidelight.core.progress import listening
from sidelight.neighbors import component_labels, connect_components, neighborhood_graph
from sidelight.neighbors.graph._across_compiled import scan_across
from sidelight.neighbors.graph.across import Products
from tools.portable import NEEDS, environment, why_not


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


def first_tree(D, labels):
    """Kruskal's algorithm over all pairs of rows, by length and then by the two rows."""
    low, high = np.nonzero(np.triu(labels[:, None] != labels))
    parent = list(range(labels.max() + 1))

    def find(piece):
        while parent[piece] != piece:
            parent[piece] = parent[parent[piece]]
            piece = parent[piece]
        return piece

    edges = []
    for place in np.lexsort((high, low, D[low, high])):
        one, other = find(labels[low[place]]), find(labels[high[place]])
        if one != other:
            parent[one] = other
            edges.append((low[place], high[place]))
            if len(edges) == labels.max():
                break
    return np.array(sorted(edges)).reshape(-1, 2)


def distances(X):
    return np.sqrt(np.square(X[:, None].astype(float) - X).sum(axis=2))


def grid(rng):
    return rng.integers(0, 4, size=(400, 3)).astype(float)


def blobs(rng):
    centres = 8 * rng.normal(size=(30, 20))
    return centres[rng.integers(30, size=700)] + rng.normal(size=(700, 20))


def far_apart(rng):
    """Two clouds so far apart that float32 cannot tell which rows of them are closest."""
    X = rng.normal(size=(600, 20))
    X[300:, 0] += 1e6
    return X


def tiny(rng):
    return rng.normal(size=(900, 20)).astype(np.float32)


@pytest.mark.parametrize("way", ["table", "products", "trees"])
@pytest.mark.parametrize("kind", [grid, blobs, far_apart, tiny])
@pytest.mark.parametrize("seed", [1, 2])
def test_the_edges_are_the_first_of_the_shortest(way, kind, seed, monkeypatch):
    X = kind(np.random.default_rng(seed))
    graph = sp.csr_array((len(X), len(X)))
    if kind is not grid:
        graph = neighborhood_graph(X, n_neighbors=1 if kind is tiny else 5)
    if way != "table":
        small = (
            "sidelight.neighbors.search.tree"
            if way == "trees"
            else "sidelight.neighbors.graph.across"
        )
        monkeypatch.setattr(f"{small}.SMALL", 10)
        monkeypatch.setattr("sidelight.neighbors.search.tree.TREE_FEATURES", 99 * (way == "trees"))
        monkeypatch.setattr("sidelight.neighbors.graph.across._TILE", 128)
    labels = component_labels(graph)
    assert labels.max() > 0
    expected = first_tree(distances(X), labels)
    for n_jobs in (1, 2):
        edges = connect_components(graph, X, n_jobs=n_jobs)[1]
        np.testing.assert_array_equal(edges, expected)


def test_a_scan_leaves_out_a_run_of_columns_and_keeps_the_two_least():
    rng = np.random.default_rng(5)
    tile = rng.random((40, 500)).astype(np.float32)
    rows, columns = rng.random(40).astype(np.float32), rng.random(500).astype(np.float32)
    own = np.sort(rng.integers(900, 1600, size=(40, 2)), axis=1)  # of columns 1000 to 1499
    found = np.full((40, 2), np.inf, dtype=np.float32)
    names = np.zeros(40, dtype=np.intp)
    scan_across(tile, rows, columns, own, found, names, 1000, 0, 40)
    squares = rows[:, None] + columns - 2 * tile
    number = np.arange(1000, 1500)
    squares[(own[:, :1] <= number) & (number < own[:, 1:])] = np.inf
    np.testing.assert_allclose(found, np.sort(squares, axis=1)[:, :2], rtol=1e-5, atol=1e-6)
    some = np.isfinite(squares).any(axis=1)
    np.testing.assert_array_equal(names[some], 1000 + squares.argmin(axis=1)[some])


@pytest.mark.parametrize("n_pieces", [2, 7])
@pytest.mark.parametrize("kind", [blobs, far_apart, tiny])
def test_every_row_finds_its_nearest_across(kind, n_pieces):
    X = kind(np.random.default_rng(4))
    labels = np.arange(len(X)) * n_pieces // len(X)
    D = distances(X)
    D[labels[:, None] == labels] = np.inf
    nearest, lengths = Products.of(X, 1)(np.arange(len(X)), labels)
    np.testing.assert_array_equal(nearest, D.argmin(axis=1))
    np.testing.assert_allclose(lengths, D.min(axis=1), rtol=1e-12)
    # bounded where a piece has a shorter edge, and found where it may have none
    known, bounds = Products.of(X, 1)(np.arange(len(X)), labels, np.full(n_pieces, D.min()))
    assert (bounds <= D.min(axis=1) * (1 + 1e-12)).all()
    found = known >= 0
    np.testing.assert_array_equal(known[found], nearest[found])


@pytest.mark.parametrize("seed", range(6))
def test_pieces_of_a_grid(seed):
    rng = np.random.default_rng(seed)
    X = rng.permutation(np.argwhere(np.ones((9, 9)))).astype(float)
    near = np.argwhere(np.triu(distances(X) == 1))
    graph = graph_of(81, near[rng.random(len(near)) < 0.25].tolist())
    expected = first_tree(distances(X), component_labels(graph))
    np.testing.assert_array_equal(connect_components(graph, X)[1], expected)


def test_ties_go_by_the_lesser_row_and_then_the_greater():
    X = np.array([[0.0], [10.0], [1.0], [9.0], [2.0], [11.0]])
    graph = graph_of(6, [(0, 2), (2, 4), (1, 3), (1, 5)])
    np.testing.assert_array_equal(connect_components(graph, X)[1], [[3, 4]])
    X = np.array([[1.0, 0], [1.0, 5], [0.0, 5], [0.0, 0], [0, 2], [1, 2]])
    graph = graph_of(6, [(0, 5), (5, 1), (2, 4), (4, 3)])
    np.testing.assert_array_equal(connect_components(graph, X)[1], [[0, 3]])


def test_the_search_across_pieces_says_how_far_it_is():
    X = np.random.default_rng(0).normal(size=(3000, 20))
    X[1500:] += 9
    heard = []
    with listening(heard.append):
        connect_components(neighborhood_graph(X, n_neighbors=5), X)
    stages = {progress.stage for progress in heard}
    assert {"rows nearest across pieces", "pieces joined"} <= stages
    assert heard[-1].done == heard[-1].total


@pytest.mark.parametrize("kind", [blobs, far_apart, tiny])
def test_where_exact_is_too_dear_the_edges_are_nearly_the_shortest(kind, monkeypatch):
    monkeypatch.setattr("sidelight.neighbors.graph.across.AFFORDABLE", 0)
    monkeypatch.setattr("sidelight.neighbors.graph.across.SMALL", 10)
    monkeypatch.setattr("sidelight.neighbors.graph.across._CELL", 16)
    X = kind(np.random.default_rng(3))
    graph = neighborhood_graph(X, n_neighbors=1 if kind is tiny else 5)
    labels = component_labels(graph)
    with pytest.warns(DisconnectedGraphWarning, match="of Isomap .* nearly, not certainly"):
        joined, edges = connect_components(graph, X, who="Isomap")
    assert not component_labels(joined).any()
    assert edges.shape == (labels.max(), 2)
    D = distances(X)
    assert D[tuple(edges.T)].sum() <= 1.1 * D[tuple(first_tree(D, labels).T)].sum()
    with pytest.warns(DisconnectedGraphWarning):
        again = connect_components(graph, X, n_jobs=1)[1]
    np.testing.assert_array_equal(edges, again)


_EDGES = """
import warnings
import numpy as np
import sidelight.neighbors.graph.across as across
from sidelight.neighbors import connect_components, neighborhood_graph
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X = rng.normal(size=(2500, 20))
X[1000:, 0] += 1e5
X[2000:, 1] += 40
graph = neighborhood_graph(X, n_neighbors=2)
for across.AFFORDABLE in (1e12, 0):
    print(connect_components(graph, X)[1].tolist())
"""


def edges_found(env=None):
    command = [sys.executable, "-c", _EDGES]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout


@cache
def edges_found_here():
    return edges_found()


@pytest.mark.thorough
@pytest.mark.parametrize("kernel", NEEDS)
def test_the_same_edges_on_every_processor(kernel):
    reason = why_not(kernel)
    if reason is not None:
        pytest.skip(reason)
    assert len(edges_found_here()) > 40
    assert edges_found(environment(kernel, 2)) == edges_found_here()
