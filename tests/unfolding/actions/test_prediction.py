"""Where an action leads: the predictor (4.6) against loops and against the motion itself."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sidelight.unfolding.actions.moving.prediction import agreeing_places, nearest_places


def naive_agreeing(Z, before, after, i):
    """Equation (4.6) with argmin, place by place."""
    off = []
    for k in range(len(Z)):
        kept = [np.linalg.norm(Z[i] - Z[j]) for j in before]
        found = [np.linalg.norm(Z[k] - Z[j]) for j in after]
        off.append(np.mean((np.array(kept) - np.array(found)) ** 2))
    return int(np.argmin(off)), float(np.sqrt(min(off)))


@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_formula_of_the_text(seed):
    Z = np.random.default_rng(seed).normal(size=(12, 3))
    before, after = np.arange(4), np.arange(4) + 5
    nodes, off = agreeing_places(Z, before, after, Z)
    expected = [naive_agreeing(Z, before, after, i) for i in range(12)]
    assert_array_equal(nodes, [node for node, _ in expected])
    assert_allclose(off, [distance for _, distance in expected], rtol=1e-9, atol=1e-7)


def test_three_steps_of_a_turn_tell_where_all_others_lead():
    angle = 2 * np.pi * np.arange(16) / 16
    Z = np.column_stack([np.cos(angle), np.sin(angle)])
    nodes, off = agreeing_places(Z, np.array([0, 1, 5]), np.array([1, 2, 6]), Z)
    assert_array_equal(nodes, (np.arange(16) + 1) % 16)
    assert_allclose(off, 0, atol=1e-7)


def test_the_nearest_place_and_how_far_it_is():
    Z = np.array([[0.0, 0.0], [3.0, 4.0], [10.0, 0.0]])
    nodes, distances = nearest_places(Z, np.array([[3.0, 3.0], [9.0, 0.0]]))
    assert_array_equal(nodes, [1, 2])
    assert_allclose(distances, [1, 1])
