"""What is known as constraints on one kernel: known answers, mixtures, contradictions by name."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import make_s_curve
from sklearn.exceptions import ConvergenceWarning

from sidelight.core.errors import ContradictionError, DisconnectedGraphWarning
from sidelight.datasets import digits, swiss_roll
from sidelight.side import Actions, Attributes, Distances, Pairs
from sidelight.unfolding.semidefinite.semidefinite_embedding import SemidefiniteEmbedding

LINE = np.column_stack([np.arange(11.0), np.zeros(11)])


def fit(X, side, **parameters):
    parameters = {"n_neighbors": 1, "tol": 1e-6, **parameters}
    return SemidefiniteEmbedding(2, **parameters).fit(X, side=side)


def distance(model, i, j):
    K = model.kernel()
    return np.sqrt(K[i, i] + K[j, j] - 2 * K[i, j])


class TestKnownAnswers:
    def test_a_chain_whose_ends_are_known_closes_to_a_polygon(self):
        """Ten steps of one with the ends one apart are the regular polygon with eleven sides."""
        model = fit(LINE, Distances([(0, 10)], [1.0]))
        radius = 1 / (2 * np.sin(np.pi / 11))
        assert model.objective_ == pytest.approx(11 * radius**2, rel=1e-6)
        np.testing.assert_allclose(np.linalg.norm(model.embedding_, axis=1), radius, rtol=1e-3)
        assert model.gap_ <= 1e-6
        assert model.violation_ < 1e-9

    def test_a_distance_of_nothing_joins_two_rows(self):
        model = fit(LINE, Distances([(0, 10)], [0.0]))
        radius = 1 / (2 * np.sin(np.pi / 10))
        np.testing.assert_array_equal(model.embedding_[0], model.embedding_[10])
        # ten places on a circle, one of them twice: the circle shifts and bends a little
        assert model.objective_ >= 11 * radius**2 - radius**2 / 11

    def test_two_chains_that_are_tied_become_one(self):
        X = np.vstack([LINE, LINE + np.array([0, 100])])
        model = fit(X, Distances([(10, 11)], [2.0]))
        laid = np.concatenate([np.arange(11.0), 12 + np.arange(11.0)])
        assert model.objective_ == pytest.approx(np.sum((laid - laid.mean()) ** 2), rel=1e-6)
        assert len(np.unique(model.pieces_)) == 2

    def test_similar_rows_come_within_the_bound_and_dissimilar_ones_stay_beyond(self):
        ring = fit(LINE, Pairs(similar=[(0, 10)]), similar_within=1.5)
        assert distance(ring, 0, 10) == pytest.approx(1.5, rel=1e-6)
        told = [Pairs(dissimilar=[(0, 5)]), Distances([(0, 10)], [1.0])]
        free = distance(fit(LINE, told[1]), 0, 5)
        pushed = fit(LINE, told, dissimilar_beyond=4.5)
        assert free < 4.5
        assert distance(pushed, 0, 5) == pytest.approx(4.5, rel=1e-6)
        assert distance(pushed, 0, 10) == pytest.approx(1.0, rel=1e-6)

    def test_by_default_similar_rows_come_within_a_typical_neighbour(self):
        """Seven steps of one and three of two, whose median is one: a polygon with its tie."""
        chain = np.column_stack([np.r_[np.arange(8.0), 9, 11, 13], np.zeros(11)])
        tied = fit(chain, Pairs(similar=[(0, 10)]))
        assert distance(tied, 0, 10) == pytest.approx(1.0, rel=1e-6)
        assert distance(fit(3 * chain, Pairs(similar=[(0, 10)])), 0, 10) == pytest.approx(3.0)

    def test_by_default_dissimilar_rows_stay_half_their_way_apart(self):
        """The ends of a chain that is tied to a loop point the same way, and would lie together."""
        chain = np.column_stack([np.arange(26.0), np.zeros(26)])
        tied = Distances([(3, 22)], [1.0])
        way = 3 + 1 + 3  # along one end, across the tie, and along the other
        assert distance(fit(chain, tied), 0, 25) < 0.4 * way
        kept = fit(chain, [tied, Pairs(dissimilar=[(0, 25)])])
        assert distance(kept, 0, 25) == pytest.approx(way / 2, rel=1e-5)

    def test_equal_actions_take_equal_steps(self):
        steps = np.array([1.0, 1.4, 0.7, 1.2, 0.9, 1.1])
        X = np.column_stack([np.concatenate([[0], np.cumsum(steps)]), np.zeros(7)])
        model = fit(X, Actions(["on"] * 6))
        lengths = np.abs(np.diff(model.embedding_[:, 0]))
        np.testing.assert_allclose(lengths, 0.7, rtol=1e-4)  # the shortest of them

    def test_actions_that_come_back_are_one_place(self):
        """Rows 0 and 2 are the same, and "up" led from both: rows 1 and 3 are one place."""
        X = np.array([[0.0, 0.0], [1.0, 0.1], [0.0, 0.0], [1.0, -0.1], [2.0, 0.0]])
        model = fit(X, Actions(["up", "down", "up", "up"]), n_neighbors=2)
        np.testing.assert_array_equal(model.embedding_[1], model.embedding_[3])

    def test_one_place_is_one_place_whatever_the_slack(self):
        X = np.array([[0.0, 0.0], [1.0, 0.1], [0.0, 0.0], [1.0, -0.1], [2.0, 0.0]])
        model = fit(X, Actions(["up", "down", "up", "up"]), n_neighbors=2, slack=0.5)
        np.testing.assert_array_equal(model.embedding_[1], model.embedding_[3])


class TestMixtures:
    def test_all_kinds_at_once(self):
        rng = np.random.default_rng(0)
        X = LINE + 0.05 * rng.standard_normal(LINE.shape)
        actions = Actions(["r"] * 5 + ["l"] * 5)
        side = [actions, Distances([(0, 3)], [2.0]), Pairs([(1, 9)], [(0, 8)])]
        model = fit(X, side, n_neighbors=2)
        assert model.violation_ < 1e-6
        assert model.objective_ <= model.dual_bound_ <= (1 + 1e-6) * model.objective_
        K = model.kernel()
        d = np.diag(K)
        D = d[:, None] + d - 2 * K
        assert D[0, 3] == pytest.approx(4.0, rel=1e-6)
        np.testing.assert_allclose(D[np.arange(5), np.arange(1, 6)], D[0, 1], rtol=1e-5)
        np.testing.assert_allclose(D[:5, :5], D[1:6, 1:6], atol=1e-6 * D.max())

    def test_nothing_that_binds_changes_nothing(self):
        X = swiss_roll(80, random_state=0).X
        plain = SemidefiniteEmbedding(2, n_neighbors=5, tol=1e-6).fit(X)
        K = plain.kernel()
        loose = Pairs(similar=[(0, 40)], dissimilar=[(3, 60)])
        told = SemidefiniteEmbedding(
            2, n_neighbors=5, tol=1e-6, similar_within=1e3, dissimilar_beyond=1e-3
        ).fit(X, side=loose)
        np.testing.assert_allclose(told.kernel(), K, atol=1e-3 * np.abs(K).max())
        assert told.objective_ == pytest.approx(plain.objective_, rel=2e-6)

    def test_attributes_are_a_metric_and_pairs_beside_them_constraints(self):
        X = np.random.default_rng(0).standard_normal((40, 4))
        pairs = Pairs(similar=[(0, 1), (2, 3)], dissimilar=[(0, 2)])
        model = SemidefiniteEmbedding(2, similar_within=0.5).fit(
            X, side=[Attributes([pairs]), Pairs(similar=[(4, 5)])]
        )
        assert [type(metric).__name__ for metric in model.side_metrics_] == ["MultiAttributeMetric"]
        assert distance(model, 4, 5) <= 0.5 * (1 + 1e-6)

    def test_pairs_help_rows_that_nothing_was_said_of(self):
        data = digits()
        some = np.flatnonzero(np.isin(data.labels, [1, 2, 4, 7, 9]))
        few = np.random.default_rng(0).permutation(some)[:150]
        X, labels = data.X[few].astype(float), data.labels[few]
        said = labels.copy()
        said[50:] = -1
        pairs = Pairs.from_labels(said, max_pairs=150)

        def errors(Z):
            D = cdist(Z[50:], Z[50:]) + np.diag(np.full(100, np.inf))
            return np.count_nonzero(labels[50:][D.argmin(axis=1)] != labels[50:])

        plain = SemidefiniteEmbedding(2, n_neighbors=6, tol=1e-3)
        told = SemidefiniteEmbedding(2, n_neighbors=6, tol=1e-3).fit(X, side=pairs)
        assert errors(told.embedding_) < 0.7 * errors(plain.fit_transform(X))
        assert told.violation_ < 1e-6

    def test_pieces_keep_what_is_said_within_them(self):
        X = swiss_roll(40, random_state=0).X
        apart = np.vstack([X, X + 500])
        near = float(np.linalg.norm(X[0] - X[5])) / 2
        side = [Distances([(0, 5)], [near]), Pairs(dissimilar=[(1, 50)])]
        with pytest.warns(DisconnectedGraphWarning):
            model = SemidefiniteEmbedding(2, on_disconnected="separate").fit(apart, side=side)
        R = model._map.place.rule.maps[0].kernel()
        assert R[0, 0] + R[5, 5] - 2 * R[0, 5] == pytest.approx(near**2, rel=1e-6)
        three = np.vstack([X, X + 500, X - 500])
        with pytest.warns(UserWarning, match="left out what is known about 1 pair of rows"):
            SemidefiniteEmbedding(2, on_disconnected="largest").fit(
                three, side=Distances([(0, 45)], [1.0])
            )


def test_distances_in_another_unit_are_not_taken_in_silence():
    """Known in kilometres, of rows in metres, they folded the map."""
    X = make_s_curve(60, random_state=0)[0]
    plain = SemidefiniteEmbedding(2).fit(X).embedding_
    pairs = np.random.default_rng(0).permutation(60)[:16].reshape(-1, 2)
    true = 0.98 * np.linalg.norm(plain[pairs[:, 0]] - plain[pairs[:, 1]], axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        SemidefiniteEmbedding(2).fit(X, side=Distances(pairs, true))
        # two rows of many may well be nearer than they look
        SemidefiniteEmbedding(2).fit(X, side=Distances(pairs[:2], 0.3 * true[:2]))
    for unit in (0.3, 1e-3):
        with pytest.warns(UserWarning, match="taken in the unit of X.*side_as='metric'"):
            SemidefiniteEmbedding(2).fit(X, side=Distances(pairs, unit * true))
    with pytest.raises(ContradictionError, match="Known distances are taken in the unit of X"):
        SemidefiniteEmbedding(2).fit(X, side=Distances(pairs, 1000 * true))


class TestPairsThatAreRefuted:
    """What they say of some rows has nothing to do with what they say of others."""

    def rows(self, seed):
        rng = np.random.default_rng(seed)
        kinds = rng.integers(0, 3, 90)
        return np.eye(6)[kinds] * 3 + rng.standard_normal((90, 6)), kinds, rng

    @pytest.mark.parametrize("seed", range(3))
    def test_pairs_of_chance_are_left_out_with_a_warning(self, seed):
        X, kinds, rng = self.rows(seed)
        chance = Pairs.from_labels(rng.permutation(kinds), max_pairs=300, random_state=0)
        with pytest.warns(UserWarning, match="SemidefiniteEmbedding leaves the Pairs out"):
            told = SemidefiniteEmbedding(2, n_neighbors=6).fit(X, side=chance)
        plain = SemidefiniteEmbedding(2, n_neighbors=6).fit(X)
        np.testing.assert_array_equal(told.embedding_, plain.embedding_)
        assert told.side_report_[0].change

    @pytest.mark.parametrize("seed", range(3))
    def test_pairs_of_kinds_are_followed(self, seed):
        X, kinds, _ = self.rows(seed)
        true = Pairs.from_labels(kinds, max_pairs=300, random_state=0)
        with warnings.catch_warnings():
            warnings.filterwarnings("error", "SemidefiniteEmbedding leaves")
            told = SemidefiniteEmbedding(2, n_neighbors=6, slack=0.01).fit(X, side=true)
        plain = SemidefiniteEmbedding(2, n_neighbors=6).fit(X)
        assert not np.allclose(told.embedding_, plain.embedding_, atol=0.01)


class TestContradictions:
    @pytest.mark.parametrize(
        ("side", "parameters", "message"),
        [
            (
                Distances([(0, 4)], [5.0]),
                {},
                r"the Distances pair \(0, 4\) = 5 contradicts the neighbours' bounds along "
                r"0–1–2–3–4, at most 4 long\. Allow slack",
            ),
            (
                Pairs(similar=[(0, 5), (5, 10)], dissimilar=[(0, 10)]),
                {"similar_within": 1.0, "dissimilar_beyond": 3.0},
                r"the dissimilar pair \(0, 10\), at least 3 apart contradicts bounds along 0–5–10 "
                r"by way of the similar pair \(0, 5\), at most 1 apart and .* at most 2 long",
            ),
            (
                [Distances([(0, 10)], [4.0]), Pairs(dissimilar=[(0, 8)])],
                {"dissimilar_beyond": 7.0},
                r"along 0–10–9–8 by way of the Distances pair \(0, 10\) = 4, at most 6 long",
            ),
            (
                Distances([(0, 1)], [0.5]),
                {"constraint": "equal", "slack": 0},
                r"distance of the neighbours \(0, 1\) = 1 contradicts .* pair \(0, 1\) = 0.5",
            ),
        ],
    )
    def test_ways_that_are_too_short_are_named(self, side, parameters, message):
        with pytest.raises(ContradictionError, match=message):
            fit(LINE, side, **parameters)

    @pytest.mark.parametrize("more", [1e-5, 1e-2])
    def test_a_way_that_is_too_short_by_little_is_too_short(self, more):
        with pytest.raises(ContradictionError, match="contradicts the neighbours' bounds"):
            fit(LINE, Distances([(0, 4)], [4.0 + 4 * more]))

    def test_and_by_rounding_it_is_long_enough(self):
        stretched = fit(LINE, Distances([(0, 4)], [4.0 * (1 + 1e-8)]), tol=1e-4)
        assert distance(stretched, 0, 4) == pytest.approx(4.0, rel=1e-6)

    def test_what_only_the_solver_sees_is_named_too(self):
        """Three points 1.99 from each other have none within 1 of all: 1.99 / √3 > 1."""
        X = 100 * np.random.default_rng(0).standard_normal((12, 4))
        star = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
        lengths = [1, 1, 1, 1.99, 1.99, 1.99]
        message = r"contradict one another: no kernel has.*the Distances pair \(0, 1\) = 1;"
        with pytest.raises(ContradictionError, match=message) as caught:
            fit(X, Distances(star, lengths), n_neighbors=11)
        assert "neighbours" not in str(caught.value)
        soft = fit(X, Distances(star, lengths), n_neighbors=11, slack=0.1, tol=1e-4)
        assert soft.violation_ > 0.05
        assert soft.gap_ <= 1e-4

    def test_distances_that_contradict_each_other(self):
        three = Distances([(0, 5), (5, 10), (0, 10)], [1.0, 1.0, 3.0])
        with pytest.raises(ValueError, match=r"d\(0, 10\) = 3 > d\(0, 5\) \+ d\(5, 10\)"):
            fit(LINE, three)
        with pytest.warns(UserWarning, match="3 of 3 known distances|of 3 known distances"):
            fit(LINE, three, slack=0.1)

    def test_identical_rows_are_one_point(self):
        X = np.vstack([LINE, LINE[3]])
        with pytest.raises(ContradictionError, match=r"identical in X.*pair \(3, 11\) = 2"):
            fit(X, Distances([(3, 11)], [2.0]))
        with pytest.warns(UserWarning, match=r"leaves out.*identical in X.*pair \(3, 11\) = 2"):
            model = fit(X, Distances([(3, 11)], [2.0]), slack=0.01)
        assert distance(model, 3, 11) == 0
        assert fit(X, Distances([(3, 11)], [0.0])).violation_ == 0

    def test_landmarks_and_actions_do_not_go_together(self):
        with pytest.raises(ValueError, match="Actions with landmarks.*n_landmarks=5"):
            fit(LINE, Actions(["on"] * 10), n_landmarks=5)

    def test_rows_that_are_not_there(self):
        with pytest.raises(ValueError, match=r"rows of X in the range \[0, 11\). Got 11"):
            fit(LINE, Distances([(0, 11)], [1.0]))

    def test_three_rows_and_all_pairs(self):
        triangle = Distances([(0, 1), (0, 2), (1, 2)], [0.9, 1.2, 1.0])
        model = SemidefiniteEmbedding(2).fit(np.eye(3), side=triangle)
        D = cdist(model.embedding_, model.embedding_)
        np.testing.assert_allclose(D[[0, 0, 1], [1, 2, 2]], [0.9, 1.2, 1.0], rtol=1e-6)


class TestExtremes:
    """No exception but a clear one, no number that is none, no warning of numpy's."""

    X = np.random.default_rng(0).standard_normal((24, 3))

    def calmly(self, side, **parameters):
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            return SemidefiniteEmbedding(**parameters).fit(self.X, side=side)

    @pytest.mark.parametrize("within", [1e-300, 1e-160, 1e-60, 1e-20])
    def test_a_distance_that_is_lost_in_others_is_none(self, within):
        near = self.calmly(Pairs(similar=[(0, 5)]), similar_within=within)
        none = self.calmly(Pairs(similar=[(0, 5)]), similar_within=0.0)
        assert near.objective_ == pytest.approx(none.objective_, rel=1e-6)
        np.testing.assert_array_equal(near.embedding_[0], near.embedding_[5])
        assert near.gap_ <= 1e-4

    @pytest.mark.parametrize("within", [1e20, 1e160, 1e300])
    def test_a_bound_beyond_all_others_is_none(self, within):
        plain = SemidefiniteEmbedding().fit(self.X)
        told = self.calmly(Pairs(similar=[(0, 5)]), similar_within=within)
        assert told.objective_ == pytest.approx(plain.objective_, rel=1e-6)
        with pytest.raises(ContradictionError, match="at least"):
            self.calmly(Pairs(dissimilar=[(0, 5)]), dissimilar_beyond=within)

    @pytest.mark.parametrize("tol", [1e-300, 1e-20])
    def test_a_tolerance_that_rounding_cannot_meet(self, tol):
        with pytest.warns(ConvergenceWarning, match="relative gap of"):
            model = self.calmly(None, tol=tol)
        assert model.gap_ < 1e-9
        assert np.isfinite(model.embedding_).all()


@pytest.mark.parametrize(
    ("side", "parameters"),
    [
        (None, {"slack": 0.1}),
        (None, {"slack": 0}),
        (None, {"similar_within": 1.0}),
        (Pairs(dissimilar=[(0, 5)]), {"similar_within": 1.0}),
        (Pairs(similar=[(0, 5)]), {"dissimilar_beyond": 1.0}),
        (Pairs(similar=[(0, 5)]), {"similar_within": 1.0, "side_as": "metric"}),
    ],
)
def test_a_parameter_that_would_do_nothing_is_refused(side, parameters):
    name = next(iter(parameters))
    with pytest.raises(ValueError, match=f"'{name}' parameter of SemidefiniteEmbedding has no eff"):
        SemidefiniteEmbedding(**parameters).fit(LINE, side=side)


def test_actions_that_leave_one_place_for_all_rows_are_pointed_out():
    """Here and back by one action, again and again: a rigid motion that moves nothing."""
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    rows = corners[[0, 1, 0, 2, 1, 2, 0, 0, 1, 1, 2, 2]]
    with pytest.warns(UserWarning, match="SemidefiniteEmbedding was told, Actions, leaves one"):
        model = SemidefiniteEmbedding(2).fit(rows, side=Actions(["on"] * 11))
    assert not model.embedding_.any()
