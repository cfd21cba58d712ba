"""Several starts of one descent: the lowest wins, and what was left is gone on with."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight.core.errors import InterruptedFitWarning
from sidelight.core.progress import listening
from sidelight.solvers.descent.quasi_newton import minimise
from sidelight.solvers.descent.restarts import best_of_starts

OPTIONS = {"max_iter": 200, "rough": 1e-3, "tol": 1e-12, "stage": "wells", "who": "test"}
STARTS = [np.full(4, s) for s in (0.5, -0.4, 0.9)]


def wells(x):
    """Every coordinate has two wells, the left one lower, and they hang together a little."""
    pull = x - x.mean()
    value = np.sum((x**2 - 1) ** 2 + 0.1 * x) + 0.1 * pull @ pull
    return float(value), 4 * x * (x**2 - 1) + 0.1 + 0.2 * pull


def stop_after(done, times=1):
    seen = []

    def stop(progress):
        if progress.done == done:
            seen.append(done)
            if len(seen) == times:
                raise KeyboardInterrupt

    return stop


def test_the_lowest_well_is_found_and_every_start_is_told_of():
    found = best_of_starts(wells, STARTS, **OPTIONS)
    options = {"max_iter": 200, "tol": 1e-3, "patience": 3, "stage": "", "who": ""}
    alone = [minimise(wells, start, **options) for start in STARTS]
    np.testing.assert_allclose(found.values, [one.value for one in alone])
    root = np.roots([4, 0, -4, 0.1])
    np.testing.assert_allclose(found.best.x, np.full(4, root.real.min()), atol=1e-6)
    assert found.pause is None
    assert found.best.n_iter == len(found.best.history) - 1 > alone[1].n_iter
    assert (np.diff(found.best.history) <= 0).all()


def test_a_start_that_is_alone_is_descended_once():
    found = best_of_starts(wells, STARTS[1:2], **OPTIONS)
    alone = minimise(wells, STARTS[1], max_iter=200, tol=1e-12, stage="", who="")
    np.testing.assert_array_equal(found.best.x, alone.x)
    assert found.values == [alone.value]


@pytest.mark.parametrize("times", [1, 2, 3])
def test_an_interruption_keeps_the_lowest_and_says_where_to_go_on(times):
    whole = best_of_starts(wells, STARTS, **OPTIONS)
    with listening(stop_after(2, times)), pytest.warns(InterruptedFitWarning):
        left = best_of_starts(wells, STARTS, **OPTIONS)
    assert left.pause.number == times - 1
    assert len(left.values) == times
    assert left.best.value == min(left.values)
    np.testing.assert_array_equal(left.pause.values, whole.values[: times - 1])
    tried = []
    with listening(lambda progress: tried.append(progress.done == 1)):
        rest = best_of_starts(wells, STARTS, left_off=left.pause, **OPTIONS)
    assert sum(tried) <= 3 - times + 2
    np.testing.assert_allclose(rest.best.x, whole.best.x, atol=1e-5)
    np.testing.assert_allclose(rest.values, whole.values, atol=1e-2)


def test_an_interruption_of_the_last_descent():
    options = OPTIONS | {"rough": 1.0}
    with listening(stop_after(1, 4)), pytest.warns(InterruptedFitWarning):
        left = best_of_starts(wells, STARTS, **options)
    assert left.pause.number == 3
    rest = best_of_starts(wells, STARTS, left_off=left.pause, **options)
    assert rest.best.value == pytest.approx(best_of_starts(wells, STARTS, **OPTIONS).best.value)
    np.testing.assert_array_equal(rest.values, left.values)


def test_a_start_that_a_rough_tolerance_leaves_above_the_others_may_win():
    """The lower well is at the end of a flat way, on which a rough descent rests early."""

    def slow(x):
        well, way = x
        value = (well**2 - 1) ** 2 + 1e-3 * well + 0.01 * way**4
        return float(value), np.array([4 * well * (well**2 - 1) + 1e-3, 0.04 * way**3])

    starts = [np.array([0.9, 0.0]), np.array([-0.9, 0.8])]
    found = best_of_starts(slow, starts, **OPTIONS)
    assert found.values[0] < found.values[1]  # by what a rough tolerance leaves undone
    assert found.best.x[0] == pytest.approx(-1, abs=1e-2)
    assert found.best.value < found.values.min()
    assert found.best.n_iter == len(found.best.history) - 1


def test_a_start_that_is_clearly_higher_is_left():
    """What it came to roughly is the last that is asked of its side of the hill."""
    seen = []

    def counted(x):
        seen.append(x[0])
        return wells(x)

    found = best_of_starts(counted, [STARTS[1], STARTS[0]], **OPTIONS | {"rough": 1e-6})
    assert found.values[1] - found.values[0] > 0.1
    right = np.flatnonzero(np.array(seen) > 0)
    assert (np.array(seen[right[-1] + 1 :]) < 0).all()
    assert len(seen) > right[-1] + 2


def test_an_interruption_of_a_second_last_descent_keeps_the_first():
    options = OPTIONS | {"rough": 1.0}
    with listening(stop_after(1, 5)), pytest.warns(InterruptedFitWarning):
        left = best_of_starts(wells, STARTS, **options)
    assert left.best.interrupted
    assert left.best.value == pytest.approx(best_of_starts(wells, STARTS, **OPTIONS).best.value)


def test_a_start_that_is_slow_goes_on_and_may_come_to_the_lowest():
    """A bowl of depth zero, and a bent valley that gains little a step and ends lower."""

    def bowl_and_valley(x):
        a, b = x
        if a > 4:
            return float(np.sum((x - 10) ** 2)), 2 * (x - 10)
        steep = b - a * a
        slope = np.array([-400 * a * steep - 2 * (1 - a), 200 * steep])
        return 0.02 * (100 * steep**2 + (1 - a) ** 2) - 0.005, 0.02 * slope

    for slow in ([-1.2, 1.0], [-1.5, 2.0]):
        found = best_of_starts(bowl_and_valley, [np.full(2, 9.0), np.array(slow)], **OPTIONS)
        assert found.values[1] > found.values[0] + 0.05  # where the rough descents were at rest
        assert found.best.value == pytest.approx(-0.005, abs=1e-9)
