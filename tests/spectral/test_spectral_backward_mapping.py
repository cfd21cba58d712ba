"""Codes that a linear smoother gives back best: known answers, optimality, new rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
from scipy.optimize import minimize
from scipy.spatial.distance import cdist
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF

from sidelight import PCA, KernelPCA, SpectralBackwardMapping

RNG = np.random.default_rng(0)


def sheet(n, seed):
    rng = np.random.default_rng(seed)
    t, h = 3 * rng.random(n), 2 * rng.random(n)
    X = np.column_stack([np.cos(t), np.sin(t), h, t / 2])
    return X + 0.02 * rng.standard_normal(X.shape) + 5


X, NEW = sheet(80, 0), sheet(15, 1)


def regression(A, Y, gamma=1.3):
    K = np.exp(-gamma * cdist(A, Y, "sqeuclidean"))
    return K / K.sum(axis=1, keepdims=True)


def smallest(B, d):
    """The dense eigenproblem, in a basis of what is orthogonal to the constant."""
    n = len(B)
    Q = scipy.linalg.null_space(np.ones((1, n)))
    F = (np.eye(n) - B) @ Q
    values, vectors = scipy.linalg.eigh(F.T @ F)
    return values[:d], Q @ vectors[:, :d]


def parallel(A, B, tol=1e-6):
    """Whether the columns are those of the other map, but for their length and sign."""
    A, B = A / np.linalg.norm(A, axis=0), B / np.linalg.norm(B, axis=0)
    np.testing.assert_allclose(np.abs(np.einsum("ij,ij->j", A, B)), 1, atol=tol)


def test_the_linear_basis_is_pca():
    model = SpectralBackwardMapping(2, basis="linear").fit(X)
    pca = PCA(2).fit(X)
    parallel(model.embedding_, pca.embedding_)
    parallel(model.transform(NEW), pca.transform(NEW))
    shares = pca.eigenvalues_ / pca.eigenvalues_[0]
    np.testing.assert_allclose(model.eigenvalues_, (1 - shares) ** 2, atol=1e-10)


def test_a_mercer_kernel_is_kernel_pca():
    model = SpectralBackwardMapping(3, basis="kernel", gamma=0.7).fit(X)
    kpca = KernelPCA(3, gamma=0.7).fit(X)
    parallel(model.embedding_, kpca.embedding_)
    parallel(model.transform(NEW), kpca.transform(NEW))
    shares = kpca.eigenvalues_ / kpca.eigenvalues_[0]
    np.testing.assert_allclose(np.linalg.norm(model.embedding_, axis=0), shares)


def test_the_process_shrinks_the_axes_of_kernel_pca():
    model = SpectralBackwardMapping(3, basis="process", gamma=0.7, noise=0.2).fit(X)
    kpca = KernelPCA(3, gamma=0.7).fit(X)
    parallel(model.embedding_, kpca.embedding_)
    noise = 0.2 * np.trace(kpca.kernel()) / len(X)
    shrunk = kpca.eigenvalues_ / (kpca.eigenvalues_ + noise)
    np.testing.assert_allclose(np.linalg.norm(model.embedding_, axis=0), shrunk)
    np.testing.assert_allclose(model.eigenvalues_, (1 - shrunk) ** 2)


def test_on_a_ring_codes_are_cosine_and_sine():
    n = 40
    angle = 2 * np.pi * np.arange(n) / n
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    model = SpectralBackwardMapping(2, gamma=2.0).fit(ring)
    weights = np.exp(4.0 * np.cos(angle))  # exp(−2‖y − y'‖²), but for a factor
    beta = weights @ np.cos(angle) / weights.sum()
    np.testing.assert_allclose(model.eigenvalues_, (1 - beta) ** 2, atol=1e-10)
    outer = model.codes_ @ model.codes_.T
    np.testing.assert_allclose(outer, 2 / n * np.cos(angle[:, None] - angle), atol=1e-8)


@pytest.mark.parametrize("alone", [False, True])
def test_regression_against_the_dense_eigenproblem(alone):
    model = SpectralBackwardMapping(3, gamma=1.3, leave_one_out=alone).fit(X)
    B = regression(X, X)
    if alone:
        K = np.exp(-1.3 * cdist(X, X, "sqeuclidean")) * (1 - np.eye(80))
        B = K / K.sum(axis=1, keepdims=True)
    values, Z = smallest(B, 3)
    np.testing.assert_allclose(model.eigenvalues_, values, atol=1e-10)
    parallel(model.codes_, Z)
    np.testing.assert_allclose(model.embedding_, regression(X, X) @ model.codes_)


@pytest.mark.parametrize("basis", ["regression", "process", "kernel"])
@pytest.mark.parametrize("alone", [False, True])
def test_many_rows_by_iteration(basis, alone):
    many = sheet(620, 3)
    model = SpectralBackwardMapping(2, basis=basis, leave_one_out=alone).fit(many)
    values, Z = smallest(np.eye(620) - model._map.place.basis.errors(), 2)
    np.testing.assert_allclose(model.eigenvalues_, values, atol=1e-9)
    parallel(model.codes_, Z)


@pytest.mark.parametrize("basis", ["regression", "process", "kernel", "linear"])
@pytest.mark.parametrize("alone", [False, True])
def test_no_other_codes_are_given_back_better(basis, alone):
    """By direct minimisation, from a random start, of the error of one code of unit length."""
    model = SpectralBackwardMapping(1, basis=basis, leave_one_out=alone).fit(X)
    F = model._map.place.basis.errors()

    def error(z):
        z = z - z.mean()
        length = z @ z
        missed = F @ z
        slope = F.T @ missed
        gradient = 2 * (slope - slope.mean()) / length - 2 * (missed @ missed) * z / length**2
        return missed @ missed / length, gradient

    found = minimize(
        error, RNG.standard_normal(80), jac=True, method="L-BFGS-B",
        options={"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-10},
    )  # fmt: skip
    assert model.reconstruction_error_ <= found.fun + 1e-10
    assert found.fun < model.reconstruction_error_ + 1e-4
    assert error(model.codes_[:, 0])[0] == pytest.approx(model.reconstruction_error_)
    assert np.abs(error(model.codes_[:, 0])[1]).max() < 1e-7
    np.testing.assert_allclose(model.codes_.T @ model.codes_, np.eye(1), atol=1e-10)
    assert abs(model.codes_.sum()) < 1e-8


def test_new_rows_are_the_definition():
    model = SpectralBackwardMapping(2, gamma=1.3).fit(X)
    np.testing.assert_allclose(model.transform(NEW), regression(NEW, X) @ model.codes_)
    np.testing.assert_allclose(model.transform(X), model.embedding_)


def test_the_process_is_the_mean_of_a_gaussian_process_given_the_codes():
    model = SpectralBackwardMapping(2, basis="process", gamma=0.5, noise=0.3).fit(X)
    kernel = RBF(1.0, "fixed")  # exp(−‖y − y'‖²/2), γ = ½
    K = kernel(X)
    J = np.eye(80) - 1 / 80
    centred = J @ K @ J
    noise = 0.3 * np.trace(centred) / 80
    peer = GaussianProcessRegressor(kernel, alpha=noise, optimizer=None)
    naive = centred @ np.linalg.solve(centred + noise * np.eye(80), model.codes_)
    np.testing.assert_allclose(model.embedding_, naive, atol=1e-10)
    # less what all rows have in common it is scikit-learn's: the same functions but a constant
    ours = model.transform(NEW) - model.transform(NEW).mean(axis=0)
    theirs = peer.fit(X, model.codes_).predict(NEW)
    theirs = theirs - theirs.mean(axis=0)
    assert np.corrcoef(ours[:, 0], theirs[:, 0])[0, 1] > 0.99


def test_rows_left_out_of_a_process_are_foretold_from_the_others():
    model = SpectralBackwardMapping(1, basis="process", leave_one_out=True).fit(X)
    basis = model._map.place.basis
    K, Z = basis._covariance() - basis.noise * np.eye(80), model.codes_
    missed = np.empty((80, 1))
    for row in range(80):
        rest = np.delete(np.arange(80), row)
        inner = K[np.ix_(rest, rest)] + basis.noise * np.eye(79)
        missed[row] = Z[row] - K[row, rest] @ np.linalg.solve(inner, Z[rest])
    np.testing.assert_allclose(basis.errors() @ Z, missed, atol=1e-8)


def test_a_basis_of_ones_own_and_a_table():
    named = SpectralBackwardMapping(2, gamma=1.3).fit(X)
    own = SpectralBackwardMapping(2, basis=regression).fit(X)
    table = SpectralBackwardMapping(2, basis="precomputed").fit(regression(X, X), items=X)
    for model, new in ((own, NEW), (table, regression(NEW, X))):
        np.testing.assert_allclose(model.embedding_, named.embedding_, atol=1e-9)
        np.testing.assert_allclose(model.transform(new), named.transform(NEW), atol=1e-9)
        np.testing.assert_allclose(
            model.inverse_transform(model.embedding_[:3]),
            named.inverse_transform(named.embedding_[:3]),
            atol=1e-6,
        )


def test_neighbour_means_of_ones_own_give_the_cosines_of_a_path():
    """B takes the mean of the two beside a row: (I − B)² is the square of the path's Laplacian."""
    n = 21
    line = np.arange(float(n))[:, None]

    def beside(A, Y):
        near = np.abs(A - Y.T)
        B = 0.5 * (near == 1)
        ends = (A[:, 0] == 0) | (A[:, 0] == n - 1)
        return B + 0.5 * ends[:, None] * (near == 0)

    model = SpectralBackwardMapping(2, basis=beside).fit(line)
    modes = np.cos(np.pi * np.outer(np.arange(n) + 0.5, [1, 2]) / n)
    parallel(model.codes_, modes)
    np.testing.assert_allclose(
        model.eigenvalues_, (1 - np.cos(np.pi * np.array([1, 2]) / n)) ** 2, atol=1e-12
    )


def test_the_kernel_has_the_codes_for_leading_eigenvectors():
    model = SpectralBackwardMapping(2).fit(X)
    values, vectors = np.linalg.eigh(model.kernel())
    parallel(vectors[:, :-3:-1], model.codes_)
    np.testing.assert_allclose(values[:-3:-1], 1 / model.eigenvalues_, rtol=1e-6)
    np.testing.assert_allclose(model.kernel().sum(axis=0), 0, atol=1e-6 * values[-1])


def test_what_does_nothing_is_refused_and_shapes_are_named():
    with pytest.raises(ValueError, match="'noise' parameter of SpectralBackwardMapping"):
        SpectralBackwardMapping(noise=0.3).fit(X)
    with pytest.raises(ValueError, match="'gamma' parameter of SpectralBackwardMapping"):
        SpectralBackwardMapping(basis="linear", gamma=2.0).fit(X)
    with pytest.raises(ValueError, match=r"'basis' parameter .* shape \(80, 80\).*Got shape \(80,"):
        SpectralBackwardMapping(basis=lambda A, Y: np.ones(len(A))).fit(X)
    with pytest.raises(ValueError, match="must be below n_samples=80"):
        SpectralBackwardMapping(80).fit(X)
    with pytest.raises(ValueError, match="square"):
        SpectralBackwardMapping(basis="precomputed").fit(X)


def test_a_basis_that_is_the_same_everywhere_is_refused():
    """Its map was one place, and nothing was said."""
    X = np.random.default_rng(0).standard_normal((12, 3))
    with pytest.raises(
        ValueError, match="SpectralBackwardMapping has all rows in one place.*gamma"
    ):
        SpectralBackwardMapping(basis="regression", gamma=1e-300).fit(X)


def test_a_basis_that_hardly_differs_is_a_map_all_the_same():
    X = np.random.default_rng(0).standard_normal((12, 3))
    for gamma in (1e-3, 1e-6):
        model = SpectralBackwardMapping(basis="regression", gamma=gamma).fit(X)
        extent = np.ptp(model.embedding_, axis=0) / np.ptp(model.codes_, axis=0)
        assert 1e-1 * gamma < extent.min() < extent.max() < 10 * gamma
