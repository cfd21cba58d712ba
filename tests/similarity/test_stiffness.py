"""Laplacians, barycentres, scatter matrices and pseudo-inverses against their definitions."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp

from sidelight.similarity.barycentre import (
    barycentre_weights,
    local_gram_from_distances,
    local_gram_from_features,
    solve_barycentres,
)
from sidelight.similarity.laplacian import (
    affinity_from_graph,
    edge_weights,
    heat_width,
    laplacian_of,
)
from sidelight.similarity.scatter import (
    column_mean,
    gram_matrix,
    mean_and_scatter,
    scatter_operator,
)
from sidelight.similarity.stiffness import pseudo_inverse


def random_graph(n=30, seed=0):
    rng = np.random.default_rng(seed)
    D = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.4), 1)
    return sp.csr_array(D + D.T)


def test_laplacian_measures_how_unsmooth_a_function_is():
    W = affinity_from_graph(random_graph(), weights="heat", width=0.7)
    L, degrees = laplacian_of(W)
    f = np.random.default_rng(1).standard_normal(30)
    dense = W.toarray()
    energy = sum(dense[i, j] * (f[i] - f[j]) ** 2 for i in range(30) for j in range(30)) / 2
    assert f @ (L @ f) == pytest.approx(energy)
    np.testing.assert_allclose(L @ np.ones(30), 0, atol=1e-12)
    np.testing.assert_allclose(degrees, dense.sum(axis=1))


def test_heat_weights_and_far_edges():
    d = np.array([0.0, 1.0, 2.0, 1e6])
    w = edge_weights(d, weights="heat", width=2.0)
    np.testing.assert_allclose(w[:3], np.exp(-(d[:3] ** 2) / 8))
    assert w[3] > 0  # a bridge keeps a trace of weight: the graph stays connected


def test_the_width_of_heat_is_that_of_the_usual_edge():
    """Neither one bridge nor rows in one place change it."""
    lengths = np.array([0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 900.0, 2.5])
    assert heat_width(sp.csr_array(lengths[None])) == 2.5
    assert heat_width(sp.csr_array((1, 3))) == 1.0


def test_weights_of_copies_multiply():
    graph = random_graph(5)
    counts = np.array([2, 1, 3, 1, 1])
    copies = np.repeat(np.arange(5), counts)
    L, degrees = laplacian_of(affinity_from_graph(graph, multiplicities=counts))
    whole = (graph.toarray() > 0).astype(float)[np.ix_(copies, copies)]
    f = np.random.default_rng(2).standard_normal(5)
    spread = f[copies]
    L_whole = np.diag(whole.sum(axis=1)) - whole
    assert f @ (L @ f) == pytest.approx(spread @ L_whole @ spread)
    assert degrees @ f**2 == pytest.approx(whole.sum(axis=1) @ spread**2)


def test_barycentres_minimise_the_error_among_affine_weights():
    rng = np.random.default_rng(0)
    X, x = rng.standard_normal((4, 6)), rng.standard_normal((1, 6))
    indices = np.arange(4)[None]
    w = solve_barycentres(local_gram_from_features(X, indices, x), reg=0.0)[0]
    assert w.sum() == pytest.approx(1)
    # stationarity under Σw = 1: the gradient is the same for every neighbour
    gradient = X @ (w @ X - x[0])
    np.testing.assert_allclose(gradient, gradient[0], atol=1e-10)


def test_affine_data_are_reproduced_exactly():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((50, 2)) @ rng.standard_normal((2, 7)) + 4.0
    indices = np.argsort(np.linalg.norm(X[:, None] - X[None], axis=2), axis=1)[:, 1:6]
    pattern = sp.csr_array((np.ones(250), indices.ravel(), np.arange(0, 251, 5)), shape=(50, 50))
    W = barycentre_weights(pattern, lambda i, j: local_gram_from_features(X, j, X[i]), reg=1e-10)
    np.testing.assert_allclose(W @ X, X, atol=1e-5)
    np.testing.assert_allclose(np.asarray(W.sum(axis=1)).ravel(), 1)


def test_weights_from_distances_are_those_from_features():
    rng = np.random.default_rng(4)
    X = rng.standard_normal((12, 5))
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    indices = np.argsort(D, axis=1)[:, 1:4]
    np.testing.assert_allclose(
        local_gram_from_distances(D, indices), local_gram_from_features(X, indices), atol=1e-12
    )
    sparse = local_gram_from_features(sp.csr_array(X), indices)
    np.testing.assert_allclose(sparse, local_gram_from_features(X, indices))


def test_rows_with_different_numbers_of_neighbours():
    X = np.array([[0.0], [1.0], [3.0], [4.0]])
    pattern = sp.csr_array(np.array([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]))
    W = barycentre_weights(
        pattern, lambda i, j: local_gram_from_features(X, j, X[i]), reg=1e-12
    ).toarray()
    np.testing.assert_allclose(W[1], [2 / 3, 0, 1 / 3, 0], atol=1e-6)
    np.testing.assert_allclose(W[0], [0, 1, 0, 0])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_scatter_in_blocks(dtype, monkeypatch):
    monkeypatch.setattr("sidelight.similarity.scatter._BLOCK_ROWS", 64)
    X = (np.random.default_rng(0).standard_normal((300, 8)) + 3).astype(dtype)
    mean = column_mean(X)
    centred = X.astype(np.float64) - mean
    tol = 1e-4 if dtype == np.float32 else 1e-10
    found_mean, scatter = mean_and_scatter(X)
    np.testing.assert_allclose(found_mean, mean, rtol=tol)
    np.testing.assert_allclose(scatter, centred.T @ centred, rtol=tol, atol=10 * tol)
    np.testing.assert_allclose(gram_matrix(X, mean), centred @ centred.T, rtol=tol, atol=tol)
    V = np.eye(8)[:, :3]
    np.testing.assert_allclose(
        scatter_operator(sp.csr_array(X), mean)(V), centred.T @ centred @ V, rtol=tol, atol=10 * tol
    )


def test_scatter_far_from_the_origin_keeps_its_digits():
    X = np.random.default_rng(1).standard_normal((300, 4))
    mean, scatter = mean_and_scatter(X + 1e7)
    np.testing.assert_allclose(scatter, (X - X.mean(0)).T @ (X - X.mean(0)), atol=1e-5)
    np.testing.assert_allclose(mean, 1e7 + X.mean(axis=0), rtol=1e-15)


def test_pseudo_inverse_agrees_with_numpy():
    L, degrees = laplacian_of(affinity_from_graph(random_graph()))
    root = np.sqrt(degrees)
    A = L.toarray() / np.outer(root, root)
    np.testing.assert_allclose(
        pseudo_inverse(A, root), np.linalg.pinv(A, hermitian=True), atol=1e-8
    )


def test_springs_too_weak_for_rounding_leave_the_inverse_of_the_others():
    """Heat weights of a narrow width: kernel() warned of an ill-conditioned matrix."""
    strong = np.array([[1.0, -1.0], [-1.0, 1.0]])
    weak = scipy.linalg.block_diag(strong, strong) + 1e-40 * np.kron(strong, np.eye(2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = pseudo_inverse(weak, np.ones(4))
    np.testing.assert_allclose(found, np.linalg.pinv(weak), atol=1e-12)


def test_widths_and_regularisations_beyond_all_measure_are_limits():
    lengths = np.array([0.5, 2.0])
    np.testing.assert_array_equal(edge_weights(lengths, weights="heat", width=1e300), 1.0)
    assert (edge_weights(lengths, weights="heat", width=1e-300) > 0).all()
    G = np.array([[[2.0, 0.5], [0.5, 1.0]]])
    np.testing.assert_allclose(solve_barycentres(G.copy(), reg=1e300), 0.5)
    np.testing.assert_allclose(solve_barycentres(1e20 * G, reg=1e300), 0.5)
