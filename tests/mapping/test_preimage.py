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


def test_a_step_that_overshoots_is_shortened():
    """Mika's rule leads from 0 to 9, where the items are out of sight."""
    items, kernel = np.array([[1.0], [-1.0]]), GaussianKernel(0.1)
    gamma = np.array([[1.0, -0.8]])
    found = fixed_point_preimage(gamma, items, kernel, np.zeros((1, 1)))
    grid = np.linspace(-9, 9, 18_001)[:, None]
    closest = grid[np.argmax(kernel(grid, items) @ gamma[0])]
    np.testing.assert_allclose(found[0], closest, atol=2e-3)


def test_coefficients_of_items_that_stand_for_copies():
    """As if each copy were there: what belongs to the copies of one item is summed."""
    rng = np.random.default_rng(5)
    items, counts = rng.standard_normal((12, 3)), rng.integers(1, 5, 12)
    copies = np.repeat(np.arange(12), counts)
    whole = KernelPCA(4, kernel="rbf", gamma=0.3).fit(items[copies])
    first = np.unique(copies, return_index=True)[1]
    Z = rng.standard_normal((6, 4))
    each = expansion_coefficients(Z, whole.embedding_, whole.eigenvalues_, np.ones(len(copies)))
    found = expansion_coefficients(
        Z, whole.embedding_[first], whole.eigenvalues_, counts.astype(float)
    )
    summed = np.stack([np.bincount(copies, weights=row) for row in each])
    np.testing.assert_allclose(found, summed, atol=1e-9)


def test_distances_alone_find_a_point_among_its_neighbours():
    rng = np.random.default_rng(2)
    corners = rng.standard_normal((12, 2))
    kernel = GaussianKernel(0.3)
    # γ = the unit vector of an item: P = φ(x_4)
    gamma = np.eye(12)[4:5]
    found = distance_preimage(gamma, corners, kernel, kernel_matrix(kernel, corners))
    np.testing.assert_allclose(found[0], corners[4], atol=1e-5)


@pytest.mark.parametrize(("waves", "rate"), [(5, 0.3), (15, 1.0), (25, 10.0)])
def test_ridge_leave_one_out_is_the_refitted_error(waves, rate):
    """The more the items turn along the map, the narrower the kernel that predicts them."""
    rng = np.random.default_rng(3)
    Z = rng.random((25, 1))
    X = np.column_stack([np.sin(waves * Z[:, 0]), Z[:, 0] ** 2])
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
    assert best == rate
    assert model.kernel.gamma == pytest.approx(best / variance)


@pytest.mark.parametrize(("noise", "low", "high"), [(0.0, 0.0, 1e-6), (0.5, 1e-2, 1.0)])
def test_the_ridge_is_small_for_clean_items_and_large_for_noisy_ones(noise, low, high):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        Z = rng.random((80, 1))
        X = np.sin(4 * Z) + noise * rng.standard_normal((80, 3))
        model = RidgePreimage.fit(Z, X, ridge=None)
        # (K + αI) C = Y
        left = X - X.mean(axis=0) - model.kernel(Z, Z) @ model.coefficients
        alpha = np.sum(left * model.coefficients) / np.sum(model.coefficients**2)
        assert low <= alpha * (1 + 1e-6)
        assert alpha <= high * (1 + 1e-6)


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
