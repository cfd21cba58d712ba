"""The low-rank interior point: its answers, its certificates and the scaling of its steps."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris, make_swiss_roll
from sklearn.neighbors import kneighbors_graph

from sidelight.solvers.semidefinite.dense import solve_dense
from sidelight.solvers.semidefinite.low_rank.cones import ConePoints, Scaling
from sidelight.solvers.semidefinite.low_rank.path_following import unfold_low_rank


def graph(X, k):
    nearest = kneighbors_graph(X, k, mode="distance")
    upper = sp.triu(nearest.maximum(nearest.T), 1).tocoo()
    return np.column_stack([upper.row, upper.col]), upper.data


def all_pairs_bounded(X, n_edges, seed):
    """A random connected graph on points, its bounds stretched at random."""
    rng = np.random.default_rng(seed)
    n = len(X)
    path = np.column_stack([np.arange(n - 1), np.arange(1, n)])
    more = np.column_stack(np.triu_indices(n, 2))
    edges = np.vstack([path, more[rng.choice(len(more), n_edges, replace=False)]])
    spans = np.linalg.norm(X[edges[:, 0]] - X[edges[:, 1]], axis=1)
    return edges, spans * rng.uniform(0.5, 2.0, len(edges))


def squared(R, edges):
    return np.sum((R[edges[:, 0]] - R[edges[:, 1]]) ** 2, axis=1)


def laplacian(edges, y, n):
    E = np.zeros((len(edges), n))
    E[np.arange(len(edges)), edges[:, 0]] = 1
    E[np.arange(len(edges)), edges[:, 1]] = -1
    return E.T @ (y[:, None] * E)


def test_a_general_solver_finds_the_same_value():
    cvxpy = pytest.importorskip("cvxpy")
    n = 50
    edges, d = graph(make_swiss_roll(n, random_state=3)[0], 6)
    mass = 1.0 + np.arange(n) % 2
    K = cvxpy.Variable((n, n), PSD=True)
    i, j = edges.T
    D = cvxpy.diag(K)[i] + cvxpy.diag(K)[j] - 2 * K[i, j]
    constraints = [d**2 >= D, cvxpy.sum(cvxpy.multiply(np.outer(mass, mass), K)) == 0]
    problem = cvxpy.Problem(cvxpy.Maximize(cvxpy.diag(K) @ mass), constraints)
    value = problem.solve(solver=cvxpy.CLARABEL)
    found = unfold_low_rank(edges, d, n, mass=mass, tol=5e-7)
    np.testing.assert_allclose(found.objective, value, rtol=1e-6)
    assert found.gap <= 5e-7


class TestCertificate:
    def test_iris_is_certified(self):
        """Close rows, nearly equal distances and a map of almost two dimensions."""
        X = np.unique(load_iris().data, axis=0)
        edges, d = graph(X, 8)
        first = np.flatnonzero(X[:, 2] < 2.5)
        rest = np.flatnonzero(X[:, 2] > 2.5)
        gaps = np.linalg.norm(X[first][:, None] - X[rest], axis=2)
        a, b = np.unravel_index(gaps.argmin(), gaps.shape)
        edges = np.vstack([edges, [first[a], rest[b]]])
        d = np.append(d, gaps.min())
        found = unfold_low_rank(edges, d, len(X), tol=1e-4)
        assert found.converged
        assert found.n_iter < 100
        assert (squared(found.factor, edges) < d**2).all()

    @pytest.mark.parametrize("seed", range(4))
    def test_the_bound_is_never_below_a_feasible_value(self, seed):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((40, 3)) * rng.standard_cauchy((40, 1))
        edges, d = all_pairs_bounded(X, 120, seed)
        mass = rng.uniform(0.2, 5.0, 40)
        C = np.diag(mass) - np.outer(mass, mass) / mass.sum()
        best = solve_dense(C, edges, d**2)
        for max_iter, tol in [(1, 1e-3), (6, 1e-3), (40, 1e-4), (200, 1e-2)]:
            found = unfold_low_rank(edges, d, 40, mass=mass, tol=tol, max_iter=max_iter)
            assert (squared(found.factor, edges) < d**2).all()
            assert found.objective <= best.dual_bound * (1 + 1e-9)
            assert found.dual_bound >= best.objective * (1 - 1e-9)
        assert found.gap <= 1e-2

    @pytest.mark.parametrize("seed", range(2))
    def test_conditions_of_karush_kuhn_and_tucker_with_masses(self, seed):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((120, 2))
        edges, d = graph(X, 10)
        mass = rng.uniform(0.5, 2.0, 120)
        found = unfold_low_rank(edges, d, 120, mass=mass, tol=1e-6)
        R, y = found.factor, found.multipliers
        slack = d**2 - squared(R, edges)
        assert (slack > 0).all()
        assert (y >= 0).all()
        assert y @ slack <= 1e-6 * found.objective
        S = laplacian(edges, y, 120) - np.diag(mass) + np.outer(mass, mass) / mass.sum()
        assert np.linalg.eigvalsh(S)[0] > -1e-5
        assert np.abs(S @ R).max() < 1e-4 * np.abs(R).max()

    @pytest.mark.parametrize("seed", range(3))
    def test_heavy_tails_are_certified(self, seed):
        X = np.random.default_rng(seed).standard_cauchy((80, 2))
        order = np.argsort(X[:, 0])
        edges, d = graph(X, 6)
        chain = np.column_stack([order[:-1], order[1:]])
        steps = np.linalg.norm(X[chain[:, 0]] - X[chain[:, 1]], axis=1)
        pairs = {tuple(sorted(e)): length for e, length in zip(chain, steps, strict=True)}
        pairs |= {tuple(sorted(e)): length for e, length in zip(edges, d, strict=True)}
        found = unfold_low_rank(np.array(list(pairs)), np.array(list(pairs.values())), 80, tol=1e-3)
        assert found.gap <= 1e-3


class TestScaling:
    def points(self, seed):
        rng = np.random.default_rng(seed)
        tail = rng.standard_normal((30, 3))
        return ConePoints(np.linalg.norm(tail, axis=1) * rng.uniform(1.01, 3, 30), tail)

    def test_it_maps_a_pair_onto_itself(self):
        """V u = z, V symmetric and positive: the tails and heads put together column by column."""
        u, z = self.points(0), self.points(1)
        scaling = Scaling(u, z)
        V = scaling.blocks()
        assert (np.linalg.eigvalsh(V) > 0).all()
        # the column of the head follows from V u = z; it must agree with the row that V has
        image = scaling.of_tails(u.tail)
        column = (z.tail - image.tail) / u.head[:, None]
        row = np.stack([scaling.of_tails(np.tile(axis, (30, 1))).head for axis in np.eye(3)], 1)
        np.testing.assert_allclose(column, row, rtol=1e-9, atol=1e-12)

    def test_a_complementary_pair_has_the_curvature_of_the_barrier(self):
        u = self.points(2)
        s, mu = u.determinant(), 0.3
        z = ConePoints(mu * u.head / s, -(mu / s)[:, None] * u.tail)
        outer = u.tail[:, :, None] * u.tail[:, None, :]
        expected = (mu / s)[:, None, None] * (np.eye(3) + 2 * outer / s[:, None, None])
        np.testing.assert_allclose(Scaling(u, z).blocks(), expected, rtol=1e-10)

    def test_the_second_order_term_is_what_the_first_leaves_out(self):
        """From a complementary pair: μ (u + du)⁻¹ to second order in a small du."""
        u = self.points(3)
        mu = 0.7

        def inverse(tail):
            s = u.head**2 - np.sum(tail**2, axis=1)
            return ConePoints(mu * u.head / s, -(mu / s)[:, None] * tail)

        z = inverse(u.tail)
        scaling = Scaling(u, z)
        du = 1e-4 * np.random.default_rng(4).standard_normal((30, 3))
        step = ConePoints(np.zeros(30), du)
        first = ConePoints(-scaling.of_tails(du).head, -scaling.of_tails(du).tail)
        exact = inverse(u.tail + du)
        left = exact.tail - z.tail - first.tail
        second = -scaling.second_order(step, first).tail
        size = np.abs(left).max()
        assert np.abs(second - left).max() < 0.05 * size

    def test_reach_ends_on_the_boundary(self):
        u, step = self.points(5), self.points(6)
        step = ConePoints(np.zeros(30), step.tail)
        length = u.reach(step)
        rims = u.moved(step, length).determinant()
        assert abs(rims).min() < 1e-9
        assert rims.min() > -1e-9
        assert u.reach(ConePoints(np.ones(30), np.zeros((30, 3)))) == np.inf
