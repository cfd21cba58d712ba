"""Actions learned in maps that know nothing of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import sidelight
from sidelight.side import Actions
from sidelight.unfolding.actions.moving import LearnedActions, learn_actions
from sidelight.unfolding.actions.moving.prediction import agreeing_places


def turned(n, *, angle=0.3, growth=1.0, offset=(2.0, -1.0)):
    M = growth * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    Z = [np.array([1.0, 0.5])]
    for _ in range(n - 1):
        Z.append(M @ Z[-1] + offset)
    return np.array(Z), M, np.array(offset)


def test_it_is_public():
    assert sidelight.learn_actions is learn_actions


def test_a_planted_affine_map_is_found_and_a_rigid_one_by_both():
    for growth, kinds in ((1.1, ["linear"]), (1.0, ["linear", "rigid"])):
        Z, M, t = turned(9, growth=growth)
        for kind in kinds:
            found = learn_actions(Z, Actions(["on"] * 8), kind=kind)
            assert isinstance(found, LearnedActions)
            assert_allclose(found.transformations["on"].rotation, M, atol=1e-10)
            assert_allclose(found.transformations["on"].translation, t, atol=1e-9)
            assert_allclose(found.move(Z[:-1], "on"), Z[1:], atol=1e-9)
            assert_allclose(found.residuals, 0, atol=1e-9)
            assert found.predict(np.arange(8), "on").tolist() == list(range(1, 9))


def test_it_is_the_regression_of_each_action_by_itself():
    rng = np.random.default_rng(0)
    Z, labels = rng.standard_normal((40, 2)), rng.choice(["a", "b"], 39)
    found = learn_actions(Z, Actions(labels), kind="linear")
    design = np.column_stack([Z, np.ones(40)])
    for action in ("a", "b"):
        at = np.flatnonzero(labels == action)
        normal = design[at].T @ design[at]
        expected = design @ np.linalg.solve(normal, design[at].T @ Z[at + 1])
        assert_allclose(found.move(Z, action), expected, atol=1e-9)
        nearest = [np.argmin(((place - Z) ** 2).sum(axis=1)) for place in expected]
        assert_array_equal(found.predict(np.arange(40), action), nearest)


def test_by_distances_it_is_the_formula_of_the_text():
    rng = np.random.default_rng(1)
    Z, labels = rng.standard_normal((30, 2)), rng.choice(["a", "b"], 29)
    found = learn_actions(Z, Actions(labels), kind="distances")
    at = np.flatnonzero(labels == "b")
    assert_array_equal(found.predict(np.arange(30), "b"), agreeing_places(Z, at, at + 1, Z)[0])


def test_steps_across_episodes_count_for_nothing():
    Z, M, _ = turned(6)
    both = np.vstack([Z, Z + 50.0])
    found = learn_actions(both[:6], Actions(["on"] * 5), kind="linear")
    joined = learn_actions(
        np.vstack([Z, Z]), Actions(["on"] * 10, episodes=[0] * 6 + [1] * 6), kind="linear"
    )
    assert_allclose(joined.transformations["on"].rotation, M, atol=1e-9)
    assert found.predict(0, "on") == 1


@pytest.mark.parametrize(
    ("ask", "match"),
    [
        (lambda: learn_actions(np.ones(4), Actions(["a"] * 3)), "'Z' argument of learn_actions"),
        (lambda: learn_actions(np.eye(4), Actions(["a"] * 3), kind="bent"), "Got 'bent'"),
        (lambda: learn_actions(np.eye(4), Actions(["a"] * 5)), "one label per transition, 3"),
        (lambda: learn_actions(np.eye(4), Actions(["a"] * 3)).predict(9, "a"), "out of 0 … 3"),
        (lambda: learn_actions(np.eye(4), Actions(["a"] * 3)).move(np.eye(4), "b"), "no action b"),
    ],
)
def test_what_cannot_be_asked(ask, match):
    with pytest.raises(ValueError, match=match):
        ask()


def test_what_is_no_map_or_no_actions_is_told_by_name():
    with pytest.raises(ValueError, match=r"'actions' argument of learn_actions.*Got list.*Actions"):
        learn_actions(np.zeros((5, 2)), ["on"] * 4)
    with pytest.raises(ValueError, match="'Z' argument of learn_actions must be a map.* Got str"):
        learn_actions("abc", Actions(["on"] * 2))


def test_rows_of_a_frame_are_asked_for_by_name():
    Z, _, _ = turned(6)
    table = pd.DataFrame(Z, index=list("uvwxyz"))
    learned = learn_actions(table, Actions(["on"] * 5))
    assert learned.predict("w", "on") == 3
    assert_array_equal(learned.predict(["u", "v"], "on"), [1, 2])
