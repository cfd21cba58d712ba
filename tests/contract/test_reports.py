"""``side_report_`` says what was made of each kind, also where it acts inside, and what was not."""

from __future__ import annotations

import numpy as np
import pytest

import sidelight
from sidelight import (
    ConditionalEmbedding,
    KernelInformationEmbedding,
    SemidefiniteEmbedding,
)
from sidelight.registry import MAPS
from sidelight.side import Anchors, Condition, Distances, Pairs

RNG = np.random.default_rng(4)
KIND = np.repeat([0, 1], 30)
PLACE = RNG.random(60)
#: A curve, seen in two ways.
ITEMS = np.column_stack([np.cos(3 * PLACE), np.sin(3 * PLACE), 4.0 * KIND])
ITEMS += 0.05 * RNG.standard_normal(ITEMS.shape)
SHOWS = Condition(KIND.astype(str))
CHANCE = Condition(RNG.integers(3, size=60).astype(str))
NOT_USED = "not used: its values agree no better among near rows than shuffled ones do"


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("method", [ConditionalEmbedding, KernelInformationEmbedding])
def test_a_condition_that_does_not_show_is_not_reported_as_if_it_acted(method):
    """The report was the same, "inside" and no more, whether the factor was left out or not."""
    deaf = method(1, max_iter=20).fit(ITEMS, side=CHANCE)
    np.testing.assert_array_equal(deaf.embedding_, method(1, max_iter=20).fit(ITEMS).embedding_)
    (heard,) = deaf.side_report_
    assert (heard.place, heard.change) == ("inside", NOT_USED)
    (heard,) = method(1, max_iter=20).fit(ITEMS, side=SHOWS).side_report_
    assert heard.change
    assert "not used" not in heard.change
    both = method(1, max_iter=20).fit(ITEMS, side=[SHOWS, CHANCE]).side_report_
    assert [said.change for said in both] == [
        f"Condition(60 rows, 2 classes): {heard.change}",
        f"Condition(60 rows, 3 classes): {NOT_USED}",
    ]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    "entry", [e for e in MAPS if e.place_of("Anchors") == "inside"], ids=lambda entry: entry.name
)
def test_the_report_says_how_many_rows_are_pinned(entry):
    plain = entry.load()().fit(ITEMS).embedding_
    rows = np.arange(0, 60, 12)
    given = entry.load()().fit(ITEMS, side=Anchors(rows, 3 * plain[rows] + 1))
    (heard,) = given.side_report_
    assert heard.change.startswith("5 rows ") or heard.place == "behind"


def test_constraints_are_reported():
    pairs, far = Pairs(similar=[(0, 5)], dissimilar=[(3, 50)]), Distances([(0, 59)], [2.0])
    told = SemidefiniteEmbedding(2).fit(ITEMS, side=[pairs, far]).side_report_
    assert {heard.kind: heard.change for heard in told} == {
        "Pairs": f"{pairs!r} as constraints",
        "Distances": f"{far!r} as constraints",
    }


def test_a_file_holds_the_report(tmp_path):
    model = ConditionalEmbedding(1, max_iter=20).fit(ITEMS, side=SHOWS)
    loaded = sidelight.load(sidelight.save(model, tmp_path / "map.sidelight"))
    assert loaded.side_report_ == model.side_report_
