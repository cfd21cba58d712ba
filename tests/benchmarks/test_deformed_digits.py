"""Digits grown by deformation."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.deformed_digits import deformed_digits

pytestmark = pytest.mark.real_data


def nearest_labels(X, rows, among, y):
    """The digits that the nearest of some rows show, the images that rows were made of left out."""
    squares = np.square(X[among]).sum(axis=1) - 2.0 * X[rows] @ X[among].T
    squares[rows[:, None] % 10_000 == among % 10_000] = np.inf
    return y[among[squares.argmin(axis=1)]]


def test_labels_survive():
    digits = deformed_digits(30_000, 50)
    assert digits.X.shape == (30_000, 50)
    assert digits.X.dtype == np.float32
    rows, originals = np.arange(20_000, 21_000), np.arange(10_000)
    as_they_are = nearest_labels(digits.X, rows - 20_000, originals, digits.y)
    deformed = nearest_labels(digits.X, rows, originals, digits.y)
    loss = np.mean(as_they_are == digits.y[rows]) - np.mean(deformed == digits.y[rows])
    assert loss < 0.05
    # and the deformed are others, not copies
    gaps = np.linalg.norm(digits.X[rows] - digits.X[rows - 20_000], axis=1)
    lengths = np.linalg.norm(digits.X[rows], axis=1)
    assert np.median(gaps / lengths) > 0.2


def test_the_first_rows_do_not_depend_on_their_number():
    many = deformed_digits(21_000)
    few = deformed_digits(10_300)
    np.testing.assert_array_equal(few.X, many.X[:10_300])
    np.testing.assert_array_equal(few.y, many.y[:10_300])
    assert many.X.min() >= 0.0
    assert many.X.max() <= 1.0 + 1e-6
    other = deformed_digits(10_300, seed=1)
    np.testing.assert_array_equal(other.X[:10_000], few.X[:10_000])
    assert (other.X[10_000:] != few.X[10_000:]).any(axis=1).all()


def test_no_displacement_is_the_image():
    still = deformed_digits(10_050, strength=0.0)
    np.testing.assert_array_equal(still.X[10_000:], still.X[:50])
