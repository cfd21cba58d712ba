"""Equalities, bounds from below and soft constraints in the low-rank factor."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_swiss_roll
from sklearn.neighbors import kneighbors_graph

from sidelight.core.errors import ContradictionError
from sidelight.solvers.semidefinite import door
from sidelight.solvers.semidefinite.active_set import solve_by_rounds
from sidelight.solvers.semidefinite.constraints import PairConstraints
from sidelight.solvers.semidefinite.low_rank.pair_terms import PairTerms
from sidelight.solvers.semidefinite.low_rank.path_following import unfold_low_rank
from sidelight.solvers.semidefinite.low_rank.solver import on_single_pairs, solve_low_rank
from sidelight.unfolding.semidefinite.slack import Softness
from tests.solvers.semidefinite.programs import mixed, unfold

N = 80


@pytest.fixture(scope="module")
def graph():
    nearest = kneighbors_graph(make_swiss_roll(N, random_state=3)[0], 6, mode="distance")
    upper = sp.triu(nearest.maximum(nearest.T), 1).tocoo()
    edges = np.column_stack([upper.row, upper.col]).astype(np.intp)
    return edges, upper.data, unfold_low_rank(edges, upper.data, N, tol=1e-3).factor


def beside(graph, kind):
    """Constraints that 0.9 of the plain unfolding meets."""
    edges, d, R = graph
    rng = np.random.default_rng(0)
    pairs = rng.choice(N, (10, 2), replace=False)
    squares = np.sum((R[pairs[:, 0]] - R[pairs[:, 1]]) ** 2, axis=1)
    near = PairConstraints.on_pairs(pairs[:5], 0.81 * squares[:5], "equal")
    if kind == "equal":
        return near
    if kind == "soft":
        s = Softness.of(edges, d, np.ones(N))(0.01, squares)
        return PairConstraints.join(
            [
                PairConstraints.on_pairs(pairs[:5], 0.5 * squares[:5], "equal", softness=s[:5]),
                PairConstraints.on_pairs(pairs[5:], 1.2 * squares[5:], "at_least", softness=s[5:]),
            ]
        )
    closer = PairConstraints.on_pairs(pairs[:5], 0.81 * squares[:5], "at_most")
    apart = PairConstraints.on_pairs(pairs[5:], 0.9 * 0.81 * squares[5:] + 1e-3, "at_least")
    return PairConstraints.join([closer, apart])


@pytest.mark.parametrize(("kind", "tol"), [("equal", 1e-6), ("soft", 1e-5), ("pairs", 1e-6)])
def test_the_dense_method_finds_the_same_value(graph, kind, tol):
    edges, d, _ = graph
    along = PairConstraints.on_pairs(edges, d**2, "at_most")
    more = beside(graph, kind)
    mass = 1.0 + np.arange(N) % 2
    found = solve_low_rank(mixed(along, more, mass), tol=tol)
    dense = solve_by_rounds(mixed(along, more, mass), tol=1e-8)
    np.testing.assert_allclose(found.objective, dense.objective, rtol=2 * tol)
    assert found.converged
    assert found.objective <= found.dual_bound <= found.objective * (1 + tol)
    assert found.dual_bound >= dense.objective * (1 - 1e-7)
    hard = more.softness == 0
    assert np.all(np.abs(more.missed(found.factor) / more.bounds)[hard] < 1e-6)
    assert np.all(along.missed(found.factor) == 0)


def test_soft_equalities_of_all_edges_agree_with_the_dense_method(graph):
    edges, d, _ = graph
    s = Softness.of(edges, d, np.ones(N))(1e-2, d**2)
    along = PairConstraints.on_pairs(edges, d**2, "equal", softness=s)
    none = PairConstraints.on_pairs(edges[:0], d[:0], "equal")
    found = solve_low_rank(mixed(along, none, np.ones(N)), tol=1e-5)
    dense = solve_by_rounds(mixed(along, none, np.ones(N)), tol=1e-8)
    np.testing.assert_allclose(found.objective, dense.objective, rtol=1e-5)
    assert found.gap <= 1e-5


def test_the_optimality_conditions_hold(graph):
    edges, d, _ = graph
    along, more = PairConstraints.on_pairs(edges, d**2, "at_most"), beside(graph, "equal")
    found = solve_low_rank(mixed(along, more, np.ones(N)), tol=1e-6)
    whole = PairConstraints.join([along, more])
    E = np.zeros((len(whole.pairs), N))
    E[np.arange(len(E)), whole.pairs[:, 0]] = 1
    E[np.arange(len(E)), whole.pairs[:, 1]] = -1
    L = E.T @ (np.asarray(whole.combine.T @ found.multipliers)[:, None] * E)
    assert np.all(found.multipliers[: len(edges)] >= 0)
    assert np.any(np.abs(found.multipliers[len(edges) :]) > 1e-2)
    assert np.linalg.eigvalsh(L - np.eye(N) + 2 / N)[0] > -1e-5
    assert np.linalg.norm(L @ found.factor - found.factor) < 1e-3 * np.linalg.norm(found.factor)


class TestContradictions:
    def test_a_way_of_bounds_that_is_too_short_is_proven(self):
        """Three steps of one cannot be four long: no one pair says so."""
        edges = np.array([[0, 1], [1, 2], [2, 3], [0, 2]])
        along = PairConstraints.on_pairs(edges, np.array([1.0, 1.0, 1.0, 9.0]), "at_most")
        far = PairConstraints.on_pairs([[0, 3]], [16.0], "at_least")
        with pytest.raises(ContradictionError) as caught:
            solve_low_rank(mixed(along, far, np.ones(4)))
        y = caught.value.certificate
        whole = PairConstraints.join([along, far])
        assert np.all(y >= 0)
        assert whole.bounds @ y < 0
        E = np.zeros((len(whole.pairs), 4))
        E[np.arange(len(E)), whole.pairs[:, 0]] = 1
        E[np.arange(len(E)), whole.pairs[:, 1]] = -1
        tension = np.asarray(whole.combine.T @ y)
        assert np.linalg.eigvalsh(E.T @ (tension[:, None] * E))[0] > -1e-9 * tension.max()

    def test_one_pair_that_is_both_near_and_far_is_named(self):
        along = PairConstraints.on_pairs([[0, 1], [1, 2]], [1.0, 1.0], "at_most")
        far = PairConstraints.on_pairs([[1, 2]], [4.0], "equal")
        with pytest.raises(ContradictionError, match="constraint 2 keeps") as caught:
            solve_low_rank(mixed(along, far, np.ones(3)))
        np.testing.assert_array_equal(caught.value.certificate, [0, 1, -1])


def test_the_slope_of_a_term_is_its_multiplier():
    """By finite differences, for an equality and for inequalities of either side."""
    rows = [
        PairConstraints.on_pairs([[0, 1]], [2.0], "equal"),
        PairConstraints.on_pairs([[0, 2]], [1.0], "at_least", softness=0.3),
        PairConstraints.on_pairs([[1, 2]], [1.5], "at_most", softness=0.2),
    ]
    terms = PairTerms(PairConstraints.join(rows), 3, 1.0)
    terms.lend(0.5, 1.0)
    terms.believe(np.array([-0.4, 0.7, 0.2]))
    g, mu, h = np.array([0.3, -0.8, 0.5]), 0.05, 1e-5
    y = terms.multipliers(g, mu)
    for q in range(3):
        step = h * np.eye(3)[q]
        rise = (terms.value(g + step, mu) - terms.value(g - step, mu)) / h
        np.testing.assert_allclose(rise, y[q], rtol=1e-6)
        bend = (terms.multipliers(g + step, mu) - terms.multipliers(g - step, mu))[q] / (2 * h)
        np.testing.assert_allclose(bend, terms.slopes(y, mu)[q], rtol=1e-6)


def test_the_door_leads_large_problems_here_and_merges_what_it_merged_before(graph, monkeypatch):
    edges, d, _ = graph
    more = beside(graph, "equal")
    dense = unfold(edges, d, N, beside=more, tol=1e-5)
    monkeypatch.setattr(door, "SMALL", replace(door.SMALL, refuses=lambda _: "it is too large"))
    found = unfold(edges, d, N, beside=more, tol=1e-5)
    np.testing.assert_allclose(found.objective, dense.objective, rtol=1e-5)
    np.testing.assert_allclose(
        found.multipliers[len(edges) :], dense.multipliers[len(edges) :], rtol=1e-2
    )


def test_constraints_that_combine_pairs_are_recognised():
    single = PairConstraints.on_pairs([[0, 1], [1, 2]], [1.0, 1.0], "at_least")
    combined = PairConstraints(
        single.pairs, sp.csr_array([[1.0, -1.0]]), np.zeros(1), np.ones(1, bool), np.zeros(1)
    )
    assert on_single_pairs(single)
    assert not on_single_pairs(combined)
