"""Sparse graphs of distances that somebody else made."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.neighbors import KNeighborsTransformer, kneighbors_graph

from sidelight.core.errors import DisconnectedGraphError
from sidelight.estimator.points import points_of
from sidelight.neighbors import (
    component_labels,
    connect_components,
    distinct_rows,
    nearest_neighbors,
    neighborhood_graph,
    radius_neighbors,
)
from sidelight.neighbors.given_graph import (
    check_graph,
    check_graph_block,
    merge_copies,
    nearest_stored,
)
from sidelight.neighbors.graph.closed_sets import open_closed_classes
from sidelight.neighbors.known_distances import KnownDistances
from sidelight.neighbors.landmarks import spread_landmarks


@pytest.fixture
def X():
    return np.random.default_rng(0).random((60, 3))


def edges(rows, columns, lengths, n):
    return sp.coo_array((np.asarray(lengths, dtype=float), (rows, columns)), shape=(n, n))


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "bsr"])
def test_every_format_is_read_and_left_as_it_is(X, form):
    graph = kneighbors_graph(X, 5, mode="distance")
    given = graph.asformat(form)
    before = given.copy()
    found = check_graph(given, who="Isomap")
    np.testing.assert_array_equal(found.toarray(), graph.toarray())
    assert (given != before).nnz == 0


def test_a_stored_diagonal_of_zeros_is_left_out(X):
    with_self = KNeighborsTransformer(n_neighbors=5, mode="distance").fit_transform(X)
    assert with_self.nnz == 60 * 6
    found = check_graph(with_self, who="Isomap")
    np.testing.assert_array_equal(np.diff(found.indptr), 5)


BAD = {
    "not square": (edges([0], [1], [1.0], 3).tocsr()[:2], "square.*shape .2, 3."),
    "negative": (edges([0, 1], [1, 2], [1.0, -2.0], 3), "not negative.*-2 between rows 1 and 2"),
    "a loop": (edges([0, 1], [1, 1], [1.0, 3.0], 3), "length 3 from row 1 to itself"),
    "no edges": (sp.csr_array((4, 4)), "graph with edges"),
    "not a number": (edges([0], [1], [np.nan], 3), "NaN"),
    "infinite": (edges([0], [1], [np.inf], 3), "infinity"),
    "two lengths": (
        edges([0, 1], [1, 0], [1.0, 2.0], 3),
        "from row [01] to row [01] but [12] back",
    ),
    "complex": (edges([0], [1], [1.0], 3).astype(complex), "real.*complex128"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_graph_of_distances(name):
    graph, words = BAD[name]
    with pytest.raises(ValueError, match=f"Isomap.*{words}"):
        check_graph(graph, who="Isomap")


def test_blocks_of_new_rows():
    block = sp.csr_array([[0.0, 2.0, 0.0], [0.0, 0.0, 0.0]])
    with pytest.raises(ValueError, match=r"join every new row.*row 1 \(1 in all\)"):
        check_graph_block(block, 3, who="Isomap")
    with pytest.raises(ValueError, match="4 rows of the graph. Got 3 columns"):
        check_graph_block(block, 4, who="Isomap")
    with pytest.raises(ValueError, match="must be a sparse array"):
        check_graph_block(block.toarray(), 3, who="Isomap")
    assert check_graph_block(block[:1], 3, who="Isomap").nnz == 1


def test_stored_zeros_are_copies_and_their_edges_fall_together():
    # 0 and 3 are one place; only 3 knows 2, and the shorter way to 1 counts
    graph = check_graph(edges([0, 0, 3, 3], [3, 1, 1, 2], [0.0, 2.0, 1.5, 4.0], 4), who="")
    distinct = distinct_rows(graph, metric="precomputed")
    np.testing.assert_array_equal(distinct.inverse, [0, 1, 2, 0])
    merged = merge_copies(graph, distinct.inverse, 3)
    np.testing.assert_array_equal(merged.toarray(), [[0, 1.5, 4], [0, 0, 0], [0, 0, 0]])
    new = merge_copies(sp.csr_array([[0.5, 0, 0, 0.2]]), distinct.inverse, 3, rows=False)
    np.testing.assert_array_equal(new.toarray(), [[0.2, 0, 0]])


def test_the_nearest_of_a_graph_are_those_of_the_data(X):
    graph = kneighbors_graph(X, 12, mode="distance")
    found = nearest_neighbors(graph, 5, metric="precomputed")
    expected = nearest_neighbors(X, 5)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_allclose(found.distances, expected.distances, atol=1e-12)
    with pytest.raises(ValueError, match="Got 13, and 60 of 60.*one of them 12.*'auto'"):
        nearest_neighbors(graph, 13, metric="precomputed")


def test_a_radius_cuts_a_graph(X):
    graph = sp.csr_array(cdist(X, X))
    found = neighborhood_graph(graph, radius=0.3, metric="precomputed")
    expected = neighborhood_graph(X, radius=0.3)
    np.testing.assert_allclose(found.toarray(), expected.toarray(), atol=1e-12)
    block = sp.csr_array(cdist(X[:4], X))
    within = radius_neighbors(graph, 0.3, queries=block, metric="precomputed")
    assert within.data.max() <= 0.3


def test_fewer_neighbours_are_infinitely_far_and_the_nearest_stays():
    rows = sp.csr_array([[3.0, 1.0, 2.0], [0.0, 5.0, 0.0]])
    indices, distances = nearest_stored(rows, radius=2.0)
    np.testing.assert_array_equal(indices, [[1, 2], [1, 0]])
    np.testing.assert_array_equal(distances, [[1.0, 2.0], [5.0, np.inf]])


def test_pieces_are_joined_by_the_shortest_edges_given_or_not_at_all():
    X = np.array([[0.0], [1.0], [5.0], [6.0], [20.0], [21.5]])
    near = neighborhood_graph(X, n_neighbors=1)
    given = sp.csr_array(cdist(X, X))
    found, joins = connect_components(near, given, metric="precomputed")
    expected, same = connect_components(near, X)
    np.testing.assert_array_equal(joins, same)
    np.testing.assert_allclose(found.toarray(), expected.toarray())
    assert not component_labels(found).any()
    with pytest.raises(DisconnectedGraphError, match="Isomap is in 3 pieces.*Add edges"):
        connect_components(near, near, metric="precomputed", who="Isomap")


def test_closed_sets_are_opened_by_given_edges():
    arrows = edges([0, 1, 2, 3], [1, 0, 3, 2], np.ones(4), 4).tocsr()
    X = np.array([[0.0], [1.0], [5.0], [6.0]])
    given = sp.csr_array(np.triu(cdist(X, X)))
    by_edges = points_of(given, "precomputed", who="").shortest_way
    by_rows = points_of(X, "euclidean", who="").shortest_way
    opened, n_opened = open_closed_classes(arrows, by_edges)
    expected, n_expected = open_closed_classes(arrows, by_rows)
    assert n_opened == n_expected == 1
    np.testing.assert_array_equal(opened.toarray() != 0, expected.toarray() != 0)
    with pytest.raises(DisconnectedGraphError, match="no edge out of a set of 2"):
        open_closed_classes(arrows, points_of(arrows, "precomputed", who="").shortest_way)


def test_distances_are_looked_up_or_measured_along(X):
    D = cdist(X, X)
    graph = neighborhood_graph(X, n_neighbors=6)
    known = KnownDistances.of(sp.csr_array(sp.triu(graph)))
    i, j = np.indices(D.shape)
    stored = graph.toarray() > 0
    found = known.between(i, j)
    np.testing.assert_allclose(found[stored], D[stored], atol=1e-12)
    np.testing.assert_array_equal(np.isnan(found), ~stored & (i != j))
    from sidelight.similarity.geodesic import geodesic_distances

    paths = geodesic_distances(graph)
    np.testing.assert_allclose(known.along(i.ravel(), j.ravel()), paths.ravel(), atol=1e-12)
    expected = np.where(stored, D, paths).ravel()
    found = points_of(graph, "precomputed", who="").lengths(i.ravel(), j.ravel())
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_landmarks_are_spread_along_the_graph():
    path = sp.diags_array([np.ones(10)], offsets=[1]).tocsr()
    found = spread_landmarks(path, 3, metric="precomputed")
    np.testing.assert_array_equal(found, [0, 5, 10])


@pytest.mark.parametrize(("off", "refused"), [(1e-7, False), (1e-5, True)])
def test_two_directions_of_an_edge_differ_by_rounding_alone(off, refused):
    graph = sp.csr_array([[0.0, 2.0, 0.0], [2.0 + 2.0 * off, 0.0, 1.0], [0.0, 1.0, 0.0]])
    if refused:
        with pytest.raises(ValueError, match="must give an edge one length"):
            check_graph(graph, who="here")
    else:
        assert check_graph(graph, who="here").nnz == 4


@pytest.mark.parametrize(("share", "refused"), [(5e-7, False), (1e-5, True)])
def test_a_row_is_at_no_distance_from_itself_but_for_rounding(share, refused):
    graph = sp.csr_array([[3.0 * share, 3.0, 0.0], [3.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    if refused:
        with pytest.raises(ValueError, match="must not join a row to itself"):
            check_graph(graph, who="here")
    else:
        assert check_graph(graph, who="here").nnz == 4
