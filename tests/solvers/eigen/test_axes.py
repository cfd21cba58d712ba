"""Axes of maps: principal ones where there are, and those of a rule where lengths are equal."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight.latent.descending import principal_turn
from sidelight.latent.information.axes import on_axes
from sidelight.latent.relational.axes import settled_full
from sidelight.solvers.eigen import settled_axes
from sidelight.solvers.eigen.rules import column_extremes, column_signs, settling_turn
from sidelight.solvers.semidefinite import principal_axes


def ring(n=48):
    angle = 2 * np.pi * np.arange(n) / n
    return np.column_stack([np.cos(angle), np.sin(angle)])


def turned(Z, seed=0, noise=1e-9):
    """As another processor may have left it."""
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.standard_normal((Z.shape[1], Z.shape[1])))[0]
    return (Z + noise * rng.standard_normal(Z.shape)) @ Q


def test_axes_of_different_lengths_are_the_principal_ones():
    Z = np.random.default_rng(0).standard_normal((60, 3)) * [3.0, 1.0, 0.2]
    Z -= Z.mean(axis=0)
    axes = settled_axes(Z)
    np.testing.assert_allclose(axes.T @ axes, np.eye(3), atol=1e-12)
    scatter = axes.T @ Z.T @ Z @ axes
    np.testing.assert_allclose(scatter, np.diag(np.sort(np.diag(scatter))[::-1]), atol=1e-9)


def test_axes_that_are_nearly_as_long_as_one_another_are_still_principal():
    """Lengths that differ by 3e-6 are two, by 3e-7 one, whose first axis goes to the first row."""
    rng = np.random.default_rng(1)
    left = np.linalg.qr(rng.standard_normal((50, 2)))[0]
    turn = np.linalg.qr(rng.standard_normal((2, 2)))[0]
    for apart, principal in ((1e-2, True), (3e-6, True), (3e-7, False)):
        axes = settled_axes((left * [1.0, 1.0 - apart]) @ turn.T)
        np.testing.assert_allclose(axes.T @ axes, np.eye(2), atol=1e-12)
        assert np.allclose(np.abs(axes.T @ turn), np.eye(2), atol=1e-6) == principal


@pytest.mark.parametrize("seed", range(3))
def test_axes_along_which_nothing_lies_do_not_depend_on_rounding(seed):
    """Of points on a line in space the other two axes are those of the coordinates."""
    rng = np.random.default_rng(seed)
    line = np.outer(rng.standard_normal(30), rng.standard_normal(4))
    plain = settled_axes(line)
    for _ in range(5):
        noise = 1e-16 * np.abs(line).max() * rng.uniform(-1, 1, line.shape)
        np.testing.assert_allclose(settled_axes(line + noise), plain, atol=1e-6)


@pytest.mark.parametrize("n_flat", [0, 2])
def test_flat_axes_and_few_points_have_axes_too(n_flat):
    for Z in (np.pad(ring(), ((0, 0), (0, n_flat))), np.zeros((5, 3)), np.eye(2, 4)):
        axes = settled_axes(turned(Z) if Z.any() else Z)
        np.testing.assert_allclose(axes.T @ axes, np.eye(Z.shape[1]), atol=1e-9)


def of_one_relation(Z):
    one, other = np.eye(Z.shape[1]), np.eye(Z.shape[1])
    return settled_full(Z, np.stack([one, other]), data_first=True)[0]


@pytest.mark.parametrize(
    ("settled", "noise"),
    [
        pytest.param(lambda Z: Z @ settled_axes(Z), 1e-9, id="the rule"),
        pytest.param(principal_turn, 1e-9, id="principal_turn"),
        pytest.param(lambda Z: on_axes(Z, "l2"), 1e-9, id="on_axes"),
        pytest.param(lambda Z: principal_axes(Z, np.ones(len(Z))), 1e-9, id="principal_axes"),
        pytest.param(of_one_relation, 1e-15, id="settled_full"),
    ],
)
def test_a_ring_is_shown_in_one_way_whatever_turn_it_came_in(settled, noise):
    maps = [settled(turned(ring(), seed, noise)) for seed in range(3)]
    for other in maps[1:]:
        np.testing.assert_allclose(other, maps[0], atol=1e-6)


def test_signs_bear_the_error_that_is_told():
    ring_ends = np.array([[1.0], [0.2], [-1.0 - 1e-4]])
    assert column_signs(ring_ends)[0] == -1
    assert column_signs(ring_ends, alike=1e-3)[0] == 1


@pytest.mark.parametrize("rank", [0, 1, 2, 3])
def test_where_rows_say_no_more_the_turn_is_completed(rank):
    """Thirteen dimensions of fourteen rows in three columns: 0/0 filled the map."""
    rng = np.random.default_rng(rank)
    V = rng.standard_normal((14, rank)) @ rng.standard_normal((rank, 6))
    turn = settling_turn(V, 6)
    np.testing.assert_allclose(turn.T @ turn, np.eye(6), atol=1e-12)
    first = settling_turn(V, max(rank, 1))
    np.testing.assert_allclose(turn[:, :rank], first[:, :rank], atol=1e-12)
    np.testing.assert_allclose((V @ turn)[:, rank:], 0.0, atol=1e-12)


@pytest.mark.parametrize("shape", [(5000, 2), (4096, 1), (2049, 3), (3000, 50), (40, 2), (9, 1500)])
def test_the_extremes_of_columns_are_those_of_numpy(shape):
    values = np.random.default_rng(0).standard_normal(shape)
    for table in (values, values.astype(np.float32), np.asfortranarray(values), values[::2]):
        least, largest = column_extremes(table)
        np.testing.assert_array_equal(least, table.min(axis=0))
        np.testing.assert_array_equal(largest, table.max(axis=0))
