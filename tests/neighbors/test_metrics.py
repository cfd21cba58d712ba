"""What a metric says of rows, and of which rows it says nothing."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from sidelight import ClassicalMDS, Isomap, SammonMapping
from sidelight.neighbors.metrics import distance_blocks


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
