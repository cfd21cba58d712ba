"""Geodesic distances: known answers, agreement with the definition, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import kneighbors_graph

from sidelight import Isomap
from sidelight.similarity.geodesic import geodesic_distances, geodesic_distances_of_new


def circle(n):
    angle = 2 * np.pi * np.arange(n) / n
    return np.column_stack([np.cos(angle), np.sin(angle)])


def test_circle_is_measured_along_its_chords():
    n = 400
    D = geodesic_distances(kneighbors_graph(circle(n), 2, mode="distance"))
    steps = np.abs(np.arange(n)[:, None] - np.arange(n))
    assert_allclose(D, 2 * np.sin(np.pi / n) * np.minimum(steps, n - steps), rtol=1e-9)


def test_complete_graph_gives_back_the_distances():
    X = np.random.default_rng(0).normal(size=(230, 4))
    D = pairwise_distances(X)
    assert_allclose(geodesic_distances(sp.csr_array(D)), D, rtol=1e-12)


def test_duplicate_points_joined_by_a_stored_zero_are_at_one_place():
    points = np.repeat(np.arange(120.0), 2)
    pairs = np.arange(0, 240, 2)
    rows = np.concatenate([pairs, pairs[:-1] + 1])
    columns = np.concatenate([pairs + 1, pairs[1:]])
    lengths = np.concatenate([np.zeros(120), np.ones(119)])
    graph = sp.csr_array((lengths, (rows, columns)), shape=(240, 240))
    assert_array_equal(geodesic_distances(graph), np.abs(points[:, None] - points))


def test_sources_choose_rows():
    graph = kneighbors_graph(circle(300), 4, mode="distance")
    sources = np.array([17, 0, 299])
    assert_allclose(
        geodesic_distances(graph, sources), geodesic_distances(graph)[sources], rtol=1e-12
    )


def test_new_point_at_a_known_one_has_its_distances():
    graph = kneighbors_graph(circle(300), 4, mode="distance")
    near = np.array([[5, 6], [250, 249]])
    step = 2 * np.sin(np.pi / 300)
    D = geodesic_distances_of_new(graph, near, np.array([[0, step], [0, step]]))
    assert_allclose(D, geodesic_distances(graph)[[5, 250]], atol=1e-12)


def test_two_lengths_of_one_edge_are_refused():
    graph = sp.csr_array(np.array([[0, 1.0, 0], [2.0, 0, 1.0], [0, 0, 0]]))
    with pytest.raises(ValueError, match=r"'graph' of Isomap must be symmetric\..* 2\.0 .* 1\.0"):
        geodesic_distances(graph, who="Isomap")
    square = sp.csr_array(np.array([[0, 1.0], [1.5, 0]]))
    with pytest.raises(ValueError, match="must be symmetric"):
        geodesic_distances(square)


def test_negative_lengths_are_refused():
    with pytest.raises(ValueError, match=r"at least 0\. Got -1\.0"):
        geodesic_distances(sp.csr_array(np.array([[0, -1.0], [-1.0, 0]])))


def test_table_that_does_not_fit_is_refused_before_it_is_taken(monkeypatch):
    monkeypatch.setenv("SIDELIGHT_MEMORY_LIMIT", "1MB")
    graph = kneighbors_graph(circle(600), 2, mode="distance")
    with pytest.raises(MemoryError, match=r"Isomap would need 3.2 MB for the 600 × 600 table"):
        geodesic_distances(graph, who="Isomap")
    assert geodesic_distances(graph, np.array([3]))[0, 3] == 0


def test_who_lacks_memory_is_told_of_parameters_that_there_are(monkeypatch):
    """Isomap, which stores such tables in single precision anyhow, was advised a dtype."""
    X = np.random.default_rng(0).standard_normal((300, 2))
    monkeypatch.setenv("SIDELIGHT_MEMORY_LIMIT", "400KB")
    with pytest.raises(MemoryError, match=r"Isomap would need .* n_landmarks=1000, say\.$"):
        Isomap(n_neighbors=5).fit(X)
