"""Barycentre weights of items whose neighbours leave them undetermined."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from sidelight.similarity.barycentre import barycentre_errors, solve_barycentres


def gram(x, neighbors):
    return (neighbors - x) @ (neighbors - x).T


#: Four corners of a square about its middle, and three points about one that is not theirs.
SINGULAR = gram(np.zeros(2), np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]]))
SOUND = gram(np.array([0.2, 0.1, 0.5, 0.3]), np.eye(4))


@pytest.mark.parametrize("reg", [0.0, 1e-300])
def test_an_item_that_is_undetermined_changes_no_other(reg):
    """One singular matrix sent the whole block to the least-norm solution."""
    alone = solve_barycentres(SOUND[None].copy(), reg=reg)
    together = solve_barycentres(np.stack([SINGULAR, SOUND]), reg=reg)
    np.testing.assert_array_equal(together[1], alone[0])
    np.testing.assert_allclose(together[0], 0.25, atol=1e-12)
    np.testing.assert_allclose(alone[0] @ SOUND, np.full(4, (alone[0] @ SOUND)[0]), rtol=1e-9)


def test_without_reg_it_is_the_limit_of_a_small_one():
    rng = np.random.default_rng(0)
    points = rng.standard_normal((6, 3))  # six neighbours in three dimensions: many mixtures
    G = np.stack([gram(x, points) for x in (np.zeros(3), np.full(3, 9.0))])
    none, little = (solve_barycentres(G.copy(), reg=reg) for reg in (0.0, 1e-9))
    np.testing.assert_allclose(none, little, rtol=1e-4, atol=1e-5)  # of so small a one
    np.testing.assert_allclose(none @ points, [np.zeros(3), np.full(3, 9.0)], atol=1e-9)


def test_what_mixtures_miss_is_measured_also_where_they_are_undetermined():
    points = np.vstack([np.zeros(2), [[1.0, 1], [1, -1], [-1, 1], [-1, -1]], [[4.0, 0]]])
    neighbors = sp.csr_array(np.array([[0, 1, 1, 1, 1, 0], [0, 0, 0, 1, 1, 0]]))

    def grams(items, near):
        return np.stack([gram(points[i], points[j]) for i, j in zip(items, near, strict=True)])

    _, errors, _ = barycentre_errors(neighbors, grams, reg=0.0)
    # the middle of four corners is their mixture; from (1, 1) to the line of two it is two
    np.testing.assert_allclose(errors, [0.0, 4.0], atol=1e-12)
