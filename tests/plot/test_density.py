"""Very many points as shades."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

pytest.importorskip("matplotlib")

from sidelight.plot import scatter
from sidelight.plot.density import SHADED_FROM, shades


def test_a_cell_has_the_mean_colour_of_its_points_and_is_deeper_for_more():
    Z = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 1.0], [1.0, 0.0]])
    colours = np.array([[1.0, 0, 0], [0, 0, 1.0], [0, 1.0, 0], [0, 1.0, 0]])
    image, (left, right, bottom, top) = shades(Z, colours)
    rows, columns = image.shape[:2]

    def at(x, y):
        row, column = (y - bottom) / (top - bottom) * rows, (x - left) / (right - left) * columns
        return image[int(row), int(column)]

    assert_allclose(at(0, 0), [0.5, 0, 0.5, 1.0])
    assert_allclose(at(1, 1), [0, 1, 0, 0.25])
    assert_allclose(at(0.5, 0.5), 0)
    assert np.count_nonzero(image[..., 3]) == 3


def test_every_point_is_in_the_image():
    Z = np.random.default_rng(0).normal(size=(1000, 2))
    image, extent = shades(Z, np.ones((1000, 3)))
    cells = {tuple(c) for c in np.argwhere(image[..., 3] > 0)}
    size = np.array([image.shape[1], image.shape[0]])
    low, high = np.array(extent[::2]), np.array(extent[1::2])
    naive = {tuple(np.floor((z - low) / (high - low) * size).astype(int)[::-1]) for z in Z}
    assert cells == naive


def test_a_map_of_very_many_points_is_shaded_and_a_smaller_one_is_not():
    Z = np.random.default_rng(0).normal(size=(SHADED_FROM, 2))
    many, fewer = scatter(Z), scatter(Z[:1000])
    assert len(many.images) == 1
    assert not many.collections
    assert not fewer.images
    left, right = many.get_xlim()
    assert left < Z[:, 0].min() < Z[:, 0].max() < right
    assert scatter(Z, point_size=1.0).collections
