"""A patch that moves over a picture."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight.datasets import image_walk, picture, texture, trajectory
from sidelight.datasets.walks import ACTIONS, TRAJECTORIES

_WORLD = texture((120, 150), random_state=3)


def test_a_step_to_the_right_sees_the_picture_shifted_by_the_step():
    walk = image_walk(_WORLD, ["right", "down"], patch_shape=(20, 30), amounts={"right": 7})
    x, y = walk.truth[0, :2]
    top, left = round(y - 9.5), round(x - 14.5)
    np.testing.assert_allclose(walk.images[0], _WORLD[top : top + 20, left : left + 30], atol=1e-6)
    shifted = _WORLD[top : top + 20, left + 7 : left + 37]
    np.testing.assert_allclose(walk.images[1], shifted, atol=1e-6)
    below = _WORLD[top + 5 : top + 25, left + 7 : left + 37]
    np.testing.assert_allclose(walk.images[2], below, atol=1e-6)


def test_whole_pixel_patches_are_exact():
    walk = image_walk(_WORLD, ["right"], patch_shape=(9, 9), start=(50, 40), amounts={"right": 3})
    np.testing.assert_array_equal(walk.images[0], _WORLD[36:45, 46:55])
    np.testing.assert_array_equal(walk.images[1], _WORLD[36:45, 49:58])


@pytest.mark.parametrize(
    ("there", "back"),
    [("right", "left"), ("up", "down"), ("rotate cw", "rotate ccw"), ("zoom in", "zoom out")],
)
def test_an_action_and_its_inverse_return_to_the_same_frame_exactly(there, back):
    # turned and zoomed first, so that steps are no whole numbers
    first = ["rotate cw", "zoom in", there, back, back, there]
    walk = image_walk(_WORLD, first, patch_shape=(16, 16), start="random", random_state=4)
    np.testing.assert_array_equal(walk.X[2], walk.X[4])
    np.testing.assert_array_equal(walk.X[2], walk.X[6])
    assert np.abs(walk.X[2] - walk.X[3]).max() > 0.01


def test_a_tilted_square_loop_closes_exactly():
    loop = ["rotate cw", *trajectory("loop")]
    walk = image_walk(texture((300, 300)), loop, patch_shape=(16, 16))
    np.testing.assert_array_equal(walk.X[1], walk.X[-1])


def test_sixteen_turns_make_a_full_circle():
    walk = image_walk(_WORLD, "rotate", patch_shape=(20, 20))
    np.testing.assert_array_equal(walk.X[0], walk.X[16])
    np.testing.assert_allclose(walk.images[4], np.rot90(walk.images[0], 1), atol=1e-9)
    assert walk.truth[16, 2] == 360.0


def test_eight_zooms_double_the_scale():
    walk = image_walk(_WORLD, ["zoom in"] * 8, patch_shape=(21, 21))
    assert walk.truth[-1, 3] == pytest.approx(np.log(2), abs=1e-6)
    # every second pixel of the magnified view is a pixel of the first view
    np.testing.assert_allclose(walk.images[-1][::2, ::2], walk.images[0][5:16, 5:16], atol=1e-4)


def test_steps_follow_the_angle_and_the_zoom():
    quarter = image_walk(_WORLD, ["rotate cw"] * 4 + ["right"], patch_shape=(16, 16))
    np.testing.assert_allclose(np.diff(quarter.truth[-2:, :2], axis=0), [[0.0, 4.0]], atol=1e-6)
    zoomed = image_walk(_WORLD, ["zoom in"] * 8 + ["right"], patch_shape=(16, 16))
    np.testing.assert_allclose(np.diff(zoomed.truth[-2:, :2], axis=0), [[2.0, 0.0]], atol=1e-5)


def test_the_letter_a_has_45_actions_and_passes_its_bar_twice():
    walk = image_walk("texture", "A")
    assert len(walk.extras["actions"]) == 45
    assert len(walk.X) == 46
    # the crossbar is walked to the left and back: its seven frames are seen twice, the
    # leftmost of them also when the left leg was climbed
    _, counts = np.unique(walk.X, axis=0, return_counts=True)
    assert sorted(counts)[-8:] == [2] * 8
    assert counts.sum() == 46


@pytest.mark.parametrize("name", TRAJECTORIES)
def test_ready_made_trajectories_fit_into_the_texture(name):
    walk = image_walk("texture", name)
    assert set(walk.extras["actions"]) <= set(ACTIONS)
    low = walk.truth[:, :2].min(axis=0) + walk.truth[:, :2].max(axis=0)
    if name != "zoom":  # patches of one size: the path itself is centred, to the pixel
        assert np.abs(low / 2 - [319.5, 239.5]).max() <= 1.0


def test_noise_and_random_start_follow_the_seed():
    walks = [
        image_walk(_WORLD, ["right"], patch_shape=(8, 8), start="random", noise=0.1, random_state=s)
        for s in (0, 0, 1)
    ]
    np.testing.assert_array_equal(walks[0].X, walks[1].X)
    assert np.abs(walks[0].truth - walks[2].truth).max() > 1


def test_pictures_are_grey_and_between_zero_and_one():
    world = picture("texture")
    assert (world.min(), world.max()) == (0.0, 1.0)
    np.testing.assert_array_equal(world, picture("texture"))
    pytest.importorskip("PIL")
    assert picture("china").shape == (427, 640)
    # white stays white: the weights of the colours sum to one
    assert picture("flower").max() <= 1.0 + 1e-12


def test_texture_has_neighbours_more_alike_than_strangers():
    world = texture((200, 200), random_state=1)
    near, far = ((world[:, k:] - world[:, :-k]).var() for k in (1, 50))
    assert near < 0.05 * far


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: image_walk(_WORLD, ["jump"]), r"'actions' parameter .* Got 'jump'"),
        (lambda: image_walk(_WORLD, "B"), r"no trajectory 'B'.*line"),
        (lambda: image_walk("lena"), r"no picture 'lena'.*texture"),
        (lambda: image_walk(np.zeros((9, 9, 3))), r"'picture' parameter .*\(9, 9, 3\)"),
        (lambda: image_walk(_WORLD, "line"), r"at least 32 × 352 .* has 120 × 150"),
        (lambda: image_walk(_WORLD, ["left"], start=(17, 60)), r"leaves the picture .* frame 1"),
        (lambda: image_walk(_WORLD, ["left"], start="top"), r"'start' parameter .* Got 'top'"),
        (lambda: image_walk(_WORLD, ["left"], amounts={"left": 0}), r"amounts\['left'\].* Got 0"),
        (lambda: image_walk(_WORLD, ["left"], amounts={"hop": 1}), r"'amounts' .* Got 'hop'"),
    ],
)
def test_impossible_walks_are_refused_with_the_reason(call, said):
    with pytest.raises(ValueError, match=said):
        call()
