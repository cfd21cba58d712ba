"""Distinct rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from sidelight.neighbors import distinct_rows, duplicates


def assert_is_unique(found, X):
    _, first, inverse, counts = np.unique(
        X, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.argsort(first)
    np.testing.assert_array_equal(found.rows, first[order])
    np.testing.assert_array_equal(found.counts, counts[order])
    np.testing.assert_array_equal(found.inverse, np.argsort(order)[inverse.ravel()])


@pytest.mark.parametrize("dtype", ["float64", "float32", "uint8", "int32", "bool"])
@pytest.mark.parametrize("seed", range(4))
def test_agrees_with_numpy(dtype, seed):
    rng = np.random.default_rng(seed)
    shape = (int(rng.integers(1, 300)), int(rng.integers(1, 7)))
    X = rng.integers(0, 3, size=shape).astype(dtype)
    assert_is_unique(distinct_rows(X), X)
    assert_is_unique(distinct_rows(sp.csr_array(X)), X)


def test_rows_of_real_numbers():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(200, 30))[rng.integers(200, size=500)]
    assert_is_unique(distinct_rows(X), X)
    # Rows that differ in one last bit are different.
    X[3, 5] = np.nextafter(X[3, 5], 1)
    assert_is_unique(distinct_rows(X), X)


def test_minus_zero_is_zero():
    X = np.array([[0.0, 1.0], [-0.0, 1.0], [0.0, -1.0]])
    for rows in (X, sp.csr_array(X)):
        np.testing.assert_array_equal(distinct_rows(rows).inverse, [0, 0, 1])
    stored = sp.csr_array((np.array([-0.0, 1.0, 1.0]), ([0, 0, 1], [0, 1, 1])), shape=(2, 2))
    np.testing.assert_array_equal(distinct_rows(stored).inverse, [0, 0])


@pytest.mark.parametrize("n_keys", [1, 2])
def test_rows_that_share_a_hash_are_told_apart(monkeypatch, n_keys):
    X = np.random.default_rng(5).integers(0, 2, size=(80, 4)).astype(float)
    keys = np.arange(80, dtype=np.uint64) % n_keys
    # Equal rows must share a key, as they do with every hash.
    keys = keys[np.unique(X, axis=0, return_index=True, return_inverse=True)[2].ravel() % n_keys]
    monkeypatch.setattr(duplicates, "hashed_rows", lambda _: keys)
    monkeypatch.setattr(duplicates, "_hash_sparse", lambda _: keys)
    assert_is_unique(distinct_rows(X), X)
    assert_is_unique(distinct_rows(sp.csr_array(X)), X)


def test_precomputed_zeros_chain():
    X = np.array([[0.0], [3.0], [0.0], [1.0], [3.0]])
    found = distinct_rows(cdist(X, X), metric="precomputed")
    np.testing.assert_array_equal(found.rows, [0, 1, 3])
    np.testing.assert_array_equal(found.inverse, [0, 1, 0, 2, 1])
    np.testing.assert_array_equal(found.counts, [2, 2, 1])
    # 0 and 2 are apart, but both are at distance zero from 1.
    D = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    np.testing.assert_array_equal(distinct_rows(D, metric="precomputed").inverse, [0, 0, 0])


def test_bad_input():
    with pytest.raises(ValueError, match="'X' parameter of PCA must be finite"):
        distinct_rows([[np.nan]], who="PCA")
    with pytest.raises(ValueError, match="'X' parameter of MDS must be symmetric"):
        distinct_rows([[0.0, 1.0], [2.0, 0.0]], metric="precomputed", who="MDS")
