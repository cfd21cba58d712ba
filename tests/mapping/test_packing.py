"""Rectangles packed on a page."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight.mapping import lay_out
from sidelight.mapping.packing import pack


def overlaps(corners, sizes):
    """Every pair of rectangles that share a part of the plane, by looking at each pair."""
    return [
        (i, j)
        for i in range(len(sizes))
        for j in range(i)
        if (np.maximum(corners[i], corners[j]) < np.minimum(*(corners + sizes)[[i, j]])).all()
    ]


@pytest.mark.parametrize("side", [2, 3, 5])
def test_squares_fill_a_square(side):
    """No page holds n² squares but one of their area; the widest that pays is as high as wide."""
    sizes = np.full((side * side, 2), 7)
    corners = pack(sizes)
    assert (corners + sizes).max(axis=0).tolist() == [7 * side, 7 * side]
    grid = {(7 * x, 7 * y) for x in range(side) for y in range(side)}
    assert set(map(tuple, corners.tolist())) == grid


def test_small_ones_stand_beside_a_large_one_not_in_a_strip():
    sizes = np.vstack([[40, 40], np.full((8, 2), 5)])
    corners = pack(sizes)
    assert corners[0].tolist() == [0, 0]
    assert (corners + sizes).max(axis=0).tolist() == [45, 40]


@pytest.mark.parametrize("n", [1, 2, 7, 60])
def test_none_covers_another_and_little_is_empty(n):
    sizes = np.random.default_rng(n).integers(1, 50, size=(n, 2))
    corners = pack(sizes)
    assert not overlaps(corners, sizes)
    assert (corners >= 0).all()
    width, height = (corners + sizes).max(axis=0)
    if n == 60:
        assert sizes.prod(axis=1).sum() > 0.85 * width * height
        assert 0.9 < width / height < 1.7


def test_last_bits_of_sizes_do_not_move_anything_else():
    rng = np.random.default_rng(0)
    sizes = np.repeat(rng.random((6, 2)), 3, axis=0)  # heights that are equal but for rounding
    same = sizes * (1 + 1e-14 * rng.normal(size=sizes.shape))
    np.testing.assert_allclose(lay_out(same, 0.1), lay_out(sizes, 0.1), rtol=1e-12)


def test_points_without_extent_keep_their_gaps():
    corners = lay_out(np.zeros((9, 2)), 1.0)
    apart = np.abs(corners[:, None] - corners).max(axis=2) + 9 * np.eye(9)
    assert apart.min() >= 1.0
    assert np.ptp(corners, axis=0).tolist() == [2.0, 2.0]
