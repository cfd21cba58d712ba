"""One Gaussian, whatever it is called: by a bandwidth, a rate, a width or a length scale."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import rbf_kernel

from sidelight.gaussian_process import COVARIANCES
from sidelight.latent.density import kernel_for
from sidelight.similarity import (
    GaussianKernel,
    choice_probabilities,
    edge_weights,
    gaussian_shares,
    gaussian_similarity,
    half_squares,
)

X, Y = (np.random.default_rng(seed).normal(3, 1, (8, 4)) for seed in (0, 1))
SQUARED = cdist(X, Y, "sqeuclidean")


def test_every_name_of_the_bandwidth_is_the_same_gaussian():
    h = 1.7
    expected = rbf_kernel(X, Y, gamma=1 / h)
    width = np.sqrt(h / 2)
    process = COVARIANCES["rbf"](np.array([0.0, np.log(width), -700.0]), X, Y)
    for found in (
        gaussian_similarity(SQUARED, h),
        GaussianKernel(1 / h)(X, Y),
        edge_weights(np.sqrt(SQUARED), weights="heat", width=width),
        process,
        kernel_for("gaussian", X).values(SQUARED, h),
    ):
        assert np.allclose(found, expected, rtol=1e-12)


def test_shares_are_similarities_over_their_sum():
    expected = np.exp(-SQUARED / 0.8) / np.exp(-SQUARED / 0.8).sum(axis=1, keepdims=True)
    assert np.allclose(gaussian_shares(SQUARED, 0.8), expected, rtol=1e-12)
    assert np.allclose(choice_probabilities(np.sqrt(SQUARED), 0.8), expected, rtol=1e-10)
    each = np.linspace(0.5, 2, 8)[:, None]
    whole = gaussian_similarity(SQUARED, each)
    assert np.allclose(gaussian_shares(SQUARED, each), whole / whole.sum(axis=1, keepdims=True))


def test_who_is_far_from_everything_has_shares():
    far = gaussian_shares(1e9 + SQUARED)
    assert np.allclose(far, gaussian_shares(SQUARED), rtol=1e-5)
    assert np.array_equal(gaussian_shares(np.array([[np.inf, 5.0]])), [[0.0, 1.0]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_half_squares_in_one_product(dtype):
    found = half_squares(X.astype(dtype), Y.astype(dtype))
    assert found.dtype == dtype
    assert np.allclose(found, -SQUARED / 2, atol=30 * np.finfo(dtype).eps * 100)
    assert (half_squares(X, X) <= 0).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("scale", [1.0, 1e2, 1e4, 3e6, 1e9])
def test_a_row_is_at_no_distance_from_itself_however_long(scale, dtype):
    """Rounding parted long rows from themselves, and kernels lost their diagonal."""
    rng = np.random.default_rng(0)
    A = (scale * rng.standard_normal((40, 5))).astype(dtype)
    B = A[rng.permutation(40)[:25]].copy()
    found = half_squares(A, B)
    expected = -0.5 * cdist(A, B, "sqeuclidean")
    same = expected == 0
    assert same.sum() == 25
    np.testing.assert_array_equal(found[same] > -1e-3, True)
    size = np.square(A, dtype=float).sum(axis=1).max()
    np.testing.assert_allclose(found, expected, atol=8 * np.finfo(dtype).eps * size)
    K = GaussianKernel(3.0)(A, A)
    np.testing.assert_allclose(np.diag(K), 1.0, atol=1e-3)
