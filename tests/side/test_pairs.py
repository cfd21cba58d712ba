"""Pairs and attributes: read off labels, drawn without writing all out, and checked by name."""

from __future__ import annotations

import pickle
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from sidelight.estimator.territory.groups import groups_of
from sidelight.side import Attributes, Pairs, labelled_pairs
from sidelight.side.understanding import gather_side


def pairs_by_definition(y, same):
    return {(i, j) for i, j in combinations(range(len(y)), 2) if (y[i] == y[j]) == same}


def as_set(pairs):
    return {(int(i), int(j)) for i, j in pairs}


def test_order_and_repetition_mean_nothing():
    one = Pairs(similar=[(1, 0), (0, 1), (5, 2)], dissimilar=[[0, 5]])
    other = Pairs(similar=np.array([[2, 5], [0, 1]]), dissimilar={(5, 0)})
    assert one == other
    assert hash(one) == hash(other)
    assert_array_equal(one.similar, [[0, 1], [2, 5]])
    assert_array_equal(one.rows, [0, 1, 2, 5])
    assert repr(one) == "Pairs(2 similar, 1 dissimilar)"


def test_a_value_cannot_be_changed_and_does_not_follow_its_source():
    source = np.array([[0, 1]])
    pairs = Pairs(similar=source)
    source[0, 0] = 7
    assert_array_equal(pairs.similar, [[0, 1]])
    with pytest.raises(ValueError, match="read-only"):
        pairs.similar[0, 0] = 3
    with pytest.raises(AttributeError):
        pairs.similar = source
    again = pickle.loads(pickle.dumps(pairs))
    assert again == pairs
    assert not again.similar.flags.writeable


def test_similar_is_not_dissimilar():
    assert Pairs(similar=[(0, 1)]) != Pairs(dissimilar=[(0, 1)])


@pytest.mark.parametrize("y", [[2, 0, 0, 1, 2, 2, 0], ["b", "a", "a", "c", "b", "b", "a"]])
def test_labels_give_every_pair(y):
    pairs = Pairs.from_labels(y)
    assert as_set(pairs.similar) == pairs_by_definition(y, same=True)
    assert as_set(pairs.dissimilar) == pairs_by_definition(y, same=False)


@pytest.mark.parametrize(
    ("y", "unknown"),
    [
        ([0, -1, 0, 1], None),
        ([0, -1, 0, 1], -1),
        ([0.0, np.nan, 0.0, 1.0], None),
        ([0, 9, 0, 1], 9),
        (["a", "", "a", "b"], None),
        (["a", None, "a", "b"], None),
        (["a", "?", "a", "b"], "?"),
        (pd.Series(["a", None, "a", "b"], dtype="string"), None),
        (pd.Series([0, None, 0, 1], dtype="Int64"), None),
    ],
)
def test_a_row_without_a_label_is_in_no_pair(y, unknown):
    pairs = Pairs.from_labels(y, unknown=unknown)
    assert as_set(pairs.similar) == {(0, 2)}
    assert as_set(pairs.dissimilar) == {(0, 3), (2, 3)}


def test_a_draw_has_the_size_asked_for_and_only_true_pairs():
    y = np.random.default_rng(0).choice(4, size=60, p=[0.6, 0.3, 0.05, 0.05])
    pairs = Pairs.from_labels(y, max_pairs=200)
    assert len(pairs.similar) == len(pairs.dissimilar) == 200
    assert as_set(pairs.similar) < pairs_by_definition(y, same=True)
    assert as_set(pairs.dissimilar) < pairs_by_definition(y, same=False)
    assert Pairs.from_labels(y, max_pairs=200) == pairs
    assert Pairs.from_labels(y, max_pairs=200, random_state=1) != pairs


def test_a_draw_joins_each_class_and_tells_every_two_apart():
    rng = np.random.default_rng(3)
    y = rng.permutation(np.repeat(np.arange(12), [1, 2, 3, 150, 90, 60, 40, 30, 20, 10, 5, 4]))
    for seed in range(5):
        pairs = Pairs.from_labels(y, max_pairs=len(y), random_state=seed)
        assert len(pairs.similar) == len(pairs.dissimilar) == len(y)
        assert np.all(y[pairs.similar[:, 0]] == y[pairs.similar[:, 1]])
        groups = groups_of(pairs)
        assert groups.n == len(set(zip(groups.group, y[groups.rows], strict=True))) == 12
        assert groups.differ.nnz == 12 * 11
    # chains alone leave no room for others, and one pair less has no room for chains
    least = Pairs.from_labels(y, max_pairs=len(y) - 12)
    assert groups_of(least).n == 12
    assert groups_of(Pairs.from_labels(y, max_pairs=len(y) - 13)).n > 12
    assert len(Pairs.from_labels(y, max_pairs=len(y) - 13).similar) == len(y) - 13


def test_labels_of_many_rows_are_told_by_some_of_their_pairs():
    y = np.random.default_rng(0).integers(10, size=10_000)  # 50 million pairs
    pairs = Pairs.from_labels(y)
    assert len(pairs.similar) == len(pairs.dissimilar) == 100_000
    groups = groups_of(pairs)
    assert groups.n == len(set(zip(groups.group, y[groups.rows], strict=True))) == 10
    few = Pairs.from_labels(y[:2000])
    assert len(few.similar) + len(few.dissimilar) == 2000 * 1999 // 2
    assert groups_of(few).n == 10


def test_a_draw_is_even_over_all_pairs():
    y = np.repeat([0, 1, 2], [3, 4, 5])
    counts = np.zeros((12, 12))
    rng = np.random.default_rng(0)
    for _ in range(600):  # two have no room for one pair of every two classes
        for i, j in Pairs.from_labels(y, max_pairs=2, random_state=rng).dissimilar:
            counts[i, j] += 1
    drawn = counts[
        [i for i, _ in pairs_by_definition(y, False)], [j for _, j in pairs_by_definition(y, False)]
    ]
    expected = 600 * 2 / 47
    assert np.sum((drawn - expected) ** 2 / expected) < 78  # χ² of 46 degrees, one in 400


def test_a_draw_from_a_million_rows_writes_out_no_table(monkeypatch):
    monkeypatch.setenv("SIDELIGHT_MEMORY_LIMIT", "50MB")
    y = np.random.default_rng(0).integers(10, size=1_000_000)
    pairs = Pairs.from_labels(y, max_pairs=1000)
    assert np.all(y[pairs.similar[:, 0]] == y[pairs.similar[:, 1]])
    assert np.all(y[pairs.dissimilar[:, 0]] != y[pairs.dissimilar[:, 1]])
    with pytest.raises(MemoryError, match="max_pairs"):
        Pairs.from_labels(y)


def test_labels_of_one_class_give_no_dissimilar_pair():
    assert repr(Pairs.from_labels([3, 3, 3])) == "Pairs(3 similar, 0 dissimilar)"


@pytest.mark.parametrize(
    ("y", "match"),
    [
        ([1, -1, 1], "is -1 a class"),
        ([0.1, 0.25, 0.3], "real numbers"),
        ([[0, 1]], "shape"),
        (["a", 1.5], "not both|names"),
    ],
)
def test_labels_that_are_none_are_refused(y, match):
    labels = np.array(y, dtype=object) if isinstance(y[0], str) else y
    with pytest.raises(ValueError, match=match):
        Pairs.from_labels(labels)


def test_a_class_of_minus_one_can_be_meant_as_unknown():
    assert repr(Pairs.from_labels([1, -1, 1], unknown=-1)) == "Pairs(1 similar, 0 dissimilar)"


def test_labels_that_have_no_order_are_refused_by_their_type():
    with pytest.raises(ValueError, match="'y' argument of Pairs.from_labels .* type object"):
        Pairs.from_labels([object(), object()])


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ([(0.0, 1.0)], "floats"),
        ([(True, False)], "bools"),
        ([(0, 1), (2,)], "ragged"),
        ([(0, 1, 2)], r"\(m, 2\)"),
        ([0, 1], r"\(m, 2\)"),
        ([(0, None)], "missing"),
        (((i, i + 1) for i in range(3)), "Got a value of type generator. Make it a list"),
        ({0: 1}, "Got a value of type dict"),
        (sp.eye_array(3), "Got a value of type dia_array"),
    ],
)
def test_what_is_no_pair_is_refused_at_once(given, match):
    with pytest.raises(ValueError, match=match) as refused:
        Pairs(similar=given)
    assert "The 'similar' argument of Pairs" in str(refused.value)


@pytest.mark.parametrize(
    ("pairs", "match"),
    [
        (Pairs(similar=[(0, 5)]), r"\[0, 5\)\. Got 5"),
        (Pairs(dissimilar=[(-1, 2)]), "Negative numbers do not count from the end"),
        (Pairs(similar=[(2, 2)]), "paired with itself: 2"),
        (Pairs(), "at least one pair"),
        (Pairs(similar=[], dissimilar=np.empty((0, 2))), "at least one pair"),
        (Pairs(similar=[(1, 3), (0, 1)], dissimilar=[(3, 1)]), r"\(1, 3\)"),
    ],
)
def test_pairs_that_do_not_fit_are_refused_by_name(pairs, match):
    with pytest.raises(ValueError, match=match) as refused:
        pairs.check(5, who="EquivalenceMetric")
    assert "EquivalenceMetric" in str(refused.value)


def test_a_wrong_link_in_a_chain_is_tolerated():
    torn = Pairs(similar=[(0, 1), (1, 2)], dissimilar=[(0, 2)])
    kept = gather_side(torn, understands=("Pairs",), n_samples=3, who="EquivalenceMetric")["Pairs"]
    np.testing.assert_array_equal(kept.similar, [(0, 1), (1, 2)])
    np.testing.assert_array_equal(kept.dissimilar, [(0, 2)])


def test_attributes_may_disagree_with_each_other_and_not_with_themselves():
    alike, unlike = Pairs(similar=[(0, 1)]), Pairs(dissimilar=[(0, 1)])
    Attributes([alike, unlike]).check(2, who="MultiAttributeMetric")
    torn = Pairs(similar=[(0, 1)], dissimilar=[(0, 1)])
    with pytest.raises(ValueError, match="attribute 1 contradict"):
        Attributes([alike, torn]).check(2, who="MultiAttributeMetric")
    with pytest.raises(ValueError, match="at least one"):
        Attributes([]).check(2, who="MultiAttributeMetric")
    with pytest.raises(ValueError, match="list of Pairs"):
        Attributes(alike)
    with pytest.raises(ValueError, match="Got list in it"):
        Attributes([[(0, 1)]])


def test_of_too_many_pairs_there_are_four_for_each_row(monkeypatch):
    monkeypatch.setattr(labelled_pairs, "ALL_PAIRS_UP_TO", 400)
    monkeypatch.setattr(labelled_pairs, "SOME_PAIRS", 50)
    labels = np.arange(40) % 2
    drawn = Pairs.from_labels(labels)
    assert (len(drawn.similar), len(drawn.dissimilar)) == (160, 160)
    few = Pairs.from_labels(np.where(np.arange(40) < 29, labels, -1))  # all 406 would be too many
    assert (len(few.similar), len(few.dissimilar)) == (116, 116)
    monkeypatch.setattr(labelled_pairs, "SOME_PAIRS", 180)
    assert len(Pairs.from_labels(labels).similar) == 180
