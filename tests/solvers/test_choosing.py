"""The best of several: by what it is, not by the last bit."""

from __future__ import annotations

import numpy as np

from sidelight.solvers import best_of, first_least


def test_the_least_error_wins():
    assert best_of([5, 2, 9, 3], lambda x: (x - 3) ** 2) == 3
    assert best_of(iter("abc"), {"a": -1.0, "b": -2.0, "c": 0.0}.get) == "b"


def test_of_two_that_are_as_good_to_rounding_the_first_is_kept():
    for bits in (-3e-16, 0.0, 3e-16):
        assert best_of([0, 1], [1.0, 1.0 + bits].__getitem__) == 0
        assert best_of([0, 1], [-7e5, -7e5 * (1 + bits)].__getitem__) == 0
    assert best_of([0, 1], [1.0, 1.0 - 1e-6].__getitem__) == 1


def test_what_is_no_number_is_the_worst():
    assert best_of([0, 1, 2], [np.nan, np.inf, 4.0].__getitem__) == 2
    assert best_of([0, 1], [np.inf, np.nan].__getitem__) == 0


def test_each_column_by_itself():
    errors = np.random.default_rng(0).normal(size=(4, 50))
    assert np.array_equal(first_least(errors), errors.argmin(axis=0))
