"""The low end of a large sparse spectrum, by filters."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from sidelight.core import Threads
from sidelight.core.progress import listening
from sidelight.neighbors import neighborhood_graph
from sidelight.similarity import laplacian_of
from sidelight.solvers.eigen import smallest_eigenpairs
from sidelight.solvers.eigen._filter_compiled import chebyshev_step
from sidelight.solvers.eigen.chebyshev import Filter, Matrix
from sidelight.solvers.eigen.filtered import Filtering, _steps_left, smallest_by_filters


def normalised(W):
    L, degrees = laplacian_of(sp.csr_array(W))
    S = sp.diags_array(degrees**-0.5)
    root = np.sqrt(degrees / degrees.sum())
    return sp.csr_array(S @ L @ S), root[:, None]


@pytest.fixture(scope="module")
def well_connected():
    X = np.random.default_rng(0).normal(size=(1500, 12))
    graph = neighborhood_graph(X, n_neighbors=8)
    graph.data[:] = 1.0
    return normalised(graph)


@pytest.fixture(scope="module")
def with_appendices(well_connected):
    """A ball of rows and six cliques of nearly one size, each joined to it by one edge."""
    X = np.random.default_rng(1).normal(size=(1200, 12))
    graph = neighborhood_graph(X, n_neighbors=8)
    graph.data[:] = 1.0
    cliques = [np.ones((size, size)) - np.eye(size) for size in (40, 40, 41, 42, 43, 44)]
    W = sp.lil_array(sp.block_diag([graph, *cliques]))
    start = 1200
    for number, clique in enumerate(cliques):
        W[start, 7 * number] = W[7 * number, start] = 1.0
        start += len(clique)
    return normalised(W.tocsr())


@pytest.mark.parametrize("case", ["well_connected", "with_appendices"])
@pytest.mark.parametrize("n_pairs", [2, 5, 11])
def test_it_is_what_a_dense_solver_finds(case, n_pairs, request):
    A, null = request.getfixturevalue(case)
    expected, vectors = np.linalg.eigh(A.toarray())
    found = smallest_by_filters(A, n_pairs, null=null, largest=2.0, tol=1e-11)
    assert found.converged
    np.testing.assert_allclose(found.values, expected[1 : n_pairs + 1], rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(n_pairs), atol=1e-10)
    np.testing.assert_allclose(null.T @ found.vectors, 0, atol=1e-8)
    # each vector lies where its eigenvalue does: equal ones may be turned among themselves
    for value, vector in zip(found.values, found.vectors.T, strict=True):
        same = np.abs(expected - value) < 1e-6
        assert np.linalg.norm(vectors[:, same].T @ vector) > 1 - 1e-8


def test_as_many_pairs_as_a_quarter_of_the_rows():
    """Four blocks of so many vectors are more than there are rows."""
    X = np.random.default_rng(6).normal(size=(520, 12))
    graph = neighborhood_graph(X, n_neighbors=8)
    graph.data[:] = 1.0
    A, null = normalised(graph)
    found = smallest_by_filters(A, 129, null=null, largest=2.0, tol=1e-10)
    assert found.converged
    expected = np.linalg.eigvalsh(A.toarray())[1:130]
    np.testing.assert_allclose(found.values[:129], expected, rtol=1e-8)


def test_a_matrix_that_cannot_be_factored_goes_through_filters(well_connected, monkeypatch):
    A, null = well_connected
    by_factor = smallest_eigenpairs(A, 3, null=null)
    monkeypatch.setattr("sidelight.solvers.eigen.eigenpairs.WIDEST_LEVEL", 1)
    heard = []
    with listening(heard.append):
        by_filters = smallest_eigenpairs(A, 3, null=null)
    assert {progress.stage for progress in heard} == {"eigenvectors"}
    np.testing.assert_allclose(by_filters.values, by_factor.values, rtol=1e-8)
    np.testing.assert_allclose(by_filters.vectors, by_factor.vectors, atol=1e-6)
    assert by_filters.residuals.max() < 1e-10


def test_more_null_vectors_than_are_known():
    X = np.random.default_rng(0).normal(size=(60, 8))
    graph = neighborhood_graph(X, n_neighbors=5)
    A, _ = normalised(sp.block_diag([graph] * 12))
    found = smallest_by_filters(A, 3, null=None, largest=2.0, tol=1e-10)
    assert found.converged
    np.testing.assert_allclose(found.values, 0, atol=1e-12)


def test_vectors_to_keep_out_need_not_be_eigenvectors(well_connected):
    A, _ = well_connected
    out = np.linalg.qr(np.random.default_rng(4).standard_normal((A.shape[0], 3)))[0]
    found = smallest_by_filters(A, 4, null=out, largest=2.0, tol=1e-11)
    P = np.eye(A.shape[0]) - out @ out.T
    expected = np.linalg.eigvalsh(P @ A.toarray() @ P + 3.0 * out @ out.T)[:4]
    assert found.converged
    np.testing.assert_allclose(found.values, expected, atol=1e-9)
    np.testing.assert_allclose(out.T @ found.vectors, 0.0, atol=1e-9)


def test_threads_do_not_show(with_appendices, monkeypatch):
    A, null = with_appendices
    here = smallest_by_filters(A, 3, null=null, largest=2.0, tol=1e-10).vectors
    monkeypatch.setattr("sidelight.solvers.eigen.filtered.count_threads", lambda *_, **__: 3)
    there = smallest_by_filters(A, 3, null=null, largest=2.0, tol=1e-10).vectors
    np.testing.assert_array_equal(here, there)


def test_too_few_filters_are_said_not_to_do(with_appendices):
    A, null = with_appendices
    once = Filtering(filters=1)
    found = smallest_by_filters(A, 2, null=null, largest=2.0, tol=1e-13, settings=once)
    assert not found.converged
    assert (found.values >= np.linalg.eigvalsh(A.toarray())[1:3] - 1e-12).all()


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("width", [8, 16, 24])
@pytest.mark.parametrize("sourced", [True, False])
def test_a_step_is_that_of_chebyshevs_recurrence(well_connected, width, kind, sourced):
    A, rng = well_connected[0], np.random.default_rng(2)
    now, before, source = rng.normal(size=(3, A.shape[0], width)).astype(kind)
    weights = rng.normal(size=width).astype(kind)
    expected = -3.0 * (A @ now - 0.7 * now) - before + source * weights * sourced
    kept = before.copy()
    rows = (A.indptr.astype(np.int64), A.indices.astype(np.int32), A.data.astype(kind))
    source = source if sourced else source[:0]
    chebyshev_step(*rows, now, before, source, weights, 0.7, -3.0, 100, 900)
    near = 1e-12 if kind == np.float64 else 1e-4
    np.testing.assert_allclose(before[100:900], expected[100:900], atol=near)
    np.testing.assert_array_equal(
        np.delete(before, np.s_[100:900], 0), kept[[*range(100), *range(900, len(kept))]]
    )


def test_what_a_filter_changes_keeps_its_digits_however_near_vectors_are(well_connected):
    """In single precision p(A) V itself would be off by 1e-7 of V."""
    A, _ = well_connected
    values, vectors = np.linalg.eigh(A.toarray())
    rng, by = np.random.default_rng(3), Filter(1.2, 0.8, 9)
    near = vectors[:, :8] + 1e-11 * rng.standard_normal((A.shape[0], 8))
    theta = np.einsum("ij,ij->j", near, A @ near) / np.einsum("ij,ij->j", near, near)
    with Threads(1) as pool:
        matrix = Matrix.of(A, pool)
        found = matrix.changed(theta, A @ near - near * theta, by)
        filtered = matrix.filtered(near, by)

    def polynomial(at):
        return np.polynomial.chebyshev.chebval((1.2 - at) / 0.8, [0.0] * 9 + [1.0])

    shares = vectors.T @ near
    exact = vectors @ ((polynomial(values)[:, None] - polynomial(theta)) * shares)
    lengths = np.linalg.norm(found, axis=0), np.linalg.norm(exact, axis=0)
    agree = np.einsum("ij,ij->j", found, exact) / (lengths[0] * lengths[1])
    np.testing.assert_allclose(agree, 1.0, atol=1e-3)
    whole = vectors @ (polynomial(values)[:, None] * shares) / by.at_zero
    np.testing.assert_allclose(filtered, whole, atol=1e-5)


def test_the_unit_of_a_matrix_does_not_show(well_connected):
    A, null = well_connected
    plain = smallest_by_filters(A, 3, null=null, largest=2.0, tol=1e-11)
    for unit in (1e-200, 1e200):
        scaled = smallest_by_filters(unit * A, 3, null=null, largest=2.0 * unit, tol=1e-11)
        np.testing.assert_allclose(scaled.values, unit * plain.values, rtol=1e-9)
        alike = np.abs(np.einsum("ij,ij->j", scaled.vectors, plain.vectors))
        np.testing.assert_allclose(alike, 1.0, atol=1e-10)


@pytest.mark.parametrize(
    ("gained", "wanted", "left"), [(1e8, 1e2, 1), (1e8, 1e3, 2), (1e8, 1e30, 4), (0.5, 10, 4)]
)
def test_no_more_steps_are_made_than_the_last_ones_say_will_do(gained, wanted, left):
    assert _steps_left(4, gained, wanted, 4) == left
