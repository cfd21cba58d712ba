"""Pairs in the graph: rows of groups that differ are farther apart, where that does a map good."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits

from sidelight import PCA, ClassicalMDS, Isomap, LaplacianEigenmaps, LocallyLinearEmbedding
from sidelight.errors import DisconnectedGraphError
from sidelight.estimator.map import Map
from sidelight.estimator.neighborhood import neighborhood_of
from sidelight.estimator.points import points_of
from sidelight.estimator.territory import (
    STRETCH,
    WALKS,
    Groups,
    Memberships,
    Territories,
    foretells_more,
    foretold,
    gathers_territories,
    groups_of,
    held_out,
    in_front,
    is_worth,
    judge,
    map_in_territories,
    memberships,
    metric_for_map,
    pairs_of_territories,
    read_and_foretold,
    share_kept,
    surely_different,
    walks_along,
    walks_in,
    walks_nearby,
)
from sidelight.estimator.territory.memberships import AS_MET, POWERS, Reading
from sidelight.metric import EquivalenceMetric
from sidelight.side import Pairs


def labels_of(y, named, rng=None):
    known = np.full(len(y), -1)
    known[named] = y[named] if rng is None else rng.permutation(y[named])
    return Pairs.from_labels(known)


def some_digits(seed, n=400):
    digits, rng = load_digits(), np.random.default_rng(seed)
    rows = rng.choice(len(digits.data), n, replace=False)
    return digits.data[rows] / 16, digits.target[rows], rng.choice(n, 60, replace=False)


def five_nearest(Z, y):
    """The share of rows whose five nearest in a map have their label for the most part."""
    D = cdist(Z, Z)
    np.fill_diagonal(D, np.inf)
    votes = y[np.argsort(D, axis=1)[:, :5]]
    return np.mean([np.bincount(v).argmax() == own for v, own in zip(votes, y, strict=True)])


class TestSurelyDifferent:
    """How surely two groups differ."""

    differ = sp.csr_array(np.array([[0, 1.0, 1], [1, 0, 0], [1, 0, 0]]))

    def test_as_surely_as_rows_held_out_are_told_apart(self):
        # four rows of each group; half of group 0 is taken for group 1, none for group 2
        group = np.repeat([0, 1, 2], 4)
        taken = group.copy()
        taken[:2] = 1
        told = Memberships(taken[:, None], np.ones((12, 1)))
        groups = Groups(np.arange(12), group, self.differ)
        found = surely_different(told, groups, like_all=1e-12).toarray()
        # of the eight rows of groups 0 and 1 two are taken for the other; of 0 and 2 none
        np.testing.assert_allclose(found[0], [0, 1 - 2 * 2 / 8, 1], atol=1e-9)
        np.testing.assert_allclose(found, found.T)
        assert found[1, 2] == 0  # nothing is said of these

    def test_few_rows_are_drawn_to_what_all_have_in_common(self):
        group = np.repeat([0, 1, 2], 4)
        taken = group.copy()
        taken[:2] = 1
        told = Memberships(taken[:, None], np.ones((12, 1)))
        groups = Groups(np.arange(12), group, self.differ)
        found = surely_different(told, groups, like_all=1e12).toarray()
        wrong = 2 / 12
        usual = (wrong / 2) / (1 - wrong + wrong / 2)
        np.testing.assert_allclose(found[0, 1:], 1 - 2 * usual, rtol=1e-6)

    def test_groups_taken_for_each_other_are_not_moved(self):
        told = Memberships(np.array([[1], [1], [0], [0]]), np.ones((4, 1)))
        differ = sp.csr_array(np.array([[0, 1.0], [1, 0]]))
        groups = Groups(np.arange(4), np.array([0, 0, 1, 1]), differ)
        assert surely_different(told, groups, STRETCH.like_all).max() == 0

    def test_groups_of_which_none_is_said_to_differ(self):
        told = Memberships(np.array([[0], [0], [1], [1]]), np.ones((4, 1)))
        groups = Groups(np.arange(4), np.array([0, 0, 1, 1]), sp.csr_array((2, 2)))
        found = surely_different(told, groups, STRETCH.like_all)
        assert found.shape == (2, 2)
        assert found.nnz == 0

    @pytest.mark.parametrize("method", [Isomap, LocallyLinearEmbedding, LaplacianEigenmaps])
    @pytest.mark.filterwarnings("ignore::sidelight.errors.DisconnectedGraphWarning")
    def test_ten_pairs_that_are_only_said_to_be_similar(self, method):
        X, y = load_digits(return_X_y=True)
        X, y = X[:120], y[:120]
        similar = [tuple(np.flatnonzero(y == c)[:2]) for c in range(10)]
        told = method().fit(X, side=Pairs(similar=similar))
        assert np.isfinite(told.embedding_).all()
        assert [heard.kind for heard in told.side_report_] == ["Pairs"]

    def test_a_single_group_has_pairs_that_are_similar(self):
        X, _, _ = some_digits(70, 150)
        near = neighborhood_of(points_of(X, "euclidean", who="-"), n_components=2)
        groups = groups_of(Pairs(similar=[(0, row) for row in range(1, 25)]))
        drawn = pairs_of_territories(walks_along(near.graph), groups)
        assert len(drawn.similar) > 0
        assert len(drawn.dissimilar) == 0


class TestNeighborhood:
    """Whom rows choose as neighbours."""

    @pytest.mark.parametrize("mutual", [True, False])
    def test_the_nearest_in_distances_that_are_longer_between_groups(self, mutual):
        X, y, named = some_digits(70, 150)
        named = named[:50] % 150
        near = neighborhood_of(points_of(X, "euclidean", who="-"), n_components=2, mutual=mutual)
        groups = groups_of(labels_of(y, np.unique(named)))
        found = Territories(near, groups, "connect", mutual).neighborhood(groups)
        # the same with loops over all pairs
        walks = walks_along(near.graph)
        U, told = np.zeros((150, groups.n)), memberships(walks, groups)
        for i in range(150):
            for g, share in zip(told.groups[i], told.shares[i], strict=True):
                U[i, g] += share if g >= 0 else 0
        D = surely_different(held_out(walks, groups), groups, STRETCH.like_all).toarray()
        plain = cdist(X, X)
        np.fill_diagonal(plain, np.inf)
        for i in range(150):
            candidates = np.sort(np.argsort(plain[i])[:30])
            apart = np.array([min(U[i] @ D @ U[j], 1.0) for j in candidates])
            lengths = plain[i, candidates] * (1 + STRETCH.stretch * apart)
            order = np.argsort(lengths, kind="stable")[:10]
            mine = slice(found.arrows.indptr[i], found.arrows.indptr[i + 1])
            assert set(found.arrows.indices[mine]) == set(candidates[order])
            np.testing.assert_allclose(np.sort(found.arrows.data[mine]), lengths[order], rtol=1e-6)

    def test_a_given_graph_keeps_its_edges(self):
        X, y, named = some_digits(71)
        graph = neighborhood_of(points_of(X, "euclidean", who="-"), n_components=2).graph
        near = neighborhood_of(points_of(graph, "precomputed", who="-"), n_components=2)
        groups = groups_of(labels_of(y, named))
        found = Territories(near, groups, "connect", True).neighborhood(groups)
        np.testing.assert_array_equal(found.graph.indices, near.graph.indices)
        longer = found.graph.data / near.graph.data
        assert longer.min() >= 1
        assert longer.max() > 1 + 0.3 * STRETCH.stretch


class TestMaps:
    """What labels of some rows do to the others."""

    @pytest.mark.parametrize("method", [Isomap, LocallyLinearEmbedding])
    def test_rows_that_are_not_named_gain(self, method):
        gains, places = [], []
        for seed in range(72, 78):
            X, y, named = some_digits(seed)
            others = np.setdiff1d(np.arange(len(X)), named)
            plain = method().fit_transform(X)
            model = method().fit(X, side=labels_of(y, named))
            places.append(model.side_report_[0].place)
            gains.append(
                five_nearest(model.embedding_[others], y[others])
                - five_nearest(plain[others], y[others])
            )
        assert np.mean(gains) > 0.04  # 0.07 to 0.15 on other draws
        assert min(gains) > -0.06
        assert places.count("in the graph") >= 3

    def test_shuffled_labels_leave_the_map_as_it_is(self):
        used = 0
        for seed in range(80, 86):
            X, y, named = some_digits(seed)
            told = Isomap().fit(X, side=labels_of(y, named, np.random.default_rng(seed)))
            used += told.side_report_[0].place == "in the graph"
        assert used == 0

    def test_a_map_that_shows_it_already_is_left_as_it_is(self):
        rng = np.random.default_rng(0)
        y = np.repeat([0, 1], 60)
        X = rng.standard_normal((120, 5)) + 4.0 * y[:, None]
        told = Isomap(n_neighbors=30).fit(X, side=labels_of(y, np.arange(0, 120, 3)))
        assert told.side_report_[0].place == "in front"

    def test_few_rows_do_not_speak_for_others(self):
        X, y, named = some_digits(87)
        told = Isomap().fit(X, side=labels_of(y, named[:10]))
        assert told.side_report_[0].place == "in front"

    @pytest.mark.parametrize("torn", [False, True])
    def test_a_map_must_keep_no_fewer_neighbours(self, torn):
        X, y, named = some_digits(88)
        near = neighborhood_of(points_of(X, "euclidean", who="-"), n_components=2)
        shown = np.eye(10)[y] + 1e-3 * np.random.default_rng(0).standard_normal((len(y), 10))
        clear = shown if torn else 100.0 * np.hstack([np.eye(10)[y], 0.01 * X])
        plain = PCA(2).fit_transform(X)

        def embed(given):
            return Map(plain if given is near else clear)

        heard = map_in_territories(near, labels_of(y, named), embed, "connect", mutual=True)
        assert (heard is None) == torn

    def test_the_judge_counts_rows_that_the_map_was_not_told_of(self):
        X, y, named = some_digits(89)
        groups = groups_of(labels_of(y, named))
        vague = np.random.default_rng(1).standard_normal((len(y), 2))

        # a map that shows the rows it was told of, and no others
        def only_told(seen):
            Z = vague.copy()
            Z[seen.rows] = 50.0 * np.eye(groups.n, 2)[seen.group] + vague[seen.rows]
            return Z

        assert not foretells_more(groups, vague, only_told)
        assert foretells_more(groups, vague, lambda seen: np.eye(10)[y] + 0.01 * X[:, :10])

    def test_rows_that_nobody_named_must_be_more_among_their_own(self):
        X, y, named = some_digits(75)
        groups = groups_of(labels_of(y, named))
        walks, rng = walks_in(X), np.random.default_rng(0)
        vague = rng.normal(size=(len(X), 2))
        gathered = 50.0 * np.eye(10)[y] + rng.normal(size=(len(X), 10))
        torn = vague.copy()
        torn[named] = gathered[named, :2]  # the named rows alone are where they belong
        assert gathers_territories(walks, groups, vague, gathered)
        assert not gathers_territories(walks, groups, gathered, vague)
        assert not gathers_territories(walks, groups, vague, torn)
        assert not gathers_territories(walks, groups, vague, vague)
        all_named = groups_of(labels_of(y, np.arange(len(y))))
        assert gathers_territories(walks, all_named, vague, vague)  # nobody is left to ask
        one = labels_of(np.zeros(len(y), dtype=int), named)
        assert gathers_territories(walks, groups_of(one), vague, torn)  # nor told apart

    def test_what_rows_gain_is_worth_the_neighbours_that_others_lose(self):
        """A third of the others are heaped up: worth it for a gain as large, and no less."""
        X, y, named = some_digits(76)
        groups, walks = groups_of(labels_of(y, named)), walks_in(X)
        others = np.setdiff1d(np.arange(len(X)), named)
        heaped, rng = X.copy(), np.random.default_rng(0)
        heaped[others[::3]] = 1e3 + rng.normal(size=(len(others[::3]), X.shape[1]))
        lost = share_kept(walks, X, others) - share_kept(walks, heaped, others)
        assert 0.2 < lost < 0.7
        assert is_worth(lost + 0.01, walks, groups, X, heaped)
        assert not is_worth(lost - 0.01, walks, groups, X, heaped)
        assert is_worth(0.001, walks, groups, heaped, X)
        for n_others, heard in ((0, True), (WALKS.few - 1, True), (WALKS.few, False)):
            nearly_all = groups_of(labels_of(y, np.setdiff1d(np.arange(len(y)), others[:n_others])))
            assert is_worth(0.001, walks, nearly_all, X, heaped) == heard
        twos = groups_of(Pairs(similar=np.arange(40).reshape(-1, 2)))
        assert is_worth(-1.0, walks, twos, X, heaped)  # whose gain is no share of anything

    @pytest.mark.parametrize("seed", range(3))
    def test_what_noise_hides_is_worth_the_neighbours_in_the_noise(self, seed):
        X, y, _ = some_digits(seed)
        rng = np.random.default_rng(seed)
        X = np.hstack([X, 2.0 * rng.standard_normal((len(X), 10))])
        named = rng.choice(len(X), 100, replace=False)
        others = np.setdiff1d(np.arange(len(X)), named)
        told = ClassicalMDS().fit(X, side=labels_of(y, named)).embedding_
        plain = ClassicalMDS().fit_transform(X)
        gain = five_nearest(told[others], y[others]) - five_nearest(plain[others], y[others])
        assert gain > 0.2

    @pytest.mark.parametrize(("step", "kept"), [(4, 1.0), (14, 1.0), (17, 0.0)])
    def test_neighbours_are_looked_for_among_thrice_as_many_in_a_map(self, step, kept):
        """On a line the thirty nearest are fifteen to each side; at the ends they are others."""
        n = 400
        steps = sp.csr_array(np.eye(n, k=step) + np.eye(n, k=-step))
        assert share_kept(steps, np.arange(float(n))[:, None], np.arange(40, n - 40)) == kept

    def test_a_metric_that_is_not_worth_it_is_left_out(self, monkeypatch):
        X, y, named = some_digits(331)
        side, asked = labels_of(y, named), []
        assert "used by the territories" in ClassicalMDS().fit(X, side=side).side_report_[0].change

        def too_dear(gain, walks, groups, plain, told):
            asked.append(gain)
            return False

        monkeypatch.setattr(in_front, "is_worth", too_dear)
        model = ClassicalMDS().fit(X, side=side)
        assert model.side_report_[0].change.startswith("not used")
        np.testing.assert_array_equal(model.embedding_, ClassicalMDS().fit(X).embedding_)
        assert min(asked) > 0

    def test_a_table_of_distances_listens_too(self):
        X, y, named = some_digits(73)
        side = labels_of(y, named)
        model = Isomap().fit(X, side=side)
        table = Isomap(metric="precomputed").fit(cdist(X, X), side=side)
        assert table.side_report_[0].place == "in the graph"
        np.testing.assert_allclose(table.embedding_, model.embedding_, rtol=1e-4, atol=1e-4)

    def test_what_does_a_table_no_good_is_not_used(self):
        X, y, named = some_digits(81)
        side = labels_of(y, named, np.random.default_rng(81))
        told = Isomap(metric="precomputed").fit(cdist(X, X), side=side)
        assert "not used" in told.side_report_[0].change
        np.testing.assert_array_equal(
            told.embedding_, Isomap(metric="precomputed").fit(cdist(X, X)).embedding_
        )

    def test_new_rows_are_placed_and_training_rows_stay(self):
        X, y, named = some_digits(74)
        model = Isomap().fit(X[:300], side=labels_of(y[:300], named[named < 300]))
        assert model.side_report_[0].place == "in the graph"
        np.testing.assert_allclose(model.transform(X[:5]), model.embedding_[:5], atol=1e-6)
        assert np.isfinite(model.transform(X[300:])).all()


class TestInFront:
    """A metric in front, judged by the map."""

    @staticmethod
    def hidden_classes(rng, far):
        """Three classes that show in small features, beside two large ones that say nothing."""
        y = np.repeat([0, 1, 2], 50)
        small = rng.standard_normal((150, 4)) + far * np.eye(4)[y]
        return np.hstack([8.0 * rng.standard_normal((150, 2)), small]), y

    def test_a_map_that_shows_more_with_it_is_kept(self):
        rng = np.random.default_rng(0)
        X, y = self.hidden_classes(rng, 5.0)
        named = rng.choice(150, 60, replace=False)
        told = PCA(2).fit(X, side=labels_of(y, named))
        others = np.setdiff1d(np.arange(150), named)
        assert told.side_report_[0].change.startswith("used")
        plain = five_nearest(PCA(2).fit_transform(X)[others], y[others])
        assert five_nearest(told.embedding_[others], y[others]) > plain + 0.2

    @pytest.mark.parametrize("shown", [True, False])
    def test_it_is_the_map_that_decides(self, shown):
        rng = np.random.default_rng(1)
        X, y = self.hidden_classes(rng, 5.0)
        clear = np.eye(3)[y][:, :2] + 0.01 * rng.standard_normal((150, 2))
        vague = rng.standard_normal((150, 2))

        def embed(rows):
            mapped = not np.array_equal(rows, X)
            return clear if mapped == shown else vague

        pairs = labels_of(y, rng.choice(150, 60, replace=False))
        learned = EquivalenceMetric(strength=1.0).fit(X, side=pairs)
        found = metric_for_map(X, pairs, learned, embed)
        assert (found.strength_ > 0) == shown
        assert found.report_.startswith("used" if shown else "not used")

    @pytest.mark.parametrize("shown", [True, False])
    def test_rows_alone_in_their_groups_are_asked_which_they_are_told_apart_from(self, shown):
        """They foretell no groups."""
        X, y = self.hidden_classes(np.random.default_rng(2), 5.0)
        apart = Pairs(dissimilar=[(i, j) for i in range(30) for j in (i + 60, i + 110)])
        learned = EquivalenceMetric(strength=1.0).fit(X, side=apart)
        clear = np.column_stack([y, X[:, 0] / 100.0])

        def embed(rows):
            return clear if shown and not np.array_equal(rows, X) else X[:, :2]

        found = metric_for_map(X, apart, learned, embed)
        assert found is learned
        assert (found.strength_ > 0) == shown

    def test_pairs_that_rows_left_out_refute_are_not_judged(self):
        """Walks would foretell the groups; what a metric of them does to a map is not asked."""
        X, y = self.hidden_classes(np.random.default_rng(2), 5.0)
        pairs = labels_of(y, np.arange(0, 150, 2))
        learned = EquivalenceMetric(strength=0.0).fit(X, side=pairs)
        with pytest.raises(ZeroDivisionError):
            metric_for_map(X, pairs, learned, lambda rows: 1 / 0)
        learned.refuted_ = True
        assert metric_for_map(X, pairs, learned, lambda rows: 1 / 0) is learned

    def test_pairs_of_territories_are_of_rows_that_nobody_named(self):
        rng = np.random.default_rng(5)
        y = np.repeat([0, 1, 2], 30)
        X = 20.0 * np.eye(3)[y] + rng.standard_normal((90, 3))
        groups = groups_of(Pairs(similar=[(0, 1), (30, 31), (60, 61)], dissimilar=[(0, 30)]))
        found = pairs_of_territories(walks_in(X), groups)
        assert len(found.rows) == 90
        assert (y[found.similar[:, 0]] == y[found.similar[:, 1]]).all()
        # the third group is not said to differ from the others
        assert set(map(tuple, np.sort(y[found.dissimilar], axis=1))) == {(0, 1)}

    def test_few_labels_gain_by_territories_what_pairs_alone_do_not(self):
        X, y, named = some_digits(90)
        others = np.setdiff1d(np.arange(len(y)), named)
        told = ClassicalMDS(2).fit(X, side=labels_of(y, named))
        assert "territories" in told.side_report_[0].change
        plain = five_nearest(ClassicalMDS(2).fit_transform(X)[others], y[others])
        assert five_nearest(told.embedding_[others], y[others]) > plain + 0.02
        wrong = labels_of(y, named, np.random.default_rng(90))
        assert ClassicalMDS(2).fit(X, side=wrong).side_report_[0].change.startswith("not used")

    @staticmethod
    def twos(y, rng, n, apart=0):
        """Pairs that share no row: similar ones, and dissimilar ones."""
        rows = rng.permutation(len(y))
        of_class = [rows[y[rows] == c] for c in np.unique(y)]
        similar = np.vstack([own[: len(own) // 2 * 2].reshape(-1, 2) for own in of_class])
        similar = similar[rng.permutation(len(similar))[:n]]
        others = rng.permutation(np.setdiff1d(rows, similar))
        others = others[: len(others) // 2 * 2].reshape(-1, 2)
        dissimilar = others[y[others[:, 0]] != y[others[:, 1]]][:apart]
        return Pairs(similar=similar, dissimilar=dissimilar)

    @pytest.mark.parametrize("apart", [0, 5])
    @pytest.mark.parametrize("shown", [True, False])
    def test_pairs_that_share_no_row_are_judged_by_pairs_that_were_held_out(self, shown, apart):
        """Cut in half they left no similar pair, and of similar ones alone none at all."""
        rng = np.random.default_rng(6)
        X, y = self.hidden_classes(rng, 5.0)
        pairs = self.twos(y, rng, 20, apart)
        clear = 50.0 * np.eye(3)[y] + rng.standard_normal((150, 3))
        vague = rng.standard_normal((150, 3))
        learned = EquivalenceMetric(strength=1.0).fit(X, side=pairs)
        told = []

        def embed(rows):
            told.append(rows)
            return clear if shown and not np.array_equal(rows, X) else vague

        found = metric_for_map(X, pairs, learned, embed)
        assert len(told) > 1
        # what a half says is learned too: no map is made of rows as they came but the plain one
        assert sum(np.array_equal(rows, X) for rows in told) == 1
        assert (found.strength_ > 0) == shown

    def test_pairs_help_a_map_where_they_tell_of_a_direction(self):
        used, gains = 0, []
        for seed in range(6):
            rng = np.random.default_rng([9, seed])
            X, y = self.hidden_classes(rng, 5.0)
            side = self.twos(y, rng, 40)
            told = PCA(2).fit(X, side=side)
            others = np.setdiff1d(np.arange(150), side.rows)
            plain = PCA(2).fit_transform(X)
            used += told.side_report_[0].change.startswith("used")
            gains.append(
                five_nearest(told.embedding_[others], y[others])
                - five_nearest(plain[others], y[others])
            )
        assert used >= 4
        assert np.mean(gains) > 0.1
        assert min(gains) > -0.06

    def test_labels_of_many_classes_are_no_twos_and_pairs_that_hang_together_are(self):
        sizes = {"many classes": [3] * 9 + [2] * 4 + [1] * 20, "pairs": [40] + [2] * 20 + [1] * 60}
        large = {}
        for name, each in sizes.items():
            group = np.repeat(np.arange(len(each)), each)
            groups = Groups(np.arange(len(group)), group, sp.csr_array((len(each),) * 2))
            large[name] = groups.are_large
            # neither is heard where nobody else can be asked, nor by one standard error
            assert not judge._say_much(groups)
        assert large == {"many classes": True, "pairs": False}

    def test_twos_are_held_out_whole(self):
        """Half of a two says nothing, and a map of half of the pairs was made without any."""
        rng = np.random.default_rng(12)
        pairs = self.twos(np.repeat([0, 1, 2], 50), rng, 21, 9)
        groups = groups_of(pairs)
        assert not groups.are_large
        held = [groups.take(half) for half in groups.whole_halves()]
        told = np.vstack([half.twos() for half in held])
        assert {tuple(sorted(two)) for two in told} == set(map(tuple, pairs.similar.tolist()))
        assert sorted(len(half.twos()) for half in held) == [10, 11]
        assert all(len(np.setdiff1d(half.rows, half.twos())) == 9 for half in held)

    @pytest.mark.parametrize("seed", [702, 703])
    def test_a_map_that_holds_apart_what_it_was_not_told_is_not_kept(self, seed):
        """One that kept by chance two rows of some groups was: 0.18 was lost in one draw."""
        rng = np.random.default_rng(seed)
        X, y = self.hidden_classes(rng, 5.0)
        pairs = self.twos(y, rng, 30)
        groups = groups_of(pairs)

        def torn(seen):
            """Rows of a two lie together, and all others anywhere, however they lay before."""
            Z = 10.0 * np.random.default_rng(len(seen.rows)).standard_normal((150, 2))
            first, second = seen.twos().T
            Z[second] = Z[first] + 0.01
            return Z

        plain = PCA(2).fit_transform(X)
        assert not foretells_more(groups, plain, torn)

    def test_a_metric_that_would_tear_a_graph_is_left_out_and_not_an_error(self):
        X, y = self.hidden_classes(np.random.default_rng(11), 5.0)
        pairs = labels_of(y, np.arange(0, 150, 3))

        def embed(rows):
            if not np.array_equal(rows, X):
                raise DisconnectedGraphError("a map that nobody will see")
            return X[:, :2]

        learned = EquivalenceMetric(strength=1.0).fit(X, side=pairs)
        found = metric_for_map(X, pairs, learned, embed)
        assert found.strength_ == 0
        assert found.report_ == in_front.NOT_IN_MAP

    def test_territories_must_be_listened_to_strongly(self):
        """By a metric of strength one a map of few dimensions shows other things still."""
        gains = {1.0: [], in_front.STRENGTH: []}
        for seed in range(95, 99):
            X, y, named = some_digits(seed, 300)
            named = np.unique(named % 300)
            walks, groups = walks_in(X), groups_of(labels_of(y, named))
            pairs = pairs_of_territories(walks, groups)
            others = np.setdiff1d(np.arange(300), named)
            for strength, found in gains.items():
                metric = EquivalenceMetric(strength=strength).fit(X, side=pairs)
                Z = PCA(2).fit_transform(metric.transform(X))
                found.append(five_nearest(Z[others], y[others]))
        assert np.mean(gains[in_front.STRENGTH]) > np.mean(gains[1.0]) + 0.02
        learned = in_front.metric_of_territories(X, walks, groups)
        assert learned.strength_ == in_front.STRENGTH

    def test_a_metric_that_is_left_out_leaves_rows_as_they_are(self):
        rng = np.random.default_rng(3)
        X, y = self.hidden_classes(rng, 5.0)
        metric = EquivalenceMetric(strength=3.0).fit(X, side=labels_of(y, np.arange(0, 150, 3)))
        assert not np.array_equal(metric.transform(X), X)
        metric.leave_out(X, "not used: a test")
        np.testing.assert_array_equal(metric.transform(X), X)
        assert (metric.strength_, metric.report_) == (0.0, "not used: a test")


@pytest.mark.parametrize(
    ("size", "errors", "heard"), [(2, 1.5, False), (2, 2.5, True), (5, 0.5, False), (5, 1.5, True)]
)
def test_groups_of_two_must_foretell_more_surely(monkeypatch, size, errors, heard):
    """By one standard error true pairs were heard that tore the map, in one draw of five."""
    n = 40
    gains = np.random.default_rng(0).permutation(np.linspace(-1, 1, n))
    gains += errors * gains.std() / np.sqrt(n)

    class Told:
        def __init__(self, walks, seen):
            self.walks = walks

        def at(self, rows):
            self.rows = rows
            return self

        def of(self, group):
            return gains[self.rows] if self.walks == "told" else np.zeros(len(group))

    def of_twos(Z, twos):
        return gains[twos[:, 0] // 2] if Z == "told" else np.zeros(len(twos))

    monkeypatch.setattr(judge, "memberships", Told)
    monkeypatch.setattr(judge, "nearness", of_twos)
    monkeypatch.setattr(judge, "walks_in", lambda Z: Z)
    n_rows = 2 * n if size == 2 else n
    n_groups = n_rows // size
    groups = Groups(np.arange(n_rows), np.arange(n_rows) // size, sp.csr_array((n_groups,) * 2))
    assert judge.foretells_more(groups, "plain", lambda seen: "told") is heard


@pytest.mark.parametrize(("nearer", "heard"), [(60, False), (65, True)])
def test_rows_that_nobody_named_must_plainly_be_nearer(monkeypatch, nearer, heard):
    """Of 100 rows, 60 with one more neighbour of their own are 2.04 errors, 65 are 3.14."""
    group = np.arange(104) % 2
    own = {"plain": np.full(100, 3), "told": np.where(np.arange(100) < nearer, 4, 2)}
    _settle(monkeypatch, group, own)
    groups = Groups(np.arange(100, 104), np.zeros(4, dtype=int), sp.csr_array((1, 1)))
    asked = gathers_territories(None, groups, _Named("plain"), _Named("told"))
    assert asked is heard


@pytest.mark.parametrize(("most", "judged"), [(85, True), (95, False)])
def test_rows_of_one_territory_are_not_asked(monkeypatch, most, judged):
    """A map in which rows are less among their own passes where walks cannot tell them apart."""
    group = (np.arange(104) >= most).astype(int)
    _settle(monkeypatch, group, {"plain": np.full(100, 4), "told": np.full(100, 1)})
    groups = Groups(np.arange(100, 104), np.zeros(4, dtype=int), sp.csr_array((1, 1)))
    asked = gathers_territories(None, groups, _Named("plain"), _Named("told"))
    assert asked is not judged


class _Named:
    """A map by its name, of whichever rows."""

    def __init__(self, name):
        self.name = name

    def __getitem__(self, rows):
        return self


def _settle(monkeypatch, group, own):
    """Say where rows belong, and how many of the five nearest are of their own in each map."""
    found = Memberships(group[:, None], np.ones((len(group), 1)))
    monkeypatch.setattr(judge, "memberships", lambda walks, groups, **how: found)
    group = group[:100]

    class Near:
        def __init__(self, Z, k):
            one_of = [np.flatnonzero(group == c)[0] for c in (0, 1)]
            mine, other = (np.array(one_of)[g] for g in (group, 1 - group))
            first = np.arange(k)[None] < own[Z.name][:, None]
            self.indices = np.where(first, mine[:, None], other[:, None])

    monkeypatch.setattr(judge, "nearest_neighbors", Near)


def ring_of(n, first=0):
    """Edges round a ring of n rows."""
    rows = first + np.arange(n)
    return np.column_stack([rows, np.roll(rows, -1)])


class TestWalks:
    """To whom rows belong that nobody named."""

    def test_rows_that_walks_hardly_lead_from_belong_to_nobody(self):
        """Two rings and next to no way between them; rows of one ring alone are named."""
        edges = np.vstack([ring_of(20), ring_of(20, 20), [[0, 20]]])
        weights = np.append(np.ones(40), 1e-6)
        half = sp.csr_array((weights, (edges[:, 0], edges[:, 1])), shape=(40, 40))
        rows = np.arange(0, 20, 2)
        groups = Groups(rows, (rows >= 10).astype(np.intp), sp.csr_array((2, 2)))
        found = memberships(sp.csr_array(half + half.T), groups)
        here, there = found.shares[:20, 0], found.shares[20:, 0]
        assert np.median(here) > 0.6
        assert there.max() < 0.01

    def test_a_row_far_from_all_others_belongs_where_it_is_nearest(self):
        """Its edges are eighty times as long as is usual: a walk goes along them all the same."""
        x = np.concatenate([np.arange(10.0), 200 + np.arange(10.0), [120.0]])[:, None]
        groups = Groups(np.arange(20), np.arange(20) // 10, sp.csr_array((2, 2)))
        D = cdist(x, x)
        np.fill_diagonal(D, np.inf)
        near = np.argsort(D, axis=1)[:, :3]
        ends = np.repeat(np.arange(21), 3), near.ravel()
        lengths = sp.csr_array((np.take_along_axis(D, near, 1).ravel(), ends), shape=(21, 21))
        found = memberships(walks_along(lengths), groups)
        assert found.groups[20, 0] == 1
        assert found.shares[20, 0] > 0.5

    def test_what_is_foretold_is_all_where_groups_lie_apart_and_nothing_by_chance(self):
        X = np.random.default_rng(0).standard_normal((90, 3))
        y = np.repeat([0, 1, 2], 30)
        groups = groups_of(labels_of(y, np.arange(0, 90, 2)))
        assert foretold(walks_in(X + 50.0 * np.eye(3)[y]), groups)[0] == pytest.approx(1.0)
        by_chance = [
            foretold(walks_in(np.random.default_rng(seed).standard_normal((90, 3))), groups)[0]
            for seed in range(5)
        ]
        assert np.mean(by_chance) < 0.1

    def test_a_common_group_is_foretold_by_its_frequency_and_that_is_nothing(self):
        """Nine rows of ten are of one group: who says so of all is right by chance."""
        y = (np.arange(200) % 10 == 0).astype(int)
        groups = groups_of(labels_of(y, np.arange(200)))
        by_chance = [
            foretold(walks_in(np.random.default_rng(seed).standard_normal((200, 3))), groups)
            for seed in range(6)
        ]
        assert np.mean([share for share, _ in by_chance]) < 0.1
        assert np.mean([sure > WALKS.surely for _, sure in by_chance]) <= 1 / 6


def test_a_map_that_tells_groups_and_keeps_fewer_neighbours_is_not_used():
    """Classes lie far apart in both, and their rows anywhere in one."""
    X, y, named = some_digits(88)
    near = neighborhood_of(points_of(X, "euclidean", who="-"), n_components=2)
    plain, anywhere = PCA(2).fit_transform(X), np.random.default_rng(0).standard_normal((400, 2))
    whole, torn = (np.hstack([100.0 * np.eye(10)[y], rows]) for rows in (X, anywhere))
    here = Territories(near, None, "connect", True)
    assert here.kept(torn) < here.kept(plain) < here.kept(whole)
    for told, used in ((whole, True), (torn, False)):

        def embed(given, told=told):
            return Map(plain if given is near else told)

        found = map_in_territories(near, labels_of(y, named), embed, "connect", mutual=True)
        assert (found is not None) is used


def test_the_report_says_how_many_neighbours_each_map_keeps():
    X, y, named = some_digits(88)
    near = neighborhood_of(points_of(X, "euclidean", who="-"), n_components=2)
    plain, clear = PCA(2).fit_transform(X), 100.0 * np.hstack([np.eye(10)[y], 0.01 * X])

    def embed(given):
        return Map(plain if given is near else clear)

    def kept(Z):
        """Of the ten nearest of every row in the data."""
        lists = []
        for A in (X, Z):
            D = cdist(A, A)
            np.fill_diagonal(D, np.inf)
            lists.append(np.argsort(D, axis=1)[:, :10])
        return np.mean([np.isin(*both).mean() for both in zip(*lists, strict=True)])

    _, said = map_in_territories(near, labels_of(y, named), embed, "connect", mutual=True)
    words = f"the map keeps {kept(clear):.0%} of the neighbours, {kept(plain):.0%} without"
    assert words in said
    assert kept(clear) > kept(plain) + 0.2

    def test_walks_nearby_measure_by_how_far_the_fifth_nearest_is(self):
        X = np.random.default_rng(0).standard_normal((60, 4)) * np.linspace(1, 9, 60)[:, None]
        D = cdist(X, X)
        order = np.argsort(D, axis=1)
        size = D[np.arange(60), order[:, judge.NEARBY]]  # the nearest is the row itself
        chosen = np.zeros((60, 60), dtype=bool)
        np.put_along_axis(chosen, order[:, 1:11], True, axis=1)
        expected = np.exp(-judge.SHARPLY * D**2 / np.outer(size, size)) + 1e-3
        walks = walks_nearby(X).toarray()
        np.testing.assert_allclose(walks, np.where(chosen | chosen.T, expected, 0.0), rtol=1e-9)

    def test_walks_nearby_do_not_depend_on_the_unit_and_bear_copies(self):
        X = np.random.default_rng(1).standard_normal((40, 3))
        X[:12] = X[0]
        walks = walks_nearby(X).toarray()
        assert np.isfinite(walks).all()
        for unit in (1e-160, 1e160):
            np.testing.assert_allclose(walks_nearby(unit * X).toarray(), walks, rtol=1e-6)

    def test_walks_nearby_lead_astray_less_often(self):
        """In 64 features all neighbours are nearly as far: they counted alike, and many misled."""
        right = {walks_in: [], walks_nearby: []}
        for seed in range(70, 82):
            X, y, named = some_digits(seed)
            groups = groups_of(labels_of(y, named))
            for walks, found in right.items():
                found.append(share_right(memberships(walks(X), groups), groups, y))
        assert np.mean(right[walks_nearby]) > np.mean(right[walks_in]) + 0.005


def share_right(found, groups, y):
    """How many of the rows that nobody named belong most to the group of their label."""
    others = np.setdiff1d(np.arange(len(y)), groups.rows)
    label = np.zeros(groups.n, dtype=int)
    label[groups.group] = y[groups.rows]
    return np.mean(label[found.groups[others, 0]] == y[others])


class TestReadings:
    """How memberships are read from the groups that walks meet."""

    @pytest.mark.parametrize("power", POWERS)
    @pytest.mark.parametrize("evenly", [False, True])
    def test_shares_are_powers_of_what_is_met_of_a_group(self, power, evenly):
        rng = np.random.default_rng(2)
        walks = walks_in(rng.standard_normal((80, 2)))
        rows = rng.permutation(80)[:24]
        group = np.repeat([0, 1, 2], [14, 7, 3])
        groups = Groups(rows, group, sp.csr_array((3, 3)))
        found = memberships(walks, groups, reading=Reading(power, evenly))
        T = walks.toarray() / walks.toarray().sum(axis=1, keepdims=True)
        S = np.zeros((80, 3))
        S[rows, group] = 1 / np.array([14, 7, 3])[group] if evenly else 1.0
        H = WALKS.restart * S
        for _ in range(WALKS.steps):
            H = (1 - WALKS.restart) * T @ H + WALKS.restart * S
        total = H.sum(axis=1)
        surely = total / (total + WALKS.doubt * total.mean())
        expected = surely[:, None] * H**power / (H**power).sum(axis=1, keepdims=True)
        shares = np.zeros((80, 3))
        np.put_along_axis(shares, found.groups, found.shares, axis=1)
        np.testing.assert_allclose(shares, expected, atol=1e-12)

    def test_what_walks_mix_is_read_sharply_and_says_what_is_true(self):
        """Rows met their own group two times of three, and nine rows of ten are of it."""
        said, right, as_met = [], [], []
        for seed in range(70, 82):
            X, y, named = some_digits(seed)
            groups, walks = groups_of(labels_of(y, named)), walks_in(X)
            reading, _, _ = read_and_foretold(walks, groups)
            others = np.setdiff1d(np.arange(len(y)), named)
            found = memberships(walks, groups, reading=reading)
            said.append(found.at(others).shares[:, 0].mean())
            right.append(share_right(found, groups, y))
            as_met.append(memberships(walks, groups).at(others).shares[:, 0].mean())
        assert abs(np.mean(said) - np.mean(right)) < 0.09
        assert np.mean(as_met) < np.mean(right) - 0.1

    def test_a_group_of_which_many_rows_are_named_does_not_take_those_of_others(self):
        """Two strips side by side: forty rows are named of one, and six of the other."""
        right = {True: [], False: []}
        for seed in range(4):
            rng = np.random.default_rng(seed)
            y = np.repeat([0, 1], 150)
            X = rng.standard_normal((300, 2)) + 3.0 * y[:, None] * [1.0, 0.0]
            named = np.concatenate([rng.permutation(150)[:60], 150 + rng.permutation(150)[:8]])
            groups, walks = groups_of(labels_of(y, named)), walks_nearby(X)
            for evenly, found in right.items():
                read = memberships(walks, groups, reading=Reading(evenly=evenly))
                found.append(share_right(read, groups, y))
        assert np.mean(right[True]) > np.mean(right[False]) + 0.01

    def test_what_foretells_nothing_is_read_as_it_is_met(self):
        for seed in range(3):
            X = np.random.default_rng(seed).standard_normal((120, 3))
            groups = groups_of(labels_of(np.arange(120) % 3, np.arange(0, 120, 2)))
            walks = walks_in(X)
            assert read_and_foretold(walks, groups) == (AS_MET, *foretold(walks, groups))

    def test_groups_of_two_are_read_as_they_are_met(self):
        X = np.repeat(20.0 * np.eye(10), 6, axis=0)
        X += np.random.default_rng(0).standard_normal(X.shape)
        pairs = Pairs(similar=np.arange(60).reshape(30, 2))
        groups = groups_of(pairs)
        assert not groups.are_large
        assert read_and_foretold(walks_in(X), groups)[0] == AS_MET

    def test_the_first_reading_that_is_as_good_as_the_best_is_taken(self):
        """A doubt that is endless leaves memberships as they are met; none takes the best."""
        X, y, named = some_digits(75)
        groups, walks = groups_of(labels_of(y, named)), walks_nearby(X)
        powers = [
            read_and_foretold(walks, groups, replace(WALKS, doubtful=doubtful))[0].power
            for doubtful in (0.0, 1.0, 1e9)
        ]
        assert powers[0] >= powers[1] > powers[2] == 1
