"""Sequences: who is adjacent, of all rows and of some."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from sidelight.side import Sequence


def test_rows_are_adjacent_in_their_order_and_within_episodes():
    assert Sequence().adjacent(4).tolist() == [[0, 1], [1, 2], [2, 3]]
    mixed = Sequence(episodes=["a", "b", "a", "b", "a"], order=[0, 9, 2, 5, 1])
    assert mixed.adjacent(5).tolist() == [[0, 4], [4, 2], [3, 1]]
    assert Sequence(order=[1, 1, 0]).adjacent(3).tolist() == [[2, 0], [0, 1]]  # ties as in X


def test_of_some_rows_only_those_are_adjacent_that_were():
    whole = Sequence(episodes=[0, 0, 0, 0, 1, 1, 1])
    for rows in ([0, 1, 3, 4, 5], [5, 3, 1, 0, 4], np.arange(7)[::-1]):
        rows = np.asarray(rows)
        left = {tuple(pair) for pair in whole.adjacent(7).tolist() if set(pair) <= set(rows)}
        found = {tuple(rows[pair].tolist()) for pair in whole.within(rows).adjacent(len(rows))}
        assert found == left
    assert Sequence().within([2, 3, 7]).adjacent(3).tolist() == [[0, 1]]
    assert Sequence(order=np.arange(6.0))[[0, 1, 3]].adjacent(3).tolist() == [[0, 1]]


def test_a_thinned_sequence_is_still_one():
    whole = Sequence(episodes=[0, 0, 0, 0, 1, 1, 1], order=[3, 2, 1, 0, 0, 1, 2])
    some = whole.thinned(np.array([6, 0, 2, 3, 4]))
    assert some.adjacent(5).tolist() == [[3, 2], [2, 1], [4, 0]]
    assert Sequence().thinned(np.arange(0, 9, 2)).adjacent(5).tolist() == [
        [0, 1],
        [1, 2],
        [2, 3],
        [3, 4],
    ]


def test_it_is_a_value():
    one = Sequence(["a", "a", "b"], [0, 1, 0])
    assert one == Sequence(np.array(["a", "a", "b"]), np.array([0.0, 1.0, 0.0]))
    assert one != Sequence(["a", "a", "b"])
    assert pickle.loads(pickle.dumps(one)) == one
    assert hash(one) == hash(pickle.loads(pickle.dumps(one)))
    assert repr(Sequence()) == "Sequence(all rows, 1 episode)"


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: Sequence([0, 0], [1.0]), "as many rows. Got 2 and 1"),
        (lambda: Sequence(order=["a", "b"]), "'order' argument of Sequence must hold real numbers"),
        (
            lambda: Sequence(order=[0.0, np.nan, 1.0]).check(3, who="Isomap"),
            "Isomap.*nan for row",
        ),
        (lambda: Sequence([0, 0]).check(3, who="Isomap"), "Isomap speaks of 2 rows, and X has 3"),
    ],
)
def test_what_is_no_sequence(make, match):
    with pytest.raises(ValueError, match=match):
        make()
