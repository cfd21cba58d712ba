"""Equal actions keep distances: classes of pairs, forests of equalities, merged places."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse.csgraph import connected_components

from sidelight.solvers.semidefinite.constraints import PairConstraints
from sidelight.solvers.semidefinite.program import VarianceWithin
from sidelight.solvers.semidefinite.reduce import essential
from sidelight.unfolding.actions.constraints import (
    all_equalities,
    equal_distances,
    merge_by_actions,
)
from sidelight.unfolding.actions.places import Places
from sidelight.unfolding.actions.statement import state_walk


def walk(n):
    return np.column_stack([np.arange(n - 1), np.arange(1, n)])


def naive_classes(n, transitions, labels):
    """Every two equal actions, as a graph between pairs that is searched by hand."""
    links = {}
    for (i, i_next), a in zip(transitions, labels, strict=True):
        for (j, j_next), b in zip(transitions, labels, strict=True):
            if a == b and i != j:
                one, two = frozenset((i, j)), frozenset((i_next, j_next))
                links.setdefault(one, set()).add(two)
                links.setdefault(two, set()).add(one)
    classes, seen = [], set()
    for pair in links:
        if pair in seen:
            continue
        found, waiting = set(), [pair]
        while waiting:
            here = waiting.pop()
            if here not in found:
                found.add(here)
                waiting += links[here]
        seen |= found
        classes.append(found)
    return classes


def classes_of(equal):
    """Which pairs the rows of +1 and −1 join."""
    joined = np.abs(equal.combine.T.toarray()) @ np.abs(equal.combine.toarray()) > 0
    return connected_components(joined, directed=False)[1]


def test_the_classes_are_those_of_a_search_by_hand():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 14)
    every = equal_distances(np.arange(15), walk(15), labels)
    found = essential(every)[0]
    classes = classes_of(found)
    expected = {frozenset(c) for c in naive_classes(15, walk(15).tolist(), labels) if len(c) > 1}
    groups = {}
    for pair, kind in zip(found.pairs.tolist(), classes, strict=True):
        groups.setdefault(kind, set()).add(frozenset(pair))
    assert {frozenset(g) for g in groups.values()} == expected
    # a spanning forest: independent, and as many as say all of it
    assert found.combine.shape[0] == len(found.pairs) - len(groups)
    assert np.linalg.matrix_rank(found.combine.toarray()) == found.combine.shape[0]


def test_the_forest_says_every_equality():
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 2, 11)
    before, after = all_equalities(np.arange(12), walk(12), labels)
    found = essential(equal_distances(np.arange(12), walk(12), labels))[0]
    where = {tuple(pair): p for p, pair in enumerate(found.pairs.tolist())}
    rows = np.zeros((len(before), len(found.pairs)))
    for q, (one, two) in enumerate(zip(before.tolist(), after.tolist(), strict=True)):
        rows[q, where[tuple(one)]], rows[q, where[tuple(two)]] = 1, -1
    both = np.vstack([found.combine.toarray(), rows])
    assert np.linalg.matrix_rank(both) == found.combine.shape[0]


def test_a_merge_goes_all_along_the_walk_and_back():
    labels = ["on"] * 5 + ["back"] * 5
    nodes = np.arange(11)
    nodes[7] = 3  # one place seen twice, in the middle of the way back
    nodes[8] = 2
    steps = np.vstack([walk(11), walk(11)[:5, ::-1]])
    merged = merge_by_actions(nodes, steps, labels + ["back"] * 5)
    assert_array_equal(merged, [0, 1, 2, 3, 4, 5, 4, 3, 2, 1, 0])


def test_an_action_that_leads_from_one_place_to_two_is_refused():
    with pytest.raises(ValueError, match="action up leads from one node to two.*merge_by_actions"):
        equal_distances(np.array([0, 1, 0, 2]), walk(4), ["up", "down", "up"])


def test_the_tightest_bound_of_a_class_counts():
    equal = equal_distances(np.arange(4), walk(4), ["on"] * 3)
    within = PairConstraints.on_pairs(walk(4), np.array([4.0, 1.0, 9.0]), "at_most")
    found = essential(PairConstraints.join([within, equal]))[0]
    singles = found.combine[~found.equal].toarray()
    assert_array_equal(found.bounds[~found.equal], np.ones(3))  # one class, and a spanning tree
    named = {tuple(found.pairs[np.flatnonzero(row)[0]]) for row in singles}
    assert named == {(0, 1), (1, 2), (2, 3)}


def test_or_the_mean_of_its_bounds():
    steps = np.column_stack([np.zeros(3, int), walk(4)])
    places = Places(np.arange(4), steps, np.array([-1]), 0.0)
    runs = VarianceWithin(np.ones((1, 4)))
    program = state_walk(runs, places, walk(4), np.array([4.0, 1.0, 9.0]), mean_bounds=True)
    bounded = program.constraints.bounds[~program.constraints.equal]
    assert bounded == pytest.approx([14 / 3] * 3)
