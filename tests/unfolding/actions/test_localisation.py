"""Frames that were not in the fit: where they are, where actions lead from them, and walks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LinearRegression

from sidelight import ActionRespectingEmbedding
from sidelight.datasets import image_walk
from sidelight.side import Actions, Anchors
from sidelight.unfolding.actions.moving.localisation import (
    FilterSettings,
    _running_level,
    follow,
    frame_likelihoods,
    imagined_places,
    transition_matrix,
)
from sidelight.unfolding.actions.moving.rigid_motions import RigidActions
from tests.unfolding.walks import fitted, runs

LOOP = runs(("right", 6), ("up", 4), ("left", 6), ("down", 4))


def test_frames_are_predicted_like_the_rows_that_show_them():
    model, walk = fitted(LOOP)
    rows = np.arange(20)
    for action in ("right", "up"):
        by_row = model.predict(rows, action, return_distance=True)
        by_frame = model.predict(walk.X[rows], action, return_distance=True)
        assert_array_equal(by_frame[0], by_row[0])
        assert_allclose(by_frame[1], by_row[1], atol=1e-9)
    assert model.predict(walk.X[3], "right") == model.predict(3, "right") == 4
    noisy = walk.X + 0.03 * np.random.default_rng(0).standard_normal(walk.X.shape)
    assert_array_equal(model.predict(noisy[:6], "right"), np.arange(1, 7))
    assert model.predict(noisy[:2], ["right", "left"]).tolist() == [1, 0]


def test_a_frame_between_two_is_moved_from_between_them():
    """In a map of translations: half way between rows 2 and 3, and one step on."""
    model, walk = fitted(runs(("right", 8), ("left", 3)))
    half = 0.5 * (walk.X[2] + walk.X[3])
    place = model.transform(half[None])
    between = 0.5 * (model.embedding_[2] + model.embedding_[3])
    step = np.linalg.norm(model.embedding_[3] - model.embedding_[2])
    assert np.linalg.norm(place[0] - between) < 0.5 * step
    row, far = model.predict(half, "right", return_distance=True)
    assert row in (3, 4)
    led = place[0] + model.transformations_["right"].translation
    assert far == pytest.approx(np.linalg.norm(led - model.embedding_[row]), abs=1e-6)


def test_frames_of_another_size_are_refused():
    model, walk = fitted(runs(("right", 5), ("left", 3)))
    with pytest.raises(ValueError, match="features"):
        model.predict(walk.X[:2, :-1], "right")
    with pytest.raises(ValueError, match="Got 3 for 2 items"):
        model.predict(walk.X[:2], ["right", "left", "left"])


def test_a_frame_of_whole_numbers_is_a_frame_to_all_who_are_asked():
    """Pixels in bytes, as a camera gives them: 256 of them, and not as many rows."""
    actions = runs(("right", 6), ("left", 2))
    walk = image_walk("texture", actions, patch_shape=(16, 16), start="centre")
    low, high = walk.X.min(), walk.X.max()
    bytes_of = np.round(255 * (walk.X - low) / (high - low)).astype(np.uint8)
    model = ActionRespectingEmbedding().fit(bytes_of, side=Actions(actions))
    for frame in (bytes_of[3], bytes_of[3].astype(int), bytes_of[3].astype(float)):
        assert model.locate(frame) == 3
        assert model.plan(frame, 5) == model.plan(3, 5) == ["right", "right"]
        assert model.predict(frame, "right") == 4
        assert model.predict(frame[None], "right").tolist() == [4]
    assert model.predict([3, 4], "right").tolist() == [4, 5]


def test_whole_numbers_that_may_be_a_frame_or_rows_are_refused():
    places = np.cumsum([[0, 0]] + [[1, 0]] * 5 + [[0, 1]] * 3, axis=0)
    model = ActionRespectingEmbedding(merge=None)
    model.fit(places, side=Actions(runs(("right", 5), ("up", 3))))
    with pytest.raises(ValueError, match=r"'item' .* ActionRespectingEmbedding.predict .* either"):
        model.predict([2, 0], "right")
    assert model.predict([[2, 0]], "right").tolist() == [3]
    assert model.predict([2.0, 0.0], "right") == model.predict(2, "right") == 3
    assert model.predict([0, 1, 2], "right").tolist() == [1, 2, 3]
    far = model.predict([900, 0], "right")  # no row 900: a frame, beyond the last
    assert far == model.predict([[900, 0]], "right")[0]


def naive_filter(seen, moves, kinds):
    """Sums over all pairs of places, one by one."""
    n = len(seen[0])
    belief = [seen[0][z] / sum(seen[0]) for z in range(n)]
    told = [belief]
    for t, kind in enumerate(kinds):
        expected = [sum(belief[y] * moves[kind][y, z] for y in range(n)) for z in range(n)]
        missing = 1 - sum(expected)
        expected = [each + missing / n for each in expected]
        weighed = [expected[z] * seen[t + 1][z] for z in range(n)]
        belief = [each / sum(weighed) for each in weighed]
        told.append(belief)
    return np.array(told)


def test_where_an_action_leads_is_within_three_deviations_or_anywhere():
    """From 0 to 1, where places are 0.2 and 0.29 away, and from 5 to 6, where one is 0.31 away."""
    on = RigidActions(np.eye(1)[None], np.ones((1, 1)), np.zeros(1))
    places = np.array([[0.0], [1.2], [0.71], [5.0], [6.31]])
    moves = transition_matrix(on, 0, places, spread=0.1, lost=0.04).toarray()
    weights = np.exp([-(2.0**2) / 2, -(2.9**2) / 2])
    assert_allclose(moves[0], [0, *(0.96 * weights / weights.sum()), 0, 0], atol=1e-12)
    assert not moves[3].any()


@pytest.mark.parametrize("seed", range(3))
def test_the_filter_is_bayes_rule_place_by_place(seed):
    rng = np.random.default_rng(seed)
    moves = [0.9 * rng.dirichlet(np.ones(6), 6) for _ in range(2)]
    seen, kinds = rng.random((8, 6)), rng.integers(0, 2, 7)
    found = follow(seen, [sp.csr_array(each) for each in moves], kinds)
    assert_allclose(found, naive_filter(seen, moves, kinds), rtol=1e-9)
    assert_allclose(found.sum(axis=1), 1)


def two_alike():
    """A corridor of nine places, of which 2 and 6 look exactly alike."""
    frames = np.random.default_rng(0).random((9, 30))
    frames[6] = frames[2] + 1e-3
    actions = ["on"] * 8
    return ActionRespectingEmbedding(1, merge=None).fit(frames, side=Actions(actions)), frames


def test_places_that_look_alike_are_told_apart_by_the_way_there():
    model, frames = two_alike()
    rng = np.random.default_rng(1)
    for way in ([1, 2, 3], [5, 6, 7]):
        seen = frames[way] + 0.02 * rng.standard_normal((3, 30))
        seen[1] = 0.5 * (frames[2] + frames[6])  # says nothing of which of the two
        track = model.track(seen, ["on", "on"])
        assert track.rows.tolist() == way
        assert track.probabilities[1] > 0.9
    # alone it is a matter of chance
    assert model.track(0.5 * (frames[2:3] + frames[6:7]), []).probabilities[0] < 0.6


@pytest.mark.parametrize("seed", range(4))
def test_steps_that_miss_their_places_a_little_lead_there_all_the_same(seed):
    """By up to half of what is told apart, as in a map that is no exact lattice."""
    model, frames = two_alike()
    motions = model._motions
    by = np.random.default_rng(seed).uniform(-0.5, 0.5, motions.places.shape)
    model._motions = replace(motions, places=motions.places + motions.tolerance * by)
    for way in ([1, 2, 3], [5, 6, 7]):
        seen = frames[way]
        seen[1] = 0.5 * (frames[2] + frames[6])
        track = model.track(seen, ["on", "on"])
        assert track.rows.tolist() == way
        assert track.probabilities[1] > 0.9


def test_shuffled_actions_leave_it_less_sure():
    model, frames = two_alike()
    wandering = fitted(LOOP)
    right = wandering[0].track(wandering[1].X, LOOP)
    wrong = wandering[0].track(wandering[1].X, LOOP[::-1])
    assert_array_equal(wandering[0].places_[right.rows], wandering[0].places_)
    assert right.probabilities.mean() > wrong.probabilities.mean() + 0.05
    with pytest.raises(ValueError, match="one action less than there are frames, 8. Got 9"):
        model.track(frames, ["on"] * 9)


def test_it_is_known_where_one_is_where_nobody_was():
    """Blindfold round the corner of a square that the walk never turned."""
    model, walk = fitted(runs(("right", 4), ("left", 4), ("up", 4)))
    blind = np.random.default_rng(2).random((5, walk.X.shape[1]))
    frames = np.vstack([walk.X[[0, 1, 2]], blind[:2]])
    track = model.track(frames, ["right", "right", "up", "up"])
    moves = {name: each.translation for name, each in model.transformations_.items()}
    expected = model.embedding_[2] + 2 * moves["up"]
    assert np.linalg.norm(track.places[-1] - expected) < 0.3


def test_what_comes_later_changes_nothing_of_what_was_said(on_a_grid):
    """The level of noise was a quantile over all frames, those to come among them."""
    model, X, actions, _, _ = on_a_grid
    frames = X[:30] + 0.1 * np.random.default_rng(7).standard_normal((30, 5))
    frames[20:] *= 3.0  # what is seen later is another thing
    whole = model.track(frames, actions[:29])
    for t in (1, 5, 20):
        until = model.track(frames[:t], actions[: t - 1])
        assert_array_equal(until.rows, whole.rows[:t])
        assert_allclose(until.places, whole.places[:t])
        assert_allclose(until.probabilities, whole.probabilities[:t])


def test_the_level_of_noise_so_far_is_that_of_all_in_the_end():
    noise = 0.7 * np.random.default_rng(0).chisquare(12, 4000) / 12
    level = _running_level(noise, 12, 0.05)
    assert level[-1] == pytest.approx(0.7, rel=0.05)
    first = [
        _running_level(np.random.default_rng(seed).chisquare(12, 3) / 12, 12, 0.05)
        for seed in range(200)
    ]
    assert_allclose(np.median(first, axis=0), 1, atol=0.12)


def test_places_are_those_of_the_map_that_anchors_brought():
    """They were of the method's own map, whatever the anchors said."""
    positions = {0: (10.0, 20.0), 6: (34.0, 20.0), 10: (34.0, 36.0)}
    where = Anchors(list(positions), list(positions.values()))
    plain, walk = fitted(LOOP)
    model = ActionRespectingEmbedding().fit(walk.X, side=[Actions(LOOP), where])
    track = model.track(walk.X, LOOP)
    assert_array_equal(track.rows, plain.track(walk.X, LOOP).rows)
    step = np.linalg.norm(model.embedding_[1] - model.embedding_[0])
    assert step > 3  # four times as large as the plain map
    assert_allclose(track.places, model.embedding_, atol=0.1 * step)


def test_it_finds_its_way_back_from_being_carried_off():
    model, walk = fitted(runs(("right", 12), ("left", 4)))
    frames = walk.X[[0, 1, 2, 9, 10, 11]]
    track = model.track(frames, ["right"] * 5)
    assert track.rows.tolist() == [0, 1, 2, 9, 10, 11]


def test_imagined_places_are_a_lattice_within_a_step():
    moves = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    sides = RigidActions(np.tile(np.eye(2), (4, 1, 1)), moves, np.zeros(4))
    Z = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 1.0]])
    found = imagined_places(sides, Z, tolerance=0.25, step=1.0, most=1000)
    assert {tuple(each) for each in found.round(6).tolist()} == {
        (float(x), float(y)) for x in range(-1, 4) for y in range(-1, 3)
    }
    assert len(imagined_places(sides, Z, tolerance=0.25, step=1.0, most=6)) == 6


@pytest.fixture(scope="module")
def on_a_grid():
    """A walk on a grid of nine by nine, what it sees, and from the map back to the grid."""
    rng, moves = np.random.default_rng(5), {"L": (-1, 0), "R": (1, 0), "U": (0, 1), "D": (0, -1)}
    places, actions = [np.zeros(2)], []
    while len(places) < 90:
        action = str(rng.choice(list("LRUD")))
        there = places[-1] + moves[action]
        if np.abs(there).max() <= 4:
            places.append(there)
            actions.append(action)
    P = np.array(places)
    a, b = P.T
    X = np.c_[np.sin(a / 4), np.cos(a / 4), np.sin(b / 4), np.cos(b / 4), a * b / 40]
    model = ActionRespectingEmbedding(2).fit(X, side=Actions(actions))
    back = LinearRegression().fit(model.embedding_, P)
    return model, X, actions, P, back


@pytest.mark.parametrize("noise", [0.02, 0.05, 0.1, 0.15, 0.25])
def test_noisy_frames_do_not_lead_off_the_map(on_a_grid, noise):
    """Places that were never visited won where all frames were farther than a step: off by 4."""
    model, X, actions, P, back = on_a_grid
    for draw in range(5):
        rng = np.random.default_rng(100 + draw)
        frames = X[:25] + noise * rng.standard_normal((25, 5))
        off, alone = (
            np.linalg.norm(back.predict(Z) - P[:25], axis=1).mean()
            for Z in (model.track(frames, actions[:24]).places, model.transform(frames))
        )
        assert off < 0.6 * alone + 1e-3


def test_what_is_callable_says_what_it_does(on_a_grid):
    assert "argmin" in on_a_grid[0].predict.__doc__


@pytest.mark.parametrize("n_known", [16, 4])
def test_frames_farther_than_noise_were_seen_where_nobody_was(n_known):
    """However many of them there are: noise is told by the quietest."""
    places, known = np.arange(4.0)[:, None], np.arange(20) < n_known
    squares = np.full((20, 3), 4.0)
    squares[:, 0] = np.where(known, 0.02, 3.0)
    found = frame_likelihoods(squares, 60, places, settings=FilterSettings()).argmax(axis=1)
    assert_array_equal(found == 3, ~known)


@pytest.mark.parametrize(("share", "elsewhere"), [(0.9, False), (1.1, True)])
def test_a_frame_is_elsewhere_beyond_three_deviations_of_the_noise(share, elsewhere):
    """The level is that of forty frames that are alike, and the place adds its half."""
    places, p = np.arange(3.0)[:, None], 60
    squares = np.tile([0.3, 4.0], (40, 1))
    level = _running_level(squares[:, 0] * p / (p - 1), p - 1, 0.05)[-1]
    squares[-1, 0] = share * (0.5 + level * (1 + 3 * np.sqrt(2 / p)))
    found = frame_likelihoods(squares, p, places, settings=FilterSettings()).argmax(axis=1)
    assert (found[:-1] == 0).all()
    assert found[-1] == (2 if elsewhere else 0)


def test_it_finds_its_way_back_from_a_small_slip_by_the_third_frame():
    """Where only rounding leaves another explanation a chance, it never does."""
    model, walk = fitted(runs(("right", 12), ("left", 4)))
    for slip in (2, 3):
        rows = np.array([0, 1, 2, 3 + slip, 4 + slip, 5 + slip])
        assert model.track(walk.X[rows], ["right"] * 5).rows[-1] == rows[-1]
