"""Maps with more axes than a walk needs: nothing else may change by them."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight.side import Actions
from sidelight.unfolding.actions.action_respecting_embedding import ActionRespectingEmbedding
from sidelight.unfolding.semidefinite.semidefinite_embedding import SemidefiniteEmbedding
from tests.unfolding.walks import runs

MOVES = {
    "east": (1, 0, 0),
    "north": (0, 1, 0),
    "west": (-1, 0, 0),
    "south": (0, -1, 0),
    "up": (0, 0, 1),
    "down": (0, 0, -1),
}
BLOCK = runs(("east", 6), ("north", 6), ("west", 6), ("south", 6), ("east", 3), ("north", 3))


def lights(actions, seed=0):
    """Bumps of light seen from where a walk leads: a frame per place of a grid."""
    P = np.vstack([[0, 0, 0], np.cumsum([MOVES[a] for a in actions], axis=0)])
    lamps = np.random.default_rng(seed).uniform(P.min(axis=0) - 2, P.max(axis=0) + 3, (120, 3))
    apart = np.sum((P[:, None, :] - lamps) ** 2, axis=2)
    return P, np.exp(-apart / (2 * 3.0**2))


def fitted(actions, n_components, **parameters):
    P, X = lights(actions)
    model = ActionRespectingEmbedding(n_components, **parameters)
    return P, X, model.fit(X, side=Actions(actions))


def answers(model, P, actions):
    """Where each action leads from each row, out of those that lead to a row: right or not."""
    places = [tuple(p) for p in P.tolist()]
    right = []
    for row, place in enumerate(places):
        for action in sorted(set(actions)):
            if row < len(actions) and actions[row] == action:
                continue
            target = tuple((np.array(place) + MOVES[action]).tolist())
            if target in places:
                right.append(places[model.predict(row, action)] == target)
    return right


@pytest.mark.parametrize("n_components", [2, 3, 4, 5])
def test_a_walk_round_a_block_is_predicted_in_any_number_of_dimensions(n_components):
    """Nothing was taken back: in three dimensions 2 of 33 were right, and nothing was said."""
    P, X, model = fitted(BLOCK, n_components)
    right = answers(model, P, BLOCK)
    assert len(right) == 33
    assert all(right)
    opposite = {"east": "west", "west": "east", "north": "south", "south": "north"}
    assert model.inverses_ == opposite
    assert len(model.plan(0, 12)) == 12
    assert model.locate(X[17]) == 17
    two = ActionRespectingEmbedding(2).fit(X, side=Actions(BLOCK))
    np.testing.assert_array_equal(model.embedding_[:, :2], two.embedding_)
    np.testing.assert_allclose(model.embedding_[:, 2:], 0, atol=0.05)
    assert model.objective_ == two.objective_
    np.testing.assert_allclose(model.residuals_, two.residuals_)
    for name, motion in model.transformations_.items():
        assert motion.rotation.shape == (n_components, n_components)
        moved = model.embedding_ @ motion.rotation.T + motion.translation
        flat = two.embedding_ @ two.transformations_[name].rotation.T
        np.testing.assert_allclose(moved[:, :2], flat + two.transformations_[name].translation)


@pytest.mark.parametrize(
    "parts",
    [
        [("east", 6), ("north", 4), ("west", 3), ("south", 4)],
        [("east", 5), ("north", 4), ("west", 5), ("south", 4), ("east", 2), ("north", 2)],
        [("north", 6), ("east", 4), ("south", 3), ("west", 2), ("north", 4)],
    ],
)
def test_loops_that_close_give_inverses_away(parts):
    actions = runs(*parts)
    for n_components in (2, 3):
        P, _, model = fitted(actions, n_components)
        assert all(answers(model, P, actions))
        assert len(model.inverses_) == 4


def test_a_supposed_inverse_costs_nothing():
    """The scatter within runs is that of straight runs of unit steps, with or without it."""
    _, _, model = fitted(BLOCK, 2, tol=1e-6)
    straight = sum(k * (k + 1) * (k + 2) / 12 for k in (6, 6, 6, 6, 3, 3))
    assert model.objective_ == pytest.approx(straight, rel=1e-5)
    D = np.linalg.norm(model.embedding_[0] - model.embedding_[18])
    assert pytest.approx(6, abs=0.05) == D  # the west side of the block


def test_directions_that_nothing_compares_stay_apart():
    """East, north and up, and no way back: to suppose that up undoes east would fold the map."""
    actions = runs(("east", 5), ("north", 5), ("up", 5))
    _, _, model = fitted(actions, 3)
    assert model.inverses_ == {}
    steps = [model.embedding_[k + 1] - model.embedding_[k] for k in (0, 5, 10)]
    assert np.abs(np.array(steps) @ np.array(steps).T - np.eye(3)).max() < 0.3


def test_a_walk_in_space_keeps_its_three_dimensions():
    actions = runs(
        ("east", 3), ("north", 3), ("up", 3), ("west", 3), ("south", 3), ("down", 2), ("up", 1),
        ("north", 1), ("south", 2), ("east", 1), ("west", 2),
    )  # fmt: skip
    for n_components in (3, 4):
        P, _, model = fitted(actions, n_components)
        right = answers(model, P, actions)
        assert len(right) > 10
        assert all(right)


def test_one_step_aside_of_a_long_way_is_an_axis_of_its_own():
    """It holds a hundred-thousandth of the variance."""
    actions = runs(("east", 40), ("west", 20), ("north", 1))
    _, _, model = fitted(actions, 2)
    assert model.eigenvalues_[1] < 1e-3 * model.eigenvalues_[0]
    assert model.predict(20, "north") == 61
    assert model.predict(61, "north", return_distance=True)[1] > 0.5


def test_semidefinite_embedding_in_more_dimensions_than_the_data_have():
    x = np.linspace(0, 1, 60)
    X = np.column_stack([np.cos(3 * x), np.sin(3 * x), np.zeros(60)])
    one, four = (SemidefiniteEmbedding(k, n_neighbors=3).fit(X) for k in (1, 4))
    np.testing.assert_array_equal(four.embedding_[:, :1], one.embedding_)
    assert four.objective_ == one.objective_
    new = np.array([[np.cos(1.51), np.sin(1.51), 0.0]])
    np.testing.assert_allclose(four.transform(new)[:, 0], one.transform(new)[:, 0])
    np.testing.assert_allclose(four.inverse_transform(four.embedding_[5:6]), X[5:6], atol=0.05)
