"""The kernel smoother: its formula, its bandwidth by brute force, and odd positions."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from sidelight.mapping.smoother import SUPPORT, KernelSmoother


@pytest.fixture
def sample():
    rng = np.random.default_rng(0)
    Z = rng.random((40, 2))
    X = np.column_stack([np.sin(4 * Z[:, 0]), Z[:, 1] ** 2, Z.sum(axis=1)])
    return Z, X + 0.05 * rng.standard_normal(X.shape)


def naive(Z, X, at, h, leave=None):
    w = np.exp(-((Z - at) ** 2).sum(axis=1) / (2 * h**2))
    if leave is not None:
        w[leave] = 0
    return w @ X / w.sum()


def test_the_formula(sample):
    Z, X = sample
    assert len(Z) <= SUPPORT  # all points are in the support
    smoother = KernelSmoother(Z, X, 0.13)
    at = np.array([[0.3, 0.4], [0.9, 0.1]])
    np.testing.assert_allclose(smoother(at), [naive(Z, X, z, 0.13) for z in at])


def test_the_bandwidth_is_the_best_left_one_out(sample):
    Z, X = sample
    chosen = KernelSmoother.fit(Z, X).bandwidth

    def error(h):
        return sum(np.sum((naive(Z, X, Z[i], h, leave=i) - X[i]) ** 2) for i in range(len(Z)))

    factor = (30 / 0.1) ** (1 / 23)  # the step of the grid
    assert error(chosen) <= error(chosen * factor)
    assert error(chosen) <= error(chosen / factor)
    coarse = [error(chosen * c) for c in (0.1, 0.3, 3, 10)]
    assert error(chosen) < min(coarse)


def test_items_that_have_nothing_to_do_with_the_map_are_their_mean():
    """The widest of the bandwidths that are tried, thirty times the way to the nearest."""
    rng = np.random.default_rng(1)
    Z, X = rng.random((45, 2)), rng.standard_normal((45, 200))
    smoother = KernelSmoother.fit(Z, X)
    D = np.linalg.norm(Z[:, None] - Z, axis=2)
    np.fill_diagonal(D, np.inf)
    assert smoother.bandwidth == pytest.approx(30 * np.median(D.min(axis=1)))
    np.testing.assert_allclose(smoother(Z), np.tile(X.mean(axis=0), (45, 1)), atol=0.1)


def test_far_away_is_the_nearest_item_not_nothing(sample):
    Z, X = sample
    smoother = KernelSmoother(Z, X, 0.01)
    far = np.array([[50.0, 50.0]])
    nearest = np.argmin(np.linalg.norm(Z - far, axis=1))
    np.testing.assert_allclose(smoother(far)[0], X[nearest], atol=1e-6)


def test_sparse_items(sample):
    Z, X = sample
    dense, sparse = KernelSmoother.fit(Z, X), KernelSmoother.fit(Z, sp.csr_array(X))
    assert dense.bandwidth == sparse.bandwidth
    np.testing.assert_allclose(sparse(Z[:4]), dense(Z[:4]))


def test_copies_in_the_map_are_left_out_one_at_a_time():
    Z = np.repeat(np.linspace(0, 1, 10), 3)[:, None]
    X = Z + np.tile([0.0, 0.1, 0.2], 10)[:, None]
    smoother = KernelSmoother.fit(Z, X)
    assert np.isfinite(smoother.bandwidth)
    np.testing.assert_allclose(smoother(Z[3:4]), X[3:6].mean(keepdims=True), atol=0.05)
