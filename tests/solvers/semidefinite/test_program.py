"""Problems as values: their objectives, their reductions, and who takes them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from sidelight.solvers.semidefinite.constraints import PairConstraints
from sidelight.solvers.semidefinite.door import choose, solve
from sidelight.solvers.semidefinite.low_rank.solver import refuse_low_rank
from sidelight.solvers.semidefinite.program import KernelProgram, Variance, VarianceWithin
from sidelight.solvers.semidefinite.reduce import essential, merge_points
from tests.solvers.semidefinite.programs import roll, squared


def chain(n):
    return np.column_stack([np.arange(n - 1), np.arange(1, n)])


def equal_pairs(pairs):
    """All distances of a list of pairs equal to the first."""
    m = len(pairs)
    A = np.column_stack([np.ones(m - 1), -np.eye(m - 1)])
    return PairConstraints(
        np.asarray(pairs), sp.csr_array(A), np.zeros(m - 1), np.ones(m - 1, bool), np.zeros(m - 1)
    )


class TestObjectives:
    def test_the_variance_is_that_of_the_rows(self):
        rng = np.random.default_rng(0)
        Z, mass = rng.standard_normal((5, 2)), np.array([1.0, 2, 1, 3, 1])
        rows = np.repeat(Z, mass.astype(int), axis=0)
        expected = np.sum((rows - rows.mean(axis=0)) ** 2)
        assert np.vdot(Variance(mass).matrix(), Z @ Z.T) == pytest.approx(expected)

    def test_the_variance_within_groups_is_that_of_each(self):
        rng = np.random.default_rng(0)
        Z = rng.standard_normal((6, 2))
        groups = [[0, 1, 2], [2, 3], [3, 4, 5, 5]]
        counts = np.array([np.bincount(g, minlength=6) for g in groups], dtype=float)
        expected = sum(np.sum((Z[g] - Z[g].mean(axis=0)) ** 2) for g in groups)
        within = VarianceWithin(sp.csr_array(counts))
        assert np.vdot(within.matrix(), Z @ Z.T) == pytest.approx(expected)
        # one group of all points is the variance
        alone = VarianceWithin(sp.csr_array([[1.0, 2, 1, 3, 1, 1]]))
        np.testing.assert_allclose(
            alone.matrix(), Variance(np.array([1.0, 2, 1, 3, 1, 1])).matrix(), atol=1e-12
        )

    @pytest.mark.parametrize("kind", ["all", "within"])
    def test_points_that_coincide_count_together(self, kind):
        node = np.array([0, 1, 0, 2])
        counts = np.array([[1.0, 2, 0, 1], [0, 1, 1, 1]])
        objective = (
            Variance(counts[0] + 1) if kind == "all" else VarianceWithin(sp.csr_array(counts))
        )
        z = np.array([2.0, -1.0, 0.5])
        merged = objective.merged(node).matrix()
        assert z @ merged @ z == pytest.approx(z[node] @ objective.matrix() @ z[node])


class TestReduction:
    def test_what_is_left_out_follows_from_the_rest(self):
        """All ten equalities and bounds of five equal pairs against four and one."""
        pairs = chain(6)
        m = len(pairs)
        both = [(a, b) for a in range(m) for b in range(a + 1, m)]
        A = np.zeros((len(both), m))
        for row, (a, b) in enumerate(both):
            A[row, a], A[row, b] = 1, -1
        q = len(both)
        every = PairConstraints(pairs, sp.csr_array(A), np.zeros(q), np.ones(q, bool), np.zeros(q))
        within = PairConstraints.on_pairs(pairs, [3.0, 1.0, 2.0, 5.0, 4.0], "at_most")
        joined = PairConstraints.join([within, every])
        small, rows = essential(joined)
        assert np.count_nonzero(small.equal) == 4
        np.testing.assert_array_equal(small.equal, joined.equal[rows])
        np.testing.assert_array_equal(small.bounds[~small.equal], 1.0)
        found = solve(KernelProgram(6, Variance(np.ones(6)), joined), tol=1e-6)
        np.testing.assert_allclose(squared(found.factor, pairs), 1.0, rtol=1e-5)
        assert found.objective == pytest.approx(np.sum((np.arange(6) - 2.5) ** 2), rel=1e-6)

    def test_a_tighter_bound_on_one_pair_is_the_only_one(self):
        twice = PairConstraints.on_pairs([[0, 1], [1, 0], [1, 2]], [4.0, 1.0, 1.0], "at_most")
        merged = merge_points(KernelProgram(3, Variance(np.ones(3)), twice), who="here")
        assert merged.kept.tolist() == [1, 2]


class TestChoice:
    def test_size_decides(self):
        names = []
        for n in (100, 400, 1000):
            edges, d = roll(n)
            names.append([each.name for each in choose(KernelProgram.unfolding(edges, d, n))])
        low, dense = "the low-rank method", "the dense method"
        assert names == [[dense, low], [low, dense], [low]]

    def test_refusals_name_what_is_missing(self):
        edges, d = roll(400)
        plain = KernelProgram.unfolding(edges, d, 400)
        assert refuse_low_rank(plain) is None
        equal = KernelProgram.unfolding(edges, d, 400, constraint="equal")
        assert "equalities alone are of high rank" in refuse_low_rank(equal)
        combined = KernelProgram.unfolding(edges, d, 400, beside=equal_pairs(edges[:3]))
        assert "single distances" in refuse_low_rank(combined)
        runs = KernelProgram(400, VarianceWithin(np.ones((1, 400))), plain.constraints)
        assert "variance of all points" in refuse_low_rank(runs)
        for other in (equal, combined, runs):
            assert [each.name for each in choose(other)] == ["the dense method"]

    def test_a_problem_that_fits_nowhere_says_why(self, monkeypatch):
        monkeypatch.setenv("SIDELIGHT_MEMORY_LIMIT", "1MB")
        edges, d = roll(400)
        equal = KernelProgram.unfolding(edges, d, 400, constraint="equal", softness=0.1)
        with pytest.raises(MemoryError, match=r"1\.0 MB is available.*does not take.*equalities"):
            solve(equal, who="here")
