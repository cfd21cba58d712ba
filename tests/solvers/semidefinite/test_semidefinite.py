"""Semidefinite programs against a general solver, their optimality conditions and known answers."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from sidelight.core.errors import ContradictionError, DisconnectedGraphError
from sidelight.solvers.semidefinite import active_set
from sidelight.solvers.semidefinite.active_set import solve_by_rounds
from sidelight.solvers.semidefinite.constraints import PairConstraints
from sidelight.solvers.semidefinite.dense import solve_dense
from sidelight.solvers.semidefinite.door import choose
from sidelight.solvers.semidefinite.dual_bound import verified_shift
from sidelight.solvers.semidefinite.inertia import EdgeMatrices
from sidelight.solvers.semidefinite.low_rank.path_following import unfold_low_rank
from sidelight.solvers.semidefinite.low_rank.start import unfolded_start
from sidelight.solvers.semidefinite.program import KernelProgram
from tests.solvers.semidefinite.programs import laplacian, roll, squared, unfold


def variance(mass):
    return np.diag(mass) - np.outer(mass, mass) / mass.sum()


def general_solver(C, edges, bounds, equal, *, combine=None, softness=None):
    """⟨C, K⟩ less the penalty by Clarabel, K centred; a second opinion on the value."""
    cvxpy = pytest.importorskip("cvxpy")
    n = len(C)
    unit = float(np.mean(np.abs(bounds)))  # its last digits depend on the scale
    bounds = bounds / unit
    softness = None if softness is None else softness / unit
    K = cvxpy.Variable((n, n), PSD=True)
    i, j = edges.T
    diagonal = cvxpy.diag(K)
    D = diagonal[i] + diagonal[j] - 2 * K[i, j]
    D = D if combine is None else sp.csr_array(combine) @ D
    constraints, value = [cvxpy.sum(K) == 0], cvxpy.trace(C @ K)
    if softness is not None and softness.any():
        soft = np.flatnonzero(softness)
        miss = cvxpy.Variable(len(soft))
        spread = np.zeros((len(bounds), len(soft)))
        spread[soft, np.arange(len(soft))] = np.sqrt(softness[soft])
        bounds, value = bounds + spread @ miss, value - cvxpy.sum_squares(miss) / 2
    if (~equal).any():
        constraints.append(D[~equal] <= bounds[~equal])
    if equal.any():
        constraints.append(D[equal] == bounds[equal])
    problem = cvxpy.Problem(cvxpy.Maximize(value), constraints)
    with warnings.catch_warnings():  # its last digits are compared, not trusted
        warnings.filterwarnings("ignore", message="Solution may be inaccurate")
        return unit * problem.solve(solver=cvxpy.CLARABEL)


class TestAgreement:
    @pytest.mark.parametrize("n", [50, 100])
    def test_both_methods_and_a_general_solver_agree(self, n):
        edges, d = roll(n)
        # at n = 100 the general solver takes over a minute: the two methods check each other
        dense = solve_dense(np.eye(n) - 1 / n, edges, d**2)
        low = unfold_low_rank(edges, d, n, tol=2e-7)
        assert dense.converged
        assert low.converged
        np.testing.assert_allclose(low.objective, dense.objective, rtol=1e-6)
        if n == 50:
            value = general_solver(np.eye(n), edges, d**2, np.zeros(len(d), dtype=bool))
            np.testing.assert_allclose(dense.objective, value, rtol=1e-6)

    def test_equalities_agree_with_a_general_solver(self):
        edges, d = roll(30, k=4)
        equal = np.arange(len(d)) % 3 == 0
        found = solve_dense(np.eye(30) - 1 / 30, edges, d**2, equal=equal)
        value = general_solver(np.eye(30), edges, d**2, equal)
        np.testing.assert_allclose(found.objective, value, rtol=1e-6)
        np.testing.assert_allclose(squared(found.factor, edges)[equal], d[equal] ** 2, rtol=1e-6)

    def test_soft_equalities_agree_with_a_general_solver(self):
        edges, d = roll(50, k=4)
        equal, softness = np.ones(len(d), dtype=bool), 1e-3 * d**4
        C = np.eye(50) - 1 / 50
        found = solve_dense(C, edges, d**2, equal=equal, softness=softness)
        missed = squared(found.factor, edges) - d**2
        penalty = np.sum(missed**2 / softness) / 2
        value = general_solver(np.eye(50), edges, d**2, equal, softness=softness)
        np.testing.assert_allclose(found.objective - penalty, value, rtol=1e-6)
        assert found.objective <= found.dual_bound
        assert found.gap <= 1e-7
        # what is missed is what the tension pulls
        np.testing.assert_allclose(missed, softness * found.multipliers, atol=1e-6 * missed.max())

    @pytest.mark.parametrize("soft", [False, True])
    def test_a_mix_agrees_with_a_general_solver(self, soft):
        """Bounds, a known distance, one at least, one at most, two that are equal."""
        n = 25 if soft else 50
        edges, d = roll(n)
        plain = unfold(edges, d, n, tol=1e-5).factor
        far = np.argsort(np.linalg.norm(plain, axis=1))[::-1]
        named = np.array([[far[0], far[k]] for k in range(1, 5)])
        now = squared(plain, named)
        s = 0.5 if soft else 0.0
        more = PairConstraints.join(
            [
                PairConstraints.on_pairs(named[:1], [0.8 * now[0]], "equal", softness=s),
                PairConstraints.on_pairs(named[1:2], [1.005 * now[1]], "at_least", softness=s),
                PairConstraints.on_pairs(named[2:3], [0.8 * now[2]], "at_most", softness=s),
                PairConstraints(
                    named[2:4],
                    sp.csr_array([[1.0, -1.0]]),
                    np.zeros(1),
                    np.ones(1, dtype=bool),
                    np.full(1, s),
                ),
            ]
        )
        both = PairConstraints.join([PairConstraints.on_pairs(edges, d**2, "at_most"), more])
        value = general_solver(
            np.eye(n),
            both.pairs,
            both.bounds,
            both.equal,
            combine=both.combine,
            softness=both.softness,
        )
        found = unfold(edges, d, n, beside=more, tol=1e-6)
        missed = more.missed(found.factor)
        penalty = np.sum(missed**2) / (2 * s) if soft else 0.0
        np.testing.assert_allclose(found.objective - penalty, value, rtol=1e-6)
        assert found.objective <= found.dual_bound
        assert (squared(found.factor, edges) <= d**2 * (1 + 1e-6)).all()
        assert soft or np.abs(missed).max() < 1e-6 * now.max()
        assert (found.multipliers[: len(d)] >= 0).all()

    def test_bounds_that_wait_for_their_turn_change_nothing(self, monkeypatch):
        edges, d = roll(60)
        ends = np.array([[0, 7], [3, 20]])
        plain = unfold(edges, d, 60, tol=1e-3).factor
        more = PairConstraints.on_pairs(ends, 0.7 * squared(plain, ends), "equal")
        once = unfold(edges, d, 60, beside=more, tol=1e-6)
        monkeypatch.setattr("sidelight.solvers.semidefinite.active_set._ALL_AT_ONCE", 10)
        monkeypatch.setattr("sidelight.solvers.semidefinite.active_set._FEWEST", 20)
        waited = unfold(edges, d, 60, beside=more, tol=1e-6)
        np.testing.assert_allclose(waited.objective, once.objective, rtol=2e-6)
        assert waited.dual_bound >= once.objective
        assert (squared(waited.factor, edges) <= d**2 * (1 + 1e-5)).all()
        assert np.count_nonzero(waited.multipliers) < len(d)

    def test_a_crowd_of_pairs_goes_to_the_dense_method_in_rounds(self, monkeypatch):
        """Every pair of 60 points is near or far: far fewer say it all, and the answer is that."""
        rng = np.random.default_rng(0)
        y = np.arange(60) % 3
        X = rng.standard_normal((60, 4))
        X[:, 0] += 3 * y
        edges = np.column_stack(np.triu_indices(60, 1))
        d = np.linalg.norm(X[edges[:, 0]] - X[edges[:, 1]], axis=1)
        alike = y[edges[:, 0]] == y[edges[:, 1]]
        far = PairConstraints.on_pairs(edges[~alike], 0.8 * d[~alike] ** 2, "at_least")
        near = np.vstack([edges[alike], [[0, 1], [1, 2]]])  # the groups must hang together
        lengths = np.r_[d[alike], 9.0, 9.0]
        program = KernelProgram.unfolding(near, lengths, 60, beside=far, who="unfold")
        assert choose(program)[0].name == "the dense method"
        rounds, whole = [], active_set.solve_dense

        def counted(C, pairs, *given, **named):
            rounds.append(len(pairs))
            return whole(C, pairs, *given, **named)

        monkeypatch.setattr(active_set, "solve_dense", counted)
        found = solve_by_rounds(program)
        assert max(rounds) < len(program.constraints) / 2
        monkeypatch.setattr(active_set, "crowded", lambda program: False)
        once = solve_by_rounds(program)
        assert rounds[-1] == len(edges)
        np.testing.assert_allclose(found.objective, once.objective, rtol=1e-6)
        assert found.gap < 1e-6
        assert np.max(program.constraints.relative_misses(found.factor)) < 1e-5

    def test_bounds_from_above_are_no_crowd(self):
        """Of a complete graph the low-rank method is done while the dense one has hardly begun."""
        X = np.random.default_rng(0).standard_normal((60, 4))
        edges = np.column_stack(np.triu_indices(60, 1))
        d = np.linalg.norm(X[edges[:, 0]] - X[edges[:, 1]], axis=1)
        program = KernelProgram.unfolding(edges, d, 60, who="unfold")
        assert choose(program)[0].name == "the low-rank method"

    def test_masses_are_copies(self):
        """A node of mass 3 is three nodes in one place."""
        edges, d = roll(60)
        mass = 1.0 + np.arange(60) % 3
        found = unfold_low_rank(edges, d, 60, mass=mass, tol=1e-6)
        dense = solve_dense(variance(mass), edges, d**2)
        np.testing.assert_allclose(found.objective, dense.objective, rtol=2e-6)
        node = np.repeat(np.arange(60), mass.astype(int))
        R = found.factor[node]
        np.testing.assert_allclose(np.sum((R - R.mean(axis=0)) ** 2), found.objective, rtol=1e-12)


class TestOptimality:
    @pytest.mark.parametrize("seed", range(3))
    def test_conditions_of_karush_kuhn_and_tucker(self, seed):
        edges, d = roll(200, seed)
        found = unfold_low_rank(edges, d, 200, tol=1e-6)
        R, y = found.factor, found.multipliers
        slack = d**2 - squared(R, edges)
        assert (slack > 0).all()
        assert (y >= 0).all()
        assert np.abs(R.mean(axis=0)).max() < 1e-9 * np.abs(R).max()
        # complementary slackness of the bounds, and of K with the dual slack
        assert y @ slack <= 1e-6 * found.objective
        S = laplacian(edges, y, 200) - variance(np.ones(200))
        assert np.linalg.eigvalsh(S)[0] > -1e-6
        assert np.abs(S @ R).max() < 1e-4 * np.abs(R).max()

    @pytest.mark.parametrize("tol", [0.3, 1e-2, 1e-4])
    def test_the_bound_is_proven_at_any_tolerance(self, tol):
        edges, d = roll(150, seed=2)
        best = unfold_low_rank(edges, d, 150, tol=1e-7)
        loose = unfold_low_rank(edges, d, 150, tol=tol)
        assert loose.objective <= best.dual_bound
        assert best.objective <= loose.dual_bound
        assert loose.objective <= loose.dual_bound
        assert loose.gap <= tol

    def test_the_bound_holds_where_the_path_was_left_early(self):
        edges, d = roll(150, seed=2)
        best = unfold_low_rank(edges, d, 150, tol=1e-6).objective
        with pytest.warns(ConvergenceWarning, match="after 5 steps, and tol=1e-06.*max_iter"):
            early = unfold(edges, d, 150, tol=1e-6, max_iter=5)
        assert not early.converged
        assert early.objective < best < early.dual_bound
        assert (squared(early.factor, edges) < d**2).all()

    def test_scale_and_order_of_nodes_do_not_matter(self):
        edges, d = roll(150)
        found = unfold_low_rank(edges, d, 150, tol=1e-4)
        grown = unfold_low_rank(edges, 1e6 * d, 150, tol=1e-4)
        np.testing.assert_allclose(grown.objective, 1e12 * found.objective, rtol=1e-9)
        order = np.random.default_rng(0).permutation(150)
        mixed = unfold_low_rank(order[edges], d, 150, tol=1e-4)
        K, mixed_K = found.factor @ found.factor.T, mixed.factor @ mixed.factor.T
        np.testing.assert_allclose(mixed_K[np.ix_(order, order)], K, atol=1e-6 * np.abs(K).max())


class TestKnownAnswers:
    def test_a_chain_is_straight(self):
        """The best of a chain is its length laid out on a line, whatever its edges."""
        lengths = np.random.default_rng(0).random(300) + 0.1
        edges = np.column_stack([np.arange(300), np.arange(1, 301)])
        found = unfold(edges, lengths, 301, tol=1e-6)
        line = np.concatenate([[0], np.cumsum(lengths)])
        np.testing.assert_allclose(found.objective, np.sum((line - line.mean()) ** 2), rtol=1e-6)
        turn = np.sign(found.factor[-1, 0] - found.factor[0, 0])
        np.testing.assert_allclose(turn * found.factor[:, 0], line - line.mean(), atol=1e-2)

    def test_a_ring_is_a_regular_polygon(self):
        n = 200
        edges = np.column_stack([np.arange(n), (np.arange(n) + 1) % n])
        found = unfold(edges, np.ones(n), n, tol=1e-6)
        radius = 1 / (2 * np.sin(np.pi / n))
        np.testing.assert_allclose(found.objective, n * radius**2, rtol=1e-6)
        np.testing.assert_allclose(np.linalg.norm(found.factor, axis=1), radius, rtol=1e-3)

    def test_a_start_that_is_too_flat_grows_axes(self):
        """All pairs of a cloud in four dimensions bounded: nothing but the cloud itself."""
        X = np.random.default_rng(1).standard_normal((40, 4))
        edges = np.column_stack(np.triu_indices(40, 1))
        d = np.sqrt(squared(X, edges))
        found = unfold_low_rank(edges, d, 40, tol=1e-6, start=X[:, :1])
        Xc = X - X.mean(axis=0)
        np.testing.assert_allclose(found.objective, np.sum(Xc**2), rtol=1e-6)
        np.testing.assert_allclose(found.factor @ found.factor.T, Xc @ Xc.T, atol=1e-3)

    def test_a_soft_edge_gives_way_by_its_tension(self):
        """max D/2 − (D − 1)²/2s is at D = 1 + s/2, and the tension is one half."""
        for equal in (True, False):
            found = solve_dense(
                variance(np.ones(2)),
                np.array([[0, 1]]),
                np.ones(1),
                equal=np.array([equal]),
                softness=np.array([0.2]),
            )
            assert squared(found.factor, np.array([[0, 1]])) == pytest.approx(1.1, rel=1e-6)
            assert found.multipliers == pytest.approx(0.5, rel=1e-6)
            assert found.objective == pytest.approx(0.55, rel=1e-6)
            assert found.objective <= found.dual_bound <= 0.55 * (1 + 1e-6)

    def test_a_limit_is_shared_by_pairs_that_are_equal(self):
        """Nothing but the equality bounds the second pair."""
        found = solve_dense(
            variance(np.ones(3)),
            np.array([[0, 1], [1, 2]]),
            np.array([4.0, 0.0]),
            equal=np.array([False, True]),
            combine=np.array([[1.0, 0.0], [1.0, -1.0]]),
        )
        assert found.objective == pytest.approx(8.0, rel=1e-6)

    def test_combined_constraints(self):
        """At least is minus at most; equal distances are a difference of none."""
        pairs = np.array([[0, 1], [1, 2], [0, 2]])
        C = -variance(np.ones(3))  # as small as possible
        found = solve_dense(C, pairs, np.array([1.0, 1.0, -3.0]), combine=np.diag([1.0, 1.0, -1.0]))
        assert found.objective == pytest.approx(-(0.75 + 0.75 + 3) / 3, rel=1e-6)
        same = solve_dense(
            variance(np.ones(3)),
            pairs,
            np.array([1.0, 4.0, 0.0]),
            equal=np.array([False, False, True]),
            combine=np.array([[1.0, 0, 0], [0, 1.0, 0], [1.0, -1.0, 0]]),
        )
        assert same.objective == pytest.approx((1 + 1 + 4) / 3, rel=1e-6)


def test_the_verified_shift_is_below_the_second_eigenvalue_and_not_above():
    edges, d = roll(80)
    y = 1 / d
    mass = 1.0 + np.arange(80) % 2
    matrices = EdgeMatrices(80, edges)
    L = laplacian(edges, y, 80)
    root = np.sqrt(mass)
    second = np.linalg.eigvalsh(L / np.outer(root, root))[1]
    below = second * (1 - 1e-9)
    assert below * (1 - 1e-10) < verified_shift(matrices, y, mass, below) <= second
    assert verified_shift(matrices, y, mass, second * (1 + 1e-6)) == -np.inf


def test_inertia_is_that_of_the_eigenvalues():
    edges, d = roll(40)
    blocks = np.random.default_rng(0).standard_normal((len(d), 3, 3))
    W = blocks @ blocks.transpose(0, 2, 1)
    matrices = EdgeMatrices(40, edges)
    c = np.linspace(0.5, 3.0, 40)
    dense = matrices.matrix(W, c).toarray()
    factor = matrices.factor(W, c)
    assert factor.n_negative == np.count_nonzero(np.linalg.eigvalsh(dense) < 0) > 3
    right = np.random.default_rng(1).standard_normal((40, 3))
    E = np.zeros((3 * len(d), 3 * 40))
    for e, (i, j) in enumerate(edges):
        E[3 * e : 3 * e + 3, 3 * i : 3 * i + 3] = np.eye(3)
        E[3 * e : 3 * e + 3, 3 * j : 3 * j + 3] = -np.eye(3)
    A = sum(E[3 * e : 3 * e + 3].T @ W[e] @ E[3 * e : 3 * e + 3] for e in range(len(d)))
    A = A - np.diag(np.repeat(c, 3))
    np.testing.assert_allclose(A @ factor.solve(right).ravel(), right.ravel(), atol=1e-8)


class TestInput:
    def test_pieces_are_unbounded(self):
        with pytest.raises(DisconnectedGraphError, match=r"unbounded.*2 parts.*on_disconnected"):
            unfold([[0, 1], [2, 3]], [1.0, 1.0], 4)
        with pytest.raises(ValueError, match="unbounded.*do not connect all 4"):
            solve_dense(np.eye(4) - 0.25, np.array([[0, 1], [2, 3]]), np.ones(2))
        with pytest.raises(DisconnectedGraphError, match=r"2 parts.*points 0, 1; 2, 3\)"):
            solve_dense(
                np.eye(4) - 0.25, np.array([[0, 1], [2, 3]]), np.ones(2), softness=np.ones(2)
            )

    def test_contradictions_are_named(self):
        with pytest.raises(ValueError, match=r"contradict one another.*\[.*2.*\]"):
            unfold([[0, 1], [1, 2], [0, 2]], [1.0, 1.0, 3.0], 3, constraint="equal")

    def test_the_proof_of_a_contradiction_is_one(self):
        edges = np.array([[0, 1], [1, 2], [0, 2], [2, 3]])
        with pytest.raises(ContradictionError) as caught:
            unfold(edges, [1.0, 1.0, 3.0, 1.0], 4, constraint="equal")
        y = caught.value.certificate
        assert y @ np.array([1.0, 1.0, 9.0, 1.0]) < 0
        assert np.linalg.eigvalsh(laplacian(edges, y, 4))[0] > -1e-9 * np.abs(y).max()
        together = PairConstraints.on_pairs([[0, 3], [0, 3]], [0.0, 1.0], "equal")
        with pytest.raises(ContradictionError, match="one place") as caught:
            unfold(edges[:2], [1.0, 1.0], 4, beside=together)
        np.testing.assert_array_equal(caught.value.certificate, [0, 0, 0, 1])

    def test_edges_of_no_length_join_their_nodes(self):
        """And of two edges that thereby join the same nodes, the shorter counts."""
        found = unfold([[0, 1], [1, 2], [0, 2]], [0.0, 2.0, 1.0], 3, tol=1e-6)
        assert found.objective == pytest.approx(2 / 3, rel=1e-5)
        np.testing.assert_array_equal(found.factor[0], found.factor[1])
        assert found.multipliers[1] == 0 < found.multipliers[2]
        nothing = unfold([[0, 1]], [0.0], 2)
        assert nothing.objective == nothing.dual_bound == 0

    @pytest.mark.parametrize(
        ("edges", "lengths", "message"),
        [
            ([[0, 1]], [-1.0], "'lengths' of unfold must be finite, at least 0"),
            ([[0, 1]], [np.nan], "'lengths' of unfold must be finite"),
            ([[0, 1], [1, 2]], [1.0], "one per edge, 2"),
            ([[0, 5]], [1.0], "must join two different nodes out of 0 … 2"),
            ([[1, 1]], [1.0], "leave loops out"),
        ],
    )
    def test_what_comes_is_checked(self, edges, lengths, message):
        with pytest.raises(ValueError, match=message):
            unfold(edges, lengths, 3)

    def test_a_start_on_one_spot_is_refused(self):
        with pytest.raises(ValueError, match="one place"):
            unfolded_start(np.array([[0, 1]]), np.ones(1), 2, start=np.zeros((2, 2)))
