"""What a metric says of rows, and of which rows it says nothing."""

from __future__ import annotations

import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from sidelight import ClassicalMDS, Isomap, SammonMapping
from sidelight.neighbors import nearest_neighbors
from sidelight.neighbors.metrics import distance_blocks, euclidean_rows


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((20, 4))


def table(X, Q, metric):
    return np.vstack([block for _, block in distance_blocks(X, Q, metric, who="Isomap")])


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "correlation"])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_nothing_is_left_between_equal_rows(X, metric, offset):
    rows = X + offset
    D = table(rows, rows[5:9].copy(), metric)
    assert (D[np.arange(4), np.arange(5, 9)] == 0).all()
    if offset == 0:
        np.testing.assert_array_equal(D == 0, np.eye(20, dtype=bool)[5:9])
    reference = cdist(rows[5:9], rows, metric)
    np.testing.assert_allclose(D, reference, atol=1e-6 * reference.max() + 1e-15)


@pytest.mark.parametrize("metric", ["minkowski", "sqeuclidean", "seuclidean", "mahalanobis"])
@pytest.mark.parametrize("estimator", [ClassicalMDS, Isomap, SammonMapping])
def test_sparse_rows_are_refused_by_name_where_a_metric_needs_dense_ones(X, metric, estimator):
    with pytest.raises(ValueError, match=f"{estimator.__name__} must be .* sparse X.*{metric}"):
        estimator(metric=metric).fit(sp.csr_array(X))


def test_latitude_and_longitude_are_two_columns(X):
    with pytest.raises(ValueError, match="'haversine', ClassicalMDS expects X .* two columns"):
        ClassicalMDS(metric="haversine").fit(X)
    assert np.isfinite(ClassicalMDS(metric="haversine").fit(X[:, :2] / 4).embedding_).all()


def test_metrics_of_yes_and_no_do_not_guess_what_a_number_means(X):
    with pytest.raises(ValueError, match="'jaccard', ClassicalMDS expects X to hold 0 and 1"):
        ClassicalMDS(metric="jaccard").fit(X)
    answers = (X > 0).astype(float)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        D = table(answers, None, "jaccard")
    np.testing.assert_allclose(D, cdist(X > 0, X > 0, "jaccard"))


def test_a_constant_column_says_nothing_in_units_of_its_variance(X):
    padded = np.column_stack([X, np.ones(20)])
    np.testing.assert_allclose(table(padded, None, "seuclidean"), table(X, None, "seuclidean"))


class TestDirections:
    """Rows of unit length, whose Euclidean neighbours are those under the cosine distance."""

    def test_blocks_have_the_bits_of_the_whole(self):
        X = np.random.default_rng(1).standard_normal((7000, 90)) * 1e-180
        X[[3, 6000]] = 0.0
        largest = np.abs(X).max(axis=1)
        scaled = X / np.where(largest > 0, largest, 1.0)[:, None]
        lengths = largest * np.sqrt(np.einsum("ij,ij->i", scaled, scaled))
        unit = X / np.where(lengths > 0, lengths, 1.0)[:, None]
        found, _ = euclidean_rows(X, None, "cosine", who="Isomap")
        np.testing.assert_array_equal(found, np.column_stack([unit, lengths == 0]))

    def test_single_precision_stays_and_no_table_is_made_beside_it(self):
        X = np.random.default_rng(2).standard_normal((50_000, 100)).astype(np.float32)
        tracemalloc.start()
        found, _ = euclidean_rows(X, None, "cosine", who="Isomap")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert found.dtype == np.float32
        assert peak < 1.5 * X.nbytes
        np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0, rtol=1e-6)

    def test_a_row_in_double_precision_is_the_row_that_it_was_in_single(self):
        X = np.random.default_rng(3).standard_normal((300, 5)).astype(np.float32)
        found = nearest_neighbors(X, 1, queries=X.astype(np.float64), metric="cosine")
        np.testing.assert_array_equal(found.indices[:, 0], np.arange(300))
        assert not found.distances.any()

    def test_neighbours_in_single_precision(self):
        X = np.random.default_rng(4).standard_normal((2500, 12)).astype(np.float32)
        found = nearest_neighbors(X, 5, metric="cosine")
        expected = nearest_neighbors(X.astype(np.float64), 5, metric="cosine")
        assert (found.indices == expected.indices).mean() > 0.999
        np.testing.assert_allclose(found.distances, expected.distances, atol=1e-6)

    def test_memory_is_predicted(self, monkeypatch):
        monkeypatch.setenv("SIDELIGHT_MEMORY_LIMIT", "1MB")
        X = np.random.default_rng(5).standard_normal((3000, 100))
        with pytest.raises(MemoryError, match="Isomap would need 2.4 MB for the directions of 300"):
            nearest_neighbors(X, 5, metric="cosine", who="Isomap")
