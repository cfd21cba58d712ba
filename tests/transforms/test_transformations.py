"""Transformations: at rest nothing moves, tangents are derivatives, scikit-image moves alike."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight.transforms import (
    Affine,
    Bilinear,
    LocalFilter,
    Rotation,
    Scaling,
    Shift,
    TimeScaling,
    TimeShift,
    Transformation,
    best_parameters,
)

SHAPE = (11, 8)
IMAGES = [
    Shift(),
    Shift(direction="horizontal"),
    Shift(direction="vertical", beyond="wrap"),
    Rotation(),
    Rotation(beyond="zero"),
    Scaling(),
    Affine(beyond="zero"),
    LocalFilter(),
    LocalFilter(5, beyond="wrap"),
]
SIGNALS = [TimeShift(), TimeShift(beyond="wrap"), TimeScaling()]
ALL = [(one, SHAPE) for one in IMAGES] + [(one, None) for one in SIGNALS]


@pytest.fixture
def rows(rng):
    return rng.random((4, SHAPE[0] * SHAPE[1]))


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.mark.parametrize(("transformation", "shape"), ALL, ids=repr)
class TestEveryTransformation:
    def test_is_one(self, transformation, shape):
        assert isinstance(transformation, Transformation)

    def test_at_rest_nothing_changes(self, transformation, shape, rows):
        assert np.array_equal(transformation.apply(rows, transformation.identity(), shape), rows)

    def test_tangents_are_derivatives_at_rest(self, transformation, shape, rows):
        rest, step = transformation.identity(), 1e-6
        by_differences = np.stack(
            [
                transformation.apply(rows, rest + step * way, shape)
                - transformation.apply(rows, rest - step * way, shape)
                for way in np.eye(len(rest))
            ],
            axis=1,
        )
        tangents = transformation.tangents(rows, shape)
        assert tangents.shape == (len(rows), len(rest), rows.shape[1])
        assert np.abs(tangents - by_differences / (2 * step)).max() < 1e-4

    def test_one_theta_for_each_row_is_each_row_by_its_own(self, transformation, shape, rows, rng):
        rest = transformation.identity()
        theta = rest + 0.1 * rng.standard_normal((len(rows), len(rest)))
        together = transformation.apply(rows, theta, shape)
        alone = [
            transformation.apply(row, one, shape)[0] for row, one in zip(rows, theta, strict=True)
        ]
        assert np.allclose(together, alone, atol=1e-13)

    def test_theta_of_another_length_is_refused(self, transformation, shape, rows):
        with pytest.raises(ValueError, match="'theta' argument"):
            transformation.apply(rows, np.zeros(29), shape)

    def test_channels_move_together(self, transformation, shape, rows, rng):
        rest = transformation.identity()
        theta = rest + 0.1 * rng.standard_normal(len(rest))
        colours = np.stack([rows, 2 * rows], axis=2).reshape(len(rows), -1)
        shape_of_colours = (*(shape or (rows.shape[1],)), 2)
        moved = transformation.apply(colours, theta, shape_of_colours)
        one = transformation.apply(rows, theta, shape)
        assert np.allclose(moved.reshape(len(rows), -1, 2), np.stack([one, 2 * one], axis=2))


@pytest.mark.parametrize(
    ("beyond", "mode"), [("zero", "constant"), ("edge", "edge"), ("wrap", "wrap")]
)
def test_interpolation_is_that_of_scikit_image(rows, beyond, mode):
    transform = pytest.importorskip("skimage.transform")
    pictures, moved = rows.reshape(-1, *SHAPE), transform.AffineTransform(translation=(1.3, -2.6))
    ours = Shift(beyond=beyond).apply(rows, [-2.6, 1.3], SHAPE).reshape(-1, *SHAPE)
    theirs = [transform.warp(one, moved.inverse, order=1, mode=mode) for one in pictures]
    assert np.abs(ours - theirs).max() < 1e-13
    if beyond == "wrap":
        return  # scikit-image wraps with another period where it turns
    ours = Rotation(beyond=beyond).apply(rows, [17.0], SHAPE).reshape(-1, *SHAPE)
    theirs = [transform.rotate(one, 17.0, order=1, mode=mode) for one in pictures]
    assert np.abs(ours - theirs).max() < 1e-13


def test_affine_motions_are_those_of_scikit_image(rows):
    transform = pytest.importorskip("skimage.transform")
    matrix, shift = np.array([[1.1, 0.2], [-0.1, 0.9]]), np.array([0.4, -1.2])
    middle = (np.array(SHAPE) - 1) / 2
    full = np.eye(3)  # scikit-image counts (column, row)
    full[:2, :2] = matrix[::-1, ::-1]
    full[:2, 2] = (middle - matrix @ middle + shift)[::-1]
    theirs = transform.warp(
        rows[0].reshape(SHAPE), transform.AffineTransform(full).inverse, order=1, mode="constant"
    )
    ours = Affine(beyond="zero").apply(rows, [*matrix.ravel(), *shift], SHAPE)[0]
    assert np.abs(ours.reshape(SHAPE) - theirs).max() < 1e-13


def test_rotation_and_scaling_are_affine(rows):
    angle = np.deg2rad(10.0)
    turn = [np.cos(angle), -np.sin(angle), np.sin(angle), np.cos(angle), 0, 0]
    affine = Affine()
    assert np.allclose(Rotation().apply(rows, [10.0], SHAPE), affine.apply(rows, turn, SHAPE))
    wider = [1.3, 0, 0, 1.3, 0, 0]
    assert np.allclose(Scaling().apply(rows, [1.3], SHAPE), affine.apply(rows, wider, SHAPE))


def test_whole_shifts_are_rolls(rows):
    shifted = Shift(beyond="wrap").apply(rows, [2.0, -1.0], SHAPE).reshape(-1, *SHAPE)
    assert np.array_equal(shifted, np.roll(rows.reshape(-1, *SHAPE), (2, -1), axis=(1, 2)))


@pytest.mark.parametrize("side", [28, 100])
def test_a_dot_is_seen_three_hundredths_of_the_shorter_side_wide(side):
    """Its standard deviation along either axis: 0.84 pixels of 28."""
    picture = np.zeros((side, side + 12))
    middle = side // 2
    picture[middle, middle] = 1.0
    seen = Shift().seen(picture.reshape(1, -1), picture.shape).reshape(picture.shape)
    assert seen.sum() == pytest.approx(1.0)
    for axis in (0, 1):
        away = np.arange(picture.shape[axis]) - middle
        assert np.sqrt(seen.sum(axis=1 - axis) @ away**2) == pytest.approx(0.03 * side, rel=0.02)
    assert np.array_equal(Shift(smoothing=0).seen(seen.reshape(1, -1), seen.shape)[0], seen.ravel())


def test_a_singular_motion_is_refused(rows):
    with pytest.raises(ValueError, match="singular"):
        Scaling().apply(rows, [0.0], SHAPE)


class TestLocalFilter:
    def test_is_bilinear(self, rows, rng):
        local = LocalFilter()
        assert isinstance(local, Bilinear)
        assert not isinstance(Shift(), Bilinear)
        a, b = rng.standard_normal((2, 9))
        x, y = rows[:2]
        apply = lambda row, omega: local.apply(row, omega, SHAPE)[0]  # noqa: E731
        assert np.allclose(apply(2 * x - y, a), 2 * apply(x, a) - apply(y, a))
        assert np.allclose(apply(x, 2 * a - b), 2 * apply(x, a) - apply(x, b))

    def test_design_times_omega_is_the_filtered_picture(self, rows, rng):
        local, omega = LocalFilter(5), rng.standard_normal(25)
        design = local.design(rows, SHAPE)
        assert design.shape == (len(rows), rows.shape[1], 25)
        assert np.allclose(design @ omega, local.apply(rows, omega, SHAPE))

    def test_is_a_correlation(self, rows, rng):
        from scipy.ndimage import correlate

        omega = rng.standard_normal(9)
        found = LocalFilter().apply(rows, omega, SHAPE)[0].reshape(SHAPE)
        expected = correlate(rows[0].reshape(SHAPE), omega.reshape(3, 3), mode="constant")
        assert np.allclose(found, expected)

    def test_a_shift_by_a_pixel_is_a_local_filter(self, rows):
        shifted = Shift(beyond="zero").apply(rows, [0.0, 1.0], SHAPE)
        omega = best_parameters(LocalFilter(), rows, shifted, SHAPE)
        expected = np.zeros(9)
        expected[3] = 1.0
        assert np.allclose(omega, expected)

    def test_best_parameters_are_least_squares(self, rows, rng):
        wanted = rng.random(rows.shape)
        found = best_parameters(LocalFilter(), rows, wanted, SHAPE)
        design = LocalFilter().design(rows, SHAPE)
        naive = [np.linalg.lstsq(A, b)[0] for A, b in zip(design, wanted, strict=True)]
        assert np.allclose(found, naive, atol=1e-8)

    @pytest.mark.parametrize("contrast", [1.0, 1e-2, 1e-3])
    def test_faint_pictures_have_their_best_parameters(self, rows, rng, contrast):
        """What tells the taps of a faint picture apart is a small part of them."""
        omega = rng.standard_normal(9)
        faint, local = 1.0 + contrast * (rows - 0.5), LocalFilter(beyond="wrap")
        found = best_parameters(local, faint, local.apply(faint, omega, SHAPE), SHAPE)
        assert np.allclose(found, omega, atol=1e-6)

    def test_of_a_picture_of_one_grey_they_are_the_least(self):
        """All taps are one: what they sum to is all that can be told."""
        grey, local = np.full((1, SHAPE[0] * SHAPE[1]), 0.3), LocalFilter(beyond="wrap")
        found = best_parameters(local, grey, 2 * grey, SHAPE)
        assert np.allclose(found, 2 / 9)

    @pytest.mark.parametrize("size", [0, 2, 2.5, True, "3"])
    def test_needs_a_middle(self, size):
        with pytest.raises(ValueError, match="odd int"):
            LocalFilter(size)


class TestRefusals:
    def test_shape_with_other_pixels(self, rows):
        with pytest.raises(ValueError, match=r"as many pixels as X has columns, 88. Got \(9, 9\)"):
            Shift().tangents(rows, (9, 9))

    def test_no_shape(self, rows):
        with pytest.raises(ValueError, match="'image_shape' must be \\(height, width\\)"):
            Rotation().apply(rows, [1.0])

    def test_missing_numbers(self, rows):
        rows[2, 3] = np.nan
        with pytest.raises(ValueError, match="row 2"):
            Shift().tangents(rows, SHAPE)

    @pytest.mark.parametrize(
        "wrong", [{"beyond": "mirror"}, {"smoothing": -1.0}, {"direction": "up"}]
    )
    def test_unknown_settings(self, wrong):
        with pytest.raises(ValueError, match=f"'{next(iter(wrong))}' argument of Shift"):
            Shift(**wrong)
