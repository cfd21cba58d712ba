"""Side information meets an estimator: gathered, merged, checked once, or refused with a name."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight.registry import Entry
from sidelight.side import (
    Anchors,
    Attributes,
    Distances,
    Pairs,
    Relation,
    gather_side,
    understanding,
)


def gather(side, understands=("Pairs", "Distances"), **more):
    return gather_side(side, understands=understands, n_samples=4, who="SomeMetric", **more)


def test_nothing_known_is_an_empty_answer():
    assert gather(None) == {}
    assert gather([]) == {}


def test_values_come_by_kind():
    pairs, distances = Pairs(similar=[(0, 1)]), Distances([(0, 2)], [1.0])
    assert gather(pairs) == {"Pairs": pairs}
    assert gather((distances, pairs)) == {"Pairs": pairs, "Distances": distances}


def test_pairs_and_distances_are_merged():
    merged = gather(
        [
            Pairs(similar=[(0, 1)]),
            Distances([(0, 1)], [1.0]),
            Pairs(similar=[(1, 0)], dissimilar=[(2, 3)]),
            Distances([(1, 2)], [2.0]),
        ]
    )
    assert merged == {
        "Pairs": Pairs(similar=[(0, 1)], dissimilar=[(2, 3)]),
        "Distances": Distances([(0, 1), (1, 2)], [1.0, 2.0]),
    }


def test_a_contradiction_between_two_values_is_found():
    with pytest.raises(ValueError, match=r"\(0, 1\)"):
        gather([Pairs(similar=[(0, 1)]), Pairs(dissimilar=[(0, 1)])])


def test_a_second_of_a_kind_is_refused_unless_several_are_wanted():
    two = [Relation(np.eye(4)), Relation(np.ones((4, 4)))]
    with pytest.raises(ValueError, match=r"takes one Relation at a time\. Got 2"):
        gather(two, understands=("Relation",))
    assert gather(two, understands=("Relation",), several=("Relation",)) == {"Relation": tuple(two)}


def test_what_is_not_understood_is_refused_with_those_who_do(monkeypatch):
    entries = (
        Entry("DistanceMetric", "metric", "", "", "", understands=("Distances",)),
        Entry("Unfolding", "unfolding", "", "", "", understands=("Distances", "Pairs")),
        Entry("EquivalenceMetric", "metric", "", "", "", understands=("Pairs",)),
    )
    monkeypatch.setattr(understanding, "ESTIMATORS", entries)
    with pytest.raises(ValueError, match="SomeMetric does not understand Distances") as refused:
        gather(Distances([(0, 1)], [1.0]), understands=("Pairs",))
    assert "It understands Pairs." in str(refused.value)
    assert "understood by DistanceMetric, Unfolding." in str(refused.value)


def test_each_check_is_told_what_it_asks_for():
    anchors = Anchors([0], [[0.0, 0.0]])
    with pytest.raises(ValueError, match="n_components=3"):
        gather([Pairs(similar=[(0, 1)]), anchors], ("Pairs", "Anchors"), n_components=3)


def test_the_reports_of_the_checks_are_handed_on():
    reports = {}
    gather(Distances([(0, 1), (1, 0)], [1.0, 2.0]), strict=False, reports=reports)
    assert str(reports["Distances"][0]) == "d(0, 1) is given as 1 and as 2"


@pytest.mark.parametrize(
    ("side", "match"),
    [
        ([(0, 1), (2, 3)], r"list of tuples. Did you mean Pairs\(similar=…\)"),
        (np.array([[0, 1]]), "ndarray. Did you mean Pairs"),
        ("Pairs", "Got str"),
        (Pairs, r"the class Pairs. Did you mean Pairs\(…\)"),
        (iter([Pairs(similar=[(0, 1)])]), "list_iterator, which can be read once. Make a list"),
        ([Pairs(similar=[(0, 1)]), 3], "Got int"),
        (Attributes([Pairs(similar=[(0, 1)])]), "does not understand Attributes"),
    ],
)
def test_what_is_no_side_information_is_refused(side, match):
    with pytest.raises(ValueError, match=match):
        gather(side)
