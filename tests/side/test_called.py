"""What rows are called in errors and warnings: as whoever gave them calls them."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

import sidelight
from sidelight.side import Anchors, Condition, Distances, Pairs, Sequence
from sidelight.side.rows import name_rows, rows_called, rows_called_as_in, rows_called_within

pd = pytest.importorskip("pandas")

PEOPLE = ["anna", "bert", "carl", "dora", "emil", "fred", "gert", "hans"]
TABLE = np.random.default_rng(0).normal(size=(8, 3))
FRAME = pd.DataFrame(TABLE, index=PEOPLE)

WRONG = {
    "a pair of one": (Pairs(similar=[("bert", "bert")]), "paired with itself: 'bert'."),
    "a pair of both kinds": (
        Pairs(similar=[("anna", "carl"), ("dora", "emil")], dissimilar=[("carl", "anna")]),
        "dissimilar are the rows ('anna', 'carl').",
    ),
    "a distance of one": (Distances([("gert", "gert")], [1.0]), "paired with itself: 'gert'."),
    "a negative distance": (
        Distances([("bert", "anna")], [-1.0]),
        "Got -1 for the rows ('anna', 'bert').",
    ),
    "distances that cannot be": (
        Distances([("anna", "bert"), ("bert", "carl"), ("anna", "carl")], [1.0, 2.0, 9.0]),
        "d('anna', 'carl') = 9 > d('anna', 'bert') + d('bert', 'carl') = 1 + 2",
    ),
    "two distances of a pair": (
        Distances([("anna", "bert"), ("bert", "anna")], [1.0, 2.0]),
        "d('anna', 'bert') is given as 1 and as 2",
    ),
    "two places of one": (
        Anchors(["dora", "dora", "emil"], np.eye(3)[:, :2]),
        "more than one position for 'dora'.",
    ),
    "no place": (Anchors(["emil"], [[np.nan, 0.0]]), "Got others for the rows 'emil'."),
}


def said_by(work):
    """What an error or a warning says."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            work()
        except ValueError as error:
            return str(error)
    return " ".join(str(each.message) for each in warned)


@pytest.mark.parametrize("name", WRONG)
def test_an_estimator_calls_rows_by_the_index_of_the_frame(name):
    side, words = WRONG[name]
    assert words in said_by(
        lambda: sidelight.SemidefiniteEmbedding(2, n_neighbors=4).fit(FRAME, side=side)
    )


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("given", ["a frame", "names", "a column", "a sample"])
def test_the_door_calls_them_by_the_names_that_it_was_given(name, given):
    side, words = WRONG[name]
    X, more = FRAME, {}
    if given == "names":
        X, more = TABLE, {"names": PEOPLE}
    elif given == "a column":
        X, more = FRAME.reset_index(names="who"), {"names": "who"}
    elif given == "a sample":
        more = {"sample": 6}
    assert words in said_by(
        lambda: sidelight.embed(X, side=side, method="sde", n_neighbors=4, **more)
    )


def test_distances_that_are_fitted_as_well_as_possible_are_named():
    side, words = WRONG["distances that cannot be"]
    assert words in said_by(lambda: sidelight.DistanceMetric().fit(FRAME, side=side))


def test_copies_that_are_sent_to_different_places_are_named():
    twice = pd.DataFrame(TABLE[[0, 1, 2, 3, 4, 5, 6, 0]], index=PEOPLE)
    apart = Anchors(["anna", "hans"], [[0.0, 0.0], [1.0, 1.0]])
    for model in (sidelight.PCA(2), sidelight.NeighborEmbedding(2, n_neighbors=3, max_iter=10)):
        assert "the rows 'anna', 'hans' to different places" in said_by(
            lambda model=model: model.fit(twice, side=apart)
        )


def test_values_of_all_rows_name_the_one_that_is_wrong():
    missing = Condition(np.where(np.arange(8) == 5, np.nan, 1.0))
    assert "infinite for the rows 'fred'." in said_by(
        lambda: sidelight.PCA(2).fit(FRAME, side=missing)
    )
    endless = Sequence(order=np.where(np.arange(8) == 2, np.inf, np.arange(8.0)))
    assert "for row 'carl'." in said_by(
        lambda: sidelight.Isomap(2, n_neighbors=4).fit(FRAME, side=endless)
    )


def test_rows_without_names_are_called_by_number():
    both = Pairs(similar=[(3, 6)], dissimilar=[(6, 3)])
    for X in (TABLE, pd.DataFrame(TABLE)):
        assert "are the rows (3, 6)." in said_by(lambda X=X: sidelight.PCA(2).fit(X, side=both))


def test_whoever_speaks_of_numbers_is_answered_in_numbers():
    numbered = pd.DataFrame(TABLE, index=np.arange(100, 108))
    for by, pair, words in (("row", (3, 6), "(3, 6)"), ("label", (103, 106), "(103, 106)")):
        both = Pairs(similar=[pair], dissimilar=[pair], by=by)
        assert f"are the rows {words}." in said_by(
            lambda both=both: sidelight.PCA(2).fit(numbered, side=both)
        )


def test_rows_that_are_left_of_all_keep_their_numbers():
    X = np.random.default_rng(1).normal(size=(40, 3))
    X[[1, 2], 0] = np.nan
    both = Pairs(similar=[(3, 6)], dissimilar=[(6, 3)])
    for more in ({"missing": "drop-rows"}, {"missing": "mean", "sample": 20}):
        assert "are the rows (3, 6)." in said_by(
            lambda more=more: sidelight.embed(X, side=both, method="pca", **more)
        )


def test_a_number_that_is_no_row_has_no_name():
    with pytest.raises(ValueError, match=re.escape("in the range [0, 8). Got 9.")):
        sidelight.PCA(2).fit(FRAME, side=Pairs(similar=[(0, 9)], by="row"))


def test_whoever_works_on_other_rows_does_not_take_their_names():
    with rows_called(PEOPLE):
        assert name_rows([[0, 7]]) == "('anna', 'hans')"
        with rows_called_as_in(TABLE):
            assert name_rows([0]) == "'anna'"
        with rows_called_as_in(TABLE[:5]):
            assert name_rows([0]) == "0"
        with rows_called_within(np.array([7, 2])):
            assert name_rows([0, 1]) == "'hans', 'carl'"
        with rows_called(None):
            assert name_rows([7]) == "7"
    assert name_rows([7]) == "7"


def test_names_are_written_plainly():
    for labels in (np.array(["anna"]), pd.Index(["anna"]), ("anna",)):
        with rows_called(labels):
            assert name_rows([0]) == "'anna'"
    with rows_called(np.array([4, 7])):
        assert name_rows([0, 1]) == "4, 7"
