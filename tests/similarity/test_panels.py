"""A symmetric matrix stored by half is that matrix."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight.similarity.centring import Centring
from sidelight.similarity.kernels import GaussianKernel, kernel_matrix, kernel_panels
from sidelight.similarity.panels import PANEL_ROWS, SymmetricPanels


@pytest.mark.parametrize("n", [1, PANEL_ROWS, 3 * PANEL_ROWS + 17])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_products_and_sums(n, dtype):
    rng = np.random.default_rng(0)
    A = rng.standard_normal((n, n))
    A = (A + A.T) / 2
    panels = SymmetricPanels.filled(lambda rows, columns: A[rows, columns], n, dtype)
    tol = 1e-10 if dtype == np.float64 else 1e-3
    block = rng.standard_normal((n, 3))
    np.testing.assert_allclose(panels @ block, A @ block, atol=tol)
    np.testing.assert_allclose(panels @ block[:, 0], A @ block[:, 0], atol=tol)
    np.testing.assert_allclose(panels.row_sums(), A.sum(axis=1), atol=tol)
    counts = rng.integers(1, 3, n)
    whole, half = Centring.of(A, counts), Centring.of(panels, counts)
    np.testing.assert_allclose(half.column_means, whole.column_means, atol=tol)
    np.testing.assert_allclose(half.operator(panels)(block), whole.operator(A)(block), atol=tol)


def test_kernel_by_half():
    X = np.random.default_rng(1).standard_normal((300, 4))
    K = kernel_matrix(GaussianKernel(0.3), X)
    panels = kernel_panels(GaussianKernel(0.3), X, dtype=np.float32)
    np.testing.assert_allclose(panels @ np.eye(300), K, atol=1e-5)
    assert sum(panel.size for panel in panels.panels) < 0.75 * K.size
