"""Quasi-Newton steps that have the same bits on every processor."""

from __future__ import annotations

import subprocess
import sys
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from sidelight.solvers.descent import minimise
from sidelight.solvers.descent.reproducible import descend_reproducibly
from tools.portable import environment, why_not

COURSE = {"max_iter": 400, "tol": 1e-13, "stage": "hills", "who": "test"}
_PROGRAM = """
import sys
import numpy as np
from tests.solvers.descent.test_reproducible import over_hills
np.save(sys.argv[1], over_hills())
"""


def hills(x):
    """Very many wells, which hang together: where a descent ends is told by every step."""
    near = x[1:] - x[:-1]
    bowl, rough = x * x, 1 - x * x * (1 - x * x / 12)
    slope = 0.02 * x + 0.5 * (4 * x * x * x / 12 - 2 * x)
    slope[1:] += 0.2 * near
    slope[:-1] -= 0.2 * near
    value = 0.01 * np.sum(bowl) + 0.1 * np.sum(near * near) + 0.5 * np.sum(rough)
    return float(value), slope


def over_hills():
    start = np.random.default_rng(3).uniform(-3, 3, 2000)
    return minimise(hills, start, reproducible=True, **COURSE).x


@pytest.mark.parametrize("kernel", ["Prescott", "Haswell"])
def test_the_same_bits_under_another_kernel(kernel):
    reason = why_not(kernel)
    if reason is not None:
        pytest.skip(reason)
    with TemporaryDirectory() as folder:
        file = f"{folder}/x.npy"
        subprocess.run([sys.executable, "-c", _PROGRAM, file], env=environment(kernel), check=True)
        there = np.load(file)
    np.testing.assert_array_equal(there, over_hills())


def test_a_bowl_of_few_directions_is_exact_after_as_many_steps():
    """With the whole history quasi-Newton steps with exact lengths end after n of them."""
    bends = np.array([1.0, 3.0, 10.0, 40.0])

    def bowl(x):
        return float(np.sum(bends * (x - 2) ** 2)), 2 * bends * (x - 2)

    seen = []
    going = descend_reproducibly(bowl, np.zeros(4), seen.append, max_iter=40, memory=10)
    assert not going
    assert len(seen) < 25
    np.testing.assert_allclose(seen[-1], 2.0, atol=1e-8)


def test_as_many_values_are_asked_as_by_the_library():
    """Of a stiff bowl in 50 directions, from several starts."""
    bends = np.geomspace(1e-3, 1, 50)

    def bowl(x):
        return float(np.sum(bends * x**2 + x**4)), 2 * bends * x + 4 * x**3

    asked = {True: 0, False: 0}
    for seed in range(5):
        start = np.random.default_rng(seed).standard_normal(50)
        for own in asked:
            found = minimise(bowl, start, reproducible=own, **COURSE | {"max_iter": 2000})
            assert found.value < 1e-9
            asked[own] += found.n_evaluations
    assert asked[True] < 1.2 * asked[False]


def test_what_comes_after_a_step_may_end_the_walk():
    seen = []

    def twice(x):
        seen.append(x)
        if len(seen) == 2:
            raise StopIteration

    start = np.array([-1.0, 2.0, 0.5])
    assert descend_reproducibly(hills, start, twice, max_iter=9, memory=3)
    assert len(seen) == 2
