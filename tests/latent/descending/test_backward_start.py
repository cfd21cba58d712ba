"""The smoothest backward mapping against a dense decomposition of the naive matrix."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from sidelight import PCA
from sidelight.latent.descending.backward_start import backward_start
from tests.comparison import assert_same_map, subspace_gap


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((60, 4)) * [3, 2, 1, 0.5]


@pytest.mark.parametrize("n", [60, 700])
def test_kernel_regression_weights(n):
    X = np.random.default_rng(1).standard_normal((n, 3)) * [3, 2, 1]
    B = np.exp(-cdist(X, X, "sqeuclidean") / 4)
    B /= B.sum(axis=1, keepdims=True)
    J = np.eye(n) - 1 / n
    values, vectors = np.linalg.eigh(J @ (np.eye(n) - B).T @ (np.eye(n) - B) @ J)
    found = backward_start(B, 3)
    # the first of them is the constant
    assert_same_map(found.vectors, vectors[:, 1:4], atol=1e-5)
    np.testing.assert_allclose(1 - found.values, values[1:4], atol=1e-8)
    # the naive objective itself, and that the constant is not among them
    np.testing.assert_allclose(
        np.sum((found.vectors - B @ found.vectors) ** 2, axis=0), values[1:4], atol=1e-8
    )
    np.testing.assert_allclose(found.vectors.sum(axis=0), 0, atol=1e-8)


def test_a_symmetric_basis_gives_its_own_largest_eigenvectors(X):
    centred = X - X.mean(axis=0)
    K = centred @ centred.T
    B = K / np.linalg.eigvalsh(K)[-1]
    found = backward_start(B, 2)
    assert_same_map(found.vectors, np.linalg.eigh(B)[1][:, [-1, -2]], atol=1e-6)
    # a linear kernel's are the principal components, which the smallest are not
    assert subspace_gap(found.vectors, PCA(2).fit_transform(X)) < 1e-8
    assert subspace_gap(np.linalg.eigh(B)[1][:, :2], PCA(2).fit_transform(X)) > 0.9


def test_too_many(X):
    with pytest.raises(ValueError, match="1 ≤ n_components < n. Got n_components=60"):
        backward_start(np.full((60, 60), 1 / 60), 60)
