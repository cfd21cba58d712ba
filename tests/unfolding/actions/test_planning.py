"""Ways through the map: over places that were never visited, and what those cost."""

from __future__ import annotations

import numpy as np

from sidelight.unfolding.actions.moving.planning import plan_actions
from sidelight.unfolding.actions.moving.rigid_motions import RigidActions


def translations(*moves):
    moves = np.array(moves, dtype=float)
    count, d = moves.shape
    return RigidActions(np.tile(np.eye(d), (count, 1, 1)), moves, np.zeros(count))


def test_of_two_ways_that_are_as_short_the_known_one_is_taken():
    """Round either side of a square; only one of the corners was seen."""
    east_north = translations((1, 0), (0, 1))
    for corner, way in (((1, 0), [0, 1]), ((0, 1), [1, 0])):
        Z = np.array([(0, 0), corner, (1, 1)], dtype=float)
        assert plan_actions(east_north, Z, Z[0], Z[2], tolerance=0.25) == way


def test_a_way_over_the_unknown_is_taken_where_it_is_a_fifth_shorter():
    """Four long steps over unknown places cost 4.75, five short ones over known places 5."""
    long_short = translations((1.0,), (0.8,))
    Z = np.array([[0.0], [0.8], [1.6], [2.4], [3.2], [4.0]])
    assert plan_actions(long_short, Z, Z[0], Z[-1], tolerance=0.1) == [0, 0, 0, 0]


def test_and_not_where_it_is_a_seventh_shorter():
    """Six long steps cost 7.25, seven short ones 7."""
    long_short = translations((7.0,), (6.0,))
    Z = 6.0 * np.arange(8)[:, None]
    assert plan_actions(long_short, Z, Z[0], Z[-1], tolerance=0.1) == [1] * 7
