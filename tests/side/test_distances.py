"""Distances: what cannot be true is found and named, worst first."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from sidelight.side import Distances
from sidelight.side import contradictions as contradictions_module
from sidelight.side.contradictions import find_contradictions


def names(distances, n_samples=10):
    return [str(found) for found in distances.check(n_samples, who="DistanceMetric", strict=False)]


def test_a_distance_longer_than_a_detour_is_named():
    distances = Distances([(3, 7), (5, 3), (5, 7), (0, 1)], [9, 2, 4, 100])
    assert names(distances) == ["d(3, 7) = 9 > d(3, 5) + d(5, 7) = 2 + 4"]
    with pytest.raises(ValueError, match=r"d\(3, 7\) = 9 > d\(3, 5\)") as refused:
        distances.check(10, who="DistanceMetric")
    assert "DistanceMetric" in str(refused.value)


def test_a_detour_may_have_many_legs():
    distances = Distances([(0, 1), (1, 2), (2, 3), (0, 3)], [1, 1, 1, 4])
    assert names(distances) == ["d(0, 3) = 4 > d(0, 1) + d(1, 2) + d(2, 3) = 1 + 1 + 1"]


def test_the_worst_comes_first():
    distances = Distances([(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)], [1, 1, 3, 1, 1, 10])
    assert [found.excess for found in distances.check(6, who="", strict=False)] == [8, 1]


def test_the_same_pair_with_two_values_is_named_and_the_same_value_is_not():
    distances = Distances([(4, 2), (2, 4), (2, 4)], [5, 3, 3])
    assert len(distances.values) == 2
    assert names(distances) == ["d(2, 4) is given as 3 and as 5"]


def test_a_zero_distance_is_a_leg_like_any_other():
    assert names(Distances([(0, 1), (1, 2), (0, 2)], [0, 2, 5])) == [
        "d(0, 2) = 5 > d(0, 1) + d(1, 2) = 0 + 2"
    ]


def test_true_distances_contradict_nothing():
    X = np.random.default_rng(0).normal(size=(40, 3))
    pairs = list(combinations(range(40), 2))
    assert Distances(pairs, pdist(X)).check(40, who="") == ()
    line = np.sort(X[:, :1], axis=0)  # every detour along a line is as long as the way itself
    assert Distances(pairs, pdist(line)).check(40, who="") == ()


def test_contradictions_are_those_of_all_shortest_paths():
    rng = np.random.default_rng(3)
    pairs = np.array(list(combinations(range(12), 2)))[rng.permutation(66)[:50]]
    values = rng.uniform(1, 9, size=50)
    D = np.full((12, 12), np.inf)
    np.fill_diagonal(D, 0)
    D[pairs[:, 0], pairs[:, 1]] = D[pairs[:, 1], pairs[:, 0]] = values
    for k in range(12):
        D = np.minimum(D, D[:, [k]] + D[[k]])
    expected = {
        tuple(p.tolist()) for p, v in zip(pairs, values, strict=True) if v > D[tuple(p)] + 1e-9
    }
    found = Distances(pairs, values).check(12, who="", strict=False)
    assert {contradiction.pair for contradiction in found} == expected
    assert len(expected) > 5
    for contradiction in found:
        assert sum(contradiction.lengths) == pytest.approx(D[contradiction.pair])


def test_a_large_search_examines_the_longest_distances(monkeypatch):
    monkeypatch.setattr(contradictions_module, "LARGEST_SEARCH", 1)
    pairs = np.array([[0, 1], [0, 2], [1, 2], [3, 4], [3, 5], [4, 5]])
    found = find_contradictions(pairs, np.array([1.0, 3, 1, 1, 30, 1]))
    assert [contradiction.pair for contradiction in found] == [(3, 5)]


@pytest.mark.parametrize(
    ("pairs", "values", "match"),
    [
        ([(0, 1)], [-1.0], r"not negative. Got -1 for the rows \(0, 1\)"),
        ([(0, 1)], [np.nan], "finite"),
        ([(0, 1)], [np.inf], "finite"),
        ([(0, 9)], [1.0], "Got 9"),
        ([(1, 1)], [0.0], "itself"),
        ([], [], "at least one"),
    ],
)
def test_distances_that_do_not_fit_are_refused(pairs, values, match):
    distances = Distances(pairs, values)
    with pytest.raises(ValueError, match=match):
        distances.check(5, who="DistanceMetric", strict=False)


@pytest.mark.parametrize(
    ("pairs", "values", "match"),
    [
        ([(0, 1)], [1.0, 2.0], "one distance per pair, 1. Got 2"),
        ([(0, 1)], ["near"], "real numbers"),
        ([(0, 1)], [[1.0]], "1-dimensional"),
        ([(0.5, 1)], [1.0], "ints"),
    ],
)
def test_what_is_no_distance_is_refused_at_once(pairs, values, match):
    with pytest.raises(ValueError, match=match):
        Distances(pairs, values)


@pytest.mark.parametrize(("excess", "told"), [(1e-8, False), (1e-4, True)])
def test_what_is_longer_than_a_detour_by_more_than_rounding_contradicts(excess, told):
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    found = find_contradictions(pairs, np.array([1.0, 3.0 * (1 + excess), 2.0]))
    assert bool(found) is told
    twice = find_contradictions(np.array([[0, 1], [0, 1]]), np.array([3.0, 3.0 * (1 + excess)]))
    assert bool(twice) is told
