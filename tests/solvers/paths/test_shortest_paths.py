"""Shortest paths against Floyd and Warshall, against scipy, and against their optimality."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse.csgraph import dijkstra
from sklearn.datasets import make_swiss_roll
from sklearn.neighbors import kneighbors_graph

from sidelight.core.progress import listening
from sidelight.solvers.paths.shortest_paths import (
    all_pairs_shortest_paths,
    shortest_paths_from,
    shortest_paths_from_outside,
    undirected_graph,
)

# below 200 nodes scipy does the work, above them the compiled waves
SMALL, LARGE = 40, 330


def edges(n, rows, columns, lengths):
    """A graph that keeps stored zeros, each edge stored in one direction."""
    return sp.csr_array((np.asarray(lengths, float), (rows, columns)), shape=(n, n))


def floyd_warshall(graph):
    n = graph.shape[0]
    D = np.full((n, n), np.inf)
    stored = sp.coo_array(graph)
    for i, j, length in zip(stored.row, stored.col, stored.data, strict=True):
        D[i, j] = D[j, i] = min(D[i, j], length)
    np.fill_diagonal(D, 0)
    for k in range(n):
        D = np.minimum(D, D[:, k, None] + D[None, k, :])
    return D


def path(n):
    return edges(n, np.arange(n - 1), np.arange(1, n), np.full(n - 1, 0.5))


def cycle(n):
    return edges(n, np.arange(n), np.roll(np.arange(n), -1), np.full(n, 2.0))


def star(n):
    return edges(n, np.zeros(n - 1, int), np.arange(1, n), np.arange(1.0, n))


def random_graph(n, n_edges, seed, zeros=0.0):
    generator = np.random.default_rng(seed)
    pairs = np.unique(generator.integers(n, size=(n_edges, 2)), axis=0)
    lengths = generator.random(len(pairs)) * (generator.random(len(pairs)) >= zeros)
    return edges(n, *pairs.T, lengths)


def swiss_roll(n):
    X, _ = make_swiss_roll(n, random_state=0)
    return kneighbors_graph(X, 8, mode="distance")


def cloud(n, n_features):
    X = np.random.default_rng(1).normal(size=(n, n_features))
    return kneighbors_graph(X, 8, mode="distance")


def clusters(n):
    """Two dense clusters, joined by one edge a million times longer than theirs."""
    half = sp.coo_array(cloud(n // 2, 3))
    rows = np.concatenate([half.row, half.row + n // 2, [0]])
    columns = np.concatenate([half.col, half.col + n // 2, [n // 2]])
    return edges(n, rows, columns, np.concatenate([half.data, half.data, [1e6]]))


@pytest.mark.parametrize("n", [1, 2, SMALL, LARGE])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_path_graph_has_the_distance_of_the_indices(n, dtype):
    index = np.arange(n)
    D = all_pairs_shortest_paths(path(n), dtype=dtype)
    assert D.dtype == dtype
    assert_array_equal(D, 0.5 * np.abs(index[:, None] - index))


@pytest.mark.parametrize("n", [SMALL, LARGE])
def test_cycle_goes_the_shorter_way_round(n):
    gap = np.abs(np.arange(n)[:, None] - np.arange(n))
    assert_array_equal(all_pairs_shortest_paths(cycle(n)), 2 * np.minimum(gap, n - gap))


@pytest.mark.parametrize("n", [SMALL, LARGE])
def test_star_goes_through_its_centre(n):
    ray = np.arange(n, dtype=float)
    expected = ray[:, None] + ray
    np.fill_diagonal(expected, 0)
    assert_array_equal(all_pairs_shortest_paths(star(n), dtype=np.float64), expected)


@pytest.mark.parametrize("n", [SMALL, LARGE])
@pytest.mark.parametrize("density", [0.5, 1.5, 6.0])
@pytest.mark.parametrize("zeros", [0.0, 0.3])
def test_random_graphs_agree_with_floyd_and_warshall(n, density, zeros):
    graph = random_graph(n, int(density * n), seed=7, zeros=zeros)
    expected = floyd_warshall(graph)
    assert np.isinf(expected).any() == (density < 6)
    if zeros:
        assert (expected == 0).sum() > n
    exact = all_pairs_shortest_paths(graph, dtype=np.float64)
    assert_allclose(exact, expected, rtol=1e-12)
    assert_array_equal(exact, exact.T)
    assert_allclose(all_pairs_shortest_paths(graph), expected, rtol=1e-5, atol=1e-12)
    sources = np.array([n - 1, 3, 3, 0])
    assert_allclose(shortest_paths_from(graph, sources), expected[sources], rtol=1e-12)


@pytest.mark.parametrize("n", [SMALL, LARGE])
def test_graph_without_edges_has_no_paths(n):
    D = all_pairs_shortest_paths(sp.csr_array((n, n)))
    assert_array_equal(D, np.where(np.eye(n, dtype=bool), 0, np.inf))


@pytest.mark.parametrize(
    "graph", [swiss_roll(700), cloud(600, 30), clusters(600)], ids=["roll", "cloud", "clusters"]
)
def test_neighbour_graphs_agree_with_dijkstra(graph):
    expected = dijkstra(undirected_graph(graph, who="test"))
    exact = all_pairs_shortest_paths(graph, dtype=np.float64)
    assert_allclose(exact, expected, rtol=1e-12)
    assert_allclose(all_pairs_shortest_paths(graph), expected, rtol=1e-5)
    sources = np.random.default_rng(0).choice(len(expected), 150)
    assert_allclose(shortest_paths_from(graph, sources), expected[sources], rtol=1e-12)


def test_distances_fulfil_the_conditions_of_bellman_and_the_triangle():
    graph = undirected_graph(swiss_roll(500), who="test")
    D = all_pairs_shortest_paths(graph, dtype=np.float64)
    # row v of the graph holds the edges (v, u): the best last step to v, from any source
    through = D[:, graph.indices] + graph.data
    shortest = np.minimum.reduceat(through, graph.indptr[:-1], axis=1)
    others = ~np.eye(500, dtype=bool)
    assert_allclose(shortest[others], D[others], rtol=1e-13)
    k = np.random.default_rng(0).integers(500, size=20)
    assert np.all(D[:, None, :] <= (D[:, k, None] + D[k][None]) * (1 + 1e-13))


@pytest.mark.parametrize("n", [SMALL, LARGE])
def test_lengths_stored_in_two_directions_count_by_the_shorter(n):
    graph = sp.csr_array(cycle(n) + 3 * cycle(n).T)
    assert_array_equal(all_pairs_shortest_paths(graph), all_pairs_shortest_paths(cycle(n)))


@pytest.mark.parametrize("n", [SMALL, LARGE])
def test_new_points_measure_as_if_they_were_nodes_one_at_a_time(n):
    graph = random_graph(n, 3 * n, seed=3, zeros=0.1)
    generator = np.random.default_rng(0)
    entries = generator.integers(n, size=(90, 4))
    lengths = generator.random((90, 4))
    lengths[::5, 1] = np.inf
    D = shortest_paths_from_outside(graph, entries, lengths)
    stored = sp.coo_array(graph)
    for i in (0, 5, 89):
        rows = np.append(stored.row, np.full(4, n))
        columns = np.append(stored.col, entries[i])
        joined = edges(n + 1, rows, columns, np.append(stored.data, lengths[i]))
        assert_allclose(D[i], floyd_warshall(joined)[n, :n], rtol=1e-12)
    alone = shortest_paths_from_outside(graph, entries[7:8], lengths[7:8])
    assert_array_equal(alone, D[7:8])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_threads_do_not_change_a_bit(dtype):
    graph = swiss_roll(1500)
    one = all_pairs_shortest_paths(graph, dtype=dtype, n_jobs=1)
    assert_array_equal(one, all_pairs_shortest_paths(graph, dtype=dtype, n_jobs=2))
    sources = np.arange(0, 1500, 2)
    some = shortest_paths_from(graph, sources, dtype=dtype, n_jobs=1)
    assert_array_equal(some, shortest_paths_from(graph, sources, dtype=dtype, n_jobs=2))


@pytest.mark.parametrize("scale", [2.0**110, 2.0**-110])
def test_unit_of_length_does_not_matter(scale):
    graph = swiss_roll(400)
    assert_array_equal(
        all_pairs_shortest_paths(scale * graph), scale * all_pairs_shortest_paths(graph)
    )


def test_progress_ends_with_every_source():
    seen = []
    with listening(seen.append):
        all_pairs_shortest_paths(swiss_roll(1200), n_jobs=2)
    done = [step.done for step in seen]
    assert done == sorted(done)
    assert (seen[-1].stage, seen[-1].done, seen[-1].total) == ("shortest paths", 1200, 1200)


def test_no_sources_give_no_rows():
    assert shortest_paths_from(path(LARGE), np.array([])).shape == (0, LARGE)
    assert shortest_paths_from(path(SMALL), np.array([])).shape == (0, SMALL)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"must be square\. Got shape \(2, 3\)"):
        all_pairs_shortest_paths(sp.csr_array((2, 3)))
    with pytest.raises(TypeError, match="must be a sparse array"):
        all_pairs_shortest_paths(np.zeros((3, 3)))
    with pytest.raises(ValueError, match=r"lengths of at least 0\. Got -1\.0"):
        all_pairs_shortest_paths(edges(3, [0], [1], [-1]))
    with pytest.raises(ValueError, match=r"at least 0\. Got nan"):
        all_pairs_shortest_paths(edges(3, [0], [1], [np.nan]))
    with pytest.raises(ValueError, match=r"nodes of the graph, from 0 to 4\. Got 2 to 5"):
        shortest_paths_from(path(5), np.array([2, 5]))
    with pytest.raises(ValueError, match="array of integers with 1 dimension"):
        shortest_paths_from(path(5), np.array([0.5]))
    with pytest.raises(ValueError, match=r"float32 or float64\. Got int64"):
        all_pairs_shortest_paths(path(5), dtype=np.int64)
    with pytest.raises(ValueError, match=r"shape of 'entry_nodes', \(1, 2\)\. Got \(1, 1\)"):
        shortest_paths_from_outside(path(5), np.array([[0, 1]]), np.array([[1.0]]))
    with pytest.raises(ValueError, match=r"'entry_distances'.*at least 0\. Got -2\.0"):
        shortest_paths_from_outside(path(5), np.array([[0]]), np.array([[-2.0]]))


def test_few_sources_in_a_large_graph_are_shared_among_the_threads():
    ring = sp.csr_array(np.roll(np.eye(400), 1, axis=1))
    seen = []
    with listening(seen.append):
        two = shortest_paths_from(ring, np.arange(100), n_jobs=2)
    assert len(seen) > 2
    assert seen[-1].done == 100
    np.testing.assert_array_equal(two, shortest_paths_from(ring, np.arange(100), n_jobs=1))
