"""Curves are told from sheets and clouds by the leaves of their minimum spanning tree."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight import KernelInformationEmbedding
from sidelight.datasets import load, s_curve
from sidelight.latent.density import kernel_for
from sidelight.latent.information.ends import ends_of_path, lies_along_curve
from sidelight.latent.information.path import Onset

TURN = np.linspace(0, 2 * np.pi, 120, endpoint=False)
LOOP = np.column_stack([np.cos(TURN), np.sin(TURN), 0.3 * np.cos(2 * TURN)])


def turns_and_steps(Z):
    """How often a map goes round its middle, and the share of steps in that direction."""
    angles = np.unwrap(np.arctan2(*(Z - (Z.max(axis=0) + Z.min(axis=0)) / 2).T[::-1]))
    steps = np.diff(angles)
    return abs(steps.sum()) / (2 * np.pi), np.mean(steps * np.sign(steps.sum()) > 0)


def test_curves_in_any_number_of_dimensions_and_order():
    rng = np.random.default_rng(0)
    high = np.hstack([np.cos(k * TURN[:, None] + rng.random(8)) / k for k in (1, 2, 3)])
    for Y in (LOOP, high, LOOP[rng.permutation(120)], np.repeat(LOOP, 3, axis=0), 1e6 + LOOP):
        assert lies_along_curve(Y)
    assert not lies_along_curve(LOOP + 0.1 * rng.standard_normal(LOOP.shape))
    for p in (2, 3, 20):
        assert not lies_along_curve(rng.standard_normal((200, p)))
    assert not lies_along_curve(s_curve(300, random_state=0).X)
    assert not lies_along_curve(LOOP[:15])  # too few to tell


def test_a_thinned_curve_is_still_one():
    """Every second row, every fourth, and half of them drawn at random."""
    for rows in (LOOP[::2], LOOP[::4], *(LOOP[half(seed)] for seed in range(5))):
        assert lies_along_curve(rows)
    arc = LOOP[:60]  # open
    assert lies_along_curve(arc[::2])


def half(seed):
    return np.random.default_rng(seed).permutation(120)[:60]


def test_leaves_of_a_comb_are_counted():
    """A line of 100 points with m teeth of one point each has m + 2 leaves, m if at the ends."""
    line = np.column_stack([np.arange(100.0), np.zeros(100)])
    for m, expected in ((10, True), (30, False)):
        teeth = np.column_stack([np.linspace(3, 96, m).round(), np.full(m, 0.9)])
        assert lies_along_curve(np.vstack([line, teeth])) is expected


@pytest.mark.parametrize("shape", [(8, 8), (5, 30), (4, 5, 5)])
def test_a_grid_is_no_curve_in_any_unit_and_turn(shape):
    """A minimum spanning tree of a grid may be a comb, which hardly branches."""
    grid = np.argwhere(np.ones(shape)).astype(float)
    turn = np.linalg.qr(np.random.default_rng(0).standard_normal((len(shape), len(shape))))[0]
    for unit in (1.0, 0.1, 0.3, 1 / 3, 1e-6):
        assert not lies_along_curve(unit * grid)
        assert not lies_along_curve(unit * grid @ turn)


def test_a_grid_has_the_same_bandwidth_in_any_unit():
    grid = np.argwhere(np.ones((8, 8))).astype(float)
    one, tenth = (KernelInformationEmbedding().fit(unit * grid) for unit in (1.0, 0.1))
    assert tenth.bandwidth_ == pytest.approx(0.01 * one.bandwidth_)
    assert tenth.alpha_ == pytest.approx(one.alpha_)


def test_steps_of_one_length_are_a_curve():
    line = np.column_stack([np.arange(60.0), 0.1 * np.arange(60.0)])
    assert lies_along_curve(line)
    angle = 2 * np.pi * np.arange(60) / 60
    assert lies_along_curve(np.column_stack([np.cos(angle), np.sin(angle)]))


def test_the_default_keeps_a_loop_that_a_narrow_kernel_tears():
    model = KernelInformationEmbedding().fit(LOOP)
    assert turns_and_steps(model.embedding_) == (pytest.approx(119 / 120, abs=0.01), 1.0)
    scale = 2 * LOOP.var(axis=0).sum()
    assert model.bandwidth_ == pytest.approx(scale)
    assert 1e-3 < model.alpha_ <= 0.1
    torn = KernelInformationEmbedding(bandwidth=scale / 8, alpha=1e-3).fit(LOOP)
    assert turns_and_steps(torn.embedding_)[1] < 0.9
    # new rows are placed between their neighbours, not drawn to the middle by the wide kernel
    halfway = (LOOP[:-1] + LOOP[1:]) / 2
    expected = (model.embedding_[:-1] + model.embedding_[1:]) / 2
    off = np.linalg.norm(model.transform(halfway) - expected, axis=1)
    assert off.max() < 0.05 * model.embedding_.std()


def test_a_line_has_no_flat_dimension_by_default(recwarn):
    X = np.column_stack([np.linspace(0, 1, 60), np.zeros(60)])
    Z = KernelInformationEmbedding(2).fit_transform(X)
    assert Z.std(axis=0).min() > 0.01
    assert not [w for w in recwarn if "flat" in str(w.message)]


@pytest.mark.real_data
def test_a_walk_is_a_loop_by_default():
    walk = load("cmu35_walk").X
    turns, onward = turns_and_steps(KernelInformationEmbedding().fit_transform(walk))
    assert 2.4 < turns < 2.7
    assert onward > 0.9


@pytest.mark.parametrize(("unfolds", "penalty"), [(0.1, 0.05), (1e-3, 1e-3), (5.0, 0.1)])
def test_the_penalty_of_a_curve_leaves_its_last_dimension_unfolded(unfolds, penalty):
    """A half of the one below which it unfolds, but no more than a tenth nor less than usual."""
    onset = Onset(np.array([2 * unfolds, unfolds]), np.zeros((120, 2)))
    ends = ends_of_path("auto", LOOP, kernel_for("gaussian", LOOP), 2, shrinks=True, judged=False)
    assert ends.final_penalty("auto", onset) == pytest.approx(penalty, rel=1e-6)
    assert ends.final_penalty(0.7, onset) == 0.7
