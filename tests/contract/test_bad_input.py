"""Bad input: the error names the estimator, what was expected and what came."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from sidelight import (
    PCA,
    ClassicalMDS,
    ConditionalEmbedding,
    Isomap,
    KernelInformationEmbedding,
    KernelPCA,
    NeighborEmbedding,
    SammonMapping,
    StochasticNeighborEmbedding,
    UnsupervisedKernelRegression,
)
from sidelight.errors import NotEnoughMemoryError
from sidelight.neighbors import nearest_neighbors
from tests.fitting import fitted

BAD_ROWS = {
    "empty": (np.empty((0, 4)), "0 sample|minimum"),
    "no columns": (np.empty((5, 0)), "0 feature"),
    "one row": (np.ones((1, 4)), "1 sample|n_samples"),
    "infinity": (np.array([[1.0, 2], [np.inf, 3], [4, 5]]), "infinity"),
    "text": (np.array([["a", "b"], ["c", "d"]]), "string|numeric|convert"),
    "complex": (np.ones((5, 3)) * 1j, "[Cc]omplex"),
    "one-dimensional": (np.arange(5.0), "1D|1-d|dimension"),
    "ragged": ([[1.0, 2.0], [3.0]], "inhomogeneous|sequence"),
}


@pytest.mark.parametrize("bad", BAD_ROWS)
def test_bad_rows(estimator, bad):
    rows, words = BAD_ROWS[bad]
    with pytest.raises(ValueError, match=words) as caught:
        estimator.fit(rows)
    assert type(estimator).__name__ in str(caught.value)
    assert not [name for name in vars(estimator) if name.endswith("embedding_")]


@pytest.mark.parametrize("n_components", [2, "auto"])
def test_units_in_which_distances_are_lost(estimator, X, n_components):
    """The dimensions of such rows were asked for before anybody looked at them."""
    estimator.set_params(n_components=n_components)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match="in (other units|another unit)") as caught:
            estimator.fit(X * 1e300)
    assert type(estimator).__name__ in str(caught.value)


def test_missing_values(estimator, X):
    holes = X.copy()
    holes[3, 1] = np.nan
    if estimator.__sklearn_tags__().input_tags.allow_nan:
        assert np.isfinite(estimator.fit(holes).embedding_).all()
        return
    with pytest.raises(ValueError, match="NaN") as caught:
        estimator.fit(holes)
    assert type(estimator).__name__ in str(caught.value)
    estimator = fitted(estimator, X)
    with pytest.raises(ValueError, match="NaN"):
        estimator.transform(holes)


def test_masked_entries_are_missing_values(estimator, X):
    """What stood under the mask was read as numbers, without a word."""
    under = X.copy()
    under[3, 1] = 1e6
    masked = np.ma.masked_greater(under, 1e5)
    if estimator.__sklearn_tags__().input_tags.allow_nan:
        holes = np.where(under > 1e5, np.nan, under)
        found = estimator.fit(masked).embedding_
        np.testing.assert_array_equal(found, estimator.fit(holes).embedding_)
        return
    with pytest.raises(ValueError, match="NaN") as caught:
        estimator.fit(masked)
    assert type(estimator).__name__ in str(caught.value)
    estimator = fitted(estimator, X)
    with pytest.raises(ValueError, match="NaN"):
        estimator.transform(masked)
    nothing = np.ma.masked_greater(X[:5], 1e5)  # a mask of nothing hides nothing
    np.testing.assert_array_equal(estimator.transform(nothing), estimator.transform(X[:5]))


@pytest.mark.parametrize("value", [0, -1, 2.5, "two", True, None])
def test_bad_number_of_components(estimator, X, value):
    if value is None and type(estimator).__name__ == "PCA":
        pytest.skip("None means all components to PCA")
    name = type(estimator).__name__
    with pytest.raises(ValueError, match=f"'n_components' parameter of {name} must be .*Got"):
        estimator.set_params(n_components=value).fit(X)


def test_too_many_components(estimator, X):
    with pytest.raises(ValueError, match="n_components"):
        estimator.set_params(n_components=len(X) + 1).fit(X)


def test_wrong_number_of_columns(estimator, X):
    estimator = fitted(estimator, X)
    with pytest.raises(ValueError, match="features"):
        estimator.transform(X[:, :3])
    with pytest.raises(ValueError, match="Z has 3 columns"):
        estimator.inverse_transform(np.ones((2, 3)))


def test_constant_columns_change_nothing(estimator, X):
    from sklearn.base import clone

    plain = fitted(estimator, X).embedding_
    padded = np.column_stack([X, np.full(len(X), 3.0)])
    if "gamma" in estimator.get_params():
        scale = 1 / (X.shape[1] * X.var())
        estimator.set_params(gamma=scale)
        plain = clone(estimator).fit_transform(X)
    Z = estimator.fit_transform(padded)
    if type(estimator).__name__ == "ProbabilisticPCA":  # one more direction without noise
        assert np.isfinite(Z).all()
        return
    np.testing.assert_allclose(Z, plain, atol=1e-7 * np.abs(plain).max())


def test_side_information_that_is_not_understood(estimator, X):
    with pytest.raises((ValueError, TypeError), match=f"{type(estimator).__name__}.*side"):
        estimator.fit(X, side=object())


def test_not_fitted_yet(estimator, X):
    from sklearn.exceptions import NotFittedError

    for call in (estimator.transform, estimator.inverse_transform):
        with pytest.raises(NotFittedError):
            call(X[:, :2])


TABLES = {
    "negative": (lambda D: D - 1.0, "negative|must"),
    "not symmetric": (lambda D: D + np.triu(np.ones_like(D), 1), "symmetric"),
    "diagonal": (lambda D: D + np.eye(len(D)), "diagonal|itself|zero"),
}


@pytest.mark.parametrize("bad", TABLES)
def test_tables_that_are_no_distances(distance_entry, X, bad):
    from scipy.spatial.distance import cdist

    estimator = distance_entry.load()()
    change, words = TABLES[bad]
    with pytest.raises(ValueError, match=words) as caught:
        estimator.set_params(metric="precomputed").fit(change(cdist(X, X)))
    assert distance_entry.name in str(caught.value)


def test_an_unknown_metric_is_named(distance_entry, X):
    estimator, name = distance_entry.load()(), distance_entry.name
    with pytest.raises(ValueError, match=f"'metric' parameter of {name}.*Got 'nearness'"):
        estimator.set_params(metric="nearness").fit(X)


@pytest.mark.parametrize(
    "estimator",
    [
        KernelPCA(),
        Isomap(),
        ClassicalMDS(metric="cityblock"),
        StochasticNeighborEmbedding(),
        SammonMapping(),
        UnsupervisedKernelRegression(),
        NeighborEmbedding(),
    ],
    ids=repr,
)
def test_memory_is_refused_before_it_is_taken(estimator, X, monkeypatch):
    monkeypatch.setenv("SIDELIGHT_MEMORY_LIMIT", "100KB")
    name = type(estimator).__name__
    with pytest.raises(MemoryError, match=f"{name} would need .* and 100.0 KB is available"):
        estimator.fit(X)


def test_the_memory_of_a_graph_is_predicted_by_its_edges(X, monkeypatch):
    from sidelight.neighbors import neighborhood_graph

    graph = neighborhood_graph(X, n_neighbors=12)
    n_listed = round(graph.nnz / len(X))
    monkeypatch.setenv("SIDELIGHT_MEMORY_LIMIT", "20KB")
    with pytest.raises(MemoryError, match=f"NeighborEmbedding would need .*of {n_listed} neighb"):
        NeighborEmbedding(metric="precomputed").fit(graph)


def test_memory_that_ran_out_is_told_by_every_fit(estimator, X, monkeypatch):
    def runs_out(*_, **__):
        raise MemoryError

    monkeypatch.setattr(type(estimator), "_check_input", runs_out)
    name = type(estimator).__name__
    before = dict(vars(estimator))
    with pytest.raises(NotEnoughMemoryError, match=f"^{name} ran out of memory .*X of shape"):
        estimator.fit(X)
    assert vars(estimator) == before


@pytest.mark.parametrize("unit", [1e-170, 1e-100, 1e100, 1e200])
def test_a_unit_whose_squares_are_lost_is_refused_by_name_and_no_other_shows(entry, unit):
    X = np.random.default_rng(0).standard_normal((40, 4)) * [3, 2, 1, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        try:
            refused, places = "", entry.load()().fit(X * unit).embedding_
        except ValueError as error:
            refused, places = str(error), np.zeros(1)
    assert not refused or entry.name in refused
    assert np.isfinite(places).all()


@pytest.mark.parametrize("form", ["direct", "dual", "operator"])
def test_one_cell_whose_square_is_lost_is_refused_and_no_other_shows(form):
    X = np.random.default_rng(0).standard_normal((30, 4))
    X[0, 0] = 1e200
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        with pytest.raises(ValueError, match="PCA cannot use X: squares of its entries overflow"):
            PCA(2, method=form).fit(X)
        with pytest.raises(ValueError, match="PCA cannot use X: squares of its entries overflow"):
            PCA(2).partial_fit(X[1:]).partial_fit(X)


@pytest.mark.parametrize("method", [ConditionalEmbedding, KernelInformationEmbedding])
def test_rows_that_hardly_differ_beside_a_column_that_is_constant(method):
    X = np.random.default_rng(0).standard_normal((40, 4)) * 1e-170
    X[:, 0] = 1.0
    with pytest.raises(ValueError, match=f"{method.__name__} cannot use X: its rows differ by"):
        fitted(method(), X)


def test_a_search_that_does_not_suit_is_refused_by_the_name_that_estimators_give_it(graph_entry, X):
    D = cdist(X, X)
    model = graph_entry.load()()
    if not {"metric", "neighbors"} <= set(model.get_params()):
        return
    with pytest.raises(ValueError, match=f"'neighbors' parameter of {graph_entry.name}"):
        model.set_params(metric="precomputed", neighbors="kd_tree").fit(D)


def test_a_search_that_does_not_suit_is_refused_by_the_name_that_functions_give_it(X):
    with pytest.raises(ValueError, match="'method' parameter of nearest_neighbors"):
        nearest_neighbors(X, 5, metric="cityblock", method="kd_tree")
