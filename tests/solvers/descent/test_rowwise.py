"""Many small minimisations: each row finds its own minimum, and only its own."""

from __future__ import annotations

import warnings

import numpy as np
from scipy.optimize import rosen, rosen_der, rosen_hess

from sidelight.solvers.descent.rowwise import minimise_rows


def valleys(Z, rows):
    """Rosenbrock's valley, moved by the row's number; the curvature without its negative part."""
    moved = Z - rows[:, None]
    curvature = np.array([rosen_hess(z) for z in moved])
    values, vectors = np.linalg.eigh(curvature)
    curvature = (vectors * np.maximum(values, 0)[:, None, :]) @ vectors.transpose(0, 2, 1)
    return np.array([rosen(z) for z in moved]), np.array([rosen_der(z) for z in moved]), curvature


def test_every_row_reaches_the_end_of_its_valley():
    starts = np.array([[-1.2, 1.0], [3.0, 0.0], [2.0, 2.0], [3.0, 4.0]])
    found = minimise_rows(valleys, starts + np.arange(4)[:, None], max_iter=400)
    np.testing.assert_allclose(found - np.arange(4)[:, None], 1.0, atol=1e-7)


def test_a_row_alone_goes_the_same_way():
    starts = np.array([[-1.2, 1.0], [4.0, 1.0], [4.0, 4.0]])
    together = minimise_rows(valleys, starts)
    for row in range(3):
        alone = minimise_rows(lambda Z, _, row=row: valleys(Z, np.array([row])), starts[[row]])
        np.testing.assert_array_equal(alone[0], together[row])


def test_a_flat_row_stays_where_it_is():
    def flat(Z, rows):
        return np.zeros(len(Z)), np.zeros_like(Z), np.zeros((len(Z), 2, 2))

    np.testing.assert_array_equal(minimise_rows(flat, np.ones((3, 2))), 1.0)


def test_a_step_from_where_it_is_flat_is_tried_without_a_word_and_taken_back():
    """No curvature and a slope: the first step goes to 1e300, whose square is no number."""

    def walls(Z, rows):
        value = np.where(Z[:, 0] ** 2 < 4, Z[:, 0], Z[:, 0] ** 2 - Z[:, 0] ** 2 * 2)
        return value, np.ones_like(Z), np.zeros((len(Z), 1, 1))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = minimise_rows(walls, np.ones((2, 1)), max_iter=30)
    assert not np.isnan(found).any()
