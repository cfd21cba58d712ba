"""Places of new rows: which starts are followed, and how near to the maximum they come."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from sidelight.gaussian_process import place_rows, positive_part
from sidelight.gaussian_process.placing import Rows


class Hills:
    """A log density of places alone: hills of some height, middle and width, on a ground."""

    def __init__(self, hills, ground=0.0):
        self.hills, self.ground = hills, ground

    def log_density(self, Z, Y, observed):
        value, gradient = np.full(len(Z), self.ground), np.zeros(Z.shape)
        for height, middle, width in self.hills:
            away = (Z - middle) / width
            bump = height * np.exp(-0.5 * np.sum(away**2, axis=1))
            value += bump
            gradient -= bump[:, None] * away / width
        return value, gradient


class Bowl:
    """−cosh along each axis: no step of Newton's but the last ends in its middle, 1."""

    def __init__(self, ground):
        self.ground = ground

    def log_density(self, Z, Y, observed):
        return self.ground - np.cosh(Z - 1).sum(axis=1), -np.sinh(Z - 1)


def rows_of(prediction, m):
    return Rows(prediction, np.zeros((m, 1)), np.ones((m, 1)), 0.0, 1.0)


def test_of_two_starts_the_one_that_leads_higher_counts_not_the_one_that_is_higher():
    rows = rows_of(Hills([(1.0, 0.0, 1.0), (3.0, 6.0, 0.5)]), 2)
    starts = np.array([[[0.2], [7.1]], [[7.1], [0.2]]])
    lower = rows.objective(starts[0])[0]
    assert lower[0] > lower[1]
    found = place_rows(rows, starts)
    assert_allclose(found.Z, 6.0, atol=1e-6)
    assert_allclose(found.value, 3.0, atol=1e-6)
    assert_allclose(found.curvature[:, 0, 0], 3.0 / 0.25, rtol=1e-3)


def test_of_many_starts_the_two_highest_are_followed():
    rows = rows_of(Hills([(1.0, 0.0, 1.0), (2.0, 6.0, 1.0), (9.0, 12.0, 0.3)]), 1)
    found = place_rows(rows, np.array([[[-0.4], [6.5], [13.2]]]))  # the third is far out
    assert_allclose(found.Z, 6.0, atol=1e-6)


def test_where_values_are_equal_to_rounding_the_gradient_decides():
    """Of ten thousand millions the last thousandths of the way change no digit."""
    found = place_rows(rows_of(Bowl(-1e10), 3), np.array([[[0.5]], [[1.7]], [[-1.0]]]))
    assert_allclose(found.Z, 1.0, atol=1e-9)


def test_curvatures_are_made_positive_by_their_sizes():
    turn = np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))[0]
    H = (turn * [-4.0, 2.0, 1e-9]) @ turn.T
    expected = (turn * [4.0, 2.0, 0.1]) @ turn.T
    assert_allclose(positive_part(H[None], 0.1)[0], expected, atol=1e-12)
