"""What a metric says of rows, and of which rows it says nothing."""

from __future__ import annotations

import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist, pdist, squareform

import sidelight
from sidelight import ClassicalMDS, Isomap, LaplacianEigenmaps, SammonMapping
from sidelight.neighbors import nearest_neighbors
from sidelight.neighbors.metrics import distance_blocks, euclidean_rows, weighted


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


@pytest.mark.parametrize("written", [np.asarray, sp.csr_array])
def test_rows_of_zeros_are_equal_and_at_one_from_all_others(X, written):
    """A table of cosine distances says of them what a search for neighbours does."""
    X[[3, 7, 12]] = 0
    D = table(written(X), None, "cosine")
    zeros = np.isin(np.arange(20), [3, 7, 12])
    assert (D[np.ix_(zeros, zeros)] == 0).all()
    assert (D[np.ix_(zeros, ~zeros)] == 1).all()
    np.testing.assert_array_equal(D, D.T)
    found = nearest_neighbors(written(X), 19, metric="cosine").distances
    np.testing.assert_allclose(np.sort(D, axis=1)[:, 1:], found, atol=1e-6)


@pytest.mark.parametrize("metric", ["seuclidean", "mahalanobis"])
def test_two_rows_are_compared_as_all_are(X, metric):
    of_two = weighted(metric, X)
    D = squareform(pdist(X, metric))
    assert of_two(X[3], X[8]) == pytest.approx(D[3, 8])
    assert of_two(X[3], X[3]) == 0


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


def by_all(X, metric):
    """The table by variances or covariances of all rows, as SciPy has it."""
    if metric == "seuclidean":
        return cdist(X, X, metric, V=X.var(axis=0, ddof=1))
    return cdist(X, X, metric, VI=np.linalg.inv(np.cov(X.T)))


@pytest.mark.parametrize("metric", ["seuclidean", "mahalanobis"])
class TestWhatIsTakenFromAllRows:
    """Variances of some of the rows are not those of all."""

    @pytest.fixture
    def drifting(self):
        rng = np.random.default_rng(7)
        wider = np.column_stack([np.ones(300), np.geomspace(1, 30, 300), np.ones(300)])
        return wider * rng.standard_normal((300, 3)) + np.arange(300)[:, None] / 100

    @pytest.mark.parametrize("estimator", [ClassicalMDS, Isomap, SammonMapping])
    def test_some_rows_are_compared_as_all_are(self, drifting, metric, estimator):
        """Classical scaling took each panel of its table by the variances of the rows below."""
        model = estimator(metric=metric).fit(drifting)
        given = estimator(metric="precomputed").fit(by_all(drifting, metric))
        scale = np.abs(given.embedding_).max()
        np.testing.assert_allclose(model.embedding_, given.embedding_, atol=1e-6 * scale)
        np.testing.assert_allclose(model.transform(drifting), model.embedding_, atol=1e-6 * scale)

    def test_copies_count_in_them_for_new_rows_too(self, drifting, metric):
        """New rows were compared by variances of the distinct rows, old ones by those of all."""
        X, new = np.vstack([drifting[:80], drifting[:60:2]]), drifting[100:110]
        V = {"V": X.var(axis=0, ddof=1)}
        if metric == "mahalanobis":
            V = {"VI": np.linalg.inv(np.cov(X.T))}
        table, block = cdist(X, X, metric, **V), cdist(new, X, metric, **V)
        model = SammonMapping(metric=metric).fit(X)
        given = SammonMapping(metric="precomputed").fit(table)
        scale = np.abs(given.embedding_).max()
        np.testing.assert_allclose(model.embedding_, given.embedding_, atol=1e-6 * scale)
        np.testing.assert_allclose(model.transform(new), given.transform(block), atol=1e-5 * scale)

    def test_a_piece_is_measured_as_the_whole(self, metric):
        apart = np.random.default_rng(8).random((100, 3)) * [1.0, 5.0, 0.2]
        apart[60:, 0] += 1000
        D = by_all(apart, metric)
        how = {"on_disconnected": "separate", "n_neighbors": 4}
        with pytest.warns(UserWarning, match="2 pieces"):
            model = LaplacianEigenmaps(weights="heat", metric=metric, **how).fit(apart)
        with pytest.warns(UserWarning, match="2 pieces"):
            given = LaplacianEigenmaps(weights="heat", metric="precomputed", **how).fit(D)
        moved = apart[:5] + 0.01
        VI = {"V": apart.var(axis=0, ddof=1)}
        if metric == "mahalanobis":
            VI = {"VI": np.linalg.inv(np.cov(apart.T))}
        np.testing.assert_allclose(
            model.transform(moved), given.transform(cdist(moved, apart, metric, **VI)), rtol=1e-6
        )

    def test_a_model_file_remembers_them(self, drifting, metric, tmp_path):
        model = Isomap(metric=metric).fit(drifting[:50])
        sidelight.save(model, tmp_path / "model")
        new = drifting[50:60]
        loaded = sidelight.load(tmp_path / "model")
        np.testing.assert_array_equal(loaded.transform(new), model.transform(new))

    def test_the_unit_of_a_column_does_not_matter(self, drifting, metric):
        """Columns in very small units were taken for rounding, and left out without a word."""
        units = np.array([1.0, 1e-9, 1e7])
        found = table(drifting * units, None, metric)
        np.testing.assert_allclose(found, by_all(drifting, metric), rtol=1e-6, atol=1e-9)


def test_a_row_is_at_no_distance_from_itself_by_any_metric_of_yes_and_no():
    """By the formula of Russell and Rao it is, and fitted rows were placed as new ones."""
    answers = np.unique(np.random.default_rng(3).integers(0, 2, (60, 9)), axis=0).astype(float)
    for metric in ("russellrao", "rogerstanimoto", "jaccard"):
        D = table(answers, answers[:7].copy(), metric)
        np.testing.assert_array_equal(D[np.arange(7), np.arange(7)], 0.0)
    for estimator in (ClassicalMDS, Isomap):
        model = estimator(metric="russellrao").fit(answers)
        scale = np.abs(model.embedding_).max()
        np.testing.assert_allclose(model.transform(answers), model.embedding_, atol=1e-6 * scale)


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
