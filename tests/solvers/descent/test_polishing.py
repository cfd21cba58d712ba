"""The last digits of an optimum."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight.solvers.descent import minimise
from sidelight.solvers.descent.polishing import polish

CURVATURES = np.geomspace(1e-4, 1, 12)


def soft_valley(target):
    """A quartic of soft and stiff directions about a target, with a value far from zero."""

    def objective(x):
        away = x - target
        value = 100.0 + 0.5 * float(CURVATURES @ away**2) + 0.25 * float(np.sum(away**4))
        return value, CURVATURES * away + away**3

    return objective


def test_a_gradient_tells_more_digits_than_a_value():
    target = np.linspace(1, 2, 12)
    course = {"max_iter": 500, "tol": 1e-13, "stage": "valley", "who": "example"}
    plain = minimise(soft_valley(target), np.zeros(12), **course)
    polished = minimise(soft_valley(target), np.zeros(12), polished=True, **course)
    assert plain.converged
    assert np.abs(plain.x - target).max() > 1e-3  # flat to rounding long before
    assert np.abs(polished.x - target).max() < 1e-5
    assert polished.value <= plain.value * (1 + 1e-14)
    assert np.array_equal(plain.history[:-1], polished.history[:-1])
    # what is said of the end is true of it
    assert polished.value == polished.history[-1] == soft_valley(target)(polished.x)[0]


def test_what_leads_to_another_optimum_is_not_taken():
    def wells(x):  # from beside the top of the hill Newton's step would lead uphill
        return float(np.sum((x**2 - 1) ** 2)), 4 * x * (x**2 - 1)

    top = np.array([0.1, -0.1])
    assert np.array_equal(polish(wells, top), top)
    assert polish(wells, np.array([0.999, -1.001])) == pytest.approx([1, -1], abs=1e-7)


def test_directions_that_change_nothing_are_left_alone():
    """A ring: the radius is found, the angle stays."""

    def ring(x):
        r = float(np.hypot(*x))
        return (r - 2) ** 2, 2 * (r - 2) * x / r

    found = polish(ring, np.array([1.2001, 1.6]))
    assert np.hypot(*found) == pytest.approx(2, abs=1e-9)
    assert np.arctan2(*found[::-1]) == pytest.approx(np.arctan2(1.6, 1.2001), abs=1e-7)


@pytest.mark.parametrize("begin", [0.95, 0.97, 0.99])
def test_a_bent_valley_is_followed_though_the_slope_rises_on_the_way(begin):
    """From its floor Newton's step goes down, and lands on the slope beside the optimum."""

    def valley(x):
        a, b = x
        steep = b - a * a
        slope = np.array([-400 * a * steep - 2 * (1 - a), 200 * steep])
        return 100 * steep**2 + (1 - a) ** 2, slope

    floor = np.array([begin, begin**2])
    np.testing.assert_allclose(polish(valley, floor), [1, 1], atol=1e-9)


@pytest.mark.parametrize("begin", [1.2, 2.0, 4.0, 6.0])
def test_a_step_that_leads_up_is_halved(begin):
    """Newton's step from there goes past the optimum, to where the value is larger."""

    def bowl(x):
        return float(np.sum(np.logaddexp(x, -x))), np.tanh(x)

    start = np.full(3, begin)
    assert bowl(start - np.tanh(start) * np.cosh(start) ** 2)[0] > bowl(start)[0]
    np.testing.assert_allclose(polish(bowl, start), 0, atol=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_what_is_left_to_rounding_ends_it(seed):
    """No step is one to a lower place, nor to a smaller slope: the point stays."""
    rng = np.random.default_rng(seed)

    def at_the_optimum(x):
        value = 100.0 + float(0.5 * np.sum((x - 3) ** 2)) + 2e-11 * rng.uniform(-1, 1)
        return value, x - 3 + 1e-9 * rng.standard_normal(len(x))

    x = np.full(50, 3.0)
    assert np.array_equal(polish(at_the_optimum, x), x)
