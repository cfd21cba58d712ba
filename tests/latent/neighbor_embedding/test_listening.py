"""What is known, inside a neighbour embedding: territories, springs, pins."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits
from sklearn.metrics import silhouette_score

from sidelight import PCA, NeighborEmbedding
from sidelight.core import Threads
from sidelight.core.progress import listening
from sidelight.estimator.territory import (
    WALKS,
    Groups,
    Memberships,
    foretold,
    groups_of,
    memberships,
    read_and_foretold,
    weaken_between,
)
from sidelight.estimator.territory.memberships import _met, _met_most
from sidelight.latent.neighbor_embedding import Divergence, affinities, exact_field
from sidelight.latent.neighbor_embedding.affinities import Affinities
from sidelight.latent.neighbor_embedding.descent import Springs
from sidelight.latent.neighbor_embedding.known import in_territories
from sidelight.latent.neighbor_embedding.known.holding import realised
from sidelight.latent.neighbor_embedding.known.territory import (
    PULLS,
    PullSettings,
    _pulls,
    pulled_together,
)
from sidelight.neighbors import nearest_neighbors, neighborhood_graph
from sidelight.quality import point_quality
from sidelight.side import Anchors, Distances, Pairs


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:600], y[:600]


@pytest.fixture(scope="module")
def graph(digits):
    with Threads(1) as pool:
        return affinities(nearest_neighbors(digits[0], 30), np.array([15.0]), pool)


def labels_of(y, named, rng=None):
    known = np.full(len(y), -1)
    known[named] = y[named] if rng is None else rng.permutation(y[named])
    return Pairs.from_labels(known)


class TestGroups:
    """Who belongs together."""

    def test_what_pairs_join_and_tell_apart(self):
        groups = groups_of(Pairs(similar=[(2, 5), (5, 9), (3, 4)], dissimilar=[(9, 4), (7, 2)]))
        np.testing.assert_array_equal(groups.rows, [2, 3, 4, 5, 7, 9])
        name = dict(zip(groups.rows.tolist(), groups.group.tolist(), strict=True))
        assert name[2] == name[5] == name[9] != name[3] == name[4]
        differ = groups.differ.toarray()
        assert differ[name[2], name[3]] == differ[name[3], name[2]] == 1
        assert differ[name[7], name[2]] == 1
        assert differ[name[7], name[3]] == 0

    def test_memberships_are_those_of_the_walk(self, graph):
        rows, group = np.array([3, 50, 200, 410]), np.array([0, 1, 0, 2])
        found = memberships(graph.graph, Groups(rows, group, sp.csr_array((3, 3))))
        T = graph.graph.toarray().astype(np.float64)
        T /= T.sum(axis=1, keepdims=True)
        S = np.zeros((graph.n, 3))
        S[rows, group] = 1.0
        H = WALKS.restart * S
        for _ in range(WALKS.steps):
            H = (1 - WALKS.restart) * T @ H + WALKS.restart * S
        total = H.sum(axis=1)
        U = H / (total + WALKS.doubt * total.mean())[:, None]
        for place in range(3):
            named = found.groups[:, place]
            there = named >= 0
            expected = U[np.flatnonzero(there), named[there]]
            np.testing.assert_allclose(found.shares[there, place], expected, rtol=1e-10)
        assert (np.diff(found.shares, axis=1) <= 0).all()

    def test_of_very_many_groups_rows_remember_those_they_meet_most(self, graph):
        """The walks of 150 pairs, from step to step with 16 groups a row, beside all of them."""
        walked = replace(WALKS, affordable=0.0)
        for seed in range(3):
            rows = np.random.default_rng(seed).permutation(600)[:300]
            groups = Groups(rows, np.arange(300) // 2, sp.csr_array((150, 150)))
            all_, few = (memberships(graph.graph, groups, how) for how in (WALKS, walked))
            same = all_.groups[:, 0] == few.groups[:, 0]
            assert same.mean() > 0.9  # the others have two that count as much
            assert np.abs(all_.shares - few.shares).max() < 0.03
            told = [foretold(graph.graph, groups, how)[0] for how in (WALKS, walked)]
            assert told[0] == pytest.approx(told[1], abs=0.003)

    def test_walks_that_forget_nothing_are_those_of_all_groups(self, graph):
        rows = np.random.default_rng(5).permutation(600)[:40]
        groups = Groups(rows, np.arange(40) % 10, sp.csr_array((10, 10)))
        T = graph.graph.astype(np.float64)
        T.data /= np.repeat(np.asarray(T.sum(axis=1)).ravel(), np.diff(T.indptr))
        which, H, total = _met_most(T, groups, WALKS)  # 16 are more than there are
        named, best, sums = _met(T, groups, WALKS)
        np.testing.assert_allclose(H, best, rtol=1e-5)
        np.testing.assert_allclose(total, sums, rtol=1e-12)
        assert (which == named).mean() > 0.999

    def test_many_groups_take_few_products_and_say_how_far_they_are(self, graph):
        heard = []
        rows = np.random.default_rng(6).permutation(600)[:400]
        groups = Groups(rows, np.arange(400) // 2, sp.csr_array((200, 200)))
        with listening(heard.append):
            memberships(graph.graph, groups, replace(WALKS, affordable=0.0))
        assert [(one.stage, one.done, one.total) for one in heard][-1] == ("territories", 20, 20)
        assert len(heard) == WALKS.steps  # one of all groups together

    def test_edges_between_groups_that_differ_are_weakened(self):
        edges = sp.csr_array(np.ones((3, 3), dtype=np.float32) - np.eye(3, dtype=np.float32))
        groups = np.array([[0, 1], [1, -1], [2, 0]])
        shares = np.array([[0.7, 0.2], [0.9, 0.0], [0.5, 0.3]])
        differ = sp.csr_array(np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], dtype=float))
        weaken_between(edges, Memberships(groups, shares), differ, 0.5)
        expected = np.array([
            [0, 1 - 0.5 * 0.7 * 0.9, 1 - 0.5 * 0.2 * 0.3],
            [1 - 0.5 * 0.9 * 0.7, 0, 1 - 0.5 * 0.9 * 0.3],
            [1 - 0.5 * 0.3 * 0.2, 1 - 0.5 * 0.3 * 0.9, 0],
        ])  # fmt: skip
        np.testing.assert_allclose(edges.toarray(), expected, rtol=1e-6)


class TestTerritories:
    """What labels of some rows do to the others."""

    def test_true_labels_foretell_one_another_and_shuffled_ones_do_not(self, digits, graph):
        y = digits[1]
        rng = np.random.default_rng(31)
        sure_of_true, sure_of_shuffled = [], []
        for _ in range(8):
            named = rng.choice(600, 60, replace=False)
            sure_of_true.append(foretold(graph.graph, groups_of(labels_of(y, named)))[1])
            told = foretold(graph.graph, groups_of(labels_of(y, named, rng)))
            sure_of_shuffled.append(told[1])
        assert min(sure_of_true) > 2 * WALKS.surely
        assert np.mean(np.array(sure_of_shuffled) > WALKS.surely) <= 1 / 8

    def test_classes_lie_farther_apart_and_neighbours_stay(self, digits):
        X, y = digits
        plain = NeighborEmbedding().fit_transform(X)
        near = nearest_neighbors(X, 10).indices
        gains, kept = [], []
        for seed in range(3):
            named = np.random.default_rng(40 + seed).choice(600, 60, replace=False)
            others = np.setdiff1d(np.arange(600), named)
            model = NeighborEmbedding().fit(X, side=labels_of(y, named))
            assert model.side_report_[0].place == "inside"
            assert "10 groups of 60 rows" in model.side_report_[0].change
            Z = model.embedding_
            gains.append(
                silhouette_score(Z[others], y[others]) - silhouette_score(plain[others], y[others])
            )
            share = []
            for A in (Z, plain):
                found = nearest_neighbors(A, 10).indices
                share.append(np.mean([np.isin(found[i], near[i]).mean() for i in others]))
            kept.append(share[0] - share[1])
        assert np.mean(gains) > 0.03
        assert np.mean(kept) > -0.02

    def test_shuffled_labels_change_nothing_to_the_bit(self, digits):
        X, y = digits
        rng = np.random.default_rng(50)
        named = rng.choice(600, 80, replace=False)
        model = NeighborEmbedding(max_iter=50).fit(X, side=labels_of(y, named, rng))
        np.testing.assert_array_equal(
            model.embedding_, NeighborEmbedding(max_iter=50).fit_transform(X)
        )
        assert "not used" in model.side_report_[0].change

    def test_what_cannot_be_judged_is_not_said_to_foretell_nothing(self, digits, graph):
        """Rows that only differ, few or many, and rows of one class: the graph as it was."""
        every_row = Pairs.from_labels(np.where(np.arange(600) < 30, np.arange(600), -1), unknown=-1)
        class_of_its_own = digits[1] == 3
        one = Pairs.from_labels(np.where(class_of_its_own, 3, -1))
        told = {
            "too few to tell": [every_row, Pairs(dissimilar=[(0, 1), (2, 3)])],
            "are of one group": [one],
        }
        for said, several in told.items():
            for pairs in several:
                heard, report = in_territories(graph, pairs)
                assert heard is graph
                assert report.startswith("not used: ")
                assert said in report
                assert "chance" not in report

    def test_pairs_that_only_differ_weaken_the_edges_between_rows_that_nobody_named(
        self, digits, graph
    ):
        """They were not used: every row that is named is alone, and cannot be foretold."""
        y = digits[1]
        between = y[:, None] != y
        weaker, apart = [], []
        for seed in range(4):
            named = np.random.default_rng(60 + seed).choice(600, 80, replace=False)
            differing = Pairs(dissimilar=labels_of(y, named).dissimilar)
            P, said = in_territories(graph, differing)
            assert "only who differs, of 80 rows: edges" in said
            assert P.mass == pytest.approx(1.0, abs=1e-5)
            others = np.setdiff1d(np.arange(600), named)
            block = np.ix_(others, others)
            mass = [A.graph.toarray()[block][between[block]].sum() for A in (P, graph)]
            weaker.append(mass[0] / mass[1])
            wrong = Pairs(dissimilar=labels_of(y, named, np.random.default_rng(seed)).dissimilar)
            heard, said = in_territories(graph, wrong)
            apart.append(heard is graph and "better than chance" in said)
        assert np.max(weaker) < 0.85
        assert all(apart)

    def test_rows_that_nobody_named_are_pulled_to_their_own_and_not_only_held_apart(
        self, digits, graph
    ):
        """A fortieth of what attracts them are rows they had not chosen, most of their class."""
        y, shares = digits[1], []
        for seed in range(520, 523):
            named = np.random.default_rng(seed).choice(600, 120, replace=False)
            others = np.setdiff1d(np.arange(600), named)
            pairs = labels_of(y, named)
            for settings in (PullSettings(), PullSettings(pull=0.01)):
                P = in_territories(graph, pairs, settings=settings)[0].graph.toarray()[others]
                new = np.where(graph.graph.toarray()[others] == 0, P, 0.0)
                right = np.where(y[others, None] == y, new, 0.0)
                shares.append((new.sum() / P.sum(), right.sum() / new.sum()))
        pulled, right = np.transpose(shares)
        assert np.all((pulled[::2] > 0.015) & (pulled[::2] < 0.04))
        assert np.all(right[::2] > 0.75)
        assert np.all(pulled[1::2] < 0.005)  # what a pull that is hardly one would do

    def test_few_pairs_pull_the_rows_that_they_name(self, digits):
        X = digits[0]
        pairs = Pairs(similar=[(0, 101), (7, 300), (20, 555)])
        plain = NeighborEmbedding().fit_transform(X)
        told = NeighborEmbedding().fit_transform(X, side=pairs)
        lengths = [
            np.linalg.norm(Z[pairs.similar[:, 0]] - Z[pairs.similar[:, 1]], axis=1)
            for Z in (told, plain)
        ]
        assert lengths[0].mean() < lengths[1].mean()

    def test_few_rows_do_not_speak_for_others_however_surely_they_foretell_one_another(
        self, digits, graph
    ):
        """Whether they foretell was asked first, and two rows in a cluster always do."""
        y = digits[1]
        named = np.concatenate([np.flatnonzero(y == c)[:9] for c in (0, 6)])
        pairs = labels_of(y, named)
        assert len(named) < WALKS.few
        assert foretold(graph.graph, groups_of(pairs))[1] > WALKS.surely
        P, said = in_territories(graph, pairs)
        assert "18 rows are too few to speak for others" in said
        pulled = pulled_together(graph, pairs.similar)
        np.testing.assert_array_equal(P.graph.toarray(), pulled.graph.toarray())
        _, said = in_territories(graph, pairs, walks=replace(WALKS, few=18))
        assert "edges between groups that differ are weakened" in said

    def test_rows_walk_to_fewer_neighbours_than_a_map_shows(self, digits, graph):
        """Of labels, that is: groups of two, as pairs make them, walk as far as the map shows."""
        X, y = digits
        with Threads(1) as pool:
            paths = affinities(nearest_neighbors(X, 30), np.array([PULLS.near]), pool)
        rows = np.random.default_rng(4).choice(600, 60, replace=False)
        order = rows[np.argsort(y[rows], kind="stable")]
        twos = order[: 2 * (len(order) // 2)].reshape(-1, 2)
        of_twos = Pairs(similar=twos[y[twos[:, 0]] == y[twos[:, 1]]])
        for pairs, walked in ((labels_of(y, rows), paths), (of_twos, graph)):
            groups = groups_of(pairs)
            assert groups.are_large is (walked is paths)
            reading, share, _ = read_and_foretold(walked.graph, groups)
            P, said = in_territories(graph, pairs, lambda: paths)
            assert f"({share:.0%} of what is known" in said
            found = memberships(walked.graph, groups, reading=reading)
            pull = PULLS.pull if walked is paths else PULLS.pull_of_twos
            expected = graph.graph.copy()
            weaken_between(expected, found, groups.differ, share)
            expected = expected + _pulls(found, graph.n, share * pull, PULLS.pulled_by)
            expected = pulled_together(Affinities(sp.csr_array(expected)), pairs.similar)
            np.testing.assert_array_equal(P.graph.toarray(), expected.graph.toarray())

    def test_a_map_hears_of_walks_to_few_neighbours(self, digits):
        X, y = digits
        pairs = labels_of(y, np.random.default_rng(4).choice(600, 60, replace=False))
        with Threads(1) as pool:
            paths = affinities(nearest_neighbors(X, 30), np.array([PULLS.near]), pool)
        _, share, _ = read_and_foretold(paths.graph, groups_of(pairs))
        told = NeighborEmbedding(max_iter=5).fit(X, side=pairs)
        assert f"({share:.0%} of what is known" in str(told.side_report_)

    def test_mass_is_kept(self, digits, graph):
        named = np.random.default_rng(3).choice(600, 60, replace=False)
        P, _ = in_territories(graph, labels_of(digits[1], named))
        assert P.mass == pytest.approx(1.0, abs=1e-5)
        np.testing.assert_allclose(P.graph.toarray(), P.graph.toarray().T, atol=1e-7)

    @pytest.mark.parametrize("form", ["table", "graph", "cosine"])
    def test_any_metric_will_do(self, digits, form):
        X, y = digits[0][:200], digits[1][:200]
        side = [labels_of(y, np.arange(0, 200, 4)), Distances([(0, 1)], [3.0])]
        if form == "table":
            model = NeighborEmbedding(metric="precomputed").fit(cdist(X, X), side=side)
        elif form == "graph":
            data = neighborhood_graph(X, n_neighbors=20)
            model = NeighborEmbedding(metric="precomputed").fit(data, side=side)
        else:
            model = NeighborEmbedding(metric="cosine").fit(X, side=side)
        assert [heard.place for heard in model.side_report_] == ["inside", "inside"]


class TestSprings:
    """Known distances."""

    def test_their_unit_and_their_pulls(self):
        rng = np.random.default_rng(0)
        Y, pairs, lengths = (
            rng.standard_normal((6, 2)),
            np.array([[0, 1], [2, 3], [1, 4]]),
            np.array([1.0, 2, 3]),
        )
        springs = Springs.between(pairs, lengths, 6)
        np.testing.assert_allclose(springs.stiffness, 0.1 / np.sqrt([2, 1, 2]))
        d = np.linalg.norm(Y[pairs[:, 0]] - Y[pairs[:, 1]], axis=1)
        u = springs.unit(Y)
        assert u == pytest.approx(float(np.linalg.lstsq(lengths[:, None], d, rcond=None)[0][0]))
        pulls = np.zeros_like(Y)
        springs.add_pulls(Y, pulls)

        def energy(A):
            d = np.linalg.norm(A[pairs[:, 0]] - A[pairs[:, 1]], axis=1)
            return 0.5 * np.sum(springs.stiffness * (d - u * lengths) ** 2)

        for _ in range(4):
            step = 1e-6 * rng.standard_normal(Y.shape)
            slope = energy(Y + step) - energy(Y - step)
            assert 2 * np.sum(pulls * step) == pytest.approx(slope, rel=1e-5)

    def test_distances_are_those_of_the_map(self, digits):
        X, rng = digits[0], np.random.default_rng(6)
        pairs = rng.choice(600, (10, 2), replace=False)
        metres = rng.uniform(10, 40, 10)
        model = NeighborEmbedding().fit(X, side=Distances(pairs, metres))
        Z = model.embedding_
        reached = np.linalg.norm(Z[pairs[:, 0]] - Z[pairs[:, 1]], axis=1)
        np.testing.assert_allclose(reached, metres, rtol=0.1)
        new = model.transform(X[:30] + 0.01)
        assert np.median(np.linalg.norm(new - Z[:30], axis=1)) < 0.05 * np.ptp(Z)

    @pytest.mark.parametrize("seed", [1, 2])
    def test_distances_that_a_plane_has_are_held_however_the_data_pull(self, digits, seed):
        """All pairs of eight rows, as far apart as in another map."""
        X = digits[0][:200]
        rows = np.random.default_rng(seed).permutation(200)[:8]
        pairs = rows[np.column_stack(np.triu_indices(8, 1))]
        P = 7 * PCA().fit(X).embedding_
        v = np.linalg.norm(P[pairs[:, 0]] - P[pairs[:, 1]], axis=1)
        model = NeighborEmbedding().fit(X, side=Distances(pairs, v))
        Z = model.embedding_
        reached = np.linalg.norm(Z[pairs[:, 0]] - Z[pairs[:, 1]], axis=1)
        np.testing.assert_allclose(reached, v, rtol=1e-6)
        assert "off by 0.0% at most" in model.side_report_[0].change
        others = np.setdiff1d(np.arange(200), rows)
        kept = [
            np.mean(point_quality(X, each).kept[others])
            for each in (Z, NeighborEmbedding().fit(X).embedding_)
        ]
        assert kept[0] > kept[1] - 0.02

    def test_pairs_of_copies_are_said_to_be_one_point(self, digits):
        X = digits[0][:60].copy()
        X[1] = X[0]
        plain = NeighborEmbedding(max_iter=20).fit(X)
        for pairs in (Pairs(dissimilar=[(0, 1)]), Pairs(similar=[(0, 1)])):
            model = NeighborEmbedding(max_iter=20).fit(X, side=pairs)
            assert model.side_report_[0].change.startswith(
                "not used: the rows of a pair are copies"
            )
            np.testing.assert_array_equal(model.embedding_, plain.embedding_)

    def test_distances_that_no_plane_has_are_fitted_best_and_said(self, digits):
        """Five rows that are all one apart: the least squares of their distances in a plane."""
        X, rows = digits[0][:100], np.array([3, 20, 41, 66, 90])
        pairs = rows[np.column_stack(np.triu_indices(5, 1))]
        with pytest.warns(UserWarning, match="known distances are missed by more than 10%"):
            model = NeighborEmbedding().fit(X, side=Distances(pairs, np.ones(10)))
        Z = model.embedding_
        reached = np.linalg.norm(Z[pairs[:, 0]] - Z[pairs[:, 1]], axis=1)
        # a pentagon, with its unit: sides and diagonals in the golden ratio
        golden = (1 + np.sqrt(5)) / 2
        side = 10 / (5 + 5 * golden)
        stress = 5 * ((side - 1) ** 2 + (golden * side - 1) ** 2)
        assert np.sum((reached - 1) ** 2) < 1.3 * stress

    def test_beside_anchors_distances_are_not_said_to_be_held(self, digits):
        """Pins stay, and distances that ask for more than they leave are missed."""
        X, pairs = digits[0][:120], np.array([[0, 1], [2, 3], [4, 5]])
        anchors = Anchors([0, 1, 2, 3], [[0.0, 0], [1, 0], [0, 1], [8, 1]])
        known = Distances(pairs, np.ones(3))  # of the first two pairs one cannot be as long
        with pytest.warns(UserWarning, match="beside anchors, which are kept exactly, distances"):
            model = NeighborEmbedding().fit(X, side=[known, anchors])
        said = {heard.kind: heard.change for heard in model.side_report_}
        assert said["Distances"].startswith("3 pull, for the anchors are held, in a unit")
        np.testing.assert_array_equal(model.embedding_[:4], anchors.positions)

    def test_distances_of_zero_bring_rows_together(self, digits):
        X, pairs = digits[0][:120], np.array([[0, 1], [2, 3], [4, 5], [6, 7]])
        model = NeighborEmbedding().fit(X, side=Distances(pairs, [0.0, 10.0, 20.0, 15.0]))
        Z = model.embedding_
        reached = np.linalg.norm(Z[pairs[:, 0]] - Z[pairs[:, 1]], axis=1)
        assert reached[0] < 0.2
        np.testing.assert_allclose(reached[1:], [10, 20, 15], rtol=0.01)
        assert "4 held, in a unit of their own, 1 of zero as 1%" in model.side_report_[0].change

    def test_where_all_distances_are_zero_rows_are_pulled_together(self, digits):
        X, pairs = digits[0][:120], np.array([[0, 1], [2, 3], [4, 5], [6, 7]])
        plain, told = NeighborEmbedding().fit(X), NeighborEmbedding()
        told.fit(X, side=Distances(pairs, np.zeros(4)))
        apart = [
            np.linalg.norm(Z[pairs[:, 0]] - Z[pairs[:, 1]], axis=1).sum()
            for Z in (plain.embedding_, told.embedding_)
        ]
        assert apart[1] < 0.75 * apart[0]
        assert told.side_report_[0].change == "4 of zero: their rows are pulled together"

    def test_distances_between_copies_are_left_out_and_said(self, digits):
        X = np.vstack([digits[0][:120], digits[0][:2]])
        known = Distances([(0, 120), (1, 121), (5, 9)], [4.0, 0.0, 10.0])
        with pytest.warns(UserWarning, match=r"leaves out 1 of 3 known distances: .* \(0, 120\)"):
            model = NeighborEmbedding().fit(X, side=known)
        said = model.side_report_[0].change
        assert "1 held" in said
        assert "1 left out, between copies of one row, 1 of zero met" in said

    def test_springs_of_the_same_two_points_are_one(self):
        """Copies of rows bring them: a table of edges adds them up."""
        pairs, lengths = np.array([[0, 1], [1, 0], [1, 2], [0, 1]]), np.array([5.0, 5.0, 3.0, 8.0])
        springs = Springs.between(pairs, lengths, 3)
        np.testing.assert_array_equal([springs.left, springs.right], [[0, 1], [1, 2]])
        np.testing.assert_array_equal(springs.lengths, [6.0, 3.0])
        np.testing.assert_allclose(springs.stiffness, 0.1 / np.sqrt([2, 2]))

    @pytest.mark.parametrize("seed", range(4))
    def test_tied_rows_stay_where_they_are_if_they_fit_no_better_elsewhere(self, seed):
        """Five that are all one apart lie best in a pentagon, in which order is the map's own."""
        rng = np.random.default_rng(seed)
        turns = 2 * np.pi * rng.permutation(5) / 5 + 0.3 * seed
        Y = np.vstack([np.column_stack([np.cos(turns), np.sin(turns)]), [[3.0, 3.0]]])
        Y = Y + 0.02 * rng.standard_normal(Y.shape)
        springs = Springs.between(np.column_stack(np.triu_indices(5, 1)), np.ones(10), 6)
        assert np.abs(realised(springs, Y) - Y).max() < 0.3  # the others are more than one away

    def test_tied_rows_in_each_others_way_are_begun_anew(self):
        """Corners of a square that must change places, in a plane."""
        Y = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1], [3, 3]])
        truth = np.array([[0.0, 0], [1, 1], [1, 0], [0, 1.1]])
        pairs = np.column_stack(np.triu_indices(4, 1))
        d = np.linalg.norm(truth[pairs[:, 0]] - truth[pairs[:, 1]], axis=1)
        springs = Springs.between(pairs, d, 5)
        Z = realised(springs, Y)
        assert springs.misses(Z).max() < 0.01
        np.testing.assert_array_equal(Z[4], Y[4])


@pytest.mark.parametrize("with_distances", [False, True])
def test_the_gradient_is_that_of_the_objective_at_rows_that_may_move(digits, with_distances):
    X = digits[0][:200]
    rows = np.arange(0, 200, 20)
    side = [Anchors(rows, np.random.default_rng(0).standard_normal((10, 2)))]
    if with_distances:
        side.append(Distances([(1, 2), (3, 4), (5, 6)], [1.0, 2.0, 3.0]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # distances beside anchors
        model = NeighborEmbedding(repulsion="exact", max_iter=100).fit(X, side=side)
    with Threads(1) as pool:
        P = affinities(nearest_neighbors(X, 30), np.array([15.0]), pool)
        E = Divergence(P, 1.0, exact_field, pool)
        value, gradient = E(model.embedding_ / model.unit_)
    free = np.setdiff1d(np.arange(200), rows)
    assert model.objective_ == pytest.approx(value, rel=1e-4)
    assert model.gradient_norm_ == pytest.approx(np.linalg.norm(gradient[free]), rel=1e-3)
    assert model.gradient_norm_ < 0.9 * np.linalg.norm(gradient)


def test_neighbours_of_a_pin_come_with_it(digits):
    X, y = digits
    rows = np.array([np.flatnonzero(y == c)[0] for c in range(5)])
    places = 100.0 * np.array([[0, 0], [1, 0], [0, 1], [1, 1], [0.5, 0.5]])
    Z = NeighborEmbedding().fit_transform(X, side=Anchors(rows, places))
    nearest = cdist(Z, places).argmin(axis=1)
    own = [np.mean(nearest[y == c] == c) for c in range(5)]
    assert np.mean(own) > 0.7
