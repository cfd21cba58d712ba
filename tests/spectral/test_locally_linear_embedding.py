"""Locally linear embedding: radii, its two kernels, the free diagonal, and what it is not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh

from sidelight import (
    PCA,
    AcyclicLocallyLinearEmbedding,
    KernelPCA,
    LocallyLinearEmbedding,
    MaximumEntropyUnfolding,
)
from sidelight.core.errors import DisconnectedGraphWarning
from tests.comparison import assert_same_map


def sheet(n, seed):
    rng = np.random.default_rng(seed)
    t, h = 3 * rng.random(n), rng.random(n)
    return np.column_stack([np.cos(t), np.sin(t), h, t / 2]) + 0.02 * rng.standard_normal((n, 4))


X = sheet(90, 0)


def naive_weights(X, neighbors, reg=1e-3):
    """W row by row, and the regularised errors that it leaves."""
    W, errors = np.zeros((len(X), len(X))), np.zeros(len(X))
    for i, near in enumerate(neighbors):
        spokes = X[near] - X[i]
        G = spokes @ spokes.T
        G = G + reg * np.trace(G) * np.eye(len(near))
        w = np.linalg.solve(G, np.ones(len(near)))
        W[i, near] = w / w.sum()
        errors[i] = W[i, near] @ G @ W[i, near]
    return W, errors


def naive_map(W, m=None):
    F = (1.0 if m is None else m[:, None]) * (np.eye(len(W)) - W)
    values, vectors = np.linalg.eigh(F.T @ F)
    return values[1:3], vectors[:, 1:3]


def within(X, radius):
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    np.fill_diagonal(D, np.inf)
    return [np.flatnonzero(row <= radius) for row in D]


def test_a_radius_against_the_dense_eigenproblem():
    neighbors = within(X, 0.7)
    assert len({len(near) for near in neighbors}) > 3  # points have different numbers of them
    model = LocallyLinearEmbedding(2, radius=0.7).fit(X)
    values, vectors = naive_map(naive_weights(X, neighbors)[0])
    np.testing.assert_allclose(model.eigenvalues_, values, atol=1e-9)
    assert_same_map(model.embedding_, vectors, atol=1e-6)
    new = sheet(5, 1)
    D = np.linalg.norm(new[:, None] - X[None], axis=2)
    for place, x, row in zip(model.transform(new), new, D, strict=True):
        near = np.flatnonzero(row <= 0.7)
        w = naive_weights(np.vstack([x, X[near]]), [np.arange(1, len(near) + 1)])[0][0, 1:]
        np.testing.assert_allclose(place, w @ model.embedding_[near], atol=1e-9)


def test_copies_against_the_dense_eigenproblem():
    """min Σ_i c_i ‖z_i − Σ_j w_ij z_j‖² over maps of covariance one, of all rows."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((40, 3))
    copies = np.concatenate([np.arange(40), np.arange(10), np.arange(4), np.arange(4)])
    counts = np.bincount(copies).astype(float)
    D = np.linalg.norm(X[:, None] - X, axis=2)
    W = np.zeros((40, 40))
    for i, near in enumerate(np.argsort(D, axis=1)[:, 1:7]):
        G = (X[near] - X[i]) @ (X[near] - X[i]).T
        w = np.linalg.solve(G + 1e-3 * np.trace(G) * np.eye(6), np.ones(6))
        W[i, near] = w / w.sum()
    F, C = np.eye(40) - W, np.diag(counts)
    values, vectors = eigh(F.T @ C @ F, C)
    lle = LocallyLinearEmbedding(2, n_neighbors=6).fit(X[copies])
    np.testing.assert_allclose(lle.eigenvalues_, values[1:3], rtol=1e-6)
    assert_same_map(lle.embedding_, vectors[copies, 1:3], atol=1e-6)


def test_a_radius_beyond_all_is_all_neighbours():
    wide = LocallyLinearEmbedding(2, radius=1e3).fit(X)
    every = LocallyLinearEmbedding(2, n_neighbors=89).fit(X)
    assert_same_map(wide.embedding_, every.embedding_, atol=1e-6)


def test_points_with_none_in_reach_are_joined_and_both_is_too_much():
    apart = np.vstack([X, [[9.0, 9.0, 9.0, 9.0]]])
    with pytest.warns(DisconnectedGraphWarning, match=r"2 pieces.*Raise radius=0.7"):
        model = LocallyLinearEmbedding(2, radius=0.7).fit(apart)
    assert np.isfinite(model.embedding_).all()
    with pytest.raises(ValueError, match="'n_neighbors' or 'radius', not both"):
        LocallyLinearEmbedding(2, n_neighbors=5, radius=0.7).fit(X)


def test_from_a_table_it_is_the_same():
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    given = LocallyLinearEmbedding(2, radius=0.7, metric="precomputed").fit(D)
    plain = LocallyLinearEmbedding(2, radius=0.7).fit(X)
    assert_same_map(given.embedding_, plain.embedding_, atol=1e-6)


@pytest.mark.parametrize("copies", [0, 20])
def test_the_shifted_kernel(copies):
    """K = λ_max I − M (eq. 1.5), centred: kernel PCA of it has the map's axes."""
    rows = np.vstack([X, X[:copies]])
    model = LocallyLinearEmbedding(2, n_neighbors=8).fit(rows)
    K = model.kernel(form="shifted")
    if not copies:
        D = np.linalg.norm(X[:, None] - X[None], axis=2)
        near = np.argsort(D, axis=1)[:, 1:9]
        F = np.eye(90) - naive_weights(X, near)[0]
        M, J = F.T @ F, np.eye(90) - 1 / 90
        np.testing.assert_allclose(
            K, J @ (np.linalg.eigvalsh(M)[-1] * np.eye(90) - M) @ J, atol=1e-8
        )
    again = KernelPCA(2, kernel="precomputed").fit(K).embedding_
    assert_same_map(again / np.linalg.norm(again, axis=0), model.embedding_, atol=1e-5)
    with pytest.raises(ValueError, match="'form' argument of LocallyLinearEmbedding.kernel"):
        model.kernel(form="other")


def test_a_free_diagonal_against_the_dense_eigenproblem():
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    W, errors = naive_weights(X, np.argsort(D, axis=1)[:, 1:9])
    model = LocallyLinearEmbedding(2, n_neighbors=8, diagonal="free").fit(X)
    np.testing.assert_allclose(model.precisions_, 1 / errors, rtol=1e-6)
    values, vectors = naive_map(W, 1 / np.sqrt(errors))
    np.testing.assert_allclose(model.eigenvalues_, values, rtol=1e-5)
    assert_same_map(model.embedding_, vectors, atol=1e-5)


def test_precisions_are_of_the_error_that_the_weights_minimise():
    """m² = 1/wᵀ(G + reg tr(G) I)w, and not of ‖x − Σ w x‖², which eight neighbours take away."""
    model = LocallyLinearEmbedding(2, n_neighbors=8, reg=0.01, diagonal="free").fit(X)
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    for row, near in enumerate(np.argsort(D, axis=1)[:, 1:9]):
        seen = X[near] - X[row]
        G = seen @ seen.T
        G += 0.01 * np.trace(G) * np.eye(8)
        w = np.linalg.solve(G, np.ones(8))
        w /= w.sum()
        assert model.precisions_[row] == pytest.approx(1 / (w @ G @ w), rel=1e-8)
        assert model.precisions_[row] < 0.99 / np.sum((w @ seen) ** 2)


def test_the_free_diagonal_has_the_largest_pseudolikelihood():
    """Σ_i log N(x_i | Σ_j w_ij x_j, I / (p m_ii²)), of each m_ii by itself."""
    wide = np.random.default_rng(1).standard_normal((30, 12))
    model = LocallyLinearEmbedding(2, n_neighbors=4, reg=1e-12, diagonal="free").fit(wide)
    D = np.linalg.norm(wide[:, None] - wide[None], axis=2)
    W, _ = naive_weights(wide, np.argsort(D, axis=1)[:, 1:5], reg=1e-12)
    squares = np.sum((wide - W @ wide) ** 2, axis=1)

    def pseudolikelihood(precisions):
        return 6 * np.log(12 * precisions / (2 * np.pi)) - 6 * precisions * squares

    best = pseudolikelihood(model.precisions_)
    for factor in (0.5, 0.9, 1.1, 2.0):
        assert (pseudolikelihood(factor * model.precisions_) < best).all()
    assert (pseudolikelihood(np.ones(30)) <= best).all()  # LLE's own constraint


def test_where_all_points_are_told_alike_the_diagonal_says_nothing():
    angle = 2 * np.pi * np.arange(24) / 24
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    unit, free = (
        LocallyLinearEmbedding(2, n_neighbors=2, diagonal=diagonal).fit(ring)
        for diagonal in ("unit", "free")
    )
    outer = [model.embedding_ @ model.embedding_.T for model in (unit, free)]
    np.testing.assert_allclose(outer[0], outer[1], atol=1e-6)
    assert unit.precisions_ is None


def alike(one, other):
    """The smallest cosine of the angles between the planes of two maps."""
    bases = [np.linalg.qr(Z - Z.mean(axis=0))[0] for Z in (one, other)]
    return np.linalg.svd(bases[0].T @ bases[1], compute_uv=False)[-1]


@pytest.mark.parametrize("seed", range(4))
def test_with_all_others_as_neighbours_it_is_not_pca(seed):
    """As the slides say: what it approximates is, and so is its acyclic form.

    With Q the pseudo-inverse of the centred Gram matrix, whose smallest eigenvectors are PCA's,
    I − W = diag(1/Q_ii) Q and M = Q diag(1/Q_ii²) Q; with the free diagonal, Q diag(1/Q_ii) Q.
    """
    rng = np.random.default_rng(seed)
    Y = rng.standard_normal((15, 60)) * np.linspace(3, 0.3, 60) * np.exp(rng.normal(size=(15, 1)))
    pca, every = PCA(2).fit_transform(Y), {"n_neighbors": 14}
    acyclic = AcyclicLocallyLinearEmbedding(2, reg=0.0, **every).fit_transform(Y)
    entropy = MaximumEntropyUnfolding(2, signs="free", gamma=1e-8, **every).fit_transform(Y)
    assert alike(acyclic, pca) > 1 - 1e-6
    assert alike(entropy, pca) > 1 - 1e-3
    J = np.eye(15) - 1 / 15
    Q = np.linalg.pinv(J @ Y @ Y.T @ J, hermitian=True)
    for diagonal, power in (("unit", 2), ("free", 1)):
        lle = LocallyLinearEmbedding(2, reg=1e-12, diagonal=diagonal, **every).fit(Y)
        values = np.linalg.eigvalsh(Q @ np.diag(np.diag(Q) ** -power) @ Q)
        np.testing.assert_allclose(lle.eigenvalues_, values[1:3], rtol=1e-4)
        assert alike(lle.embedding_, pca) < 0.995
