"""Landmarks: their graph, the points between them, and what the certificate is about."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree, shortest_path

from sidelight.datasets import swiss_roll
from sidelight.estimator.points import points_of
from sidelight.neighbors import neighborhood_graph
from sidelight.neighbors.landmarks import spread_landmarks
from sidelight.quality import procrustes
from sidelight.side import Distances
from sidelight.unfolding.semidefinite.landmark_graph import landmark_graph, place_between_landmarks
from sidelight.unfolding.semidefinite.semidefinite_embedding import SemidefiniteEmbedding


def test_landmarks_are_joined_where_their_territories_touch():
    X = swiss_roll(300, random_state=0).X
    graph = neighborhood_graph(X, n_neighbors=6)
    landmarks = spread_landmarks(X, 40)
    found = landmark_graph(
        graph, points_of(X, "euclidean", who="here"), np.ones(300, dtype=int), landmarks, 5
    )
    D = shortest_path(graph, directed=False)[landmarks]
    owner = D.argmin(axis=0)
    np.testing.assert_array_equal(found.mass, np.bincount(owner, minlength=40))
    entries = sp.coo_array(graph)
    touch = np.zeros((40, 40), dtype=bool)
    touch[owner[entries.coords[0]], owner[entries.coords[1]]] = True
    np.fill_diagonal(touch, False)
    near = touch | (touch.astype(int) @ touch.astype(int) > 0)
    i, j = found.edges.T
    assert near[i, j].all()
    chords = np.linalg.norm(X[landmarks[i]] - X[landmarks[j]], axis=1)
    np.testing.assert_allclose(found.lengths, chords)
    pieces = connected_components(sp.coo_array((np.ones(len(i)), (i, j)), shape=(40, 40)))[0]
    assert pieces == 1


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_edges_are_the_nearest_of_each_and_the_shortest_that_join_all(seed, k):
    X = swiss_roll(200, random_state=seed).X
    graph, landmarks = neighborhood_graph(X, n_neighbors=6), spread_landmarks(X, 30)
    points = points_of(X, "euclidean", who="here")
    found = landmark_graph(graph, points, np.ones(200, dtype=int), landmarks, k)
    owner = shortest_path(graph, directed=False)[landmarks].argmin(axis=0)
    i, j = graph.nonzero()
    touch = np.zeros((30, 30), dtype=bool)
    touch[owner[i], owner[j]] = True
    np.fill_diagonal(touch, False)
    near = touch | (touch.astype(int) @ touch.astype(int) > 0)
    np.fill_diagonal(near, False)
    chords = np.linalg.norm(X[landmarks][:, None] - X[landmarks], axis=2)
    among = np.argsort(np.where(near, chords, np.inf), axis=1)[:, :k]
    expected = {(min(a, b), max(a, b)) for a in range(30) for b in among[a].tolist()}
    tree = sp.coo_array(minimum_spanning_tree(np.where(touch, chords, 0.0)))
    beside = {(min(a, b), max(a, b)) for a, b in zip(*map(list, tree.coords), strict=True)}
    assert len(beside) == 29
    assert k > 1 or not beside <= expected  # the nearest of each leave them in pieces
    assert set(map(tuple, found.edges.tolist())) == expected | beside


def test_points_lie_between_landmarks_as_least_squares_says():
    rng = np.random.default_rng(0)
    W = rng.random((30, 30)) * (rng.random((30, 30)) < 0.3)
    np.fill_diagonal(W, 0)
    W = W / W.sum(axis=1, keepdims=True)
    landmarks, places = np.array([2, 9, 11, 25]), rng.standard_normal((4, 3))
    found = place_between_landmarks(sp.csr_array(W), landmarks, places)
    others = np.setdiff1d(np.arange(30), landmarks)
    short = np.eye(30) - W
    expected = np.linalg.lstsq(short[:, others], -short[:, landmarks] @ places, rcond=None)[0]
    np.testing.assert_allclose(found[others], expected, atol=1e-8)
    np.testing.assert_array_equal(found[landmarks], places)


@pytest.mark.parametrize("metric", ["manhattan", "euclidean", "precomputed"])
def test_lengths_of_pairs(metric):
    X = np.random.default_rng(0).standard_normal((20, 3))
    pairs = np.array([[3, 4], [0, 19], [19, 3], [3, 4]])
    difference = X[pairs[:, 0]] - X[pairs[:, 1]]
    order = 1 if metric == "manhattan" else 2
    expected = np.linalg.norm(difference, ord=order, axis=1)
    if metric == "precomputed":
        X = np.linalg.norm(X[:, None] - X[None], axis=2)
    points = points_of(X, metric, who="")
    np.testing.assert_allclose(points.lengths(*pairs.T), expected)


def test_a_roll_unfolds_by_its_landmarks():
    X, truth = swiss_roll(1500, random_state=0)
    model = SemidefiniteEmbedding(2, n_neighbors=6, n_landmarks=200, tol=1e-3).fit(X)
    assert len(model.landmarks_) == 200
    assert procrustes(model.embedding_, truth).residual < 0.15
    assert model.objective_ <= model.dual_bound_ <= 1.001 * model.objective_
    # the landmarks' trace, each counted by its territory, is about that of the whole kernel
    assert np.trace(model.kernel()) == pytest.approx(model.objective_, rel=0.02)
    np.testing.assert_allclose(model.transform(X[:5]), model.embedding_[:5])


def test_rows_that_are_spoken_of_are_landmarks():
    X = swiss_roll(300, random_state=0).X
    rows = [7, 120]
    length = float(np.linalg.norm(X[7] - X[120])) / 2
    side = Distances([rows], [length])
    model = SemidefiniteEmbedding(2, n_neighbors=6, n_landmarks=60).fit(X, side=side)
    assert np.isin(rows, model.landmarks_).all()
    K = model.kernel()
    assert np.sqrt(K[7, 7] + K[120, 120] - 2 * K[7, 120]) == pytest.approx(length, rel=1e-6)
