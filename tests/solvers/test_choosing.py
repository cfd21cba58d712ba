"""The best of several: by what it is, not by the last bit."""

from __future__ import annotations

import numpy as np

from sidelight.solvers import best_of, first_least, first_within, improves, ranks_to_rounding


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


def test_only_what_is_less_beyond_rounding_improves():
    for bits in (-3e-16, 0.0, 3e-16):
        assert not improves(1.0 + bits, 1.0)
        assert not improves(-7e5 * (1 + bits), -7e5)
    assert improves(1.0 - 1e-6, 1.0)
    assert improves(1.0, np.inf)
    assert improves(1.0, np.nan)
    assert not improves(np.nan, np.inf)


def test_the_smallest_that_cannot_be_told_from_the_best_is_taken():
    errors = np.array([3.0, 1.1, 1.05, 1.0, 1.2])
    assert first_within(errors, 0.0) == 3
    assert first_within(errors, 0.06) == 2
    assert first_within(errors, np.array([0.5, 0.2, 0.0, 0.0, 0.0])) == 1
    assert first_within(np.array([np.nan, np.inf, 2.0]), 1.0) == 2


def test_ranks_are_shared_by_what_differs_in_the_last_digits_of_itself_or_of_the_largest():
    def ranks(*sizes):
        return ranks_to_rounding(np.array(sizes)).tolist()

    assert ranks(3.0, 3.0 * (1 + 5e-10), 1.0) == [1, 1, 0]
    assert ranks(3.0, 3.0 * (1 + 2e-9), 1.0) == [1, 2, 0]
    assert ranks(0.0, 5e-15, 1.0) == [0, 0, 1]  # a sum of ones leaves so much of nothing
    assert ranks(0.0, 5e-14, 1.0) == [0, 1, 2]
