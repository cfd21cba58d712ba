"""Action respecting embedding: paths that are known, optimality, prediction, planning, refusals."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.exceptions import NotFittedError

from sidelight import load, save
from sidelight.core.errors import (
    DisconnectedGraphError,
    DisconnectedGraphWarning,
)
from sidelight.datasets import image_walk
from sidelight.quality import procrustes
from sidelight.side import Actions
from sidelight.unfolding.actions import statement
from sidelight.unfolding.actions.action_respecting_embedding import ActionRespectingEmbedding
from sidelight.unfolding.actions.bounds import join_pieces
from sidelight.unfolding.actions.constraints import all_equalities
from sidelight.unfolding.actions.places import Places, find_places
from sidelight.unfolding.actions.runs import run_variance
from sidelight.unfolding.semidefinite.semidefinite_embedding import SemidefiniteEmbedding
from tests.unfolding.walks import SIDES, fitted, grid_positions, runs, wandering


def accuracy(model, actions):
    """All questions whose answer is a frame of the walk and was not seen, as in section 4.3.3."""
    places = [tuple(p) for p in grid_positions(actions)]
    seen = set(zip(places[:-1], actions, strict=True))
    right = asked = 0
    for row, place in enumerate(places):
        for action, move in SIDES.items():
            target = (place[0] + move[0], place[1] + move[1])
            if action in actions and target in places and (place, action) not in seen:
                asked += 1
                right += places[model.predict(row, action)] == target
    return right / asked


def test_a_straight_walk_is_a_line_of_equal_steps():
    actions = runs(("right", 15), ("left", 8))
    model, _ = fitted(actions, tol=1e-5)
    x = model.embedding_[:, 0]
    steps = np.diff(x)
    np.testing.assert_allclose(np.abs(steps), 1.0, atol=1e-3)
    assert np.abs(model.embedding_[:, 1]).max() < 0.05
    np.testing.assert_array_equal(x[15:], x[15:6:-1])
    # the scatter within runs of n + 1 points on a line is n(n + 1)(n + 2)/12
    assert model.objective_ == pytest.approx((15 * 16 * 17 + 8 * 9 * 10) / 12, rel=1e-4)
    assert model.inverses_ == {"left": "right", "right": "left"}
    assert accuracy(model, actions) == 1.0


def test_a_turning_walk_closes_a_regular_polygon():
    actions = runs(("rotate cw", 16), ("rotate ccw", 8))
    model, walk = fitted(actions, tol=1e-6)
    radius = 0.5 / np.sin(np.pi / 16)
    angles = np.radians(walk.truth[:, 2])
    polygon = radius * np.column_stack([np.cos(angles), np.sin(angles)])
    assert procrustes(model.embedding_, polygon).residual < 1e-2
    np.testing.assert_allclose(np.linalg.norm(np.diff(model.embedding_, axis=0), axis=1), 1, 1e-3)
    assert model.periods_ == {"rotate ccw": 16, "rotate cw": 16}
    assert model.inverses_ == {"rotate ccw": "rotate cw", "rotate cw": "rotate ccw"}
    assert model.predict(2, "rotate ccw") == 1
    turn = model.transformations_["rotate cw"].rotation
    assert np.degrees(np.arccos(np.trace(turn) / 2)) == pytest.approx(22.5, abs=0.1)


def test_a_rectangle_comes_back():
    actions = runs(("right", 6), ("up", 4), ("left", 6), ("down", 4))
    model, _ = fitted(actions, tol=1e-6)
    # nothing was retraced, so that no action is known to undo another: nearly right angles
    assert procrustes(model.embedding_, grid_positions(actions)).residual < 0.06
    assert accuracy(model, actions) == 1.0
    assert len(model.plan(0, 10)) == 10


def test_unequal_steps_are_found():
    actions = runs(("right", 16), ("left", 6))
    walk = image_walk("texture", actions, patch_shape=(16, 16), amounts={"left": 8.0})
    model = ActionRespectingEmbedding(1).fit(walk.X, side=Actions(actions))
    x = model.embedding_[:, 0]
    assert np.diff(x)[16:].mean() / np.diff(x)[:16].mean() == pytest.approx(-2.0, abs=1e-2)
    assert model.predict(10, "left") == 8


@pytest.mark.parametrize("picture", ["texture", "china"])
def test_the_letter_is_predicted_without_error(picture):
    actions = runs(("up", 12), ("right", 8), ("down", 12), ("up", 5), ("left", 8))
    model, _ = fitted(actions, picture=picture)
    assert accuracy(model, actions) == 1.0
    assert model.gap_ <= model.tol
    assert model.violation_ < 1e-5


def test_the_solution_is_that_of_a_general_solver():
    cp = pytest.importorskip("cvxpy")
    actions = runs(("up", 4), ("right", 3), ("down", 4), ("up", 2), ("left", 3))
    model, _ = fitted(actions, tol=1e-8)
    nodes, n = model.places_, int(model.places_.max()) + 1
    transitions = np.column_stack([np.arange(len(actions)), np.arange(1, len(actions) + 1)])
    kinds = np.unique(actions, return_inverse=True)[1]
    undone = {"up": "down", "down": "up"}  # left and right were taken in different places
    again = [t for t, action in enumerate(actions) if action in undone]
    both = np.vstack([transitions, transitions[again][:, ::-1]])
    labels = actions + [undone[actions[t]] for t in again]
    K = cp.Variable((n, n), PSD=True)

    def distance(pair):
        i, j = pair
        return K[i, i] - 2 * K[i, j] + K[j, j]

    constraints = [cp.sum(K) == 0]
    constraints += [distance(p) <= 1 for p in np.unique(nodes[transitions], axis=0)]
    before, after = all_equalities(nodes, both, labels)
    constraints += [distance(b) == distance(a) for b, a in zip(before, after, strict=True)]
    C = run_variance(nodes, transitions, kinds).matrix()
    problem = cp.Problem(cp.Maximize(cp.trace(C @ K)), constraints)
    expected = problem.solve(solver=cp.CLARABEL)
    assert model.n_constraints_ == len(before)
    assert model.objective_ == pytest.approx(expected, rel=1e-6)
    assert model.dual_bound_ == pytest.approx(expected, rel=1e-6)


def test_the_kernel_is_feasible_and_its_value_is_below_the_bound():
    actions = runs(("up", 6), ("right", 4), ("down", 3), ("left", 4))
    model, _ = fitted(actions, tol=1e-6)
    K = model.kernel()
    np.testing.assert_allclose(K.sum(axis=0), 0, atol=1e-6)
    assert np.linalg.eigvalsh(K)[0] > -1e-8
    D = np.add.outer(np.diag(K), np.diag(K)) - 2 * K
    steps = np.arange(len(actions))
    assert D[steps, steps + 1].max() <= 1 + 1e-6
    for i in steps:
        for j in steps:
            if actions[i] == actions[j]:
                assert D[i + 1, j + 1] == pytest.approx(D[i, j], abs=1e-4)
    assert model.objective_ <= model.dual_bound_ * (1 + 1e-9)


def test_few_constraints_give_the_same_optimum_as_all(monkeypatch):
    actions = wandering(70, 4, seed=3)
    whole, _ = fitted(actions, tol=1e-6)
    monkeypatch.setattr(statement, "_ALL_UP_TO", 0)
    reduced, _ = fitted(actions, tol=1e-6)
    assert reduced.objective_ == pytest.approx(whole.objective_, rel=1e-5)
    assert reduced.n_constraints_ == whole.n_constraints_
    assert reduced.violation_ < 1e-4
    assert accuracy(reduced, actions) == 1.0


def test_plans_lead_to_their_goals_in_the_world():
    actions = wandering(90, 4, seed=1)
    model, walk = fitted(actions)
    places = grid_positions(actions)
    rng = np.random.default_rng(0)
    for start, goal in rng.integers(0, len(places), (40, 2)):
        way = model.plan(int(start), int(goal))
        moves = sum((np.array(SIDES[a]) for a in way), np.zeros(2, dtype=int))
        np.testing.assert_array_equal(places[start] + moves, places[goal])
        assert len(way) == np.abs(places[goal] - places[start]).sum()  # no way is shorter
    assert model.plan(3, 3) == []
    seen = model.plan(0, walk.X[17])
    assert len(seen) == np.abs(places[17] - places[0]).sum()


def test_a_frame_is_located_with_or_without_noise():
    actions = runs(("right", 6), ("up", 4), ("left", 6), ("down", 4))
    model, walk = fitted(actions)
    rng = np.random.default_rng(0)
    noisy = walk.X + 0.03 * rng.standard_normal(walk.X.shape)
    np.testing.assert_array_equal(model.locate(noisy)[:20], np.arange(20))
    assert model.locate(walk.X[20]) == 0
    np.testing.assert_allclose(model.transform(walk.X), model.embedding_, atol=1e-12)


def test_noisy_frames_of_one_place_are_recognised():
    """Of 24 other draws 19 find all places and no more."""
    actions = runs(("up", 12), ("right", 8), ("down", 12), ("up", 5), ("left", 8))
    truth = np.unique(grid_positions(actions), axis=0, return_inverse=True)[1]
    right = []
    for seed in range(600, 604):
        model, _ = fitted(actions, noise=0.05, seed=seed)
        assert model.tolerance_ > 0
        assert accuracy(model, actions) > 0.9
        same = model.places_[:, None] == model.places_
        right.append(np.array_equal(same, truth[:, None] == truth))
    assert sum(right) >= 2


@pytest.mark.parametrize("noise", [0.03, 0.05])
def test_noise_without_a_return_merges_nothing(noise):
    """Of 40 other draws none loses a place, at either noise."""
    for seed in range(500, 504):
        model, walk = fitted(runs(("right", 12), ("up", 9)), noise=noise, seed=seed)
        assert len(np.unique(model.places_)) == len(walk.X)


def test_a_given_tolerance_is_taken():
    actions = runs(("right", 8), ("left", 5))
    model, walk = fitted(actions, noise=0.02, merge=0.55)
    assert model.tolerance_ == 0.55
    assert len(np.unique(model.places_)) == 9
    alone, _ = fitted(actions, merge=None)
    assert len(np.unique(alone.places_)) == len(walk.X)


def test_the_printed_algorithm_keeps_the_distances_of_neighbours():
    actions = runs(("right", 10), ("left", 5))
    model, walk = fitted(actions, objective="variance", tol=1e-6)
    K = model.kernel()
    assert np.trace(K) == pytest.approx(model.objective_, rel=1e-6)
    D = np.add.outer(np.diag(K), np.diag(K)) - 2 * K
    data = cdist(walk.X, walk.X) ** 2
    steps = np.arange(len(actions))
    assert np.all(D[steps, steps + 1] <= data[steps, steps + 1] * (1 + 1e-5) + 1e-6)
    for i in range(9):
        for j in range(9):
            assert D[i + 1, j + 1] == pytest.approx(D[i, j], abs=1e-4 * D.max())


def test_step_lengths_from_the_data():
    x = np.array([0.0, 1.0, 3.0, 4.0, 6.0])  # "on" is a step of one or two: 5/2 in the mean square
    model = ActionRespectingEmbedding(1, steps="data", tol=1e-6)
    with pytest.warns(UserWarning, match="steps='data' of Action.* changes nothing"):
        model.fit(np.column_stack([x, x * 0]), side=Actions(["on"] * 4))
    np.testing.assert_allclose(np.abs(np.diff(model.embedding_[:, 0])), 1.0, rtol=1e-3)
    x = np.array([0.0, 1.0, 3.0, 2.0, 4.0])
    tight = ActionRespectingEmbedding(1, steps="unit", tol=1e-6).fit(
        np.column_stack([x, x * 0]), side=Actions(["on"] * 4)
    )
    np.testing.assert_allclose(np.abs(np.diff(tight.embedding_[:, 0])), 1.0, rtol=1e-3)


def test_it_is_said_where_step_lengths_from_the_data_are_those_without():
    """A walk of equal steps; and one in which an action's steps, never in a row, differ."""
    labels = ["right", "up", "left", "up", "right", "up"]
    moves = {"right": [1.0, 0.0], "up": [0.0, 1.0], "left": [-1.0, 0.0]}
    even = np.vstack([[0.0, 0.0], np.cumsum([moves[label] for label in labels], axis=0)])
    told = {"side": Actions(labels, certain=True)}
    with pytest.warns(UserWarning, match="steps='data' of Action.* changes nothing.* Leave it out"):
        by_data = ActionRespectingEmbedding(steps="data").fit(even, **told)
    plain = ActionRespectingEmbedding().fit(even, **told)
    np.testing.assert_allclose(by_data.embedding_, plain.embedding_, atol=1e-6)
    uneven = even * [1.0, 1.3] ** np.arange(7.0)[:, None]
    by_data = ActionRespectingEmbedding(steps="data").fit(uneven, **told)
    plain = ActionRespectingEmbedding().fit(uneven, **told)
    assert np.abs(by_data.embedding_ - plain.embedding_).max() > 0.01


def test_episodes_that_meet_share_one_map():
    X = np.array([[0, 0], [1, 0], [2, 0], [1, 0], [1, 1], [1, 2]], dtype=float) ** 1.5
    labels = ["right", "right", "up", "up"]
    model = ActionRespectingEmbedding(tol=1e-6).fit(
        X, side=Actions(labels, episodes=[0, 0, 0, 1, 1, 1])
    )
    assert model.places_.tolist() == [0, 1, 2, 1, 3, 4]
    np.testing.assert_array_equal(model.embedding_[1], model.embedding_[3])
    np.testing.assert_allclose(
        np.linalg.norm(np.diff(model.embedding_[3:], axis=0), axis=1), 1, 1e-2
    )


def test_episodes_that_share_nothing_are_joined_with_a_warning():
    rng = np.random.default_rng(0)
    X = np.vstack(
        [np.cumsum(rng.random((5, 3)), axis=0), 50 + np.cumsum(rng.random((5, 3)), axis=0)]
    )
    side = Actions(["on"] * 8, episodes=[0] * 5 + [1] * 5)
    with pytest.warns(DisconnectedGraphWarning, match="2 pieces that share no place"):
        model = ActionRespectingEmbedding().fit(X, side=side)
    K = model.kernel()
    D = np.add.outer(np.diag(K), np.diag(K)) - 2 * K
    np.testing.assert_allclose(D[[0, 1, 2, 3, 5, 6], [1, 2, 3, 4, 6, 7]], 1.0, rtol=1e-2)
    assert D[:5, 5:].min() > 1
    with pytest.raises(DisconnectedGraphError, match="on_disconnected='connect'"):
        ActionRespectingEmbedding(on_disconnected="error").fit(X, side=side)


@pytest.mark.parametrize("unit", [1.0, 5e-8, 1e-9, 1e-12])
def test_walks_are_joined_where_they_are_nearest_in_any_unit(unit):
    """Three walks in a row, 0.1 and 5 apart: the outer two are not joined with each other."""
    walk = np.column_stack([np.zeros(3), np.arange(3.0)])
    X = unit * np.vstack([np.add(walk, [shift, 0]) for shift in (0.0, 0.1, 5.1)])
    D = cdist(X, X)
    places = Places(np.arange(9), np.empty((0, 3), dtype=int), np.empty(0, dtype=int), 0.0)
    edges = np.array([[0, 1], [1, 2], [3, 4], [4, 5], [6, 7], [7, 8]])
    with pytest.warns(DisconnectedGraphWarning):
        joins, squares = join_pieces(
            D, places, edges, unit=unit, on_disconnected="connect", who="walks"
        )
    assert sorted(map(tuple, np.sort(joins, axis=1).tolist())) == [(0, 3), (3, 6)]
    np.testing.assert_allclose(np.sort(squares), [0.1**2, 5.0**2])


def test_an_action_seen_once_is_a_translation():
    actions = [*runs(("right", 5)), "up"]
    model, _ = fitted(actions)
    once = model.transformations_["up"]
    np.testing.assert_allclose(once.rotation, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(
        once.translation, model.embedding_[6] - model.embedding_[5], atol=1e-12
    )


def test_without_actions_it_is_semidefinite_embedding():
    X = np.random.default_rng(0).standard_normal((40, 3))
    model = ActionRespectingEmbedding(n_neighbors=8).fit(X)
    plain = SemidefiniteEmbedding(n_neighbors=8).fit(X)
    np.testing.assert_array_equal(model.embedding_, plain.embedding_)
    np.testing.assert_array_equal(model.kernel(), plain.kernel())
    with pytest.raises(NotFittedError, match="fitted without actions"):
        model.predict(0, "left")
    with pytest.raises(NotFittedError, match="fitted without actions"):
        model.plan(0, 1)


def test_a_second_fit_forgets_the_actions():
    model, walk = fitted(runs(("right", 5), ("up", 3)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(walk.X)
    assert not hasattr(model, "predict")
    assert len(model.actions_) == 0


def test_precomputed_distances_will_do():
    actions = runs(("right", 6), ("up", 4), ("left", 6), ("down", 4))
    model, walk = fitted(actions)
    D = cdist(walk.X, walk.X)
    given = ActionRespectingEmbedding(metric="precomputed").fit(D, side=Actions(actions))
    np.testing.assert_allclose(given.embedding_, model.embedding_, atol=1e-6)
    assert given.locate(D[7]) == 7


def test_many_rows_are_predicted_at_once():
    actions = runs(("right", 6), ("up", 4), ("left", 6), ("down", 4))
    model, _ = fitted(actions)
    rows, far = model.predict(np.arange(6), "right", return_distance=True)
    assert rows.tolist() == [1, 2, 3, 4, 5, 6]
    assert far.max() < 0.05
    assert model.predict(6, "right", return_distance=True)[1] > 0.5  # no row shows it
    assert model.predict([1, 7], ["left", "down"]).tolist() == [0, 6]


@pytest.mark.parametrize(
    ("ask", "match"),
    [
        (lambda m: m.predict(0, "jump"), "no action jump. Its actions are: left, right"),
        (lambda m: m.predict(99, "left"), "'item' argument.*rows out of 0 … 8. Got 99"),
        (lambda m: m.plan(-1, 0), "'start' argument"),
    ],
)
def test_what_cannot_be_asked(ask, match):
    model, _ = fitted(runs(("right", 5), ("left", 3)))
    with pytest.raises(ValueError, match=match):
        ask(model)


def test_a_goal_that_no_action_leads_to():
    model, _ = fitted(["right"] * 6)
    with pytest.raises(ValueError, match="found no way from 4 to 0"):
        model.plan(4, 0)


@pytest.mark.parametrize(
    ("X", "labels", "match"),
    [
        (np.ones((6, 4)), ["on"] * 5, "Got 1 place"),
        (np.arange(12.0).reshape(6, 2), ["on"] * 6, "one label per transition, 5"),
        (np.full((4, 2), np.nan), ["on"] * 3, "NaN"),
        # "on" stays in the first place and leaves it: then all places are one
        ([[0.0, 0], [0, 0], [3, 1], [5, 2], [7, 7]], ["on"] * 4, "merge=None"),
    ],
    ids=["identical frames", "a label too many", "missing values", "contradiction"],
)
def test_refusals(X, labels, match):
    with pytest.raises(ValueError, match=match):
        ActionRespectingEmbedding().fit(X, side=Actions(labels))


def test_frames_far_from_zero_are_told_apart():
    actions = runs(("right", 4), ("up", 3), ("left", 2))
    walk = image_walk("texture", actions, patch_shape=(16, 16), start="centre")
    near, far = (
        ActionRespectingEmbedding().fit(walk.X + shift, side=Actions(actions))
        for shift in (0.0, 1e8)
    )
    np.testing.assert_array_equal(far.places_, near.places_)
    np.testing.assert_allclose(far.embedding_, near.embedding_, atol=1e-6)


def test_close_frames_of_few_numbers_are_not_taken_for_one_place():
    merged = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        path = np.cumsum(rng.standard_normal((40, 2)), axis=0)
        transitions = np.column_stack([np.arange(39), np.arange(1, 40)])
        kinds = np.unique(rng.integers(0, 3, 39), return_inverse=True)[1]
        found = find_places(cdist(path, path), transitions, kinds, n_features=2)
        merged += found.n_places < 40
    assert merged <= 1  # half of these walks lost places to chance


@pytest.mark.parametrize(
    ("ask", "complaint"),
    [
        (lambda m: m.predict(1, None), "no action None"),
        (lambda m: m.predict([1, 2, 3], ["left", "right"]), "Got 2 for 3 items"),
        (lambda m: m.plan(np.zeros((2, 256)), 1), "'start' argument .* one observation"),
    ],
)
def test_questions_of_the_wrong_form_are_refused_by_name(ask, complaint):
    model, _ = fitted(runs(("right", 4), ("left", 2)))
    with pytest.raises(ValueError, match=complaint):
        ask(model)


def test_steps_without_length_are_refused_where_frames_measure_them():
    frames, actions = np.ones((9, 5)), Actions(["right"] * 4 + ["up"] * 4)
    model = ActionRespectingEmbedding(steps="data", merge=None)
    with pytest.raises(ValueError, match="steps='data' of ActionRespecting.*all 8 steps.*'unit'"):
        model.fit(frames, side=actions)
    unit = model.set_params(steps="unit").fit(frames, side=actions)
    steps = np.linalg.norm(np.diff(unit.embedding_, axis=0), axis=1)
    np.testing.assert_allclose(steps, 1.0, atol=1e-2)


@pytest.mark.parametrize(
    ("parameters", "acts"),
    [
        ({"window": 2}, True),
        ({"steps": "data", "objective": "variance"}, True),
        ({"objective": "variance"}, False),
        ({"merge": None}, False),
        ({"steps": "data"}, False),
    ],
)
def test_a_parameter_that_would_do_nothing_is_refused(parameters, acts):
    X = np.random.default_rng(0).standard_normal((12, 3))
    side = Actions(["on"] * 11) if acts else None
    name = next(iter(parameters))
    with pytest.raises(ValueError, match=f"'{name}' parameter of Action.* has no effect with"):
        ActionRespectingEmbedding(**parameters).fit(X, side=side)


@pytest.mark.parametrize("scale", [1e-60, 1e60])
def test_the_unit_of_the_frames_does_not_matter(scale):
    X = np.random.default_rng(0).standard_normal((24, 3))
    side = Actions(["a", "b", "b"] * 7 + ["a", "a"], certain=True)
    for parameters in ({}, {"steps": "data"}):
        one, other = (
            ActionRespectingEmbedding(**parameters).fit(x, side=side) for x in (X, scale * X)
        )
        np.testing.assert_allclose(other.embedding_, one.embedding_, atol=1e-6)
    with pytest.raises(ValueError, match="ActionRespectingEmbedding cannot use X: its entries"):
        ActionRespectingEmbedding().fit(X * scale**3, side=side)


def test_rows_are_asked_for_by_the_names_of_the_frame(tmp_path):
    frames = np.random.default_rng(0).random((9, 4))
    days = pd.date_range("2026-01-01", periods=9)
    names = [f"at {i}" for i in range(9)]
    told = Actions(["on"] * 8)
    plain = ActionRespectingEmbedding(1, merge=None).fit(frames, side=told)
    for index, asked in ((names, names), (days, list(days)), (days, [str(day) for day in days])):
        table = pd.DataFrame(frames, index=index, columns=list("abcd"))
        model = ActionRespectingEmbedding(1, merge=None).fit(table, side=told)
        save(model, tmp_path / "walk.sidelight")
        for asking in (model, load(tmp_path / "walk.sidelight")):
            assert asking.predict(asked[2], "on") == plain.predict(2, "on") == 3
            # as many names as columns are no frame
            assert_array_equal(asking.predict(asked[:4], "on"), [1, 2, 3, 4])
            assert asking.plan(asked[1], asked[4]) == plain.plan(1, 4)
            assert asking.plan(1, asked[4]) == plain.plan(1, 4)
            assert asking.locate(asked[5]) == plain.locate(frames[5]) == 5
        with pytest.raises(ValueError, match="'item' argument.* names 'nobody', and no row"):
            model.predict("nobody", "on")
        with pytest.raises(ValueError, match=r"rows out of 0 … 8, or their names \("):
            model.predict(9, "on")
