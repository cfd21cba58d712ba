"""Sequences: who is adjacent, of all rows and of some."""

from __future__ import annotations

import pickle
import time
from datetime import date, datetime, timedelta

import numpy as np
import pandas as pd
import pytest

from sidelight.side import Sequence
from sidelight.side.rows import days_since_1970


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


@pytest.mark.parametrize(
    "order",
    [
        np.array(["2026-03-01", "2025-03-01", "2026-02-01"], dtype="M8[D]"),
        np.array([3, 1, 2], dtype="m8[ns]"),
        np.array(
            [1_800_000_000_000_000_003, 1_800_000_000_000_000_001, 1_800_000_000_000_000_002]
        ).astype("M8[ns]"),
        ["2026-03-01", "2025-03-01", "2026-02-01"],
        ["2026-03-01 10:00", "2026-02-28T23:59:59.5", "2026-03-01 09:59"],
        ["2026-03-01T10:00+01:00", "2026-03-01T07:00Z", "2026-03-01T09:30+01:00"],
        [date(2026, 3, 1), date(2025, 3, 1), date(2026, 2, 1)],
        [timedelta(3), timedelta(1), timedelta(2)],
        pd.Series(pd.to_datetime(["2026-03-01", "2025-03-01", "2026-02-01"])),
        pd.Series(pd.to_datetime(["2026-03-01", "2025-03-01", "2026-02-01"], utc=True)),
    ],
    ids=lambda order: str(getattr(order, "dtype", type(order[0]).__name__)),
)
def test_dates_and_times_are_an_order(order):
    assert Sequence(order=order).adjacent(3).tolist() == [[1, 2], [2, 0]]


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
        (
            lambda: Sequence(order=["a", "b"]),
            "'order' argument of Sequence must hold real numbers, or dates.* Got 'a'",
        ),
        (lambda: Sequence(order=["2026-02-30"]), "must hold dates that there are"),
        (lambda: Sequence(order=["01/02/2026"]), "dates and times as 2026-01-31"),
        (
            lambda: Sequence(order=["2026-02-03T10:00Z", "2026-02-03T10:00"]),
            "with a zone or times without one, not both",
        ),
        (
            lambda: Sequence(order=np.array(["2026-02-03", "NaT"], dtype="M8[D]")).check(
                2, who="Isomap"
            ),
            "Isomap.*nan for row 1",
        ),
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


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone of a process cannot be changed")
def test_times_without_a_zone_are_the_same_in_every_zone(monkeypatch):
    """A night in which clocks went back: by the clock of that place hours came twice."""
    times = [datetime(2026, 10, 25, hour, 30) for hour in (1, 2, 3)]
    for zone in ("UTC", "Europe/Berlin", "America/New_York"):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        try:
            days = Sequence(order=np.array([*times, None], dtype=object)).order
            assert days_since_1970(datetime(1970, 1, 2, 12)) == 1.5
        finally:
            monkeypatch.undo()
            time.tzset()
        np.testing.assert_allclose(np.diff(days[:3]) * 24, 1.0, atol=1e-6)
        assert np.isnan(days[3])
