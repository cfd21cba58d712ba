"""Procrustes against SciPy, planted transformations and its own optimality."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import procrustes as scipy_procrustes
from scipy.spatial.transform import Rotation

from sidelight.quality import procrustes


def test_agrees_with_scipy():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(50, 3))
    Z = truth @ rng.normal(size=(3, 3)) + 0.3 * rng.normal(size=(50, 3))
    found = procrustes(Z, truth)
    expected = scipy_procrustes(truth, Z)[2]
    assert found.disparity == pytest.approx(expected, rel=1e-12)
    assert found.residual == pytest.approx(np.sqrt(expected), rel=1e-12)


@pytest.mark.parametrize("mirrored", [False, True])
def test_recovers_a_planted_transformation(mirrored):
    rng = np.random.default_rng(1)
    turn = Rotation.from_rotvec([0.3, -1.0, 0.5]).as_matrix()
    if mirrored:
        turn = turn @ np.diag([1.0, 1.0, -1.0])
    Z = rng.normal(size=(40, 3))
    truth = 2.5 * Z @ turn + [10.0, -4.0, 0.5]
    found = procrustes(Z, truth)
    np.testing.assert_allclose(found.rotation, turn, atol=1e-12)
    assert found.scale == pytest.approx(2.5)
    np.testing.assert_allclose(found.translation, [10.0, -4.0, 0.5], atol=1e-12)
    np.testing.assert_allclose(found.aligned, truth, atol=1e-12)
    assert found.residual < 1e-13
    if mirrored:
        assert procrustes(Z, truth, reflection=False).residual > 0.3


def test_aligned_is_what_the_parts_say():
    rng = np.random.default_rng(2)
    Z, truth = rng.normal(size=(30, 2)) + 5, rng.normal(size=(30, 3)) - 2
    for options in ({}, {"scaling": False}, {"reflection": False}):
        found = procrustes(Z, truth, **options)
        padded = np.hstack([Z, np.zeros((30, 1))])
        np.testing.assert_allclose(
            found.aligned, found.scale * padded @ found.rotation + found.translation, atol=1e-12
        )
        left = np.sum((truth - found.aligned) ** 2) / np.sum((truth - truth.mean(0)) ** 2)
        assert found.disparity == pytest.approx(left)


@pytest.mark.parametrize("reflection", [False, True])
def test_no_other_rotation_is_nearer(reflection):
    rng = np.random.default_rng(3)
    Z = rng.normal(size=(25, 2))
    truth = Z * [1.0, -1.0] + 0.5 * rng.normal(size=(25, 2))
    found = procrustes(Z, truth, scaling=False, reflection=reflection)
    centred, target = Z - Z.mean(0), truth - truth.mean(0)
    candidates = []
    for angle in np.linspace(0, 2 * np.pi, 3601):
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        candidates.append(np.sum((target - centred @ turn) ** 2))
        if reflection:
            candidates.append(np.sum((target - centred * [1, -1] @ turn) ** 2))
    assert found.disparity == pytest.approx(min(candidates) / np.sum(target**2), rel=1e-5)
    assert np.linalg.det(found.rotation) == pytest.approx(-1.0 if reflection else 1.0)


def test_without_scaling_the_size_counts():
    truth = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 1.0]])
    found = procrustes(3 * truth, truth, scaling=False)
    # every point is left twice its own distance from the mean away
    assert found.residual == pytest.approx(2.0)
    assert found.scale == 1.0


@pytest.mark.parametrize("thickness", [1e-2, 1e-4])
def test_a_thin_solid_says_whether_it_is_mirrored(thickness):
    """A hundredth or less as thick as it is wide, its square is no rounding."""
    rng = np.random.default_rng(6)
    Z = rng.normal(size=(40, 3)) * [1.0, 1.0, thickness]
    turn = Rotation.random(random_state=1).as_matrix() @ np.diag([1.0, -1.0, 1.0])
    np.testing.assert_allclose(procrustes(Z, Z @ turn).rotation, turn, atol=1e-6)


def test_what_only_a_mirror_would_match_shrinks_to_a_point():
    x = np.array([[1.0], [2.0], [5.0]])
    found = procrustes(x, -x, reflection=False)
    assert (found.scale, found.residual) == (0.0, pytest.approx(1.0))
    assert procrustes(x, -x).residual < 1e-12


def test_a_flat_map_of_a_solid_truth():
    rng = np.random.default_rng(4)
    truth = rng.normal(size=(200, 3))
    truth -= truth.mean(0)
    found = procrustes(truth[:, :2], truth)
    expected = scipy_procrustes(truth, np.hstack([truth[:, :2], np.zeros((200, 1))]))[2]
    assert found.disparity == pytest.approx(expected)
    # a wide map of a flat truth is turned into the truth's columns
    wide = np.hstack([truth[:, :2], np.zeros((200, 1))])[:, [2, 0, 1]]
    assert procrustes(wide, truth[:, :2]).residual < 1e-13


def test_a_map_that_is_one_point_explains_nothing():
    truth = np.random.default_rng(5).normal(size=(6, 2))
    found = procrustes(np.ones((6, 2)), truth)
    assert (found.residual, found.scale) == (pytest.approx(1.0), 0.0)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="'truth' argument of procrustes must hold"):
        procrustes(np.eye(3), np.full((3, 3), 0.1))
    with pytest.raises(ValueError, match="'truth' argument of procrustes must be finite"):
        procrustes(np.eye(3), np.full((3, 3), np.nan))
    with pytest.raises(ValueError, match=r"'Z' and 'truth' .* Got 3 and 4"):
        procrustes(np.eye(3), np.eye(4))


@pytest.mark.parametrize("angle", [0.4, 2.0, 3.1])
def test_what_few_points_leave_open_is_turned_least_and_not_mirrored(angle):
    rng = np.random.default_rng(3)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    two = rng.normal(size=(2, 2))
    found = procrustes(two, 3.0 * two @ turn + 1.0)
    np.testing.assert_allclose(found.rotation, turn, atol=1e-9)
    on_a_line = np.outer(rng.normal(size=5), [1.0, 2.0])
    np.testing.assert_allclose(procrustes(on_a_line, on_a_line @ turn).rotation, turn, atol=1e-9)
    # about an axis in space: of the turns that do it, the one with the largest trace
    space = rng.normal(size=(2, 3))
    other = space @ Rotation.random(random_state=4).as_matrix()
    rotation = procrustes(space, other).rotation
    np.testing.assert_allclose((space[0] - space[1]) @ rotation, other[0] - other[1], atol=1e-9)
    assert np.linalg.det(rotation) == pytest.approx(1.0)
    axis = (other[0] - other[1]) / np.linalg.norm(other[0] - other[1])
    turns = [Rotation.from_rotvec(a * axis).as_matrix() for a in np.linspace(0.1, 6.2, 60)]
    assert np.trace(rotation) > max(np.trace(rotation @ more) for more in turns) - 1e-9
