"""Neighbour embedding of a graph that somebody else made: who may be chosen, and how surely."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import minimum_spanning_tree, shortest_path
from scipy.spatial import Delaunay
from scipy.spatial.distance import cdist

from sidelight import NeighborEmbedding, embed
from sidelight.core import DisconnectedGraphWarning, Threads
from sidelight.latent.neighbor_embedding import (
    Affinities,
    Divergence,
    affinities,
    choices,
    exact_field,
)
from sidelight.neighbors import Neighbors, arrows_to, known_from_both_ends, nearest_neighbors
from sidelight.neighbors.given_graph import nearest_stored
from sidelight.quality import trustworthiness

POOL = Threads(1)


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(0)
    t = rng.random(200)
    return np.column_stack([np.cos(5 * t), np.sin(5 * t), t]) + 0.02 * rng.standard_normal((200, 3))


def on_graph(graph, **parameters):
    return NeighborEmbedding(metric="precomputed", max_iter=60, **parameters).fit(graph)


def roads(rng):
    """The shortest roads that join 150 places, and some others between near ones."""
    places = rng.random((150, 2))
    faces = Delaunay(places).simplices
    ends = np.unique(np.sort(np.vstack([faces[:, [0, 1]], faces[:, [1, 2]]]), axis=1), axis=0)
    lengths = np.linalg.norm(places[ends[:, 0]] - places[ends[:, 1]], axis=1)
    every = sp.csr_array((lengths, ends.T), shape=(150, 150))
    some = rng.random(len(lengths)) < 0.3
    others = sp.csr_array((lengths[some], ends[some].T), shape=(150, 150))
    return sp.csr_array(sp.csr_array(minimum_spanning_tree(every)).maximum(others))


class TestPerplexity:
    """Distances on few edges count: rows choose with half of what most of them have."""

    @pytest.mark.parametrize("k", [6, 12, 30, 60])
    def test_a_graph_of_k_neighbours_is_data_with_k_neighbours(self, X, k):
        init = X[:, :2]
        expected = NeighborEmbedding(n_neighbors=k, init=init, max_iter=60).fit(X)
        found = on_graph(arrows_to(nearest_neighbors(X, k)), init=init)
        assert found.perplexity_ == expected.perplexity_ == [min(15.0, k / 2)]
        np.testing.assert_array_equal(found.embedding_, expected.embedding_)

    def test_near_rows_of_few_neighbours_are_chosen_more(self, X):
        near = nearest_neighbors(X, 10)
        model = on_graph(arrows_to(near))
        P = choices(near, model.perplexity_, POOL)
        assert (P[:, 0] > 1.5 * P[:, -1]).mean() > 0.9

    def test_fewer_neighbours_than_the_perplexity_are_refused(self, X):
        graph = arrows_to(nearest_neighbors(X, 10))
        with pytest.raises(ValueError, match="'perplexity' .* given graph have 10 .*Got 12 inst"):
            on_graph(graph, perplexity=12)
        with pytest.raises(ValueError, match=r"Got \[3, 11\] instead. Give a graph with twice"):
            on_graph(graph, perplexity=[3, 11])
        assert on_graph(graph, perplexity=[3, 9]).perplexity_.tolist() == [3, 9]

    @pytest.mark.parametrize("seed", [0, 1])
    def test_roads_are_not_torn(self, seed):
        """Rows of three neighbours that chose half of them would leave a graph of pieces."""
        graph = roads(np.random.default_rng(seed))
        along = shortest_path(graph, directed=False)

        def kept(perplexity):
            model = NeighborEmbedding(metric="precomputed", perplexity=perplexity).fit(graph)
            Z = model.embedding_
            return trustworthiness(along, Z, n_neighbors=5, metric="precomputed"), model

        told, model = kept("auto")
        assert model.perplexity_ == [3.0]
        assert told > 0.97
        assert told > kept(1.5)[0] + 0.01


class TestDirections:
    """An edge has two ends, wherever it is stored."""

    def test_one_direction_is_read_as_both(self, X):
        whole = arrows_to(nearest_neighbors(X, 8))
        whole = sp.csr_array(whole.maximum(whole.T))
        rng = np.random.default_rng(2)
        forth = sp.triu(whole, format="csr")
        some = sp.coo_array(forth)
        turned = rng.random(some.nnz) < 0.5
        at = np.where(turned, some.col, some.row), np.where(turned, some.row, some.col)
        mixed = sp.csr_array((some.data, at), shape=whole.shape)
        expected = known_from_both_ends(whole)
        for half in (forth, sp.csr_array(forth.T), mixed):
            found = known_from_both_ends(half)
            np.testing.assert_array_equal(found.indptr, expected.indptr)
            np.testing.assert_array_equal(found.indices, expected.indices)
            np.testing.assert_array_equal(found.data, expected.data)

    def test_who_chose_the_nearest_chooses_no_others(self, X):
        near = nearest_neighbors(X, 8)
        found = known_from_both_ends(arrows_to(near))
        np.testing.assert_array_equal(found.indices.reshape(near.indices.shape), near.indices)
        np.testing.assert_array_equal(found.data.reshape(near.indices.shape), near.distances)

    def test_a_row_that_stores_none_has_those_that_store_it(self, X):
        graph = arrows_to(nearest_neighbors(X, 8)).tolil()
        graph[5] = 0.0
        graph = sp.csr_array(graph)
        having = np.flatnonzero(graph[:, [5]].toarray())
        found = known_from_both_ends(graph)
        assert sorted(found[[5]].indices) == having.tolist()
        others = np.delete(np.arange(200), 5)
        np.testing.assert_array_equal(np.diff(found.indptr)[others], 8)

    @pytest.mark.parametrize("form", ["choosing", "alone"])
    def test_the_gradient_is_that_of_the_objective(self, X, form):
        """Rows that nobody chooses, and rows that choose nobody, whatever Σ P is."""
        graph = arrows_to(nearest_neighbors(X[:40], 6)).tolil()
        graph[:, [3, 7]] = 0.0
        if form == "alone":
            graph[[3, 7, 11]] = 0.0
        P = affinities(known_from_both_ends(sp.csr_array(graph)), np.array([3.0]), POOL)
        assert P.mass == pytest.approx(1.0, abs=1e-6)
        P = Affinities(sp.csr_array(P.graph * np.float32(0.6)))
        assert P.mass == pytest.approx(0.6, abs=1e-6)
        E = Divergence(P, 1.0, exact_field, POOL)
        rng = np.random.default_rng(3)
        Y = rng.standard_normal((40, 2))
        gradient = E(Y)[1]
        for _ in range(3):
            direction = rng.standard_normal(Y.shape)
            ahead, behind = (E(Y + step * direction)[0] for step in (1e-5, -1e-5))
            slope = float(np.sum(gradient * direction))
            assert slope == pytest.approx((ahead - behind) / 2e-5, rel=1e-4, abs=1e-7)


class TestHubs:
    """A row with very many neighbours beside rows with few."""

    def test_rows_of_any_length_choose_as_in_a_table(self):
        rng = np.random.default_rng(4)
        D = cdist(*[rng.standard_normal((60, 3))] * 2)
        kept = (rng.random((60, 60)) < rng.random(60)[:, None] ** 3) & (D > 0)
        graph = sp.csr_array(np.where(kept, D, 0.0))
        indices, distances = nearest_stored(graph)
        told = (np.array([2.0, 6.0]), POOL)
        expected = affinities(Neighbors(indices, distances), *told)
        row = np.repeat(np.arange(60), np.diff(graph.indptr))
        order = np.lexsort((graph.indices, graph.data, row))
        rows = sp.csr_array((graph.data[order], graph.indices[order], graph.indptr), (60, 60))
        np.testing.assert_allclose(
            affinities(rows, *told).graph.toarray() * expected.mass,
            expected.graph.toarray(),
            rtol=1e-6,
        )

    def test_memory_is_that_of_the_edges(self):
        n = 3000
        ring = np.arange(n)
        rows = np.concatenate([ring, np.zeros(n - 3, dtype=int)])
        columns = np.concatenate([(ring + 1) % n, np.arange(2, n - 1)])
        lengths = np.concatenate([np.ones(n), np.full(n - 3, 5.0)])
        graph = sp.csr_array((lengths, (rows, columns)), shape=(n, n))
        model = NeighborEmbedding(metric="precomputed", init="random", max_iter=2)
        model.fit(graph[:300, :300])
        tracemalloc.start()
        model.fit(graph)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 0.1 * 16 * n * n


class TestPieces:
    """A graph in pieces is embedded whole, and that is said."""

    def test_pieces_are_numbered_by_rows_the_largest_first(self, X):
        apart = np.vstack([X[:40] + 100.0, X[40:], X[:3] + 100.0])
        model = NeighborEmbedding(perplexity=5, max_iter=60).fit(apart)
        np.testing.assert_array_equal(model.pieces_, np.repeat([1, 0, 1], [40, 160, 3]))
        once = model.embedding_[:200]
        nearest = nearest_neighbors(once, 1).indices[:, 0]
        np.testing.assert_array_equal(model.pieces_[:200][nearest], model.pieces_[:200])

    def test_one_piece(self, X):
        assert not NeighborEmbedding(max_iter=2).fit(X).pieces_.any()

    def test_the_picture_says_that_there_are_pieces(self, X):
        apart = np.vstack([X[:80] + 100.0, X[80:]])
        assert "in 2 pieces" in embed(apart, method="NeighborEmbedding", max_iter=2).about

    def test_rows_without_an_edge_are_not_placed_without_a_word(self, X):
        graph = arrows_to(nearest_neighbors(X, 8)).tolil()
        graph[[5, 9]] = 0.0
        graph[:, [5, 9]] = 0.0
        message = "NeighborEmbedding has no edge at 2 rows of 200, of which the first is row 5"
        with pytest.warns(DisconnectedGraphWarning, match=message):
            model = on_graph(sp.csr_array(graph))
        sizes = np.bincount(model.pieces_)
        assert (sizes[model.pieces_[[5, 9]]] == 1).all()
        assert np.isfinite(model.embedding_).all()
