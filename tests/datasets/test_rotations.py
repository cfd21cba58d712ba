"""One image turned through the circle."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight.datasets import rotated_image

_IMAGE = np.random.default_rng(0).uniform(size=(9, 9))


def test_frame_zero_is_the_image_itself():
    np.testing.assert_array_equal(rotated_image(_IMAGE, 7).images[0], _IMAGE)


@pytest.mark.parametrize("side", [8, 9])
def test_right_angles_are_exact_quarter_turns(side):
    image = _IMAGE[:side, :side]
    frames = rotated_image(image, 4).images
    for quarters, frame in enumerate(frames):
        np.testing.assert_allclose(frame, np.rot90(image, quarters), atol=1e-12)


def test_four_quarter_turns_one_after_another_return_to_the_image():
    image = _IMAGE
    for _ in range(4):
        image = rotated_image(image, 4).images[1]
    np.testing.assert_allclose(image, _IMAGE, atol=1e-12)


def test_a_dot_travels_counter_clockwise_by_the_stated_angle():
    image = np.zeros((41, 41))
    image[20, 35] = 1.0  # 15 pixels to the right of the centre
    turned = rotated_image(image, 12)
    row, column = np.indices(image.shape) - 20
    for frame, angle in zip(turned.images, turned.truth[:, 0], strict=True):
        x, y = (frame * column).sum() / frame.sum(), -(frame * row).sum() / frame.sum()
        # the centre of mass of the interpolated dot is off by a fraction of a pixel
        assert (
            np.hypot(x - 15 * np.cos(np.radians(angle)), y - 15 * np.sin(np.radians(angle))) < 0.5
        )


def test_beyond_the_border_is_the_median_of_the_border_or_what_is_asked_for():
    white = np.ones((10, 10))
    white[4:6, 4:6] = 0.0
    assert rotated_image(white, 8).images[1][0, 0] == 1.0
    assert rotated_image(white, 8, fill=0.25).images[1][0, 0] == 0.25


def test_an_image_that_is_not_square_keeps_its_shape():
    turned = rotated_image(_IMAGE[:5], 2)
    assert turned.image_shape == (5, 9)
    np.testing.assert_allclose(turned.images[1], np.rot90(_IMAGE[:5], 2), atol=1e-12)


def test_a_colour_image_is_refused():
    with pytest.raises(ValueError, match=r"'image' parameter of rotated_image .*\(4, 4, 3\)"):
        rotated_image(np.zeros((4, 4, 3)))


def test_no_rotation_at_all_is_refused():
    with pytest.raises(ValueError, match=r"'n_rotations' parameter of rotated_image .* Got 0"):
        rotated_image(_IMAGE, 0)
