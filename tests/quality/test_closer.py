"""A closer look: each point, each judgement, other draws; against loops and known answers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse.csgraph import dijkstra
from scipy.spatial.distance import cdist
from sklearn.neighbors import kneighbors_graph

from sidelight import PCA, KernelPCA, NeighborEmbedding, SpectralBackwardMapping, embed
from sidelight.quality import agreement, point_quality, stability
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
)
from sidelight.transforms import Shift

_RNG = np.random.default_rng(0)


class TestPoints:
    def test_a_loop_gives_the_same(self):
        X, Z, k = _RNG.normal(size=(60, 5)), _RNG.normal(size=(60, 2)), 7
        found = point_quality(X, Z, n_neighbors=k)
        in_map = cdist(Z, Z)
        usual = np.median(np.sort(in_map, axis=1)[:, k])
        for i, (a, b) in enumerate(zip(cdist(X, X), in_map, strict=True)):
            near, mapped = np.argsort(a)[1 : k + 1], np.argsort(b)[1 : k + 1]
            assert found.kept[i] == pytest.approx(len(set(near) & set(mapped)) / k)
            off = np.linalg.norm(Z[i] - np.median(Z[near], axis=0)) / usual
            assert found.displaced[i] == pytest.approx(off)

    def test_a_map_that_is_the_data_keeps_all(self):
        X = _RNG.normal(size=(50, 2))
        found = point_quality(X, 3 * X[:, ::-1] + 1)
        assert_array_equal(found.kept, 1.0)
        assert found.displaced.max() < 3

    @pytest.mark.parametrize("X", ["X", None, {1: 2}, iter([[1.0], [2.0]]), [[1.0, 2.0], [3.0]]])
    def test_what_is_no_table_is_refused_by_name(self, X):
        with pytest.raises(ValueError, match="point_quality.*X|X.*point_quality"):
            point_quality(X, _RNG.normal(size=(12, 2)))

    def test_a_torn_point_is_found(self):
        X = _RNG.normal(size=(80, 2))
        Z = X.copy()
        Z[17] += 30
        found = point_quality(X, Z)
        assert found.displaced.argmax() == found.kept.argmin() == 17
        assert "row 17 displaced most" in repr(found)

    def test_a_point_that_has_a_name_is_called_by_it(self):
        pd = pytest.importorskip("pandas")
        X = _RNG.normal(size=(40, 2))
        Z = X.copy()
        Z[17] += 30
        names = [f"n{i}" for i in range(40)]
        assert "'n17' displaced most" in repr(point_quality(pd.DataFrame(X, index=names), Z))
        result = replace(embed(X, names=names, method="pca"), points=Z)
        assert "'n17' displaced most" in repr(result.point_quality())

    def test_tables_of_distances_and_unit(self):
        X, Z = _RNG.normal(size=(40, 4)), _RNG.normal(size=(40, 2))
        of_rows, of_table = (
            point_quality(X, Z),
            point_quality(cdist(X, X), 1e6 * Z, metric="precomputed"),
        )
        assert_allclose(of_rows.displaced, of_table.displaced)
        assert_array_equal(of_rows.kept, of_table.kept)

    def test_lengths_that_differ(self):
        with pytest.raises(ValueError, match="point_quality"):
            point_quality(np.eye(9), np.eye(8)[:, :2])


class TestJudgements:
    Z = np.column_stack([np.arange(30.0), np.zeros(30)])

    def test_rows_of_a_frame_are_found_by_their_labels(self):
        pd = pytest.importorskip("pandas")
        labels = [f"row {i}" for i in range(30)]
        frame = pd.DataFrame(self.Z, index=labels).iloc[::-1]
        (named,) = agreement(frame, Pairs(similar=[("row 0", "row 1"), ("row 2", "row 29")]))
        (counted,) = agreement(self.Z, Pairs(similar=[(0, 1), (2, 29)]))
        assert named == counted

    def test_pairs_hold_where_they_are_near_or_apart(self):
        similar = [(i, i + 1) for i in range(10)] + [(0, 29), (1, 28)]
        near, apart = agreement(self.Z, Pairs(similar=similar, dissimilar=[(0, 20), (13, 14)]))
        assert (near.n, near.held, near.chance) == (12, pytest.approx(10 / 12), 0.5)
        assert (apart.n, apart.held) == (2, 0.5)

    def test_what_chance_holds_is_what_it_says(self):
        Z = _RNG.normal(size=(300, 2))
        pairs = _RNG.integers(300, size=(4000, 2))
        pairs = pairs[pairs[:, 0] < pairs[:, 1]]
        for kind in ("similar", "dissimilar"):
            (found,) = agreement(Z, Pairs(**{kind: pairs}))
            assert found.held == pytest.approx(found.chance, abs=0.03)

    def test_distances_and_anchors(self):
        known = [
            Distances([(0, 10), (0, 20)], [10.5, 30.0]),
            Anchors([0, 5], [[0.0, 0.1], [9.0, 0.0]]),
        ]
        distances, anchors = agreement(self.Z, known)
        assert (distances.n, distances.held) == (2, 0.5)
        assert (anchors.n, anchors.held) == (2, 0.5)

    def test_the_parts_that_are_said_are_counted(self):
        """Of the 435 pairs 29 are one apart, 57 at most two: the nearest tenth ends among these."""
        held = [agreement(self.Z, Pairs(dissimilar=[(0, apart)]))[0].held for apart in (1, 3, 4)]
        assert held == [0, 1, 1]
        (near,) = agreement(self.Z, Distances([(0, 10)], [9.2]))
        (off,) = agreement(self.Z, Distances([(0, 10)], [8.8]))
        assert (near.held, off.held) == (1, 0)
        for away, held in ((0.25, 1), (0.35, 0)):  # a hundredth of the extent is 0.29
            assert agreement(self.Z, Anchors([5], [[5.0, away]]))[0].held == held

    @pytest.mark.parametrize("kind", ["classes", "numbers", "angles"])
    def test_a_factor_that_is_left_is_told_and_a_shuffled_one_is_not(self, kind):
        Z = _RNG.uniform(size=(400, 2))
        values, period = Z[:, 0] * 360, 360 if kind == "angles" else None
        known = np.where(Z[:, 0] > 0.5, "a", "b") if kind == "classes" else values
        (left,) = agreement(Z, Condition(known, period=period))
        (gone,) = agreement(Z, Condition(_RNG.permutation(known), period=period))
        assert left.held > 0.8
        assert gone.held == pytest.approx(gone.chance, abs=0.1)

    def test_attributes_are_judged_pair_by_pair(self):
        first = Pairs(similar=[(0, 1), (0, 29)], dissimilar=[(3, 20)])
        second = Pairs(similar=[(0, 29)])
        found = agreement(self.Z, Attributes([first, second]))
        alone = [*agreement(self.Z, first), *agreement(self.Z, second)]
        assert [(j.n, j.held, j.chance) for j in found] == [(j.n, j.held, j.chance) for j in alone]
        assert [j.what.partition(":")[0] for j in found] == ["attribute 0"] * 2 + ["attribute 1"]

    def test_rows_that_follow_one_another(self):
        (on,) = agreement(self.Z, Sequence())
        assert (on.n, on.held, on.chance) == (29, 1.0, 0.5)
        (by_time,) = agreement(self.Z[::-1], Sequence(order=np.arange(30.0)[::-1]))
        assert by_time.held == 1.0
        (parted,) = agreement(self.Z, Sequence(episodes=np.arange(30) // 10))
        assert parted.n == 27
        half = np.arange(30).reshape(2, 15).T.ravel()  # from one end to beyond the middle and back
        assert agreement(self.Z, Sequence(order=np.argsort(half)))[0].held == 0.0

    def test_the_more_alike_are_the_nearer(self):
        alike = Relation.from_values(np.arange(30.0))
        (on,) = agreement(self.Z, alike)
        told = np.abs(np.subtract.outer(np.arange(30), np.arange(30)))
        n = sum(
            told[i, j] != told[i, k]
            for i in range(30)
            for j in range(30)
            for k in range(j)
            if i not in (j, k)
        )
        assert (on.n, on.held, on.chance) == (n, 1.0, 0.5)
        (unlike,) = agreement(self.Z, Relation(alike.similarity.max() - alike.similarity))
        assert unlike.held == 0.0
        (one_place,) = agreement(np.zeros((30, 2)), alike)
        assert one_place.held == 0.5
        assert agreement(self.Z, Relation(np.ones((30, 30)))) == ()

    def test_the_more_alike_of_some_rows_and_of_many(self):
        rows = np.arange(0, 30, 3)
        (some,) = agreement(self.Z, Relation.from_values(rows.astype(float), index=rows))
        assert some.held == 1.0
        Z = _RNG.normal(size=(200, 2))
        (drawn,) = agreement(Z, Relation.from_values(Z))
        assert drawn.held > 0.9
        (by_chance,) = agreement(Z, Relation.from_values(_RNG.normal(size=(200, 2))))
        assert by_chance.held == pytest.approx(by_chance.chance, abs=0.05)

    def test_actions_are_foretold_by_their_steps(self):
        walk = [(x, 0) for x in range(8)] + [(7, y) for y in range(1, 8)]
        walk += [(x, 7) for x in range(6, -1, -1)] + [(0, y) for y in range(6, 0, -1)]
        actions = ["right"] * 7 + ["up"] * 7 + ["left"] * 7 + ["down"] * 6
        (on,) = agreement(np.array(walk, dtype=float), Actions(actions))
        assert (on.n, on.held) == (27, 1.0)
        assert on.chance < 0.6
        (astray,) = agreement(_RNG.permutation(walk).astype(float), Actions(actions))
        assert astray.held < 0.8

    def test_an_action_that_turns_is_foretold_from_where_it_was_used_nearby(self):
        angle = np.linspace(0, 4 * np.pi, 60)
        ring = np.column_stack([np.cos(angle), np.sin(angle)])
        (on,) = agreement(ring, Actions(["turn"] * 59))
        assert on.held == 1.0
        assert on.chance < 0.6
        assert agreement(ring[:3], Actions(["once", "never again"])) == ()

    def test_what_says_nothing_of_rows_is_passed_over(self):
        assert agreement(self.Z, Invariance(Shift(), image_shape=(4, 4))) == ()

    def test_distances_that_cannot_all_be_true_are_judged_all_the_same(self):
        (found,) = agreement(self.Z, Distances([(0, 1), (1, 2), (0, 2)], [1.0, 1.0, 9.0]))
        assert found.held == pytest.approx(2 / 3)

    def test_of_a_factor_a_good_map_has_little(self):
        known = [Condition(np.arange(30) % 2), Sequence()]
        assert [judgement.wanted for judgement in agreement(self.Z, known)] == [False, True]

    def test_every_kind_of_a_result(self):
        X = _RNG.normal(size=(40, 5))
        known = [
            Sequence(),
            Relation.from_values(X[:, 0]),
            Attributes([Pairs(similar=[(0, 1)]), Pairs(dissimilar=[(0, 1)])]),
        ]
        result = embed(X, side=known, method="isomap")
        assert result.agreement() == agreement(result.points, known)
        assert len(result.agreement()) == 4

    def test_of_a_result(self):
        X = _RNG.normal(size=(60, 5))
        known = Pairs(similar=[(0, 1), (2, 3)])
        result = embed(X, side=known, method="pca")
        assert result.agreement() == agreement(result.points, known)
        assert embed(X, method="pca").agreement() == ()
        assert_array_equal(result.point_quality().kept, point_quality(X, result.points).kept)


def test_rows_without_a_place_are_left_out():
    X = _RNG.normal(size=(50, 3))
    whole = embed(X, side=Pairs(similar=[(0, 1), (2, 45)]), method="mds")
    points = whole.points.copy()
    points[40:] = np.nan
    torn = replace(whole, points=points)
    assert [said.n for said in whole.agreement()] == [2]
    assert [said.n for said in torn.agreement()] == [1]
    found = torn.point_quality()
    assert np.isnan(found.kept[40:]).all()
    assert_array_equal(found.kept[:40], point_quality(X[:40], points[:40]).kept)
    assert "50 points" in repr(found)


def test_a_graph_is_no_table_of_distances():
    """It holds the distances of neighbours alone; the others are along it, and not zero."""
    X = _RNG.normal(size=(60, 3))
    near = kneighbors_graph(X, 8, mode="distance")
    result = embed(near.maximum(near.T), metric="precomputed", method="isomap")
    along = dijkstra(near.maximum(near.T), directed=False)
    expected = point_quality(along, result.points, metric="precomputed")
    assert_array_equal(result.point_quality().kept, expected.kept)


class TestStability:
    def test_a_plane_with_spread_is_stable_and_a_ball_is_not(self):
        plane = _RNG.normal(size=(120, 6)) * [9, 5, 0.1, 0.1, 0.1, 0.1]
        ball = _RNG.normal(size=(120, 6))
        stable, loose = (stability(PCA(2), X, n_draws=3) for X in (plane, ball))
        assert stable.by_rows.mean() > 0.95
        assert loose.by_rows.mean() < stable.by_rows.mean() - 0.05
        assert stable.by_seeds is None
        assert stable.of_points.shape == (120,)

    def test_seeds_are_compared_where_there_are_any(self):
        X = _RNG.normal(size=(80, 4))
        found = stability(NeighborEmbedding(init="random", max_iter=100), X, n_draws=2)
        assert found.by_seeds.shape == (2,)
        assert "other seeds" in repr(found)

    def test_what_is_known_of_rows_goes_with_them(self):
        X = _RNG.normal(size=(90, 5))
        known = [Pairs.from_labels(np.arange(90) % 3, max_pairs=40, random_state=0)]
        assert len(stability(PCA(2), X, side=known, n_draws=2).by_rows) == 2

    def test_rows_that_are_named_by_label_stay_the_same_rows(self):
        """Of rows that were drawn their numbers were looked for among the labels."""
        pd = pytest.importorskip("pandas")
        X, y = _RNG.normal(size=(90, 5)), np.arange(90) % 3
        known = Pairs.from_labels(y, max_pairs=40, random_state=0)
        frame = pd.DataFrame(X, index=[f"row {i}" for i in range(90)]).add_prefix("x")
        by_label = Pairs(known.similar, known.dissimilar, names=list(frame.index))
        told, expected = (
            stability(PCA(2), rows, side=side, n_draws=2)
            for rows, side in ((frame, by_label), (X, known))
        )
        assert_array_equal(told.by_rows, expected.by_rows)

    def test_a_table_of_similarities_is_cut_both_ways(self):
        X = _RNG.normal(size=(60, 5)) * [9, 5, 1, 1, 1]
        by_rows = stability(PCA(2), X, n_draws=2).by_rows
        listed = stability(PCA(2), X.tolist(), n_draws=2).by_rows
        np.testing.assert_array_equal(listed, by_rows)
        linear = KernelPCA(2, kernel="precomputed")
        assert_allclose(stability(linear, X @ X.T, n_draws=2).by_rows, by_rows, atol=0.02)

    def test_a_table_of_basis_functions_is_cut_both_ways(self):
        X = _RNG.normal(size=(60, 5)) * [9, 5, 1, 1, 1]
        given = SpectralBackwardMapping(2, basis="precomputed")
        assert len(stability(given, X @ X.T / 100, n_draws=2).by_rows) == 2

    def test_the_same_draws_again(self):
        X = _RNG.normal(size=(60, 4))
        first, again = (stability(PCA(2), X, n_draws=2, random_state=4) for _ in range(2))
        assert_array_equal(first.by_rows, again.by_rows)

    def test_what_cannot_be_drawn(self):
        with pytest.raises(ValueError, match="'share' parameter of stability"):
            stability(PCA(2), np.eye(20), share=1.0)
        with pytest.raises(ValueError, match="too many to leave any out"):
            stability(PCA(2), np.eye(11))
