"""Eigenpairs with known answers, residuals, multiplicities, and the sign rule."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from sidelight.solvers.eigen.block_lanczos import largest_ritz_pairs
from sidelight.solvers.eigen.eigenpairs import (
    fix_signs,
    largest_eigenpairs,
    smallest_eigenpairs,
    smallest_of_square,
)
from sidelight.solvers.eigen.sparse_factors import widest_level


def symmetric_with(values, seed=0):
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.standard_normal((len(values), len(values))))[0]
    return (Q * values) @ Q.T, Q


def path_laplacian(n):
    L = sp.diags_array([np.full(n, 2.0), -np.ones(n - 1), -np.ones(n - 1)], offsets=[0, 1, -1])
    L = L.tolil()
    L[0, 0] = L[n - 1, n - 1] = 1.0
    return sp.csr_array(L)


@pytest.mark.parametrize("n", [40, 700])
@pytest.mark.parametrize("form", ["dense", "single", "sparse", "operator"])
def test_largest_pairs_of_a_matrix_with_known_spectrum(n, form):
    values = np.linspace(-3, 5, n)
    values[-3:] = [7, 9, 9]  # a double eigenvalue, as every circle has
    A, Q = symmetric_with(values)
    given = {
        "dense": A,
        "single": A.astype(np.float32),
        "sparse": sp.csr_array(A),
        "operator": lambda block: A @ block,
    }[form]
    tol = 1e-5 if form == "single" else 1e-8
    found = largest_eigenpairs(given, 3, n=n)
    np.testing.assert_allclose(found.values, [9, 9, 7], rtol=tol)
    assert found.residuals.max() < tol
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(3), atol=tol)
    # the double eigenvalue's plane
    plane = Q[:, -2:]
    assert (
        np.linalg.norm(found.vectors[:, :2] - plane @ (plane.T @ found.vectors[:, :2])) < 10 * tol
    )
    assert found.lowest <= -2.5


@pytest.mark.parametrize("n", [30, 1500])
def test_smallest_pairs_of_a_path_are_cosines(n):
    found = smallest_eigenpairs(path_laplacian(n), 3, null=np.ones((n, 1)))
    p = np.arange(1, 4)
    np.testing.assert_allclose(found.values, 2 - 2 * np.cos(np.pi * p / n), rtol=1e-8)
    cosines = np.cos(np.pi * np.outer(np.arange(n) + 0.5, p) / n)
    cosines = fix_signs(cosines / np.linalg.norm(cosines, axis=0))
    np.testing.assert_allclose(found.vectors, cosines, atol=1e-7)
    assert found.residuals.max() < 1e-9


@pytest.mark.parametrize("n", [60, 420])
def test_generalised_problem_agrees_with_scipy(n):
    rng = np.random.default_rng(1)
    W = sp.random_array((n, n), density=8 / n, rng=rng)
    W = W + W.T + sp.diags_array([np.ones(n - 1)] * 2, offsets=[1, -1])
    degrees = np.asarray(W.sum(axis=1)).ravel()
    L = sp.csr_array(sp.diags_array(degrees) - W)
    found = smallest_eigenpairs(L, 4, diagonal=degrees, null=np.ones((n, 1)))
    expected = scipy.linalg.eigh(L.toarray(), np.diag(degrees))[0][1:5]
    np.testing.assert_allclose(found.values, expected, rtol=1e-7)
    np.testing.assert_allclose(
        found.vectors.T @ (degrees[:, None] * found.vectors), np.eye(4), atol=1e-8
    )


def test_well_connected_graphs_are_solved_without_a_factor(monkeypatch):
    n = 800
    rng = np.random.default_rng(2)
    W = sp.random_array((n, n), density=30 / n, rng=rng)
    W = W + W.T
    degrees = np.asarray(W.sum(axis=1)).ravel()
    L = sp.csr_array(sp.diags_array(degrees) - W)
    factored = smallest_eigenpairs(L, 2, diagonal=degrees, null=np.ones((n, 1)))
    monkeypatch.setattr("sidelight.solvers.eigen.eigenpairs.WIDEST_LEVEL", 10)
    folded = smallest_eigenpairs(L, 2, diagonal=degrees, null=np.ones((n, 1)))
    np.testing.assert_allclose(folded.values, factored.values, rtol=1e-8)
    assert folded.residuals.max() < 1e-6


def test_a_singular_matrix_without_known_null_vectors_is_no_failure():
    found = smallest_eigenpairs(path_laplacian(1000), 2)
    assert abs(found.values[0]) < 1e-10
    np.testing.assert_allclose(found.values[1], 2 - 2 * np.cos(np.pi / 1000), rtol=1e-6)


def test_too_few_iterations_are_reported_not_hidden():
    values = np.concatenate([np.zeros(2000), 1 - 1e-9 * np.arange(200)])
    found = largest_ritz_pairs(
        lambda block: values[:, None] * block, len(values), 20, max_dimension=40, max_restarts=1
    )
    assert not found.converged


def test_a_warning_says_what_to_do(monkeypatch):
    n = 600
    values = np.linspace(0, 1, n)
    monkeypatch.setattr(
        "sidelight.solvers.eigen.eigenpairs.largest_ritz_pairs",
        lambda apply, n, k, **options: largest_ritz_pairs(
            apply, n, k, tol=1e-15, max_dimension=12, max_restarts=0
        ),
    )
    with pytest.warns(ConvergenceWarning, match="Isomap did not converge.*neighbourhood"):
        largest_eigenpairs(np.diag(values), 2, who="Isomap")


def test_indices_in_any_order_are_the_same_matrix_and_stay_as_they_are():
    """Sorting them in the caller's arrays would mix up what shares them."""
    n = 700
    A = sp.csr_array(
        sp.diags_array(
            [-np.ones(n - 1), np.arange(1.0, n + 1), -np.ones(n - 1)], offsets=[-1, 0, 1]
        )
    )
    turned = A.copy()
    for i in range(n):
        line = slice(A.indptr[i], A.indptr[i + 1])
        turned.indices[line], turned.data[line] = A.indices[line][::-1], A.data[line][::-1]
    turned.has_sorted_indices = False
    before = turned.indices.copy()
    found = smallest_eigenpairs(turned, 3, diagonal=np.linspace(1.0, 2.0, n))
    expected = smallest_eigenpairs(A, 3, diagonal=np.linspace(1.0, 2.0, n))
    np.testing.assert_allclose(found.values, expected.values, rtol=1e-12)
    np.testing.assert_array_equal(turned.indices, before)


def test_signs_are_decided_by_the_first_of_equally_large_entries():
    v = np.array([[-1.0, 0.5], [1.0 + 1e-9, -0.9], [0.2, 0.9]])
    np.testing.assert_array_equal(np.sign(fix_signs(v)[0]), [1, -1])
    np.testing.assert_array_equal(fix_signs(-v), fix_signs(v))


@pytest.mark.parametrize("end", ["largest", "smallest"])
def test_vectors_that_share_an_eigenvalue_are_chosen_by_a_rule_not_by_rounding(end):
    rng = np.random.default_rng(3)
    values = np.concatenate([[5.0, 5.0, 5.0, 3.0, 2.0, 2.0], np.linspace(0, 1, 24)])
    Q = np.linalg.qr(rng.standard_normal((30, 30)))[0]
    A = (Q * values) @ Q.T
    solve = largest_eigenpairs if end == "largest" else smallest_eigenpairs
    A = A if end == "largest" else 6 * np.eye(30) - A
    found = [solve(A, n).vectors for n in (2, 6)]
    np.testing.assert_allclose(found[0], found[1][:, :2], atol=1e-12)  # a cut through the space
    for _ in range(5):
        noise = 1e-15 * rng.standard_normal((30, 30))
        again = solve(A + noise + noise.T, 6).vectors
        np.testing.assert_allclose(again, found[1], atol=1e-11)
    V = found[1]
    np.testing.assert_allclose(V.T @ V, np.eye(6), atol=1e-12)
    np.testing.assert_allclose(V[:, :3] @ V[:, :3].T, Q[:, :3] @ Q[:, :3].T, atol=1e-12)
    # the first has most of an axis, which the others then have nothing of
    axis = int(np.argmax(np.sum(Q[:, :3] ** 2, axis=1)))
    np.testing.assert_allclose(V[axis, 1:3], 0, atol=1e-12)


def test_the_same_answer_every_time():
    A, _ = symmetric_with(np.linspace(0, 1, 400) ** 4)
    first, second = largest_eigenpairs(A, 3), largest_eigenpairs(A, 3)
    np.testing.assert_array_equal(first.vectors, second.vectors)


def test_widest_level_of_known_graphs():
    assert widest_level(path_laplacian(50)) == 1
    grid = sp.kronsum(path_laplacian(20), path_laplacian(8))
    # diagonals of the grid from a corner: at most the shorter side
    assert widest_level(sp.csr_array(grid)) == 8
    star = sp.csr_array((np.ones(9), (np.zeros(9, int), np.arange(1, 10))), shape=(10, 10))
    assert widest_level(star + star.T) == 8


def mixing(n, seed=0):
    """I − W with rows of W that sum to one, some weights negative, on a ring of neighbours."""
    rng = np.random.default_rng(seed)
    columns = (np.arange(n)[:, None] + [-2, -1, 1, 2]) % n
    w = rng.normal(0.25, 0.1, (n, 4))
    w /= w.sum(axis=1, keepdims=True)
    W = sp.csr_array((w.ravel(), columns.ravel(), np.arange(0, 4 * n + 1, 4)), shape=(n, n))
    return sp.csr_array(sp.eye_array(n) - W)


@pytest.mark.parametrize("n", [60, 800])
def test_the_square_is_solved_through_its_root(n):
    F = mixing(n)
    found = smallest_of_square(F, np.ones(n), 3)
    values, vectors = np.linalg.eigh((F.T @ F).toarray())
    np.testing.assert_allclose(found.values, values[1:4], rtol=1e-5, atol=1e-15)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(3), atol=1e-8)
    np.testing.assert_allclose(np.ones(n) @ found.vectors, 0, atol=1e-8)
    assert found.residuals.max() < 1e-9
    overlap = np.linalg.svd(vectors[:, 1:4].T @ found.vectors, compute_uv=False)
    np.testing.assert_allclose(overlap, 1, atol=1e-6)


def test_a_root_that_cannot_be_factored_falls_back_on_the_square(monkeypatch):
    F = mixing(700)
    direct = smallest_of_square(F, np.ones(700), 2)
    monkeypatch.setattr(
        "sidelight.solvers.eigen.eigenpairs.inverse_of_square", lambda F, shift: None
    )
    formed = smallest_of_square(F, np.ones(700), 2)
    np.testing.assert_allclose(direct.values, formed.values, rtol=1e-5)
    np.testing.assert_allclose(direct.vectors, formed.vectors, atol=1e-5)
