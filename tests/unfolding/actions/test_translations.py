"""Long walks laid out by translations, and the proof that nothing is better."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sidelight import ActionRespectingEmbedding
from sidelight.side import Actions
from sidelight.unfolding.actions import action_respecting_embedding as method
from sidelight.unfolding.actions.runs import run_variance, straight_scatter
from sidelight.unfolding.actions.translations import angles
from tests.unfolding.walks import fitted, grid_positions, runs, wandering


def both_ways(monkeypatch, actions, **parameters):
    general, _ = fitted(actions, tol=1e-6, **parameters)
    monkeypatch.setattr(method, "_MANY", 0)
    short, _ = fitted(actions, tol=1e-6, **parameters)
    return general, short


@pytest.mark.parametrize(
    "actions",
    [
        runs(("right", 12), ("left", 7)),
        runs(("right", 6), ("up", 5), ("left", 3), ("right", 2), ("down", 5)),
        wandering(60, 3, seed=2),
    ],
    ids=["there and back", "corners", "wandering"],
)
def test_it_is_the_optimum_of_the_general_solver(monkeypatch, actions):
    general, short = both_ways(monkeypatch, actions)
    assert short.objective_ == pytest.approx(general.objective_, rel=1e-5)
    assert general.dual_bound_ >= short.objective_ * (1 - 1e-9)
    assert short.n_iter_ == 1 < general.n_iter_
    assert short.violation_ < 1e-9
    assert short.gap_ < 1e-9
    assert_allclose(
        np.linalg.norm(np.diff(short.embedding_, axis=0), axis=1),
        np.linalg.norm(np.diff(general.embedding_, axis=0), axis=1),
        atol=2e-2,
    )


def test_a_lattice_comes_out_as_one(monkeypatch):
    monkeypatch.setattr(method, "_MANY", 0)
    actions = wandering(80, 4, seed=5)
    model, _ = fitted(actions)
    truth = grid_positions(actions)
    D = ((model.embedding_[:, None] - model.embedding_) ** 2).sum(axis=2)
    assert_allclose(D, ((truth[:, None] - truth) ** 2).sum(axis=2), atol=1e-9)


def test_a_turn_is_left_to_the_general_solver(monkeypatch):
    """Sixteen equal translations come back to nothing: the way round is no straight run."""
    monkeypatch.setattr(method, "_MANY", 0)
    model, _ = fitted(runs(("rotate cw", 20)))
    assert model.n_iter_ > 1
    assert model.periods_["rotate cw"] == 16


def test_a_long_walk_of_one_action_takes_seconds():
    t = np.linspace(0, 30, 400)
    X = np.column_stack([t * np.cos(t), t * np.sin(t), 0.1 * t])
    model = ActionRespectingEmbedding(merge=None).fit(X, side=Actions(["on"] * 399))
    assert model.n_iter_ == 1
    assert_allclose(np.abs(np.diff(model.embedding_[:, 0])), 1.0, rtol=1e-9)
    assert model.objective_ == pytest.approx(400 * (400**2 - 1) / 12)
    assert model.predict(399 - 5, "on") == 395


def test_no_layout_has_more_scatter_than_straight_runs():
    rng = np.random.default_rng(0)
    actions = wandering(40, 3, seed=1)
    kinds = np.unique(actions, return_inverse=True)[1]
    walk = np.column_stack([np.arange(40), np.arange(1, 41)])
    lengths = rng.random(40)
    turns = rng.standard_normal((40, 3))
    turns *= (lengths / np.linalg.norm(turns, axis=1))[:, None]
    for moves in (turns, lengths[:, None] * np.ones((1, 1))):
        Z = np.vstack([np.zeros(moves.shape[1]), np.cumsum(moves, axis=0)])
        C = run_variance(np.arange(41), walk, kinds).matrix()
        scatter, bound = np.trace(Z.T @ C @ Z), straight_scatter(walk, kinds, lengths)
        assert scatter <= bound * (1 + 1e-12)
    assert scatter == pytest.approx(bound)


def test_angles_have_the_largest_determinant():
    cp = pytest.importorskip("cvxpy")
    rng = np.random.default_rng(3)
    N, B = rng.standard_normal((4, 3)), rng.standard_normal((3, 5))
    N /= np.linalg.norm(N @ B, axis=1)[:, None]  # so that there is one
    found = angles(N)
    H = cp.Variable((3, 3), PSD=True)
    problem = cp.Problem(cp.Maximize(cp.log_det(H)), [row @ H @ row == 1 for row in N])
    expected = problem.solve(solver=cp.CLARABEL)
    assert np.linalg.slogdet(found)[1] == pytest.approx(expected, abs=1e-5)
    assert_allclose(np.einsum("ai,ij,aj->a", N, found, N), 1.0, atol=1e-9)
    # of two vectors in one direction, of different length, not both can be one long
    assert angles(np.array([[1.0], [2.0]])) is None


@pytest.mark.parametrize("parameters", [{}, {"objective": "variance"}, {"steps": "data"}])
def test_slack_lets_bounds_give_way_by_about_as_much(parameters):
    actions = runs(("right", 8), ("left", 4), ("up", 5))
    hard, _ = fitted(actions, tol=1e-6, **parameters)
    previous = hard.objective_
    for slack in (0.001, 0.05):
        soft, _ = fitted(actions, tol=1e-6, slack=slack, **parameters)
        assert soft.objective_ > previous
        assert soft.objective_ < hard.objective_ * (1 + 30 * slack)
        assert soft.violation_ < 1e-4  # what actions keep is kept
        assert soft.gap_ < 1e-4
        previous = soft.objective_
    assert fitted(actions, tol=1e-6, slack=0.0, **parameters)[0].objective_ == hard.objective_


def test_slack_of_one_step_is_what_calculus_says():
    """One run of k equal steps: max c x − Σ ξ²/2s with x = 1 + ξ the square of each step."""
    k, slack = 6, 0.02
    X = np.random.default_rng(0).standard_normal((k + 1, 4))
    model = ActionRespectingEmbedding(1, slack=slack, tol=1e-9, merge=None).fit(
        X, side=Actions(["on"] * k)
    )
    scatter = k * (k + 1) * (k + 2) / 12  # of steps of one
    s = slack / (scatter / k)
    square = 1 + s * scatter / k
    assert_allclose(np.diff(model.embedding_[:, 0]) ** 2, square, rtol=1e-4)
    assert square == pytest.approx(1 + slack)
