"""How strengths are chosen by rows left out, each decision by figures on either side of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sidelight.core import evenly_spaced
from sidelight.metric.learning import leave_out
from sidelight.metric.learning.from_pairs import named_rows
from sidelight.metric.learning.leave_out import (
    SETTINGS,
    StrengthChoice,
    choose_strength,
    spread_by_chance,
)
from sidelight.metric.learning.scatter import Spread
from sidelight.metric.learning.space import FeatureSpace
from sidelight.side import Pairs

X = np.random.default_rng(0).normal(size=(40, 3))
#: So many rows were left out; where all of them say the same, these are the standard errors.
N = 100
OF_A_MEAN, OF_A_DIFFERENCE = (float(np.sqrt(doubt**2 / (N + 1) / N)) for doubt in (0.5, 0.25))


def chosen(monkeypatch, areas, *, chance=0.0, pairs=None):
    """The choice where rows left out are told apart so well, by strength, and by chance so much."""
    asked = []

    def told(named, spread, strengths, rng, settings):
        asked.extend(strengths)
        yield np.tile(np.array(areas)[: len(strengths), None], (1, N))

    monkeypatch.setattr(leave_out, "_areas_left_out", told)
    monkeypatch.setattr(leave_out, "spread_by_chance", lambda *given: chance)
    pairs = pairs or Pairs(similar=np.arange(40).reshape(20, 2))  # trusted with 0, 0.3, 1 and 3
    named = named_rows(X, pairs, FeatureSpace(3))
    found = choose_strength(named, Spread.of(X), np.random.default_rng(0))
    return found, tuple(asked)


@pytest.mark.parametrize(("errors", "used"), [(2.5, False), (3.5, True)])
def test_pairs_must_foretell_more_by_three_standard_errors(monkeypatch, errors, used):
    areas = np.full(8, 0.6)
    areas[2] += errors * OF_A_DIFFERENCE
    found, _ = chosen(monkeypatch, areas)
    assert (found.strength > 0) is used
    assert found.without == 0.6


@pytest.mark.parametrize(("deviations", "used"), [(1.7, False), (2.3, True)])
def test_and_by_two_deviations_of_shuffled_knowledge(monkeypatch, deviations, used):
    areas = np.full(8, 0.6)
    areas[2] += deviations * 0.05
    found, _ = chosen(monkeypatch, areas, chance=0.05)
    assert (found.strength > 0) is used


@pytest.mark.parametrize(("area", "used"), [(0.495, False), (0.505, False), (0.52, True)])
def test_worse_than_a_coin_is_no_better_than_a_coin(monkeypatch, area, used):
    areas = np.full(8, 0.3)
    areas[2] = area
    assert (chosen(monkeypatch, areas)[0].strength > 0) is used


@pytest.mark.parametrize(("short", "strength"), [(0.9, 0.3), (1.1, 1.0)])
def test_the_smallest_within_one_standard_error_of_the_best_is_taken(monkeypatch, short, strength):
    areas = np.full(8, 0.6)
    areas[1:4] = 0.8 - short * OF_A_MEAN, 0.8, 0.7
    found, _ = chosen(monkeypatch, areas)
    assert found.strength == strength
    assert found.best == pytest.approx(0.8)
    assert found.error == pytest.approx(OF_A_MEAN)


@pytest.mark.parametrize(("errors", "strength"), [(3.5, 1.0), (4.5, 100.0)])
def test_beyond_what_pairs_are_trusted_with_it_takes_four_standard_errors(
    monkeypatch, errors, strength
):
    areas = np.full(8, 0.6)
    areas[2], areas[6] = 0.8, 0.8 + errors * OF_A_MEAN
    assert chosen(monkeypatch, areas)[0].strength == strength


def test_pairs_that_only_differ_are_never_heard_beyond_one(monkeypatch):
    areas = np.linspace(0.6, 0.9, 8)
    apart = Pairs(dissimilar=np.arange(40).reshape(20, 2))
    assert chosen(monkeypatch, areas, pairs=apart)[1] == (0.0, 0.3, 1.0)
    assert chosen(monkeypatch, areas)[1] == SETTINGS.strengths


@pytest.mark.parametrize(
    ("best", "error", "refuted"),
    [
        (0.62, 0.07, True),
        (0.65, 0.07, False),  # two errors better than a coin
        (0.62, 0.09, False),  # nobody can know
    ],
)
def test_when_it_is_certain_that_pairs_have_nothing_to_do_with_the_rows(best, error, refuted):
    assert StrengthChoice(0.0, 0.5, 0.5, best, error).refuted is refuted


def test_chance_among_some_rows_is_brought_to_the_number_of_all():
    """Forty of 160 rows are shuffled: the mean over four times as many spreads half as much."""
    rng = np.random.default_rng(1)
    y, Z = rng.integers(2, size=160), rng.normal(size=(160, 3))
    some = evenly_spaced(160, 40)
    all_rows, those = (
        named_rows(Z[rows], Pairs.from_labels(y[rows]), FeatureSpace(3))
        for rows in (np.arange(160), some)
    )
    settings = replace(SETTINGS, shuffled_rows=40)
    of_all, of_those = (
        spread_by_chance(named, np.random.default_rng(0), settings) for named in (all_rows, those)
    )
    assert of_all == pytest.approx(of_those / 2)
