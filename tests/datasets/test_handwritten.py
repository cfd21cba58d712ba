"""Digits as they are, shifted and turned."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits

from sidelight.datasets import digits, rotated_digits, shifted_digits


def test_digits_are_those_of_scikit_learn_between_zero_and_one():
    X, labels = digits()
    expected = load_digits()
    np.testing.assert_array_equal(X * 16, expected.data)
    np.testing.assert_array_equal(labels, expected.target)


def test_every_shift_holds_the_same_digit_at_the_stated_place():
    shifted = shifted_digits([3, 7], canvas=(10, 12), n_examples=2, random_state=1)
    assert len(shifted.X) == 2 * 2 * 3 * 5
    known = load_digits()
    for image, (down, right), label, example in zip(
        shifted.images,
        shifted.truth.astype(int),
        shifted.labels,
        shifted.extras["example"],
        strict=True,
    ):
        patch = image[down : down + 8, right : right + 8]
        # all the ink is in the patch, and the patch is a digit of that label
        assert image.sum() == pytest.approx(patch.sum())
        assert (
            np.abs(known.images[known.target == label] / 16 - patch).max(axis=(1, 2)) == 0
        ).any()
        first = np.flatnonzero(shifted.extras["example"] == example)[0]
        np.testing.assert_array_equal(patch, shifted.images[first][:8, :8])
    assert len({tuple(row) for row in shifted.truth}) == 15


def test_a_canvas_with_room_in_one_direction_has_one_true_parameter():
    shifted = shifted_digits(6)
    assert shifted.truth_names == ("shift right",)
    np.testing.assert_array_equal(shifted.truth[:, 0], np.arange(9))


def test_rotated_digits_keep_all_their_ink():
    turned = rotated_digits([1, 6], n_rotations=8)
    ink = turned.X.sum(axis=1).reshape(2, 8)
    np.testing.assert_allclose(ink, ink[:, :1] * np.ones(8), rtol=0.01)
    np.testing.assert_array_equal(turned.labels, np.repeat([1, 6], 8))
    np.testing.assert_array_equal(turned.truth[:8, 0], np.arange(8) * 45.0)


@pytest.mark.parametrize("make", [shifted_digits, rotated_digits])
def test_the_examples_follow_the_seed(make):
    first, again, other = (make(4, random_state=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first.X, again.X)
    assert np.abs(first.X - other.X).max() > 0.1


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: shifted_digits([10]), r"'digits' parameter of shifted_digits .* Got \[10\]"),
        (lambda: shifted_digits(canvas=(8, 8)), r"'canvas' parameter .* Got \(8, 8\)"),
        (lambda: shifted_digits(canvas=(4, 20)), r"'canvas' parameter .* Got \(4, 20\)"),
        (lambda: shifted_digits(0, n_examples=1000), r"'n_examples' .*\[1, 178\].* Got 1000"),
        (lambda: rotated_digits(6, size=4), r"'size' parameter of rotated_digits .* Got 4"),
    ],
)
def test_bad_requests_are_refused(call, said):
    with pytest.raises(ValueError, match=said):
        call()
