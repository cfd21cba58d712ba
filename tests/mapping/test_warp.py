"""Similarities, warps and pulls: there, back, and the slope on the way."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight.mapping import Pull, Similarity, Warp

RNG = np.random.default_rng(0)
CENTRES = RNG.standard_normal((7, 2))
TARGETS = CENTRES + 0.1 * RNG.standard_normal((7, 2))
PLACES = RNG.standard_normal((30, 2))


def naive(warp, u):
    """T(u), one centre after the other."""
    moved = u.copy()
    for centre, weight in zip(warp.centres, warp.weights, strict=True):
        a = np.sqrt(3) * np.linalg.norm(u - centre) / warp.radius
        moved += weight * (1 + a) * np.exp(-a)
    return moved


def slopes(step, places, h=1e-6):
    """∂T/∂u by differences."""
    axes = h * np.eye(places.shape[1])
    return np.stack([(step(places + a) - step(places - a)) / (2 * h) for a in axes], axis=2)


@pytest.mark.parametrize("radius", [0.5, 2.0])
def test_a_warp_is_its_formula_and_meets_its_targets(radius):
    warp = Warp.to(CENTRES, TARGETS, radius)
    np.testing.assert_allclose(warp(PLACES), [naive(warp, u) for u in PLACES], atol=1e-12)
    np.testing.assert_allclose([naive(warp, u) for u in CENTRES], TARGETS, atol=1e-10)
    np.testing.assert_array_equal(warp(CENTRES), TARGETS)
    np.testing.assert_array_equal(warp(CENTRES + 1e-12), TARGETS)


def test_far_away_nothing_moves():
    warp = Warp.to(CENTRES, TARGETS, 1.0)
    np.testing.assert_allclose(warp(PLACES + 100.0), PLACES + 100.0, atol=1e-12)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_slopes(d):
    rng = np.random.default_rng(d)
    centres = 2.0 * np.arange(6.0)[:, None] + rng.random((6, d))
    warp = Warp.to(centres, centres + 0.2 * rng.standard_normal((6, d)), 1.5)
    places = centres.mean(axis=0) + rng.standard_normal((9, d))
    np.testing.assert_allclose(warp.jacobian(places), slopes(warp, places), atol=1e-6)
    turn = Similarity(0.7, np.linalg.qr(rng.standard_normal((d, d)))[0], np.arange(d) - 3.0)
    np.testing.assert_allclose(turn.jacobian(places), slopes(turn, places), atol=1e-6)


def test_a_warp_is_undone():
    warp = Warp.to(CENTRES, TARGETS, 1.0)
    np.testing.assert_allclose(warp.undo(warp(PLACES)), PLACES, atol=1e-10)
    np.testing.assert_allclose(warp.undo(TARGETS), CENTRES, atol=1e-10)
    turn = Similarity(3.0, np.array([[0.6, 0.8], [0.8, -0.6]]), np.array([5.0, 6.0]))
    np.testing.assert_allclose(turn.undo(turn(PLACES)), PLACES, atol=1e-12)


def test_a_fold_is_refused_or_undone_on_a_side_that_is_not_turned_over():
    warp = Warp.to(CENTRES, CENTRES[::-1], 1.0)
    assert np.linalg.det(warp.jacobian(PLACES)).min() < 0  # it folds
    refused = 0
    for place in warp(PLACES):
        try:
            there = warp.undo(place[None])
        except ValueError:
            refused += 1
        else:
            np.testing.assert_allclose(warp(there)[0], place, atol=1e-9)
            assert np.linalg.det(warp.jacobian(there)[0]) > 0
    assert 0 < refused < len(PLACES)
    with pytest.raises(ValueError, match=r"fold the map where \d+ of these places lie"):
        warp.undo(warp(PLACES))


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_centres_are_left_out_in_closed_form(noise):
    warp, off = Warp.to(CENTRES, TARGETS, 1.0, noise), []
    for i in range(len(CENTRES)):
        others = np.delete(np.arange(len(CENTRES)), i)
        without = Warp.to(CENTRES[others], TARGETS[others], 1.0, noise)
        off.append(np.linalg.norm(without(CENTRES[[i]]) - TARGETS[i]))
    assert warp.left_out() == pytest.approx(np.sqrt(np.mean(np.square(off))), rel=1e-9)


def test_noise_comes_near_and_says_where():
    warp = Warp.to(CENTRES, TARGETS, 1.0, 0.5)
    np.testing.assert_allclose(warp(CENTRES), [naive(warp, u) for u in CENTRES], atol=1e-12)
    off = np.linalg.norm(warp.targets - TARGETS)
    assert 0.05 * np.linalg.norm(TARGETS - CENTRES) < off < np.linalg.norm(TARGETS - CENTRES)


def test_a_pull_moves_its_centres_and_what_is_nearer_than_any_other():
    pull = Pull(CENTRES, TARGETS + 9.0, np.full(7, 0.1))
    np.testing.assert_array_equal(pull(CENTRES), TARGETS + 9.0)
    away = np.linalg.norm(PLACES[:, None] - CENTRES, axis=2).min(axis=1) > 0.1
    np.testing.assert_array_equal(pull(PLACES[away]), PLACES[away])
    half = CENTRES[:1] + np.array([0.05, 0.0])
    share = 0.5**4 * 3
    moved = half + share * (TARGETS[0] + 9.0 - CENTRES[0])
    np.testing.assert_allclose(pull(half), moved, atol=1e-12)
    np.testing.assert_array_equal(pull.undo(TARGETS + 9.0), CENTRES)
    np.testing.assert_array_equal(pull.undo(PLACES), PLACES)


def test_each_place_moves_by_itself():
    for step in (Warp.to(CENTRES, TARGETS, 1.0), Pull(CENTRES, TARGETS, np.full(7, 0.3))):
        alone = np.vstack([step(place[None]) for place in PLACES])
        np.testing.assert_allclose(alone, step(PLACES), atol=1e-13)
