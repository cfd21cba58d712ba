"""In cross-validation what is known is about the rows that it was said of, or is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist, cosine
from sklearn.metrics import pairwise_distances
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.model_selection import cross_validate as sklearn_cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sidelight import PCA, EquivalenceMetric, FactorRemoval, Isomap, KernelPCA
from sidelight.model_selection import (
    Held,
    aligned,
    choose,
    cross_validate,
    folds,
    labels_found,
    pairs_told_apart,
    search,
)
from sidelight.quality import trustworthiness
from sidelight.side import Actions, Condition, Pairs

SHUFFLED = KFold(4, shuffle=True, random_state=0)


class Listener(EquivalenceMetric):
    """Keeps what it was told about which rows."""

    def fit(self, X, y=None, *, side=None):
        super().fit(X, y, side=side)
        self.told_ = (np.asarray(X), side)
        return self


# the registry says by class what an estimator understands
Listener.__name__ = "EquivalenceMetric"


def said_truly(model, X, y):
    """The part of the similar pairs told to a fit whose rows are of one class."""
    rows, side = model.told_
    values = side if isinstance(side, (list, tuple)) else [side]
    pairs = next(value for value in values if isinstance(value, Pairs))
    place = {tuple(row): i for i, row in enumerate(X)}
    of = np.array([y[place[tuple(row)]] for row in rows])
    return float(np.mean(of[pairs.similar[:, 0]] == of[pairs.similar[:, 1]]))


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = rng.integers(10, size=200)
    return rng.normal(size=(200, 3)) + y[:, None] * [1.0, 0.0, 0.0], y


def searched(X, y, side, *, cv=SHUFFLED, estimator=None, **more):
    """A search of scikit-learn's, and how truly each fold was told."""
    told = []

    def scoring(model, X_test, y_test=None):
        told.append(said_truly(model, np.asarray(X), y))
        return 0.0

    grid = {"strength": [1.0]}
    GridSearchCV(estimator or Listener(), grid, cv=cv, scoring=scoring, error_score="raise").fit(
        X, side=side, **more
    )
    return told


class TestScikitLearn:
    def test_row_numbers_in_a_fold_were_other_rows(self, data):
        """The story: of the pairs that a fold was told one in ten was true, as by chance."""
        X, y = data
        full = Pairs.from_labels(y, max_pairs=2000)
        train, _ = next(iter(SHUFFLED.split(X)))
        inside = full.similar[(full.similar < len(train)).all(axis=1)]
        unmoved = np.mean(y[train][inside[:, 0]] == y[train][inside[:, 1]])
        assert unmoved < 0.2
        moved = full.within(train).similar
        assert np.all(y[train][moved[:, 0]] == y[train][moved[:, 1]])

    def test_row_numbers_of_nobody_knows_how_many_rows_are_refused(self, data):
        X, y = data
        known = Pairs(similar=Pairs.from_labels(y, max_pairs=50).similar)
        with pytest.raises(ValueError, match=r"other rows. Say .*Pairs\(…, n_rows=len\(X\)\)"):
            searched(X, y, known)
        with pytest.raises(ValueError, match="other rows"):
            sklearn_cross_validate(
                Listener(), X, params={"side": known}, scoring=lambda *_: 0.0, cv=3
            )

    @pytest.mark.parametrize("say", ["n_rows", "labels", "aligned", "list"])
    def test_what_knows_its_rows_is_cut_with_them(self, data, say):
        X, y = data
        plain = Pairs(similar=Pairs.from_labels(y, max_pairs=500).similar)
        side = {
            "n_rows": Pairs(similar=plain.similar, n_rows=len(X)),
            "labels": Pairs.from_labels(y, max_pairs=500),
            "aligned": aligned(plain, X),
            "list": aligned([plain, Pairs(dissimilar=[(0, 1)])], X),
        }[say]
        assert searched(X, y, side) == [1.0] * 4

    def test_labels_of_a_frame(self, data):
        X, y = data
        frame = pd.DataFrame(X, index=[f"row {i}" for i in range(len(X))], columns=list("abc"))
        known = Pairs.from_labels(pd.Series(y, index=frame.index), max_pairs=500)
        assert searched(frame, y, known) == [1.0] * 4
        turned = frame.iloc[::-1]  # the series is in another order: refused, or right
        with pytest.raises(ValueError, match="names rows that X does not have"):
            searched(turned, y[::-1], known)
        assert searched(turned, y[::-1], aligned(known, turned)) == [1.0] * 4
        few = Pairs(similar=[("row 3", "row 190")])
        with pytest.raises(ValueError, match="names rows that X does not have"):
            searched(frame, y, few)

    def test_ints_for_labels_of_a_frame(self, data):
        X, y = data
        frame = pd.DataFrame(X, index=np.random.default_rng(1).permutation(len(X)))
        frame.columns = list("abc")
        assert searched(frame, y, Pairs.from_labels(y, max_pairs=500)) == [1.0] * 4

    def test_a_list_of_values_that_know_their_rows_is_refused_as_it_is(self, data):
        X, y = data
        with pytest.raises(ValueError, match=r"speaks of 200 rows, and X has 150.*model_selection"):
            searched(X, y, [Pairs.from_labels(y, max_pairs=500)])

    def test_pipelines(self, data):
        X, y = data
        known = Pairs.from_labels(y, max_pairs=500)
        seen = []

        def scoring(model, X_test, y_test=None):
            rows, side = model[-1].told_
            seen.append((len(rows), side.n_rows))
            return 0.0

        line = make_pipeline(StandardScaler(), Listener())
        step = line.steps[-1][0]
        grid = {f"{step}__strength": [1.0]}
        GridSearchCV(line, grid, cv=4, scoring=scoring).fit(X, **{f"{step}__side": known})
        assert seen == [(150, 150)] * 4

    def test_metadata_routing(self, data):
        X, y = data
        with sklearn.config_context(enable_metadata_routing=True):
            listener = Listener().set_fit_request(side=True)
            known = Pairs.from_labels(y, max_pairs=500)
            assert searched(X, y, known, estimator=listener) == [1.0] * 4

    def test_conditions_are_cut_too(self, data):
        X, _ = data
        sizes = []

        class Removal(FactorRemoval):
            def fit(self, X, y=None, *, side=None):
                sizes.append((len(X), len(side.values)))
                return super().fit(X, y, side=side)

        Removal.__name__ = "FactorRemoval"
        GridSearchCV(Removal(), {"always": [False]}, cv=4, scoring=lambda *_: 0.0).fit(
            X, side=Condition(np.arange(200.0))
        )
        assert sizes == [(150, 150)] * 4 + [(200, 200)]


class TestOwn:
    def test_folds_know_what_is_said_of_each_side(self):
        y = np.array([0, 0, 1, 1, 0, 1])
        X = np.arange(6.0)[:, None]
        for fold in folds(X, side=Pairs.from_labels(y), cv=3):
            for rows, side in ((fold.train, fold.side), (fold.test, fold.side_test)):
                said = Pairs.merge(side) if len(side) > 1 else side[0]
                expected = Pairs.from_labels(y[rows])
                assert said == expected

    def test_folds_of_walks(self):
        walk = Actions(list("abcde"))
        told = [fold.side[0].labels.tolist() for fold in folds(np.zeros((6, 1)), side=walk, cv=3)]
        assert told == [list("cde"), list("ae"), list("abc")]

    def test_scores_are_those_of_a_fit_by_hand(self, data):
        X, y = data
        known = Pairs.from_labels(y, max_pairs=3000)
        scores = cross_validate(PCA(2), X, side=known, cv=SHUFFLED, scoring="pairs")
        for score, (train, test) in zip(scores, SHUFFLED.split(X), strict=True):
            model = PCA(2).fit(X[train], side=known.within(train))
            Z, left = model.transform(X[test]), known.within(test)
            apart = [
                np.linalg.norm(Z[pairs[:, 0]] - Z[pairs[:, 1]], axis=1)
                for pairs in (left.similar, left.dissimilar)
            ]
            above = apart[1][:, None] > apart[0][None]
            assert score == pytest.approx(above.mean())

    def test_rows_left_out_are_placed_by_their_own_condition(self):
        rng = np.random.default_rng(0)
        batch = rng.integers(2, size=160)
        X = rng.normal(size=(160, 4)) + 5.0 * batch[:, None]
        side = Condition(np.where(batch, "b", "a"))

        def batch_seen(held):
            values = held.side[0].values
            return abs(held.Z[values == "b"].mean() - held.Z[values == "a"].mean())

        with_it = cross_validate(FactorRemoval(), X, side=side, cv=SHUFFLED, scoring=batch_seen)
        assert with_it.max() < 1.0
        assert np.all(batch_seen_raw(X, batch) > 4.0)
        maps = cross_validate(PCA(2), X, side=side, cv=SHUFFLED, scoring=batch_seen)
        assert maps.shape == (4,)

    def test_labels_are_found_by_the_nearest_fitted_rows(self, data):
        X, y = data
        for estimator in (PCA(1), EquivalenceMetric()):
            score = cross_validate(estimator, X, y, cv=SHUFFLED, scoring="labels").mean()
            assert score > 0.15  # ten classes along one axis of three
        with pytest.raises(ValueError, match="needs the labels"):
            cross_validate(PCA(1), X, scoring="labels")

    def test_a_search_takes_the_best_and_fits_it_to_all(self, data):
        X, y = data
        known = Pairs.from_labels(y, max_pairs=1000)
        grid = {"strength": [1e-9, 10.0]}
        found = search(EquivalenceMetric(), grid, X, side=known, cv=SHUFFLED, scoring="pairs")
        means = {entry["strength"]: scores.mean() for entry, scores in found.table}
        assert found.parameters == {"strength": 10.0}
        assert found.score == means[10.0] > means[1e-9] + 0.01
        by_hand = EquivalenceMetric(strength=10.0).fit(X, side=known)
        assert_array_equal(found.model.metric_, by_hand.metric_)
        drawn = search(
            EquivalenceMetric(), grid, X, side=known, cv=SHUFFLED.split(X), scoring="pairs"
        )
        assert_allclose(drawn.score, found.score)

    def test_folds_in_which_nothing_is_left_to_judge_by_do_not_count(self):
        """Of two settings the better one is judged in one fold of three."""
        scored = {1: [0.6, 0.6, 0.6], 2: [np.nan, 0.9, np.nan]}
        turns = {1: 0, 2: 0}

        def scoring(held):
            d = held.model.n_components
            turns[d] += 1
            return scored[d][turns[d] - 1]

        X = np.random.default_rng(0).normal(size=(30, 4))
        found = search(PCA(), {"n_components": [1, 2]}, X, cv=3, scoring=scoring)
        assert (found.parameters, found.score) == ({"n_components": 2}, 0.9)

    def test_five_rows_vote_on_a_label_or_all_there_are(self):
        """The nearest of them is of another kind."""
        Z_train, y_train = np.array([[0.1], [1.0], [1.1], [1.2], [1.3]]), np.array([1, 0, 0, 0, 0])
        for n in (5, 4, 3):
            told = (Z_train[:n], y_train[:n])
            held = Held(None, None, np.array([0]), np.zeros((1, 1)), [], told[1], told[0])
            assert labels_found(held) == 1.0
            assert labels_found(held, n_neighbors=1) == 0.0

    def test_what_cannot_be_judged_says_so(self, data):
        X, _ = data
        few = Pairs(similar=[(0, 1)])
        assert np.isnan(cross_validate(PCA(1), X, side=few, cv=2, scoring="pairs")).all()
        with pytest.raises(ValueError, match="No parameters of the search have a score"):
            search(PCA(1), {"n_components": [1, 2]}, X, side=few, cv=2, scoring="pairs")
        with pytest.raises(ValueError, match=r"'scoring' argument must be one of .*'pairs'"):
            cross_validate(PCA(1), X, scoring="accuracy")

    def test_neighbours_of_a_table_of_distances(self, data):
        from sidelight import ClassicalMDS

        X, _ = data
        D = np.linalg.norm(X[:, None] - X[None], axis=-1)
        by_table = cross_validate(
            ClassicalMDS(2, metric="precomputed"),
            D,
            cv=SHUFFLED,
            scoring=lambda held: held.Z.shape == (50, 2),
        )
        assert np.all(by_table)

    def test_told_apart_is_one_at_best_and_half_by_chance(self):
        from types import SimpleNamespace

        y = np.repeat([0, 1], 20)
        known = [Pairs.from_labels(y)]
        best = SimpleNamespace(Z=10.0 * y[:, None] + 0.01 * np.arange(40)[:, None], side=known)
        assert pairs_told_apart(best) == 1.0
        blind = SimpleNamespace(Z=np.zeros((40, 1)), side=known)
        assert pairs_told_apart(blind) == 0.5


def batch_seen_raw(X, batch):
    return np.array(
        [
            abs(X[test][batch[test] == 1].mean() - X[test][batch[test] == 0].mean())
            for _, test in SHUFFLED.split(X)
        ]
    )


class TestChoose:
    def test_the_dimension_of_a_noisy_plane(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(90, 3)) @ rng.normal(size=(3, 8)) + 0.01 * rng.normal(size=(90, 8))
        found = choose(PCA(), "n_components", X)
        assert found.parameters == {"n_components": 3}
        assert found.model.embedding_.shape == (90, 3)
        # the rule by hand, from the scores of all values
        means = [scores.mean() for _, scores in found.table]
        best = found.table[int(np.argmax(means))][1]
        bound = max(means) - best.std(ddof=1) / np.sqrt(5)
        within = [p["n_components"] for p, scores in found.table if scores.mean() >= bound]
        assert min(within) == 3

    @pytest.mark.parametrize(("short", "chosen"), [(0.8, 2), (1.2, 3)])
    def test_the_least_within_a_standard_error_of_the_best(self, short, chosen):
        """By planted scores of five folds; of one fold there is no error."""
        spread = np.array([-2.0, -1.0, 0.0, 1.0, 2.0]) / 100
        error = spread.std(ddof=1) / np.sqrt(5)
        scored = {1: 0.5, 2: 0.9 - short * error, 3: 0.9, 4: 0.9 - 0.1 * error}

        def scoring(held):
            scoring.asked += 1
            return scored[held.model.n_components] + spread[scoring.asked % 5]

        scoring.asked = -1
        X = np.random.default_rng(0).normal(size=(40, 6))
        found = choose(PCA(), "n_components", X, values=list(scored), scoring=scoring)
        assert found.parameters == {"n_components": chosen}
        assert found.model.embedding_.shape == (40, chosen)
        assert found.score == pytest.approx(scored[chosen])

    def test_neighbours_that_do_not_cut_a_curve_short(self):
        angle = np.linspace(0, 3 * np.pi, 150)
        spiral = np.column_stack([angle * np.cos(angle), angle * np.sin(angle)])
        spiral += 0.05 * np.random.default_rng(0).normal(size=spiral.shape)
        cut = KFold(4, shuffle=True, random_state=0)
        found = choose(Isomap(1), "n_neighbors", spiral, cv=cut)
        scores = {p["n_neighbors"]: row.mean() for p, row in found.table}
        assert list(scores) == [5, 8, 12, 18, 27, 40]
        assert found.score == max(scores.values())
        assert found.parameters["n_neighbors"] <= 18
        assert scores[40] < found.score - 0.01  # across the arms

    def test_values_of_ones_own_for_anything(self):
        X = np.random.default_rng(0).normal(size=(40, 3))
        found = choose(Isomap(), "n_neighbors", X, values=[6, 7])
        assert [p for p, _ in found.table] == [{"n_neighbors": 6}, {"n_neighbors": 7}]

    def test_of_few_rows_no_neighbourhood_is_tried_that_cannot_be_fitted(self):
        for n in (18, 30, 45):
            X = np.random.default_rng(n).normal(size=(n, 3))
            found = choose(Isomap(), "n_neighbors", X)
            assert len(found.table) >= 1
            assert np.isfinite([row for _, row in found.table]).all()
            assert max(p["n_neighbors"] for p, _ in found.table) < 0.8 * n

    def test_no_more_dimensions_are_tried_than_half_of_the_rows(self):
        X = np.random.default_rng(0).normal(size=(13, 30))
        found = choose(PCA(), "n_components", X, cv=3)
        assert [p["n_components"] for p, _ in found.table] == [1, 2, 3, 4, 6]

    def test_what_cannot_be_chosen(self):
        X = np.zeros((20, 3))
        with pytest.raises(ValueError, match="PCA has no parameter 'perplexity'. It has: .*n_comp"):
            choose(PCA(), "perplexity", X)
        with pytest.raises(ValueError, match="nothing to try for 'metric'.*values"):
            choose(Isomap(), "metric", X)


class TestNeighborsByTheMetricOfTheModel:
    """The default scoring looks at rows left out as the model does."""

    @pytest.fixture
    def far_and_near(self):
        """Directions say who is near, lengths say nothing."""
        rng = np.random.default_rng(0)
        X = rng.standard_normal((120, 3)) + np.array([2.0, 0.0, 0.0])
        return X * rng.uniform(0.1, 20.0, (120, 1))

    def test_given_distances_are_those_among_the_rows_left_out(self, data):
        X = data[0]
        D = cdist(X, X)
        given = cross_validate(Isomap(n_neighbors=30, metric="precomputed"), D, cv=SHUFFLED)
        assert_allclose(given, cross_validate(Isomap(n_neighbors=30), X, cv=SHUFFLED))

    def test_given_similarities_too(self, data):
        X = data[0] - data[0].mean(axis=0)
        given = cross_validate(KernelPCA(2, kernel="precomputed"), X @ X.T, cv=SHUFFLED)
        assert_allclose(given, cross_validate(KernelPCA(2, kernel="linear"), X, cv=SHUFFLED))

    @pytest.mark.parametrize("metric", ["cosine", "sqeuclidean", cosine])
    def test_the_metric_is_that_of_the_model(self, far_and_near, metric):
        X = far_and_near
        (train, test), *_ = folds_of = list(SHUFFLED.split(X))
        score = cross_validate(Isomap(n_neighbors=20, metric=metric), X, cv=folds_of)[0]
        Z = Isomap(n_neighbors=20, metric=metric).fit(X[train]).transform(X[test])
        D = pairwise_distances(X[test], metric=metric)
        assert score == pytest.approx(trustworthiness(D, Z, n_neighbors=10, metric="precomputed"))

    def test_sparse_rows_are_judged_as_they_are(self, data):
        X = np.maximum(data[0], 0.0)
        dense = cross_validate(PCA(2), X, cv=SHUFFLED)
        assert_allclose(cross_validate(PCA(2), sp.csr_array(X), cv=SHUFFLED), dense, atol=1e-6)
