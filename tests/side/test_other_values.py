"""Invariances, actions, conditions, relations and anchors: what fits and what does not."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sidelight import PCA
from sidelight.side import (
    Actions,
    Anchors,
    Condition,
    Distances,
    Invariance,
    Pairs,
    Relation,
    aligned,
)


def test_actions_of_one_walk_join_successive_rows():
    actions = Actions(["l", "r", "l"])
    actions.check(4, who="ActionRespectingEmbedding")
    assert_array_equal(actions.transitions(4), [[0, 1], [1, 2], [2, 3]])


def test_no_action_leads_from_one_episode_to_the_next():
    actions = Actions([0, 1, 0], episodes=["a", "a", "b", "c", "c", "c"])
    actions.check(6, who="ActionRespectingEmbedding")
    assert actions.n_episodes == 3
    assert_array_equal(actions.transitions(6), [[0, 1], [3, 4], [4, 5]])
    assert actions != Actions([0, 1, 0])
    assert actions == Actions(np.array([0.0, 1.0, 0.0]), episodes=list("aabccc"))


@pytest.mark.parametrize(
    ("actions", "match"),
    [
        (Actions([0, 1, 0, 1]), "3 for 4 rows. Got 4"),
        (Actions([0, 1], episodes=[0, 0, 1]), "one episode per row of X, 4. Got 3"),
        (Actions([0, 1, 0], episodes=[0, 0, 1, 1]), "in 2 episodes. Got 3"),
        (Actions([], episodes=[0, 1, 2, 3]), "at least one transition"),
    ],
)
def test_actions_that_do_not_fit_are_refused(actions, match):
    with pytest.raises(ValueError, match=match):
        actions.check(4, who="ActionRespectingEmbedding")


def test_an_episode_in_two_places_is_refused():
    with pytest.raises(ValueError, match="episode 0 in 2 places"):
        Actions([0], episodes=[0, 1, 1, 0])
    with pytest.raises(ValueError, match="names or ints"):
        Actions(["l", None])
    with pytest.raises(ValueError, match="names or ints"):
        Actions([0.5, 1.0])


def test_a_condition_holds_names_or_numbers():
    assert repr(Condition(["x", "y", "x"])) == "Condition(3 rows, 2 classes)"
    with pytest.raises(
        ValueError, match=r"one value per row. Got the text 'batch'.*frame\['batch'\]"
    ):
        Condition("batch")
    assert Condition([1, 2, 3]).values.dtype == np.float64
    Condition([[1, 2], [3, 4]]).check(2, who="KernelInformationEmbedding")
    with pytest.raises(ValueError, match=r"one value per row of X, 4\. Got 3"):
        Condition([1, 2, 3]).check(4, who="KernelInformationEmbedding")
    with pytest.raises(ValueError, match="rows 1"):
        Condition([1, np.nan, 3]).check(3, who="KernelInformationEmbedding")
    half_known = Condition([[1, 2], [3, 4], [5, np.inf], [np.nan, 6]])
    with pytest.raises(ValueError, match="known for every row.* rows 2, 3"):
        half_known.check(4, who="KernelInformationEmbedding")


def test_numbers_of_numpy_are_numbers():
    angles = [0.0, 90.0, 350.0]
    assert Condition(angles, period=np.int64(360)) == Condition(angles, period=360)
    walk = np.array([np.int64(3), np.int64(4)], dtype=object)
    assert Actions(walk) == Actions([3, 4])
    several = aligned([Condition(angles), Condition(["a", "b", "a"])], np.zeros((3, 1)))
    assert several[np.int64(1)] is several[1]


def test_relation_of_numbers_follows_the_printed_similarity():
    relation = Relation.from_values([10.0, 30.0], index=[4, 2])
    assert_allclose(relation.similarity, [[1, np.exp(-4)], [np.exp(-4), 1]])  # ±1 after scaling
    assert_array_equal(relation.rows(9), [4, 2])
    wide = Relation.from_values([10.0, 30.0], bandwidth=4.0)
    assert_allclose(wide.similarity[0, 1], np.exp(-1))
    assert_array_equal(Relation.from_values([2.0, 2.0]).similarity, np.ones((2, 2)))


def test_similarities_of_items_are_those_of_their_distances():
    items = np.array([[0.0, 0.0, 1e4], [3.0, 4.0, 1e4], [0.0, 1.0, 1e4]])
    squared = np.array([[0, 25, 1], [25, 0, 18], [1, 18, 0]])
    relation = Relation.from_items(items, index=[1, 4, 7], bandwidth=10.0)
    assert_allclose(relation.similarity, np.exp(-squared / 10), rtol=1e-6)
    by_itself = Relation.from_items(items)
    assert_allclose(by_itself.similarity, np.exp(-squared / (0.15 * 88 / 6)), rtol=1e-6)
    assert_array_equal(relation.rows(9), [1, 4, 7])
    for bad in (0, -1.0, "wide"):
        with pytest.raises(ValueError, match="'bandwidth' argument of Relation.from_items"):
            Relation.from_items(items, bandwidth=bad)


@pytest.mark.parametrize(
    ("relation", "match"),
    [
        (Relation(np.eye(3)), "one row per row of X, 5. Got 3"),
        (Relation(np.eye(2), [0, 5]), "Got 5"),
        (Relation(np.eye(2), [1, 1]), "Got 1 more than once"),
        (Relation(-np.ones((5, 5))), "not negative"),
        (Relation(np.triu(np.ones((5, 5)))), "symmetric. Got 1 for"),
        (Relation([[1.0]], [0]), "at least two rows"),
    ],
)
def test_relations_that_do_not_fit_are_refused(relation, match):
    with pytest.raises(ValueError, match=match):
        relation.check(5, who="MultipleRelationalEmbedding")


def test_relations_of_the_wrong_shape_are_refused_at_once():
    with pytest.raises(ValueError, match="square"):
        Relation(np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"one row number per row of the similarities, 2\. Got 3"):
        Relation(np.eye(2), [0, 1, 2])
    with pytest.raises(ValueError, match="finite"):
        Relation.from_values([1.0, np.nan])
    with pytest.raises(ValueError, match="bandwidth"):
        Relation.from_values([1.0, 2.0], bandwidth=0)


@pytest.mark.parametrize(
    ("anchors", "match"),
    [
        (Anchors([5], [[0.0, 0.0]]), "Got 5"),
        (Anchors([1, 1], [[0.0, 0.0], [1.0, 1.0]]), "more than one position for 1"),
        (Anchors([1], [[0.0, np.nan]]), "rows 1"),
        (Anchors([1], [[0.0, 1.0, 2.0]]), "n_components=2 columns. Got 3"),
        (Anchors([], np.empty((0, 2))), "at least one"),
    ],
)
def test_anchors_that_do_not_fit_are_refused(anchors, match):
    with pytest.raises(ValueError, match=match):
        anchors.check(5, who="Isomap", n_components=2)


def test_anchors_of_the_wrong_shape_are_refused_at_once():
    with pytest.raises(ValueError, match=r"one position per row number, 2\. Got 1"):
        Anchors([0, 1], [[0.0, 0.0]])
    with pytest.raises(ValueError, match="2-dimensional"):
        Anchors([0, 1], [0.0, 0.0])
    assert Anchors([0], [[1, 2]]) == Anchors(np.array([0]), [[1.0, 2.0]])


class TestNearAnotherMap:
    PLACES = np.array([[0.0, 1.0], [np.nan, 2.0], [3.0, 4.0]])

    def test_rows_that_have_a_place_are_anchored_and_bend_nothing(self):
        known = Anchors.near(self.PLACES)
        assert known == Anchors([0, 2], self.PLACES[[0, 2]], exact=False, n_rows=3)
        assert not known.exact
        with pytest.raises(ValueError, match="speaks of 3 rows, and X has 4"):
            known.check(4, who="PCA")

    def test_rows_of_a_frame_are_named_and_those_that_are_gone_are_left_out(self):
        frame = pd.DataFrame(self.PLACES, index=["anna", "bert", "carl"])
        known = Anchors.near(frame)
        X = pd.DataFrame(np.zeros((2, 3)), index=["carl", "dora"])
        with pytest.raises(ValueError, match=r"rows that X does not have: 'anna'.*within\(X.index"):
            aligned(known, X)
        left = aligned(known.within(X.index), X)
        assert_array_equal(left.index, [0])
        assert_array_equal(left.positions, [[3.0, 4.0]])

    def test_rows_that_are_counted_are_in_doubt_where_x_has_other_numbers(self):
        known = Anchors.near(pd.DataFrame(self.PLACES))
        X = pd.DataFrame(np.zeros((3, 2)), index=[2, 1, 0])
        with pytest.raises(ValueError, match="X has ints for labels"):
            aligned(known, X)
        assert_array_equal(aligned(known, X.reset_index(drop=True)).index, [0, 2])

    @pytest.mark.parametrize(
        ("previous", "match"),
        [
            (np.full((3, 2), np.nan), "no row with a place"),
            (np.zeros(3), "must be an Embedding, a fitted estimator or an array.*Got ndarray"),
            ("map.csv", "Got str"),
            (PCA(), "must be fitted"),
        ],
    )
    def test_what_is_no_map_is_refused(self, previous, match):
        with pytest.raises(ValueError, match=match):
            Anchors.near(previous)


def test_an_image_has_as_many_pixels_as_x_has_columns():
    invariance = Invariance(np.flip, image_shape=[4, 5])
    assert invariance.image_shape == (4, 5)
    invariance.check(3, who="HybridEmbedding", n_features=20)
    with pytest.raises(ValueError, match=r"columns, 21\. Got .* which is 20"):
        invariance.check(3, who="HybridEmbedding", n_features=21)


@pytest.mark.parametrize("shape", [(4,), (0, 5), (4.0, 5.0), 20, "4x5"])
def test_what_is_no_image_shape_is_refused(shape):
    with pytest.raises(ValueError, match="image_shape"):
        Invariance(np.flip, image_shape=shape)


@pytest.mark.parametrize("transformation", ["shift", 3, None, [], [np.flip, "shift"]])
def test_what_is_no_transformation_is_refused(transformation):
    with pytest.raises(ValueError, match="transformation"):
        Invariance(transformation)


@pytest.mark.parametrize(
    ("known", "name"),
    [
        (Condition([0.0, 1e300, 2.0]), "Condition"),
        (Anchors([0, 1], [[0.0, 1e200], [1.0, 2.0]]), "Anchors"),
        (Relation([[1e300, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]), "Relation"),
        (Distances([(0, 1)], [1e-200]), "Distances"),
    ],
    ids=["Condition", "Anchors", "Relation", "Distances"],
)
def test_numbers_whose_squares_are_lost_are_refused_by_name(known, name):
    with pytest.raises(ValueError, match=f"SammonMapping cannot use {name}.*other units"):
        known.check(3, who="SammonMapping")


def test_infinity_is_no_label():
    with pytest.raises(ValueError, match="names or ints, none missing. Got floats"):
        Actions([float("inf"), 1.0])


def test_a_relation_calls_its_extremes_alike_and_unlike():
    values = np.array([0.0, 0.1, 5.0, 5.2, 9.0, 20.0])
    relation = Relation.from_values(values, index=[4, 3, 8, 9, 1, 6])
    found = relation.pairs(10)
    assert_array_equal(found.similar, [[1, 9], [3, 4], [8, 9]])  # 3.8, 0.1 and 0.2 apart
    assert_array_equal(found.dissimilar, [[3, 6], [4, 6], [6, 8]])  # 19.9, 20 and 15


def test_names_are_the_pairs_of_labels():
    names = ["a", "b", "a", "c", "b", "a"]
    found, expected = Relation.from_values(names).pairs(6), Pairs.from_labels(names)
    assert found == expected
    alone = Relation(np.ones((4, 4))).pairs(4)
    assert len(alone.rows) == 0


def test_very_many_pairs_are_drawn_evenly():
    found = Relation.from_values(np.random.default_rng(0).random(400)).pairs(400)
    assert len(found.similar) == len(found.dissimilar) == 5000
    assert len(np.unique(found.similar)) > 390


@pytest.mark.parametrize("unit", [1e-310, 1e-200, 1e200])
def test_numbers_are_as_alike_in_any_unit(unit):
    """Squares of them are too large, or nothing: no warning, and nothing is lost."""
    values = np.array([1.0, 2.0, 4.0, 4.5])
    expected = Relation.from_values(values).similarity
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = Relation.from_values(values * unit).similarity
        with pytest.raises(ValueError, match=r"Relation.from_items cannot use X"):
            Relation.from_items(np.outer(values, [1.0, 2.0]) * unit)
    assert_allclose(found, expected, rtol=1e-9)
    assert_array_equal(Relation.from_values(values * 2.0**50).similarity, expected)


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (Relation.from_values, "'v' argument .* one value"),
        (Relation.from_items, "'X' argument .* one item"),
    ],
)
def test_a_relation_of_nothing_says_so(make, what):
    with pytest.raises(ValueError, match=what):
        make(np.empty((0, 2)))
    if make == Relation.from_values:
        with pytest.raises(ValueError, match=what):
            make([])
