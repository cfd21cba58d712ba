"""Hints: given where the data ask for one, silent where they do not."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, load_iris, load_wine

from sidelight import embed
from sidelight.embedding import hints_for

_RNG = np.random.default_rng(0)


def _words(X, **options):
    return " ".join(hints_for(X, **options))


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_counts_are_told_of_the_cosine(kind):
    X = kind(_RNG.poisson(0.3, size=(80, 40)))
    assert "--metric cosine" in _words(X)
    assert _words(X, metric="cosine") == ""


def test_pixels_marks_and_measurements_are_no_counts():
    assert hints_for(load_digits().data) == ()
    assert hints_for((_RNG.random((80, 40)) < 0.2).astype(float)) == ()
    assert hints_for(_RNG.normal(size=(80, 40))) == ()
    assert hints_for(load_iris().data) == ()


def test_a_column_that_outweighs_all_others_is_named():
    wine = load_wine()
    assert "'proline' has 100% of the variance" in _words(wine.data, names=wine.feature_names)
    assert hints_for((wine.data - wine.data.mean(0)) / wine.data.std(0)) == ()


@pytest.mark.parametrize("n", [50, 5_001])
def test_a_column_that_counts_the_rows_is_named(n):
    X = np.column_stack([_RNG.normal(size=(n, 3)), 1000 + np.arange(n)])
    assert "'number' counts the rows" in _words(X, names=["a", "b", "c", "number"])
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    assert "'number' counts the rows" in _words(scaled, names=["a", "b", "c", "number"])
    X[:, 3] = _RNG.permutation(X[:, 3])
    assert "counts the rows" not in _words(X, names=["a", "b", "c", "number"])


def test_what_cannot_be_looked_at_is_left_to_the_estimator():
    assert hints_for(None) == ()
    assert hints_for(np.array([["a", "b"], ["c", "d"]])) == ()
    assert hints_for(np.eye(30), metric="precomputed") == ()


def test_a_result_has_them():
    counts = _RNG.poisson(0.3, size=(60, 30))
    assert "--metric cosine" in embed(counts, method="pca").hints[0]
    assert "--metric cosine" in embed(counts, method="pca")._repr_html_()
    assert embed(_RNG.normal(size=(60, 5)), method="pca").hints == ()


def test_columns_keep_their_names_where_missing_values_are_filled():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"small": rng.normal(size=60), "large": 1e4 * rng.normal(size=60)})
    frame.loc[3, "small"] = np.nan
    (hint,) = embed(frame, missing="mean").hints
    assert hint.startswith("The column 'large' has 100% of the variance")
