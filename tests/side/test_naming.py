"""Rows by number and by label: the same rows in any order, in any part, or a refusal."""

from __future__ import annotations

import pickle
from datetime import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal

from sidelight import PCA, EquivalenceMetric, FactorRemoval
from sidelight.side import (
    Actions,
    Anchors,
    Attributes,
    Condition,
    Distances,
    Invariance,
    Pairs,
    Relation,
    Sequence,
    aligned,
    gather_side,
)

NAMES = ["carl", "anna", "dora", "bert"]
X = pd.DataFrame(np.arange(8.0).reshape(4, 2) ** 2, index=NAMES, columns=["a", "b"])
KINDS = ("Pairs", "Attributes", "Distances", "Anchors", "Relation", "Condition", "Actions")
KINDS += ("Sequence",)


def met(value, X, who="SomeMethod"):
    """What a value says once it has met X."""
    kind = type(value).__name__
    return gather_side(value, understands=KINDS, n_samples=len(X), who=who, X=X)[kind]


class TestLabels:
    def test_pairs(self):
        known = met(Pairs(similar=[("bert", "anna")], dissimilar=[("dora", "carl")]), X)
        assert_array_equal(known.similar, [[1, 3]])
        assert_array_equal(known.dissimilar, [[0, 2]])

    def test_distances_keep_their_values(self):
        known = met(Distances([("dora", "anna"), ("bert", "carl")], [3.0, 5.0]), X)
        assert dict(zip(map(tuple, known.pairs.tolist()), known.values, strict=True)) == {
            (1, 2): 3.0,
            (0, 3): 5.0,
        }

    def test_anchors_keep_their_positions(self):
        known = met(Anchors(["dora", "carl"], [[1.0, 2.0], [3.0, 4.0]]), X)
        places = dict(zip(known.index.tolist(), known.positions.tolist(), strict=True))
        assert places == {2: [1.0, 2.0], 0: [3.0, 4.0]}

    def test_relations_keep_their_similarities(self):
        S = np.array([[1.0, 0.1, 0.2], [0.1, 1.0, 0.3], [0.2, 0.3, 1.0]])
        known = met(Relation(S, ["bert", "carl", "anna"]), X)
        found = np.zeros((4, 4))
        found[np.ix_(known.index, known.index)] = known.similarity
        assert (found[3, 0], found[3, 1], found[0, 1]) == (0.1, 0.2, 0.3)

    def test_attributes(self):
        known = met(Attributes([Pairs(similar=[("anna", "bert")]), Pairs(dissimilar=[(0, 2)])]), X)
        assert_array_equal(known.attributes[0].similar, [[1, 3]])
        assert_array_equal(known.attributes[1].dissimilar, [[0, 2]])

    def test_a_condition_follows_the_labels_of_its_series(self):
        known = met(Condition(pd.Series([1.0, 2.0, 3.0, 4.0], index=sorted(NAMES))), X)
        assert_array_equal(known.values, [3.0, 1.0, 4.0, 2.0])
        both = pd.DataFrame({"u": [1.0, 2, 3, 4], "v": [5.0, 6, 7, 8]}, index=sorted(NAMES))
        assert_array_equal(met(Condition(both), X).values[0], [3.0, 7.0])

    def test_a_condition_may_know_more_rows_than_x_has(self):
        known = Condition(pd.Series(["x", "y", "z"], index=["bert", "emil", "carl"]))
        assert met(known, X.loc[["carl", "bert"]]).values.tolist() == ["z", "x"]

    def test_a_sequence_follows_the_labels_of_its_series(self):
        frame = pd.DataFrame({"time": [3.0, 1.0, 2.0, 0.0], "walk": list("aabb")}, index=NAMES)
        for said in (
            Sequence(order=frame["time"]),
            Sequence(frame["walk"]),
            Sequence(frame["walk"], frame["time"]),
            Sequence(frame["walk"].to_numpy(), frame["time"]),
        ):
            expected = {
                tuple(np.array(NAMES)[pair]) for pair in met(said, X.loc[NAMES]).adjacent(4)
            }
            turned = X.loc[sorted(NAMES, reverse=True)]
            found = met(said, turned).adjacent(4)
            if said.order is not None:
                assert {tuple(turned.index[pair]) for pair in found} == expected
            assert met(said, X.to_numpy()).adjacent(4).tolist() == [
                [NAMES.index(one) for one in pair]
                for pair in np.array(NAMES)[met(said, X).adjacent(4)]
            ]
        part = met(Sequence(order=frame["time"]), X.loc[["carl", "dora", "bert"]])
        assert part.adjacent(3).tolist() == [[1, 0]]  # anna lay between bert and dora

    def test_actions_are_of_rows_in_the_order_in_which_they_were_acted(self):
        frame = pd.DataFrame({"do": ["on", "up", "on", ""], "walk": [0, 0, 1, 1]}, index=NAMES)
        within = frame["do"][["carl", "dora"]]
        for said in (
            Actions(frame["do"].iloc[:-1]),
            Actions(pd.Series(["on", "up", "on"], index=NAMES[1:])),  # the row that it led to
            Actions(within, episodes=frame["walk"]),
            Actions(["on", "on"], episodes=frame["walk"]),
        ):
            assert met(said, X) == met(said, X.to_numpy())
            with pytest.raises(ValueError, match=r"SomeMethod.*in this order.*to_numpy"):
                met(said, X.iloc[::-1])
            assert pickle.loads(pickle.dumps(said)) == said
        told = Actions(list("abc"), names=NAMES)
        assert met(told, X.loc[["carl", "anna", "bert"]]).labels.tolist() == ["a"]
        assert told.within(["anna", "dora"]).labels.tolist() == ["b"]

    def test_values_of_a_relation_follow_the_labels_of_their_series(self):
        v = pd.Series([0.0, 1.0, 5.0, 6.0], index=sorted(NAMES))
        known = met(Relation.from_values(v), X)
        assert_array_equal(known.similarity, Relation.from_values(v[NAMES].to_numpy()).similarity)
        items = pd.DataFrame({"u": [0.0, 1.0]}, index=["dora", "anna"])
        assert_array_equal(met(Relation.from_items(items), X).index, [1, 2])

    def test_pairs_of_labels_follow_the_index_of_their_series(self):
        y = pd.Series(["m", "f", "m", "f"], index=NAMES)
        for order in ([0, 1, 2, 3], [3, 1, 0, 2]):
            known = met(Pairs.from_labels(y), X.iloc[order])
            plain = Pairs.from_labels(y.iloc[order].to_numpy())
            assert known == plain

    def test_any_hashable_that_is_no_number_is_a_label(self):
        days = [datetime(2026, 1, day) for day in (1, 2, 3)]
        frame = pd.DataFrame({"a": [1.0, 2.0, 3.0]}, index=pd.DatetimeIndex(days[::-1]))
        for said in ([(days[0], days[1])], np.array([days[:2]], dtype="datetime64[D]")):
            assert_array_equal(met(Pairs(similar=said), frame).similar, [[1, 2]])
        two = frame.set_index(pd.MultiIndex.from_tuples([("u", 1), ("u", 2), ("v", 1)]))
        known = Pairs(similar=[(("v", 1), ("u", 1))], by="label")
        assert_array_equal(met(known, two).similar, [[0, 2]])

    def test_a_value_with_labels_is_a_value(self):
        one = Pairs(similar=[("b", "a"), ("c", "a")])
        other = Pairs(similar=np.array([["a", "c"], ["a", "b"]]))
        assert one == other
        assert hash(one) == hash(other)
        assert pickle.loads(pickle.dumps(one)) == one
        assert one != Pairs(similar=[("b", "a"), ("d", "a")])
        assert repr(one) == "Pairs(2 similar, 0 dissimilar, by label)"

    def test_fits_do_not_depend_on_the_order_of_x(self):
        rng = np.random.default_rng(0)
        frame = pd.DataFrame(rng.normal(size=(30, 3)), index=[f"row {i}" for i in range(30)])
        frame.columns = list("abc")
        known = Pairs.from_labels(pd.Series(rng.integers(2, size=30), index=frame.index))
        plain = EquivalenceMetric(strength=1.0).fit(frame, side=known)
        turned = EquivalenceMetric(strength=1.0).fit(frame.iloc[::-1], side=known)
        np.testing.assert_allclose(turned.metric_, plain.metric_, rtol=1e-10)
        wrong = EquivalenceMetric(strength=1.0).fit(
            frame.iloc[::-1], side=Pairs(known.similar, known.dissimilar, by="row")
        )
        assert np.abs(wrong.metric_ - plain.metric_).max() > 1e-3


class TestRefusals:
    @pytest.mark.parametrize(
        "known",
        [
            Pairs(similar=[("anna", "emil")]),
            Distances([("anna", "emil")], [1.0]),
            Anchors(["emil"], [[0.0, 0.0]]),
            Relation(np.eye(2), ["anna", "emil"]),
            Attributes([Pairs(similar=[("anna", "emil")])]),
            Pairs.from_labels(pd.Series([0, 0, 1], index=["anna", "bert", "emil"])),
        ],
        ids=lambda known: type(known).__name__,
    )
    def test_a_label_that_x_lacks(self, known):
        with pytest.raises(ValueError, match=r"SomeMethod.* X does not have: 'emil'.*'carl'"):
            met(known, X)

    def test_a_row_that_a_condition_lacks(self):
        known = Condition(pd.Series([1.0, 2.0, 3.0], index=["anna", "bert", "carl"]))
        with pytest.raises(ValueError, match=r"none for the rows 'dora' of X.*to_numpy"):
            met(known, X)

    def test_a_row_that_a_sequence_lacks_and_rows_that_do_not_agree(self):
        time = pd.Series([1.0, 2.0, 3.0], index=["anna", "bert", "carl"])
        with pytest.raises(ValueError, match=r"Sequence.*none for the rows 'dora' of X.*to_numpy"):
            met(Sequence(order=time), X)
        with pytest.raises(ValueError, match=r"'episodes' and the 'order'.*same rows.*loc"):
            Sequence(time.astype(int).iloc[::-1], time)
        with pytest.raises(ValueError, match="names alone"):
            Sequence(names=NAMES)

    def test_labels_where_x_has_none(self):
        for data in (X.to_numpy(), pl.from_pandas(X), X.to_numpy().tolist()):
            with pytest.raises(ValueError, match=r"'anna', 'bert', and X has no labels.*aligned"):
                met(Pairs(similar=[("anna", "bert")]), data)
            with pytest.raises(ValueError, match="X has no labels"):
                EquivalenceMetric().fit(data, side=Pairs(similar=[("anna", "bert")]))

    def test_a_label_that_x_has_twice(self):
        twice = pd.concat([X, X.iloc[:1]])
        with pytest.raises(ValueError, match=r"of 'carl' X or it has more than one"):
            met(Pairs(similar=[("carl", "anna")]), twice)
        assert_array_equal(met(Pairs(similar=[("bert", "anna")]), twice).similar, [[1, 3]])

    def test_the_labels_of_a_series_may_repeat_where_x_has_the_same(self):
        y = pd.Series([0, 0, 1], index=["a", "a", "b"])
        frame = pd.DataFrame({"u": [1.0, 2.0, 3.0]}, index=["a", "a", "b"])
        assert_array_equal(met(Pairs.from_labels(y), frame).similar, [[0, 1]])
        with pytest.raises(ValueError, match="more than one"):
            met(Pairs.from_labels(y), frame.iloc[::-1])

    @pytest.mark.parametrize("index", [[7, 8, 9, 10], [3, 1, 0, 2], [0, 2, 4, 6]])
    def test_ints_are_in_doubt_where_x_has_other_ints_for_labels(self, index):
        frame = X.set_axis(index, axis=0)
        first, second = index[0], index[3]
        with pytest.raises(ValueError, match=r"by ints.*by='row'.*by='label'"):
            met(Pairs(similar=[(0, 1)]), frame)
        assert_array_equal(met(Pairs(similar=[(0, 1)], by="row"), frame).similar, [[0, 1]])
        assert_array_equal(met(Pairs(similar=[(0, 1)], n_rows=4), frame).similar, [[0, 1]])
        by_label = Pairs(similar=[(first, second)], by="label")
        assert_array_equal(met(by_label, frame).similar, [[0, 3]])

    def test_ints_are_row_numbers_everywhere_else(self):
        known = Pairs(similar=[(0, 1)])
        for data in (X, X.reset_index(drop=True), X.to_numpy(), pl.from_pandas(X)):
            assert met(known, data) is known

    def test_numbers_and_labels_do_not_mix(self):
        for mixed in ([("anna", 1)], [("anna", None)], np.array([["anna", 1]], dtype=object)):
            with pytest.raises(ValueError, match="by number or by label, not by both"):
                Pairs(similar=mixed)
        with pytest.raises(ValueError, match="by number or by label, not by both"):
            Pairs(similar=[("anna", "bert")], dissimilar=[(0, 1)])
        assert Pairs(similar=[("anna", 1)], by="label").names == ("anna", 1)

    @pytest.mark.parametrize(
        ("given", "match"),
        [
            ([("anna", "bert", "carl")], r"\(m, 2\)"),
            (["anna", "bert"], r"\(m, 2\)"),
            ([("anna",)], r"\(m, 2\)"),
            ("anna", r"\(m, 2\)"),
        ],
    )
    def test_labels_of_the_wrong_shape(self, given, match):
        for by in (None, "label"):
            with pytest.raises(ValueError, match=match):
                Pairs(similar=given, by=by)

    def test_labels_that_are_none(self):
        for missing in (None, np.nan, pd.NA, [1]):
            with pytest.raises(ValueError, match="none of them missing"):
                Pairs(similar=[("anna", missing)], by="label")
        with pytest.raises(ValueError, match="'by' argument of Distances must be"):
            Distances([("a", "b")], [1.0], by="name")
        with pytest.raises(ValueError, match=r"'n_rows' argument of Pairs must be .* Got 2\.5"):
            Pairs(similar=[(0, 1)], n_rows=2.5)
        with pytest.raises(ValueError, match="n_rows=2. Got 2"):
            Pairs(similar=[(0, 2)], n_rows=2)

    def test_rows_in_order_where_only_the_series_has_labels(self):
        y = pd.Series([0, 1, 0, 1], index=NAMES)
        assert_array_equal(met(Pairs.from_labels(y), X.to_numpy()).similar, [[0, 2], [1, 3]])
        assert_array_equal(met(Condition(y.astype(float)), X.to_numpy()).values, [0, 1, 0, 1])
        with pytest.raises(ValueError, match="speaks of 4 rows, and X has 3"):
            met(Pairs.from_labels(y), X.to_numpy()[:3])


class TestSize:
    @pytest.mark.parametrize(
        "known",
        [
            Pairs(similar=[(0, 1)], n_rows=5),
            Pairs.from_labels([0, 0, 1, 1, 1]),
            Distances([(0, 1)], [1.0], n_rows=5),
            Anchors([0], [[0.0, 0.0]], n_rows=5),
            Relation(np.eye(2), [0, 1], n_rows=5),
        ],
        ids=lambda known: type(known).__name__,
    )
    def test_another_number_of_rows_is_refused_with_the_remedy(self, known):
        met(known, np.zeros((5, 2)))
        for n, remedy in ((4, r"within\(rows"), (6, "None for their labels")):
            with pytest.raises(ValueError, match=rf"speaks of 5 rows, and X has {n}.*{remedy}"):
                met(known, np.zeros((n, 2)))

    def test_several_must_agree(self):
        both = [Pairs(similar=[(0, 1)], n_rows=4), Pairs(similar=[(1, 2)])]
        assert Pairs.merge(both).n_rows == 4
        with pytest.raises(ValueError, match="n_rows of 3 and 4"):
            Pairs.merge([*both, Pairs(n_rows=3)])
        by_number = [Pairs(similar=[(0, i)], by="row") for i in range(1, 9)]
        for several in ([*by_number, both[1]], [both[1], *by_number]):
            assert Pairs.merge(several).by == "row"  # whoever says so says it of all
        assert Pairs.merge([both[1], both[1]]).by is None
        with pytest.raises(ValueError, match="labels of their own"):
            Pairs.merge([Pairs(similar=[("a", "b")]), Pairs(similar=[("a", "c")])])
        named = [Pairs(similar=[("anna", "bert")]), Pairs(similar=[("anna", "carl")])]
        together = gather_side(named, understands=("Pairs",), n_samples=4, who="SomeMethod", X=X)
        assert_array_equal(together["Pairs"].similar, [[0, 1], [1, 3]])

    def test_what_says_nothing_of_these_rows_is_told_and_left_out(self):
        with pytest.warns(UserWarning, match="says nothing about the 4 rows"):
            known = gather_side(
                Pairs(similar=[(0, 9)]).within([0, 1, 2, 3]),
                understands=("Pairs",),
                n_samples=4,
                who="SomeMethod",
            )
        assert known == {}
        with pytest.raises(ValueError, match="at least one pair"):
            met(Pairs(), X)


class TestWithin:
    rows = np.array([5, 1, 2, 7])

    def test_pairs(self):
        known = Pairs(similar=[(1, 5), (0, 1)], dissimilar=[(7, 2), (3, 4)]).within(self.rows)
        assert known == Pairs(similar=[(0, 1)], dissimilar=[(2, 3)], n_rows=4)

    def test_distances(self):
        known = Distances([(5, 2), (1, 3), (7, 1)], [1.0, 2.0, 3.0]).within(self.rows)
        assert known == Distances([(0, 2), (1, 3)], [1.0, 3.0], n_rows=4)

    def test_anchors(self):
        known = Anchors([3, 7, 5], [[1.0], [2.0], [3.0]]).within(self.rows)
        assert known == Anchors([3, 0], [[2.0], [3.0]], n_rows=4)

    def test_relations(self):
        S = np.arange(64.0).reshape(8, 8)
        S = S + S.T
        assert_array_equal(
            Relation(S).within(self.rows).similarity, S[np.ix_(self.rows, self.rows)]
        )
        some = Relation(S[:3, :3], [1, 6, 5]).within(self.rows)
        assert_array_equal(some.index, [0, 1])
        assert_array_equal(some.similarity, S[np.ix_([2, 0], [2, 0])])

    def test_conditions(self):
        known = Condition(np.arange(8.0), 8.0).within(self.rows)
        assert_array_equal(known.values, self.rows)
        assert known.period == 8.0

    def test_attributes_that_say_nothing_fall_away(self):
        first, second = Pairs(similar=[(1, 5)]), Pairs(similar=[(0, 3)])
        kept = Attributes([second, first]).within(self.rows).attributes
        assert kept == (Pairs(similar=[(0, 1)], n_rows=4),)

    def test_actions_break_where_rows_are_left_out(self):
        walk = Actions(list("abcdefg"))  # rows 0 … 7
        known = walk.within([0, 1, 2, 5, 6, 7])
        assert known.labels.tolist() == list("abfg")
        assert_array_equal(known.transitions(6), [[0, 1], [1, 2], [3, 4], [4, 5]])
        two = Actions(list("abde"), episodes=[0, 0, 0, 1, 1, 1])
        assert two.within([1, 2, 3, 4]).labels.tolist() == ["b", "d"]
        assert two.within(np.arange(6)).labels.tolist() == list("abde")
        assert walk.within(np.arange(2, 6)) == Actions(list("cde"))
        with pytest.raises(ValueError, match="ascending"):
            walk.within([2, 1])

    def test_an_invariance_holds_for_any_rows(self):
        known = Invariance(np.flip)
        assert known.within([1]) is known
        assert not hasattr(known, "shape")

    def test_labels_stay_labels(self):
        known = Pairs.from_labels(pd.Series([0, 0, 1, 1], index=NAMES)).within(
            ["bert", "carl", "dora"]
        )
        assert known.names == ("bert", "carl", "dora")
        assert_array_equal(met(known, X.loc[["dora", "carl", "bert"]]).similar, [[0, 2]])
        with pytest.raises(ValueError, match="takes every row once.*Got 'carl' more than once"):
            known.within(["carl", "bert", "carl"])

    def test_bools_are_rows_too(self):
        known = Pairs(similar=[(0, 2)], n_rows=3)
        assert known.within([True, False, True]) == Pairs(similar=[(0, 1)], n_rows=2)
        with pytest.raises(ValueError, match="one bool per row, 3"):
            known.within([True, False])

    @pytest.mark.parametrize(
        ("rows", "match"),
        [
            ([0, 0], "every row once.*Got 0"),
            ([-1, 2], r"range \[0, 3\). Got -1"),
            ([3], r"range \[0, 3\). Got 3"),
            (["anna"], "row numbers or bools"),
            ([0.0], "row numbers or bools"),
            ([[0, 1]], "row numbers or bools"),
        ],
    )
    def test_what_are_no_rows(self, rows, match):
        with pytest.raises(ValueError, match=match):
            Pairs(similar=[(0, 1)], n_rows=3).within(rows)

    def test_negative_numbers_are_not_taken_for_rows(self):
        with pytest.raises(ValueError, match="Negative numbers"):
            Pairs(similar=[(0, -1)]).within([0, 1])

    @pytest.mark.parametrize("seed", range(8))
    def test_a_part_is_the_same_as_naming_its_rows_afresh(self, seed):
        """By definition: what is said of the old rows is said of their places, and no more."""
        rng = np.random.default_rng(seed)
        n = 12
        rows = rng.permutation(n)[: rng.integers(2, n)]
        ends = np.array([rng.choice(n, 2, replace=False) for _ in range(20)])
        half = len(ends) // 2
        place = {int(row): i for i, row in enumerate(rows)}

        def afresh(pairs):
            kept = [(place[i], place[j]) for i, j in pairs.tolist() if i in place and j in place]
            return np.array(kept, dtype=int).reshape(-1, 2)

        pairs = Pairs(ends[:half], ends[half:], n_rows=n)
        expected = Pairs(afresh(ends[:half]), afresh(ends[half:]), n_rows=len(rows))
        assert pairs.within(rows) == pairs[rows] == expected
        values = rng.uniform(size=len(ends))
        kept = [i in place and j in place for i, j in ends.tolist()]
        assert Distances(ends, values).within(rows) == Distances(
            afresh(ends), values[kept], n_rows=len(rows)
        )
        inner = rng.permutation(len(rows))
        assert pairs.within(rows).within(inner) == pairs.within(rows[inner])


class TestAligned:
    def test_polars_names_rows_by_a_column(self):
        frame = pl.DataFrame({"who": NAMES, "a": [1.0, 2.0, 3.0, 4.0]})
        known = aligned(Pairs(similar=[("anna", "bert")]), frame, names=frame["who"])
        assert known == Pairs(similar=[(1, 3)], n_rows=4)
        with pytest.raises(ValueError, match="one label per row of X, 4. Got 3"):
            aligned(known, frame, names=frame["who"][:3])

    def test_a_list_is_cut_as_one(self):
        known = aligned(
            [Pairs(similar=[(0, 2)]), Condition([1.0, 2.0, 3.0]), Invariance(np.flip)],
            np.zeros((3, 1)),
        )
        assert known.shape == (3,)
        pairs, condition, invariance = known[np.array([2, 0]), ...]
        assert pairs == Pairs(similar=[(0, 1)], n_rows=2)
        assert condition == Condition([3.0, 1.0])
        assert isinstance(invariance, Invariance)
        assert aligned(None, np.zeros((3, 1))) is None

    def test_what_does_not_fit_is_refused(self):
        with pytest.raises(ValueError, match="speaks of 4 rows, and X has 3"):
            aligned([Condition([1.0, 2.0, 3.0, 4.0])], np.zeros((3, 1)))
        with pytest.raises(ValueError, match=r"range \[0, n_rows\), and n_rows=3. Got 5"):
            aligned(Pairs(similar=[(0, 5)]), np.zeros((3, 1)))


def test_the_condition_of_new_rows_is_found_by_their_labels():
    rng = np.random.default_rng(0)
    names = [f"row {i}" for i in range(80)]
    batch = pd.Series(np.repeat(["a", "b"], 40), index=names)
    frame = pd.DataFrame(rng.normal(size=(80, 3)), index=names, columns=list("uvw"))
    frame += 5.0 * (batch == "b").to_numpy()[:, None]
    model = FactorRemoval().fit(frame, side=Condition(batch))
    expected = model.transform(frame.to_numpy()[::-1], condition=Condition(batch.to_numpy()[::-1]))
    assert model.removed_
    assert_array_equal(model.transform(frame.iloc[::-1], condition=Condition(batch)), expected)


def test_values_that_cannot_be_put_together_name_the_estimator():
    X = np.random.default_rng(0).standard_normal((16, 3))
    sides = [Pairs(similar=[(0, 1)], n_rows=16), Pairs(similar=[(0, -1)])]
    with pytest.raises(ValueError, match=r"PCA cannot put the 2 Pairs together.*Got -1"):
        PCA().fit(X, side=sides)
