"""Transformations of one's own, of signals, several at once; virtual points."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight.transforms import (
    Baseline,
    Custom,
    Gain,
    Rotation,
    Several,
    Shift,
    Step,
    Tangents,
    Transformation,
    virtual_points,
)

SHAPE = (6, 5)


@pytest.fixture
def rows():
    return np.random.default_rng(2).random((3, 30))


ALL = [
    Baseline(2),
    Gain(),
    Custom(lambda x, theta: theta[0] * x + theta[1], rest=[1.0, 0.0]),
    Step(np.fliplr),
    Tangents(np.random.default_rng(0).random((2, 30))),
    Several([Shift(), Gain()]),
]


@pytest.mark.parametrize("one", ALL, ids=lambda one: type(one).__name__)
class TestEveryOne:
    def test_at_rest_nothing_changes(self, one, rows):
        assert isinstance(one, Transformation)
        assert np.allclose(one.apply(rows, one.identity(), SHAPE), rows, atol=1e-15)

    def test_tangents_are_derivatives_at_rest(self, one, rows):
        rest, step = one.identity(), 1e-6
        apart = [
            one.apply(rows, rest + step * way, SHAPE) - one.apply(rows, rest - step * way, SHAPE)
            for way in np.eye(len(rest))
        ]
        assert np.allclose(one.tangents(rows, SHAPE), np.stack(apart, 1) / (2 * step), atol=1e-7)


def test_a_function_sees_images(rows):
    seen = []
    Step(lambda x: seen.append(x.shape) or x).tangents(rows, SHAPE)
    assert seen == [SHAPE] * 3


def test_a_function_that_changes_the_size_is_refused(rows):
    with pytest.raises(ValueError, match=r"of the size that it takes, \(6, 5\). Got .*\(6, 4\)"):
        Step(lambda x: x[:, 1:]).apply(rows, [1.0], SHAPE)


def test_one_after_the_other(rows):
    both = Several([Shift(), Rotation()]).apply(rows, [1.0, 0.5, 20.0], SHAPE)
    first = Shift().apply(rows, [1.0, 0.5], SHAPE)
    assert np.array_equal(both, Rotation().apply(first, [20.0], SHAPE))
    assert Several([np.fliplr, Shift()]).members[0].function is np.fliplr


def test_several_see_what_the_one_that_smooths_most_sees(rows):
    little, much = Shift(smoothing=0.05), Rotation(smoothing=0.2)
    for members in ([little, much, Gain()], [Gain(), much, little]):
        assert np.array_equal(Several(members).seen(rows, SHAPE), much.seen(rows, SHAPE))


def test_tangents_of_a_function_that_bends_are_its_slopes(rows):
    """Central differences at the step that is taken by default miss a ten millionth of them."""
    grown = Custom(lambda x, theta: x * np.exp(theta[0]), rest=[0.0])
    assert np.allclose(grown.tangents(rows)[:, 0], rows, rtol=1e-6)


def test_tangents_by_a_function_of_rows(rows):
    ways = Tangents(lambda X: np.stack([X, 2 * X], axis=1))
    assert ways.tangents(rows).shape == (3, 2, 30)
    assert np.allclose(ways.apply(rows, [0.5, 0.25]), 2 * rows)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Custom(3, [0.0]), "'function' argument of Custom"),
        (lambda: Custom(abs, []), "'rest' argument of Custom"),
        (lambda: Custom(abs, [0.0], step=0.0), "'step' argument of Custom"),
        (lambda: Step(3), "'function' argument of Step"),
        (lambda: Tangents([np.nan]), "'vectors' argument of Tangents"),
        (lambda: Several([]), "'members' argument of Several"),
        (lambda: Several([3]), "A transformation is a member"),
        (lambda: Baseline(-1), "'degree' argument of Baseline"),
        (lambda: Tangents(np.eye(3)).tangents(np.ones((2, 4))), "as X has columns, 4"),
    ],
)
def test_refusals(make, words):
    with pytest.raises(ValueError, match=words):
        make()


class TestVirtualPoints:
    def test_each_knows_its_source(self, rows):
        turns = [[-10.0], [10.0]]
        grown = virtual_points(rows, Rotation(), turns, SHAPE)
        assert np.array_equal(grown.rows[:3], rows)
        assert grown.source.tolist() == [0, 1, 2] * 3
        assert grown.theta.ravel().tolist() == [0.0] * 3 + [-10.0] * 3 + [10.0] * 3
        for row, source, theta in zip(grown.rows, grown.source, grown.theta, strict=True):
            assert np.allclose(row, Rotation().apply(rows[source], theta, SHAPE)[0])

    def test_a_list_of_single_parameters(self, rows):
        assert len(virtual_points(rows, Gain(), [0.5, 2.0]).rows) == 9

    def test_parameters_of_another_length(self, rows):
        with pytest.raises(ValueError, match=r"shape \(m, 2\)"):
            virtual_points(rows, Shift(), [[1.0, 2.0, 3.0]], SHAPE)
