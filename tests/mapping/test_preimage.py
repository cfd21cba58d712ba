"""Pre-images: a point that is in the image of the map is found again."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight import KernelPCA
from sidelight.mapping.preimage import (
    RidgePreimage,
    distance_preimage,
    expansion_coefficients,
    fixed_point_preimage,
)
from sidelight.similarity.kernels import GaussianKernel, kernel_matrix


@pytest.fixture
def items():
    return np.random.default_rng(0).standard_normal((60, 3))


def test_with_all_components_the_coefficients_are_the_items_themselves(items):
    kpca = KernelPCA(59, kernel="rbf", gamma=0.5).fit(items)
    gamma = expansion_coefficients(kpca.embedding_, kpca.embedding_, kpca.eigenvalues_, np.ones(60))
    np.testing.assert_allclose(gamma.sum(axis=1), 1)
    K = kernel_matrix(GaussianKernel(0.5), items)
    # ‖P − φ(x_i)‖² = 0
    distance = np.einsum("ij,jk,ik->i", gamma, K, gamma) - 2 * np.diag(gamma @ K) + 1
    np.testing.assert_allclose(distance, 0, atol=1e-8)


@pytest.mark.parametrize("way", ["fixed_point", "distances"])
def test_items_of_a_complete_map_are_found_again(items, way):
    kpca = KernelPCA(59, kernel="rbf", gamma=0.5, preimage=way).fit(items)
    np.testing.assert_allclose(kpca.inverse_transform(kpca.embedding_), items, atol=1e-4)


def test_the_fixed_point_is_stationary(items):
    """∇_x ‖φ(x) − P‖² = 0 by finite differences."""
    kernel = GaussianKernel(0.2)
    gamma = np.abs(np.random.default_rng(1).random((5, 60)))
    gamma /= gamma.sum(axis=1, keepdims=True)
    x = fixed_point_preimage(gamma, items, kernel, np.zeros((5, 3)), max_iter=2000)
    h = 1e-5
    for row in range(5):
        for axis in range(3):
            step = np.zeros(3)
            step[axis] = h
            up = gamma[row] @ kernel((x[row] + step)[None], items)[0]
            down = gamma[row] @ kernel((x[row] - step)[None], items)[0]
            assert abs(up - down) / (2 * h) < 1e-6


def test_distances_alone_find_a_point_among_its_neighbours():
    rng = np.random.default_rng(2)
    corners = rng.standard_normal((12, 2))
    kernel = GaussianKernel(0.3)
    # γ = the unit vector of an item: P = φ(x_4)
    gamma = np.eye(12)[4:5]
    found = distance_preimage(gamma, corners, kernel, kernel_matrix(kernel, corners))
    np.testing.assert_allclose(found[0], corners[4], atol=1e-5)


def test_ridge_leave_one_out_is_the_refitted_error():
    rng = np.random.default_rng(3)
    Z = rng.random((25, 1))
    X = np.column_stack([np.sin(5 * Z[:, 0]), Z[:, 0] ** 2])
    model = RidgePreimage.fit(Z, X, ridge=1e-3)

    def refitted(kernel):
        total = 0.0
        Y = X - X.mean(axis=0)
        for i in range(25):
            keep = np.arange(25) != i
            K = kernel(Z[keep], Z[keep]) + 1e-3 * np.eye(24)
            prediction = kernel(Z[i : i + 1], Z[keep]) @ np.linalg.solve(K, Y[keep])
            total += float(np.sum((prediction - Y[i]) ** 2))
        return total

    variance = float(Z.var(axis=0).sum())
    errors = {w: refitted(GaussianKernel(w / variance)) for w in (0.3, 1.0, 3.0, 10.0)}
    best = min(errors, key=errors.get)
    assert model.kernel.gamma == pytest.approx(best / variance)


def test_linear_kernel_goes_back_as_pca_does(items):
    from sidelight import PCA

    kpca, pca = KernelPCA(2, kernel="linear").fit(items), PCA(2).fit(items)
    np.testing.assert_allclose(
        kpca.inverse_transform(kpca.embedding_), pca.inverse_transform(pca.embedding_), atol=1e-8
    )


def test_ways_that_need_a_gaussian_kernel_say_so(items):
    with pytest.raises(ValueError, match="needs kernel='rbf'.*preimage='ridge'"):
        KernelPCA(2, kernel="cosine", preimage="fixed_point").fit(items)


def test_items_behind_a_precomputed_kernel(items):
    kernel = GaussianKernel(0.5)
    K = kernel_matrix(kernel, items)
    plain = KernelPCA(3, kernel="rbf", gamma=0.5, preimage="ridge").fit(items)
    given = KernelPCA(3, kernel="precomputed", preimage="ridge").fit(K, items=items)
    np.testing.assert_allclose(given.embedding_, plain.embedding_, atol=1e-9)
    np.testing.assert_allclose(
        given.inverse_transform(given.embedding_),
        plain.inverse_transform(plain.embedding_),
        atol=1e-7,
    )
    block = kernel(items[:4] + 0.1, items)
    np.testing.assert_allclose(given.transform(block), plain.transform(items[:4] + 0.1), atol=1e-9)
