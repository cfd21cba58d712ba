"""Agreement among neighbours, against chance."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight.solvers import (
    agreement_beyond_chance,
    agreement_in_codes,
    association_in_codes,
)


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


@pytest.mark.parametrize("n_classes", [2, 5])
def test_association_of_classes_is_the_cube_root_of_their_chi_square(n_classes):
    rng = np.random.default_rng(6)
    classes, near = rng.integers(n_classes, size=200), rng.integers(200, size=(200, 3))
    whose = rng.permutation(200)
    said, share = classes[whose], np.bincount(classes) / 200
    # heads and tails of the arrows, both about the shares of all rows
    together = np.zeros((n_classes, n_classes))
    np.add.at(together, (said[:, None], said[near]), 1 / near.size)
    heads, tails = together.sum(axis=1), together.sum(axis=0)
    off = together - np.outer(heads, share) - np.outer(share, tails) + np.outer(share, share)
    expected = np.sum(off**2 / np.outer(share, share)) ** (1 / 3)
    found = association_in_codes(np.eye(n_classes)[classes], near)(whose)
    assert found == pytest.approx(expected)


def test_neighbours_that_are_never_alike_are_associated_and_do_not_agree():
    values = np.tile([0, 1], 60)
    codes, near = np.eye(2)[values], (np.arange(120)[:, None] + [1, 3]) % 120
    assert agreement_beyond_chance(agreement_in_codes(codes, near), 120, 50) < -5
    assert agreement_beyond_chance(association_in_codes(codes, near), 120, 50) > 5
    nothing = association_in_codes(np.ones((120, 1)), near)
    assert agreement_beyond_chance(nothing, 120, 10) == 0.0
