"""Motions of actions: when moves are one translation, and what their places leave open."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sidelight.unfolding.actions.moving.rigid_motions import fit_rigid_actions, step_length

#: About the origin, each at distance one.
CORNERS = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
QUARTER = np.array([[0.0, -1.0], [1.0, 0.0]])


def fitted(before, after):
    """One action, seen from each of the first places to one of the second."""
    n = len(before)
    steps = np.column_stack([np.zeros(n, dtype=int), np.arange(n), n + np.arange(n)])
    return fit_rigid_actions(np.vstack([before, after]), steps, 1)


@pytest.mark.parametrize(("differ", "turns"), [(0.045, False), (0.055, True), (0.3, True)])
def test_moves_that_differ_by_a_twentieth_are_one_translation(differ, turns):
    """Turned by θ the corners move by 2 sin(θ/2) beside the five steps of all."""
    angle = 2 * np.arcsin(5 * differ / np.sqrt(1 - differ**2) / 2)
    R = np.cos(angle) * np.eye(2) + np.sin(angle) * QUARTER
    found = fitted(CORNERS, CORNERS @ R.T + [5.0, 0.0])
    assert_allclose(found.rotations[0], R if turns else np.eye(2), atol=1e-12)
    assert_allclose(found.translations[0], [5.0, 0.0], atol=1e-12)
    assert found.residuals[0] == pytest.approx(0.0 if turns else 2 * np.sin(angle / 2), abs=1e-12)


@pytest.mark.parametrize(("width", "known"), [(0.02, False), (0.05, True), (0.3, True)])
def test_places_along_a_line_do_not_say_that_a_turn_mirrors(width, known):
    """A quarter turn of a strip, with its sides exchanged: narrower, that is noise."""
    strip = CORNERS * [1.0, width]
    mirrored = QUARTER @ np.diag([1.0, -1.0])
    found = fitted(strip, strip @ mirrored.T + [2.0, 1.0])
    assert_allclose(found.rotations[0], mirrored if known else QUARTER, atol=1e-12)


def test_one_long_step_does_not_change_the_step():
    places = np.array([[0.0, 0.0], [3.0, 4.0], [3.0, 9.0], [8.0, 9.0], [8.0, 99.0]])
    steps = np.column_stack([np.zeros(4, dtype=int), np.arange(4), np.arange(1, 5)])
    assert step_length(places, steps) == 5.0
