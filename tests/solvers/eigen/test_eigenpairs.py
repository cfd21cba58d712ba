"""Eigenpairs with known answers, residuals, multiplicities, and the sign rule."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from sidelight.solvers.eigen import eigenpairs
from sidelight.solvers.eigen.block_lanczos import largest_ritz_pairs
from sidelight.solvers.eigen.davidson import largest_by_corrections
from sidelight.solvers.eigen.eigenpairs import (
    largest_eigenpairs,
    smallest_eigenpairs,
    smallest_of_square,
)
from sidelight.solvers.eigen.rules import fix_shared, fix_signs
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


def test_a_root_that_is_solved_badly_falls_back_on_the_square(monkeypatch):
    """Its vectors leave residuals, and are not what is given back."""
    F = mixing(700)
    direct, solved = smallest_of_square(F, np.ones(700), 2), eigenpairs.inverse_of_square
    wrong = np.linspace(-1.0, 1.0, 700)[:, None]

    def badly(F, shift):
        well = solved(F, shift)
        size = 1e-3 * np.linalg.norm(well(direct.vectors[:, :1]))
        return lambda block: well(block) + size * wrong * block

    monkeypatch.setattr(eigenpairs, "inverse_of_square", badly)
    formed = smallest_of_square(F, np.ones(700), 2)
    np.testing.assert_allclose(formed.values, direct.values, rtol=1e-5)
    np.testing.assert_allclose(formed.vectors, direct.vectors, atol=1e-5)


def ring_laplacian(n):
    ends = sp.coo_array(([-1.0, -1.0], ([0, n - 1], [n - 1, 0])), shape=(n, n))
    steps = sp.diags_array([-np.ones(n - 1), -np.ones(n - 1)], offsets=[1, -1])
    return sp.csr_array(2 * sp.eye_array(n) + ends + steps)


def torus_laplacian(side):
    ring = ring_laplacian(side)
    return sp.csr_array(sp.kron(ring, sp.eye_array(side)) + sp.kron(sp.eye_array(side), ring))


def rounded_otherwise(A, seed):
    """The matrix as another processor may have made it."""
    rng = np.random.default_rng(seed)
    A = sp.csr_array(A, copy=True)
    A.data *= 1 + 1e-15 * rng.standard_normal(A.nnz)
    return sp.csr_array((A + A.T) / 2)


def by_products(L, n_pairs):
    n = L.shape[0]
    dense = np.linalg.inv(L.toarray() + 1e-3 * np.eye(n))
    return largest_eigenpairs(lambda block: dense @ (block - block.mean(axis=0)), n_pairs, n=n)


def by_a_factor(L, n_pairs):
    return smallest_eigenpairs(L, n_pairs, null=np.ones((L.shape[0], 1)))


def by_filters(L, n_pairs):
    with patch("sidelight.solvers.eigen.eigenpairs.WIDEST_LEVEL", 0):
        return by_a_factor(L, n_pairs)


def by_the_root(L, n_pairs):
    n = L.shape[0]
    return smallest_of_square(sp.csr_array(L), np.ones(n), n_pairs)


def by_corrections(L, n_pairs):
    n = L.shape[0]
    dense, null = np.linalg.inv(L.toarray() + 1e-3 * np.eye(n)), np.full((n, 1), n**-0.5)
    start = np.random.default_rng(0).standard_normal((n, 6))
    return largest_by_corrections(lambda block: dense @ block, start, n_pairs, null=null)


@pytest.mark.parametrize("n_pairs", [1, 2, 3])
@pytest.mark.parametrize("way", [by_products, by_a_factor, by_filters, by_the_root, by_corrections])
def test_vectors_that_share_a_value_are_chosen_by_a_rule_in_every_iteration(way, n_pairs):
    L = ring_laplacian(600)  # all of its values are double
    found = [fix_signs(way(rounded_otherwise(L, seed), n_pairs).vectors) for seed in (0, 1)]
    np.testing.assert_allclose(found[1], found[0], atol=1e-6 * np.abs(found[0]).max())


@pytest.mark.parametrize("way", [by_products, by_a_factor, by_the_root])
def test_a_value_of_more_vectors_than_a_block_has_is_found_whole(way):
    L = torus_laplacian(24)  # four vectors of the first value
    found = [way(rounded_otherwise(L, seed), 2).vectors for seed in (0, 1)]
    np.testing.assert_allclose(found[1], found[0], atol=1e-6 * np.abs(found[0]).max())


def test_the_rule_for_shared_values_bears_the_error_of_an_iteration():
    rng = np.random.default_rng(0)
    angle = 2 * np.pi * np.arange(600) / 600
    V = np.column_stack([np.cos(angle), np.sin(angle)]) / np.sqrt(300)
    turn = np.array([[0.6, 0.8], [-0.8, 0.6]])
    off = V @ turn + 1e-6 * np.abs(V).max() * rng.standard_normal(V.shape)
    settled = [fix_shared(np.ones(2), U, 2, near=1e-6, error=1e-6)[1] for U in (V, off)]
    np.testing.assert_allclose(settled[1], settled[0], atol=2e-5 * np.abs(V).max())


def test_pairs_beyond_those_wanted_cost_nothing_where_no_value_is_shared():
    A = symmetric_with(np.geomspace(1, 1e-3, 600))[0]
    assert len(largest_ritz_pairs(lambda block: A @ block, 600, 3, tol=1e-9).values) == 3
