"""Which thumbnails are chosen."""

from __future__ import annotations

import numpy as np

from sidelight.plot.thumbnails import choose_thumbnails

_PAGE = np.array([[0.0, 0.0], [100.0, 100.0]])


def test_points_on_a_grid_of_the_boxes_size_are_all_chosen():
    x, y = np.meshgrid(np.arange(5, 100, 10.0), np.arange(5, 100, 10.0))
    chosen = choose_thumbnails(np.column_stack([x.ravel(), y.ravel()]), 10, 10, _PAGE, 1000)
    assert sorted(chosen) == list(range(100))


def test_nothing_more_could_be_added():
    places = np.random.default_rng(0).uniform(0, 100, size=(3000, 2))
    chosen = choose_thumbnails(places, 12, 8, _PAGE, 1000)
    apart = np.abs(places[:, None] - places[None, chosen]) >= [12, 8]
    free = apart.any(axis=2)
    # the chosen are free of one another …
    assert (free[chosen] | np.eye(len(chosen), dtype=bool)).all()
    # … and every other point is covered by one of them or reaches over the edge
    inside = ((places >= [6, 4]) & (places <= [94, 96])).all(axis=1)
    inside[chosen] = False
    assert not free[inside].all(axis=1).any()


def test_the_number_is_limited_and_missing_places_are_left_out():
    places = np.random.default_rng(0).uniform(10, 90, size=(500, 2))
    places[::2] = np.nan
    chosen = choose_thumbnails(places, 5, 5, _PAGE, 7)
    assert len(chosen) == 7
    assert (chosen % 2 == 1).all()
