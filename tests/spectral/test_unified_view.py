"""Every spectral method is kernel PCA on its own kernel (section 1.8, as corrected)."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

from sidelight import (
    PCA,
    AcyclicLocallyLinearEmbedding,
    ClassicalMDS,
    Isomap,
    KernelPCA,
    LaplacianEigenmaps,
    LocallyLinearEmbedding,
    MaximumEntropyUnfolding,
    ProbabilisticPCA,
    SemidefiniteEmbedding,
)
from sidelight.neighbors import neighborhood_graph
from tests.comparison import assert_same_map

#: Estimator, and the scaling that takes kernel PCA's map of its kernel to its own.
METHODS = {
    "PCA": (PCA(2), lambda e: 1.0),
    "ProbabilisticPCA": (
        ProbabilisticPCA(2),
        # E[z|x] has lengths √((λ − σ²)/λ²)·√λ, λ = kernel eigenvalue / n
        lambda e: np.sqrt(e.eigenvalues_ - e.noise_variance_) / e.eigenvalues_,
    ),
    "KernelPCA": (KernelPCA(2, kernel="rbf", gamma=0.1), lambda e: 1.0),
    "ClassicalMDS": (ClassicalMDS(2, metric="cityblock"), lambda e: 1.0),
    "Isomap": (Isomap(2, n_neighbors=8), lambda e: 1.0),
    "SemidefiniteEmbedding": (SemidefiniteEmbedding(2, n_neighbors=8), lambda e: 1.0),
    "MaximumEntropyUnfolding": (MaximumEntropyUnfolding(2, n_neighbors=8), lambda e: 1.0),
    "AcyclicLocallyLinearEmbedding": (
        AcyclicLocallyLinearEmbedding(2, n_neighbors=8),
        lambda e: 1.0,
    ),
    "LLE": (
        LocallyLinearEmbedding(2, n_neighbors=8),
        # λ_max − λ_i where the map has unit vectors
        lambda e: 1 / np.sqrt(np.linalg.eigvalsh(e.kernel())[:-3:-1]),
    ),
    "LEM": (
        LaplacianEigenmaps(2, n_neighbors=8, normalized=False),
        lambda e: np.sqrt(e.eigenvalues_),
    ),
}


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(0)
    t = np.sort(rng.random(140)) * 4
    return np.column_stack([t * np.cos(t), t * np.sin(t), 2 * rng.random(140)])


@pytest.mark.filterwarnings("ignore::sidelight.core.errors.NotEuclideanWarning")
@pytest.mark.parametrize("name", METHODS)
def test_kernel_pca_on_the_kernel_gives_the_same_map(name, X):
    estimator, scaling = METHODS[name]
    estimator.fit(X)
    K = estimator.kernel()
    np.testing.assert_allclose(K, K.T, atol=1e-9 * np.abs(K).max())
    np.testing.assert_allclose(K.sum(axis=0), 0, atol=1e-8 * np.abs(K).max() * len(K))
    again = KernelPCA(2, kernel="precomputed").fit(K).embedding_
    assert_same_map(again * scaling(estimator), estimator.embedding_, atol=1e-6)


def test_the_kernel_of_normalised_eigenmaps_is_that_of_all_its_modes(X):
    """Σ_p y_p y_pᵀ/λ_p, centred: the y are orthogonal by degrees, so they are not its axes."""
    lem = LaplacianEigenmaps(2, n_neighbors=8, weights="heat").fit(X)
    graph = neighborhood_graph(X, n_neighbors=8).toarray()
    W = np.where(graph > 0, np.exp(-(graph**2) / (2 * lem.width_**2)), 0.0)
    R = np.diag(W.sum(axis=1))
    values, Y = scipy.linalg.eigh(R - W, R)
    K = (Y[:, 1:] / values[1:]) @ Y[:, 1:].T
    J = np.eye(len(X)) - 1 / len(X)
    np.testing.assert_allclose(lem.kernel(), J @ K @ J, atol=1e-8 * np.abs(K).max())
    np.testing.assert_allclose(lem.eigenvalues_, values[1:3], rtol=1e-8)


def test_lle_is_also_kernel_pca_on_the_shifted_matrix(X):
    """K = λ_max I − M (eq. 1.5): eigenvectors 2 … d + 1 are the map."""
    lle = LocallyLinearEmbedding(2, n_neighbors=8).fit(X)
    inverse = lle.kernel(form="inverse")
    again = KernelPCA(2, kernel="precomputed").fit(inverse).embedding_
    assert_same_map(again * np.sqrt(lle.eigenvalues_), lle.embedding_, atol=1e-6)
    M = np.linalg.pinv(inverse, hermitian=True, rcond=1e-13)
    largest = np.linalg.eigvalsh(M)[-1]
    J = np.eye(len(X)) - 1 / len(X)
    np.testing.assert_allclose(lle.kernel(), J @ (largest * np.eye(len(M)) - M) @ J, atol=1e-6)
    _, vectors = np.linalg.eigh(largest * np.eye(len(M)) - M)
    constant = vectors[:, -1]
    np.testing.assert_allclose(np.abs(constant), 1 / np.sqrt(len(M)), rtol=1e-6)
    assert_same_map(vectors[:, -2:-4:-1], lle.embedding_, atol=1e-6)


def test_isomap_and_mds_kernels_are_minus_half_the_centred_squares(X):
    J = np.eye(len(X)) - 1 / len(X)
    D = np.abs(X[:, None] - X[None]).sum(axis=2)
    mds = ClassicalMDS(2, metric="cityblock").fit(X)
    np.testing.assert_allclose(mds.kernel(), -0.5 * J @ D**2 @ J, atol=1e-9)
