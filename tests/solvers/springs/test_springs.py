"""Springs of a Gaussian field: known answers, gradients, optimality, and what diverges."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from sidelight.core.errors import InterruptedFitWarning
from sidelight.core.progress import listening
from sidelight.datasets import swiss_roll
from sidelight.neighbors import neighborhood_graph
from sidelight.solvers.springs import field_from_noise
from sidelight.solvers.springs.field import DenseField, SparseField, _EliminationPattern
from sidelight.solvers.springs.strengths import fit_springs


def problem(n, k, p=None, seed=0):
    """Edges, squared lengths and grounds of a graph of neighbours."""
    X = swiss_roll(n, random_state=seed).X
    if p is not None:
        X = np.random.default_rng(seed).standard_normal((n, p))
    upper = sp.coo_array(sp.triu(neighborhood_graph(X, n_neighbors=k), 1))
    counts = np.random.default_rng(seed).integers(1, 4, n)
    grounds = 1e-3 * counts / np.sum((X - X.mean(axis=0)) ** 2)
    return np.column_stack(upper.coords), upper.data**2, grounds


def naive(edges, springs, grounds):
    """Ten lines: the matrix, its determinant, its inverse."""
    P = np.diag(grounds)
    for (i, j), strength in zip(edges, springs, strict=True):
        P[i, i] += strength
        P[j, j] += strength
        P[i, j] -= strength
        P[j, i] -= strength
    K = np.linalg.inv(P)
    i, j = edges.T
    return np.linalg.slogdet(P)[1], K[i, i] + K[j, j] - 2 * K[i, j]


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_determinant_and_extensions_are_those_of_the_matrix(kind):
    edges, squares, grounds = problem(70, 5)
    springs = np.random.default_rng(1).random(len(edges)) / squares
    springs[::7] = 0
    field = (
        DenseField(70, edges, grounds, who="")
        if kind == "dense"
        else SparseField(_EliminationPattern.of(70, edges), grounds)
    )
    value, extensions = field.evaluate(springs)
    expected = naive(edges, springs, grounds)
    np.testing.assert_allclose(value, expected[0], rtol=1e-9)
    np.testing.assert_allclose(extensions, expected[1], rtol=1e-6)


def test_the_gradient_of_the_determinant_is_the_extension():
    edges, squares, grounds = problem(250, 6)
    field = SparseField(_EliminationPattern.of(250, edges), grounds)
    springs = np.random.default_rng(1).random(len(edges)) / squares
    _, extensions = field.evaluate(springs)
    for e in (0, 17, 101, len(edges) - 1):
        step = 1e-4 * (springs[e] + springs.mean())
        up, down = springs.copy(), springs.copy()
        up[e] += step
        down[e] -= step
        slope = (field.evaluate(up)[0] - field.evaluate(down)[0]) / (2 * step)
        assert slope == pytest.approx(extensions[e], rel=1e-5)


def test_no_digits_are_lost_where_the_ground_is_next_to_nothing():
    edges, squares, grounds = problem(300, 6)
    springs = 1 / squares
    fields = [
        SparseField(_EliminationPattern.of(300, edges), scale * grounds)
        for scale in (1e-4, 1e-20, 1e-100)
    ]
    values = [field.evaluate(springs)[0] for field in fields]
    # the determinant goes as the ground where that is weak
    np.testing.assert_allclose(values[1] - values[2], 80 * np.log(10), rtol=1e-12)
    dense = DenseField(300, edges, 1e-20 * grounds, who="").evaluate(springs)
    np.testing.assert_allclose(dense[0], values[1], rtol=1e-12)
    for field in fields[1:]:
        np.testing.assert_allclose(field.evaluate(springs)[1], dense[1], rtol=1e-10)


def test_a_tree_has_springs_of_one_over_the_squared_length():
    rng = np.random.default_rng(0)
    edges = np.array([[rng.integers(i), i] for i in range(1, 300)])
    squares = rng.random(299) + 0.1
    found = fit_springs(300, edges, squares, np.full(300, 1e-12), tol=1e-8)
    np.testing.assert_allclose(found.strengths, 1 / squares, rtol=1e-6)


@pytest.mark.parametrize(("n", "penalty"), [(60, 0.0), (60, 0.5), (300, 0.0)])
def test_the_conditions_of_optimality_hold(n, penalty):
    edges, squares, grounds = problem(n, 6)
    found = fit_springs(n, edges, squares, grounds, penalty=penalty, tol=1e-6)
    _, extensions = naive(edges, found.strengths, grounds)
    ratio = extensions / (squares + penalty)
    held = found.strengths > 0
    assert 0.2 < held.mean() < 0.8
    np.testing.assert_allclose(ratio[held], 1, atol=2e-6)
    assert ratio[~held].max() <= 1 + 2e-6
    assert found.value - found.bound < 1e-3
    assert (np.diff(found.history) <= 1e-9).all()


def test_no_springs_fall_below_the_bound():
    edges, squares, grounds = problem(80, 5)
    best = fit_springs(80, edges, squares, grounds, tol=1e-7)
    with pytest.warns(ConvergenceWarning, match="optimal to .* after 13 steps.*Raise max_iter"):
        early = fit_springs(80, edges, squares, grounds, tol=1e-7, max_iter=3)
    assert early.bound < best.value < early.value
    assert best.bound <= best.value


def test_the_optimum_is_that_of_a_general_optimiser_on_the_naive_likelihood():
    edges, squares, grounds = problem(40, 4)

    def value(u):  # in units in which all springs are about as strong
        log_determinant, extensions = naive(edges, u / squares, grounds)
        return u.sum() - log_determinant, 1 - extensions / squares

    bounds = [(0, None)] * len(edges)
    to_the_end = {"maxiter": 20_000, "maxfun": 50_000, "ftol": 1e-15, "gtol": 1e-9}
    reference = minimize(
        value,
        np.full(len(edges), 0.1),
        jac=True,
        bounds=bounds,
        method="L-BFGS-B",
        options=to_the_end,
    )
    found = fit_springs(40, edges, squares, grounds, tol=1e-7)
    assert found.value <= reference.fun + 1e-9
    assert found.value == pytest.approx(reference.fun, abs=1e-4)


def test_the_optimum_is_that_of_a_conic_solver():
    cvxpy = pytest.importorskip("cvxpy")
    edges, squares, grounds = problem(20, 4)
    n, m = 20, len(edges)
    incidence = np.zeros((n, m))
    incidence[edges[:, 0], np.arange(m)] = 1
    incidence[edges[:, 1], np.arange(m)] = -1
    # a strong ground: the conic solver knows nothing of the constant vector
    grounds = np.full(n, 0.01 / squares.mean())
    u = cvxpy.Variable(m, nonneg=True)
    L = incidence @ cvxpy.diag(cvxpy.multiply(u, 1 / squares)) @ incidence.T
    objective = cvxpy.log_det(L + np.diag(grounds)) - cvxpy.sum(u)
    cvxpy.Problem(cvxpy.Maximize(objective)).solve(solver="CLARABEL")
    found = fit_springs(n, edges, squares, grounds, tol=1e-8)
    assert -found.value == pytest.approx(objective.value, abs=1e-4)
    assert -found.value > objective.value - 1e-7
    np.testing.assert_allclose(found.strengths * squares, u.value, atol=2e-3)


def test_free_springs_meet_every_distance():
    edges, squares, grounds = problem(40, 5, p=60)
    found = fit_springs(40, edges, squares, grounds, signs="free", tol=1e-9)
    assert (found.strengths < 0).any()
    np.testing.assert_allclose(naive(edges, found.strengths, grounds)[1], squares, rtol=1e-6)
    pulling = fit_springs(40, edges, squares, grounds, tol=1e-7)
    assert found.value < pulling.value
    assert not found.diverged


def test_free_springs_with_a_penalty_have_conditions_of_their_own():
    edges, squares, grounds = problem(60, 7)  # no optimum without the penalty
    penalty = 0.1 * squares.mean()
    found = fit_springs(60, edges, squares, grounds, signs="free", penalty=penalty, tol=1e-7)
    slack = naive(edges, found.strengths, grounds)[1] - squares
    strengths = found.strengths
    assert set(np.sign(strengths)) == {-1.0, 0.0, 1.0}
    np.testing.assert_allclose(slack[strengths > 0], penalty, rtol=1e-5)
    np.testing.assert_allclose(slack[strengths < 0], -penalty, rtol=1e-5)
    assert np.abs(slack[strengths == 0]).max() <= penalty * (1 + 1e-5)


def test_divergence_is_noticed_and_said():
    edges, squares, grounds = problem(60, 7)
    with pytest.warns(ConvergenceWarning, match="free signs have no optimum.*not negative"):
        found = fit_springs(60, edges, squares, grounds, signs="free")
    assert found.diverged
    plain = fit_springs(60, edges, squares, grounds)
    np.testing.assert_array_equal(found.strengths, plain.strengths)


def test_an_interrupted_fit_keeps_the_best_so_far():
    edges, squares, grounds = problem(80, 5)

    def stop(progress):
        if progress.done == 20:
            raise KeyboardInterrupt

    with pytest.warns(InterruptedFitWarning, match="interrupted"), listening(stop):
        found = fit_springs(80, edges, squares, grounds, tol=1e-9)
    assert found.n_iter == 20
    assert found.value == pytest.approx(found.history[-1], rel=1e-12)


@pytest.mark.parametrize("penalty", [0.0, 0.5])
def test_an_interrupted_fit_of_free_springs_keeps_the_best_so_far(penalty):
    edges, squares, grounds = problem(40, 4, p=30)
    options = {"signs": "free", "tol": 1e-9, "penalty": penalty}
    whole = fit_springs(40, edges, squares, grounds, **options)

    def stop(progress):
        if progress.done == 2:
            raise KeyboardInterrupt

    with pytest.warns(InterruptedFitWarning, match="after 2 steps; the best"), listening(stop):
        found = fit_springs(40, edges, squares, grounds, **options)
    assert found.interrupted
    assert whole.value < found.value == pytest.approx(whole.history[2], rel=1e-12)
    value, extensions = naive(edges, found.strengths, grounds)
    np.testing.assert_allclose(found.extensions, extensions, rtol=1e-6)
    np.testing.assert_allclose(found.log_determinant, value, rtol=1e-9)
    assert found.residual > 1e-9
    rest = fit_springs(40, edges, squares, grounds, start=found.strengths, **options)
    assert rest.n_iter == whole.n_iter - 2
    np.testing.assert_allclose(rest.strengths, whole.strengths, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("signs", ["free", "nonnegative"])
def test_springs_that_are_all_alike_are_not_kept(signs, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    edges, squares, grounds = problem(40, 4, p=30)
    monkeypatch.setattr("sidelight.solvers.springs.field.DenseField.extensions", stop)
    with pytest.raises(KeyboardInterrupt):
        fit_springs(40, edges, squares, grounds, signs=signs)


@pytest.mark.parametrize(("n", "k", "push"), [(60, 5, 0.0), (60, 5, 0.3), (400, 6, 0.0)])
def test_what_makes_draws_of_noise_is_a_root_of_the_covariance(n, k, push):
    """R Rᵀ = P⁻¹, exactly: every moment of the draws follows."""
    edges, _, _ = problem(n, k)
    rng = np.random.default_rng(1)
    springs = rng.random(len(edges)) - push * (rng.random(len(edges)) < 0.2)
    i, j = edges.T
    L = sp.csr_array((np.r_[springs, springs], (np.r_[i, j], np.r_[j, i])), shape=(n, n))
    P = sp.csr_array(sp.diags_array(np.asarray(L.sum(axis=1)) + 0.5) - L)
    assert np.linalg.eigvalsh(P.toarray()).min() > 0
    R = field_from_noise(P, np.eye(n))
    np.testing.assert_allclose(R @ R.T, np.linalg.inv(P.toarray()), atol=1e-10)


def test_no_draws_of_what_is_no_covariance():
    P = sp.csr_array([[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(np.linalg.LinAlgError, match="not positive"):
        field_from_noise(P, np.eye(2))
