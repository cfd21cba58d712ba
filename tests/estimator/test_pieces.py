"""Maps of a graph in pieces lie side by side on one page."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from sidelight import Isomap
from tests.comparison import gap_between


@pytest.fixture(scope="module")
def islands():
    """Nine squares of 5 × 5 points, far from each other in five dimensions."""
    square = np.array([(x, y) for x in range(5) for y in range(5)], dtype=float)
    square += 0.05 * np.random.default_rng(0).normal(size=square.shape)
    far = 100 * np.random.default_rng(1).normal(size=(9, 5))
    return np.vstack([np.pad(square, ((0, 0), (0, 3))) + centre for centre in far])


def apart(islands, d):
    with pytest.warns(UserWarning, match="9 pieces"):
        return Isomap(d, n_neighbors=4, on_disconnected="separate").fit(islands)


def test_nine_equal_pieces_are_a_square_of_squares(islands):
    Z = apart(islands, 2).embedding_
    width, height = np.ptp(Z, axis=0)
    assert 0.75 < width / height < 1.34  # nine in a row: more than 8
    assert gap_between(*np.split(Z, 9)) > 0.1 * np.ptp(Z[:25], axis=0).max()


def test_each_piece_is_the_map_that_it_has_alone(islands):
    model = apart(islands, 2)
    for part, rows in zip(np.split(model.embedding_, 9), np.split(islands, 9), strict=True):
        alone = Isomap(2, n_neighbors=4).fit(rows)
        np.testing.assert_allclose(pdist(part), pdist(alone.embedding_), atol=1e-8)
    np.testing.assert_allclose(model.transform(islands), model.embedding_, atol=1e-8)


def test_on_a_line_they_follow_one_another(islands):
    Z = apart(islands, 1).embedding_[:, 0]
    spans = sorted((part.min(), part.max()) for part in np.split(Z, 9))
    assert all(before[1] < after[0] for before, after in pairwise(spans))


def test_in_space_they_are_packed_in_the_plane_of_the_first_two(islands):
    Z = apart(islands, 3).embedding_
    width, height, depth = np.ptp(Z, axis=0)
    assert 0.7 < width / height < 1.4
    assert depth < 0.5 * min(width, height)
