"""Agreement among neighbours, against chance."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight.solvers import agreement_beyond_chance, agreement_in_codes


def test_it_counts_standard_deviations_of_shuffled_values():
    rng = np.random.default_rng(5)
    codes, near = rng.normal(size=(40, 3)), rng.integers(40, size=(40, 4))
    shuffles = np.random.default_rng(0)

    def agreement(said):
        return np.mean([said[i] @ said[j] for i in range(40) for j in near[i]])

    by_chance = [agreement(codes[shuffles.permutation(40)]) for _ in range(30)]
    expected = (agreement(codes) - np.mean(by_chance)) / np.std(by_chance)
    found = agreement_beyond_chance(agreement_in_codes(codes, near), 40, 30)
    assert found == pytest.approx(expected)


def test_values_that_are_all_the_same_agree_no_better_than_by_chance():
    near = np.arange(20)[:, None]
    assert agreement_beyond_chance(agreement_in_codes(np.ones((20, 1)), near), 20, 10) == 0.0
