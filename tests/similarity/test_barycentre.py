"""Barycentre weights of items whose neighbours leave them undetermined."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import nnls

from sidelight.neighbors import KnownDistances
from sidelight.similarity.barycentre import (
    barycentre_errors,
    local_gram_from_graph,
    solve_barycentres,
    solve_convex_barycentres,
)


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


@pytest.mark.parametrize("reg", [1e-3, 0.5])
def test_what_mixtures_miss_is_measured_without_what_regularises_them(reg):
    rng = np.random.default_rng(3)
    points = rng.standard_normal((7, 4))
    neighbors = sp.csr_array(np.array([[0, 1, 1, 1, 0, 0, 1], [0, 0, 0, 1, 1, 1, 0]]))

    def grams(items, near):
        return np.stack([gram(points[i], points[j]) for i, j in zip(items, near, strict=True)])

    W, errors, regularised = barycentre_errors(neighbors, grams, reg=reg)
    missed = np.sum((points[:2] - W @ points) ** 2, axis=1)
    np.testing.assert_allclose(errors, missed, rtol=1e-9)
    traces = [np.sum((points[i] - points[neighbors[[i]].indices]) ** 2) for i in range(2)]
    sizes = np.asarray(W.multiply(W).sum(axis=1)).ravel()
    np.testing.assert_allclose(regularised, missed + reg * np.array(traces) * sizes, rtol=1e-9)


def test_mixtures_without_negative_weights_are_least_squares_under_bounds():
    """min ½vᵀGv − 1ᵀv over v ≥ 0 is ‖Rv − R⁻ᵀ1‖² with G = RᵀR."""
    rng = np.random.default_rng(4)
    for k in (3, 8, 15):
        spokes = rng.standard_normal((20, k, 6)) + 0.5
        G = spokes @ spokes.transpose(0, 2, 1)
        found = solve_convex_barycentres(G.copy(), reg=1e-3)
        for one, w in zip(G, found, strict=True):
            R = np.linalg.cholesky(one / np.trace(one) + 1e-3 * np.eye(k)).T
            v = nnls(R, np.linalg.solve(R.T, np.ones(k)))[0]
            np.testing.assert_allclose(w, v / v.sum(), atol=1e-7)


class TestAlongAGraph:
    """Two neighbours of row 0, at 3 and 4, whose distance is not stored."""

    def off_the_diagonal(self, more, *, new=False):
        edges = more if new else {(0, 1): 3.0, (0, 2): 4.0, **more}
        i, j = np.array(list(edges)).T
        known = KnownDistances.of(sp.csr_array((list(edges.values()), (i, j)), shape=(5, 5)))
        near, spokes = np.array([[1, 2]]), np.array([[3.0, 4.0]])
        G = local_gram_from_graph(known, near, spokes, along=True)[0]
        assert G[0, 1] == G[1, 0]
        return G

    def test_the_shortest_way_stands_for_it(self):
        by_row_3 = self.off_the_diagonal({(1, 3): 2.0, (2, 3): 3.0})
        np.testing.assert_allclose(by_row_3, [[9.0, 0.0], [0.0, 16.0]], atol=1e-9)

    def test_or_the_way_over_the_row_itself(self):
        """Of distances that are added the neighbours lie on a line, on either side."""
        expected = [[9.0, -12.0], [-12.0, 16.0]]
        longer = {(1, 3): 5.0, (2, 3): 5.0}
        for more, new in (({}, False), (longer, False), (longer, True)):
            np.testing.assert_allclose(self.off_the_diagonal(more, new=new), expected, atol=1e-9)

    def test_what_does_not_fit_together_is_made_to(self):
        """A way of a tenth between places at 3 and 4: the nearest table that is a Gram matrix."""
        found = self.off_the_diagonal({(1, 3): 0.05, (2, 3): 0.05})
        asked = np.array([[9.0, (25 - 0.01) / 2], [(25 - 0.01) / 2, 16.0]])
        values, vectors = np.linalg.eigh(asked)
        assert values[0] < -0.2
        expected = values[1] * np.outer(vectors[:, 1], vectors[:, 1])
        np.testing.assert_allclose(found, expected, atol=1e-9)
