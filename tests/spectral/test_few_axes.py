"""A few principal axes of many rows in single precision, without their scatter matrix."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight import PCA
from sidelight.spectral.few_axes import few_axes

N, P = 10_000, 520


def rows(spread, *, seed=0, offset=0.0):
    """Rows of white noise, wider along the first axes of a random basis."""
    rng = np.random.default_rng(seed)
    basis = np.linalg.qr(rng.standard_normal((P, len(spread))))[0]
    X = 0.1 * rng.standard_normal((N, P)) + offset
    return (X + (rng.standard_normal((N, len(spread))) * spread) @ basis.T).astype(np.float32)


def exact(X, k):
    """Mean, eigenvalues and eigenvectors in double precision, and the total."""
    X = X.astype(np.float64)
    mean = X.mean(axis=0)
    values, vectors = np.linalg.eigh((X - mean).T @ (X - mean))
    return mean, values[::-1][:k], vectors[:, ::-1][:, :k], values.sum()


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_they_are_the_eigenvectors_of_the_scatter(k, seed):
    X = rows([9.0, 7.0, 5.0, 4.0, 2.0, 1.0], seed=seed, offset=0.2)
    found = few_axes(X, k)
    mean, values, vectors, total = exact(X, k)
    assert found is not None
    np.testing.assert_allclose(found.mean, mean, atol=1e-5)
    np.testing.assert_allclose(found.total, total, rtol=1e-5)
    np.testing.assert_allclose(found.pairs.values, values, rtol=1e-6)
    alike = np.abs(np.einsum("ij,ij->j", found.pairs.vectors, vectors))
    np.testing.assert_allclose(alike, 1.0, atol=1e-11)


def test_pca_is_the_same_as_by_the_scatter():
    X = rows([9.0, 7.0, 5.0, 3.0], offset=0.3)
    few, whole = PCA(2).fit(X), PCA(2, method="direct").fit(X)
    assert few_axes(X, 2) is not None
    np.testing.assert_allclose(few.embedding_, whole.embedding_, atol=3e-5)
    np.testing.assert_allclose(few.components_, whole.components_, atol=3e-6)
    np.testing.assert_allclose(few.mean_, whole.mean_, atol=1e-5)
    for name in ("eigenvalues_", "explained_variance_", "explained_variance_ratio_"):
        np.testing.assert_allclose(getattr(few, name), getattr(whole, name), rtol=1e-5)
    assert few.n_components_ == 2


@pytest.mark.parametrize("strong", [1.0, 1.3, 3.0])
def test_what_no_row_of_the_sample_has_is_found(strong):
    """Rows of the sample have nothing along the last columns, where all others vary as much."""
    X = rows([9.0, 5.0, 2.0, 1.0])
    X[:, -8:] = 0.0
    sampled = np.random.default_rng(0).choice(N, N // 16, replace=False)
    others = np.setdiff1d(np.arange(N), sampled)
    X[others, -1] = strong * 9.0 * np.random.default_rng(5).standard_normal(len(others))
    found = few_axes(X, 2)
    _, values, vectors, _ = exact(X, 2)
    if found is not None:
        np.testing.assert_allclose(found.pairs.values, values, rtol=1e-6)
        alike = np.abs(np.einsum("ij,ij->j", found.pairs.vectors, vectors))
        np.testing.assert_allclose(alike, 1.0, atol=1e-9)
    components = PCA(2).fit(X).components_
    np.testing.assert_allclose(np.abs(np.diag(components @ vectors)), 1.0, atol=1e-8)


def test_one_row_far_out_is_an_axis():
    X = rows([9.0, 5.0, 2.0, 1.0])
    X[4_321] += 3_000.0 * np.eye(1, P, 7, dtype=np.float32)[0]
    assert np.argmax(np.abs(PCA(2).fit(X).components_[0])) == 7


@pytest.mark.parametrize(
    "X",
    [
        rows([]),
        rows([9.0, 7.0], offset=100.0),
        rows([9.0, 9.0, 9.0, 9.0, 9.0, 9.0, 9.0, 9.0, 9.0]),
        rows([90.0, 1.0]),
        rows([9.0, 7.0]).astype(np.float64),
        np.asfortranarray(rows([9.0, 7.0])),
        rows([9.0, 7.0])[:8_000],
        rows([9.0, 7.0])[:, :512],
        np.ones((N, P), dtype=np.float32),
        np.zeros((N, P), dtype=np.float32),
        np.float32(1e25) * rows([9.0, 7.0]),
    ],
    ids=[
        "noise",
        "far away",
        "alike",
        "one much wider",
        "double",
        "by columns",
        "few rows",
        "few columns",
        "constant",
        "zero",
        "huge",
    ],
)
def test_where_the_scatter_is_better_none_are_found(X):
    assert few_axes(X, 2) is None


def test_axes_that_are_nearly_as_long_are_the_scatters():
    """How two of nearly one length are turned would hang on the last bits of single precision."""
    rng = np.random.default_rng(1)
    for nearly, taken in ((1 - 3e-4, False), (1 - 3e-3, True)):
        lengths = 9.0 * np.sqrt([1.0, nearly, 0.05])
        scores = np.linalg.qr(rng.standard_normal((N, 3)))[0] * lengths * np.sqrt(N)
        X = scores @ np.linalg.qr(rng.standard_normal((P, 3)))[0].T
        assert (few_axes(X.astype(np.float32), 2) is not None) == taken


def test_more_axes_are_the_scatters():
    assert few_axes(rows([9.0, 7.0, 5.0, 4.0, 3.0]), 5) is None
