"""DistanceMetric: planted metrics, a general solver, leave-one-out by refits, certificates."""

from __future__ import annotations

import re
import warnings

import cvxpy as cp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import check_estimator

import sidelight
from sidelight import PCA, ClassicalMDS, Isomap
from sidelight.core.errors import InterruptedFitWarning
from sidelight.core.progress import listening
from sidelight.metric import DistanceMetric
from sidelight.metric.learning import distance_cone as cone
from sidelight.metric.learning import foretold_distances
from sidelight.metric.learning.distance_ridge import RIDGES, squared_gram
from sidelight.metric.learning.foretold_distances import foretell_distances
from sidelight.side import Distances, Pairs


def measured(p=6, n_pairs=60, noise=0.0, rank=None, seed=0):
    """Rows, pairs, and distances in a planted metric."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(50, p)) * np.linspace(1, 3, p)
    pairs = np.array([rng.choice(50, 2, replace=False) for _ in range(n_pairs)])
    pairs = np.unique(np.sort(pairs, axis=1), axis=0)
    L = rng.normal(size=(rank or p, p))
    d = X[pairs[:, 0]] - X[pairs[:, 1]]
    squared = np.sum((d @ L.T) ** 2, axis=1) * np.exp(noise * rng.normal(size=len(d)))
    return X, Distances(pairs, np.sqrt(squared)), L.T @ L


def differences(X, side):
    return X[side.pairs[:, 0]] - X[side.pairs[:, 1]]


def euclidean_factor(X, side):
    g, t = np.sum(differences(X, side) ** 2, axis=1), side.values**2
    return t @ g / (g @ g)


def fitted(estimator, X, side):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*cannot all be true")
        return estimator.fit(X, side=side)


def cosine(A, B):
    return np.sum(A * B) / np.linalg.norm(A) / np.linalg.norm(B)


@pytest.mark.parametrize("estimator", [DistanceMetric(), DistanceMetric(kernel="rbf")])
def test_scikit_learn_s_checks_pass(estimator):
    check_estimator(estimator)


def test_nothing_known_is_the_euclidean_metric_to_the_bit():
    X = measured()[0]
    metric = DistanceMetric().fit(X)
    assert_array_equal(metric.transform(X), X)
    assert metric.contradictions_ == ()
    assert metric.report_ == "nothing was known"


@pytest.mark.parametrize(("rank", "n_pairs"), [(None, 60), (1, 40), (2, 60)])
def test_exact_distances_give_back_the_planted_metric(rank, n_pairs):
    X, side, A = measured(rank=rank, n_pairs=n_pairs)
    metric = DistanceMetric(ridge=0).fit(X, side=side)
    assert cosine(metric.metric_, A) > 0.9999
    assert_allclose(metric.metric_, A, atol=1e-3 * np.abs(A).max())
    assert metric.gap_ <= 1e-9


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("rank", "n_pairs"), [(None, 60), (2, 25), (2, 60)])
def test_noisy_distances_are_fitted_as_well_as_a_general_solver_does(
    seed, rank, n_pairs, semidefinite_solver
):
    X, side, _ = measured(rank=rank, n_pairs=n_pairs, noise=0.5, seed=seed)
    metric = fitted(DistanceMetric(ridge=0), X, side)
    d, t = differences(X, side), side.values**2
    _, value = semidefinite_solver(
        6, lambda A: cp.sum_squares((cp.sum(cp.multiply(d @ A, d), axis=1) - t) / t.mean())
    )
    value *= t.mean() ** 2
    assert metric.objective_ == pytest.approx(value, rel=1e-5, abs=1e-9 * t @ t)
    assert 0 <= metric.objective_ - metric.dual_bound_ <= 1e-9 * (t @ t)
    assert metric.dual_bound_ <= value * (1 + 1e-6)
    loss = np.sum((np.sum((d @ metric.metric_) * d, axis=1) - t) ** 2)
    assert metric.objective_ == pytest.approx(loss, rel=1e-6, abs=1e-9 * t @ t)
    assert np.linalg.eigvalsh(metric.metric_)[0] > -1e-9 * np.abs(metric.metric_).max()


@pytest.mark.parametrize("ridge", [0.001, 0.1])
@pytest.mark.parametrize("most_work", [0, 1e10])
def test_ridge_solution_agrees_with_a_general_solver(
    ridge, most_work, semidefinite_solver, monkeypatch
):
    monkeypatch.setattr(cone, "MOST_WORK", most_work)  # by conjugate gradients, and by a factor
    X, side, _ = measured(rank=1, n_pairs=60, noise=1.0, seed=1)
    metric = fitted(DistanceMetric(ridge=ridge, tol=1e-14), X, side)
    assert metric.n_iter_ > 1  # the cone matters
    d, t, c = differences(X, side), side.values**2, euclidean_factor(X, side)
    rho = ridge * np.mean(np.sum(d**2, axis=1) ** 2)
    assert metric.ridge_ == pytest.approx(rho)
    A, value = semidefinite_solver(
        6,
        lambda A: (
            cp.sum_squares((cp.sum(cp.multiply(d @ A, d), axis=1) - t) / t.mean())
            + rho / t.mean() ** 2 * cp.sum_squares(A - c * np.eye(6))
        ),
    )
    assert metric.objective_ == pytest.approx(value * t.mean() ** 2, rel=1e-7)
    assert_allclose(metric.metric_, A, atol=1e-4 * np.abs(A).max())  # the solver's own accuracy


def test_where_the_cone_is_inactive_the_gradient_vanishes():
    X, side, _ = measured(noise=0.05)
    metric = fitted(DistanceMetric(ridge=0.3), X, side)
    assert metric.n_iter_ == 1
    d, t, c = differences(X, side), side.values**2, euclidean_factor(X, side)
    residual = np.sum((d @ metric.metric_) * d, axis=1) - t
    gradient = (d.T * residual) @ d + metric.ridge_ * (metric.metric_ - c * np.eye(6))
    assert_allclose(gradient, 0, atol=1e-9 * np.abs((d.T * t) @ d).max())


@pytest.mark.parametrize("n_pairs", [12, 80])
def test_leave_one_out_residuals_are_those_of_a_refit(n_pairs):
    rng = np.random.default_rng(0)
    d, b = rng.normal(size=(n_pairs, 5)), rng.normal(size=n_pairs)
    left_out = squared_gram(d).leave_one_out(b, 0.7)
    K = (d @ d.T) ** 2
    for i in range(0, n_pairs, 5):
        others = np.delete(np.arange(n_pairs), i)
        alpha = np.linalg.solve(K[np.ix_(others, others)] + 0.7 * np.eye(n_pairs - 1), b[others])
        assert left_out[i] == pytest.approx(b[i] - K[i, others] @ alpha, rel=1e-8)


def test_automatic_ridge_helps_where_distances_are_few_and_noisy():
    gains = []
    for seed in range(4):
        X, side, A = measured(p=10, n_pairs=30, noise=0.3, seed=seed)
        automatic = fitted(DistanceMetric(), X, side)
        exact = fitted(DistanceMetric(ridge=0), X, side)
        assert automatic.strength_ >= 0.01
        gains.append(cosine(automatic.metric_, A) - cosine(exact.metric_, A))
    assert np.mean(gains) > 0.1


def test_outside_the_span_of_the_differences_the_metric_is_the_scaled_euclidean_one():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 60))
    side = Distances([(0, 1), (2, 3), (1, 2)], [5.0, 9.0, 12.0])
    metric = DistanceMetric(0.1).fit(X, side=side)
    assert metric._row_metric.space.dimension == 3
    away = rng.normal(size=60)
    d = differences(X, side)
    away -= np.linalg.pinv(d) @ d @ away
    c = euclidean_factor(X, side)
    assert_allclose(metric.metric_ @ away, c * away, atol=1e-10)
    assert_allclose(metric.transform(away[None]), np.sqrt(c) * away[None], atol=1e-10)


@pytest.mark.parametrize("ridge", [0, 0.1])
def test_kernel_form_with_the_linear_kernel_is_the_linear_form(ridge):
    X, side, _ = measured(noise=0.2)
    plain = fitted(DistanceMetric(ridge, tol=1e-13), X, side)
    by_kernel = fitted(DistanceMetric(ridge, kernel="linear", tol=1e-13), X, side)
    new = np.random.default_rng(3).normal(size=(5, 6))
    assert_allclose(by_kernel.distances(new, X), plain.distances(new, X), rtol=1e-6)


def test_distances_of_a_curved_space_are_learned_in_feature_space():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    true = np.column_stack([X, X[:, 0] ** 2, X[:, 0] * X[:, 1]]) * [1, 0.2, 3, 2]
    pairs = np.array([rng.choice(40, 2, replace=False) for _ in range(150)])
    side = Distances(pairs, np.linalg.norm(true[pairs[:, 0]] - true[pairs[:, 1]], axis=1))
    new = np.linalg.norm(true[40:, None] - true[None, 40:], axis=-1)[np.triu_indices(20, 1)]

    def correlation(**kernel):
        metric = DistanceMetric(0.001, **kernel).fit(X, side=side)
        return np.corrcoef(metric.distances(X[40:])[np.triu_indices(20, 1)], new)[0, 1]

    assert correlation(kernel="polynomial", degree=2) > 0.99
    assert correlation() < 0.9


class TestForetold:
    """A metric is learned where it foretells the distances of rows left out."""

    @staticmethod
    def told(seed, way="true", noise=0.1, n_pairs=120):
        """Distances among 100 of 150 rows, most of them along two of eight columns."""
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((150, 8)) * np.linspace(1, 3, 8)
        L = np.diag([4.0, 0.3, 0.3, 3.0, 0.3, 0.3, 0.3, 0.3])
        pairs = np.array([rng.choice(100, 2, replace=False) for _ in range(n_pairs)])
        pairs = np.unique(np.sort(pairs, axis=1), axis=0)
        values = np.linalg.norm((X[pairs[:, 0]] - X[pairs[:, 1]]) @ L, axis=1)
        values *= np.exp(noise * rng.standard_normal(len(values)))
        if way == "values shuffled":
            values = rng.permutation(values)
        elif way == "rows shuffled":
            pairs = rng.permutation(100)[pairs]
        return X, L, Distances(pairs, values)

    @pytest.mark.parametrize("way", ["values shuffled", "rows shuffled"])
    def test_shuffled_distances_give_their_unit_and_no_more(self, way):
        used = 0
        for seed in range(20):
            X, _, side = self.told(seed, way)
            metric = fitted(DistanceMetric(), X, side)
            if metric.report_.startswith("used"):
                used += 1
                continue
            assert metric.report_.startswith("not used: squared distances of rows left out")
            assert metric.strength_ == np.inf
            c = metric.metric_[0, 0]
            assert c == pytest.approx(euclidean_factor(X, side))
            assert_array_equal(metric.transform(X), np.sqrt(c) * X)
            d, t = differences(X, side), side.values**2
            assert metric.objective_ == pytest.approx(np.sum((c * np.sum(d**2, 1) - t) ** 2))
        assert used <= 1

    def test_true_distances_foretell_those_of_rows_that_were_not_named(self):
        others = np.triu_indices(50, 1)
        for seed in range(5):
            X, L, side = self.told(seed)
            metric = fitted(DistanceMetric(), X, side)
            assert metric.report_.startswith("used: squared distances of rows left out")
            true = pdist(X[100:] @ L)
            with_it = spearmanr(metric.distances(X[100:])[others], true).statistic
            without = spearmanr(pdist(X[100:]), true).statistic
            assert with_it > 0.95 > without + 0.2

    @pytest.mark.parametrize("method", [PCA, ClassicalMDS, Isomap])
    def test_shuffled_distances_leave_a_map_but_for_its_unit(self, method):
        X, _, side = self.told(1, "values shuffled")
        told, plain = fitted(method(), X, side), method().fit(X)
        assert told.side_report_[0].change.startswith("not used")
        size = np.sqrt(euclidean_factor(X, side))
        scale = np.abs(plain.embedding_).max()
        assert_allclose(told.embedding_ / size, plain.embedding_, atol=1e-9 * scale)

    def test_too_few_to_tell_give_their_unit_alone(self):
        X, _, side = self.told(0)
        few = Distances(side.pairs[:9], side.values[:9])
        metric = fitted(DistanceMetric(), X, few)
        assert re.match(r"not used: [5-9] independent distances are too few", metric.report_)
        assert fitted(DistanceMetric(0.1), X, few).report_.startswith("fitted with the ridge")
        # all pairs of ten rows are nine that do not follow from one another's rows
        among = np.column_stack(np.triu_indices(10, 1))
        every = Distances(among, np.linalg.norm(X[among[:, 0]] - X[among[:, 1]], axis=1))
        assert fitted(DistanceMetric(), X, every).report_.startswith("not used: 9 independent")

    def test_the_data_s_own_distances_need_no_metric(self):
        X, _, side = self.told(0)
        own = Distances(side.pairs, 3 * np.linalg.norm(differences(X, side), axis=1))
        metric = DistanceMetric().fit(X, side=own)
        assert metric.report_.startswith("not used")
        assert_allclose(metric.metric_, 9 * np.eye(8), atol=1e-9)

    def test_rows_that_differ_at_distance_zero_do_not_make_a_map_of_one_point(self):
        X = np.vstack([np.ones((2, 3)), np.random.default_rng(0).standard_normal((4, 3))])
        metric = DistanceMetric().fit(X, side=Distances([(0, 1), (2, 3)], [1.0, 0.0]))
        assert_array_equal(metric.transform(X), X)

    def test_a_file_holds_what_was_not_used(self, tmp_path):
        X, _, side = self.told(2, "values shuffled")
        metric = fitted(DistanceMetric(), X, side)
        loaded = sidelight.load(sidelight.save(metric, tmp_path / "metric.sidelight"))
        assert_array_equal(loaded.transform(X), metric.transform(X))
        assert (loaded.strength_, loaded.report_) == (np.inf, metric.report_)


class TestForetoldDecisions:
    """When distances are believed, by figures on either side of what decides."""

    @staticmethod
    def judged(monkeypatch, gains, pairs):
        """What is made of pairs that a metric misses by one, and other ways by so much more."""
        missed = np.vstack([np.full((len(RIDGES), len(pairs)), 2.0), 1.0 + np.asarray(gains)])
        missed[3] = 1.0
        monkeypatch.setattr(foretold_distances, "_missed", lambda D, t, out: missed[:, out])
        return foretell_distances(np.ones((len(pairs), 2)), np.ones(len(pairs)), pairs)

    @pytest.mark.parametrize(("errors", "used"), [(0.7, False), (1.3, True)])
    @pytest.mark.parametrize("beside", ["the data as they are", "one number for all"])
    def test_others_must_miss_them_by_a_standard_error_more(
        self, monkeypatch, beside, errors, used
    ):
        close = np.linspace(-1, 1, 40)
        close += errors * close.std() / np.sqrt(40)
        gains = [close, np.full(40, 9.0)][:: 1 if beside == "the data as they are" else -1]
        found = self.judged(monkeypatch, gains, np.arange(80).reshape(40, 2))
        assert found.used is used
        assert found.strength == RIDGES[3]

    @pytest.mark.parametrize(("errors", "used"), [(0.7, False), (1.3, True)])
    def test_distances_among_the_same_rows_count_as_far_as_they_do_not_follow(
        self, monkeypatch, errors, used
    ):
        """All 66 pairs of twelve rows are eleven."""
        pairs = np.column_stack(np.triu_indices(12, 1))
        close = np.linspace(-1, 1, 66)
        close += errors * close.std() / np.sqrt(11)
        assert self.judged(monkeypatch, [close, close], pairs).used is used

    @pytest.mark.parametrize(("n_pairs", "told"), [(9, False), (10, True)])
    def test_ten_are_enough_to_be_asked(self, monkeypatch, n_pairs, told):
        gains = np.full((2, n_pairs), 5.0)
        found = self.judged(monkeypatch, gains, np.arange(2 * n_pairs).reshape(n_pairs, 2))
        assert found.used is told
        assert found.independent == n_pairs


def test_contradictory_distances_are_fitted_and_named():
    X = np.random.default_rng(0).normal(size=(8, 2))
    side = Distances([(3, 7), (3, 5), (5, 7), (0, 1), (1, 0)], [9, 2, 4, 1, 3])
    with pytest.warns(UserWarning, match=r"d\(3, 7\) = 9 > d\(3, 5\)") as warned:
        metric = DistanceMetric().fit(X, side=side)
    assert "DistanceMetric" in str(warned[0].message)
    assert [str(found) for found in metric.contradictions_] == [
        "d(3, 7) = 9 > d(3, 5) + d(5, 7) = 2 + 4",
        "d(0, 1) is given as 1 and as 3",
    ]


def test_an_unfinished_fit_says_how_far_it_is():
    X, side, _ = measured(rank=2, noise=0.5)
    with pytest.warns(ConvergenceWarning, match="within .* % of the optimum"):
        metric = fitted(DistanceMetric(ridge=0, max_iter=1), X, side)
    assert metric.objective_ > metric.dual_bound_


def test_an_interrupted_fit_keeps_the_best_so_far():
    X, side, _ = measured(rank=2, noise=0.5)

    def stop(progress):
        if progress.done == 2:
            raise KeyboardInterrupt

    with listening(stop), pytest.warns(InterruptedFitWarning, match="best metric so far"):
        metric = fitted(DistanceMetric(ridge=0), X, side)
    assert np.linalg.eigvalsh(metric.metric_)[0] > -1e-12
    assert metric.n_iter_ == 3


@pytest.mark.parametrize(
    ("side", "match"),
    [
        (Distances([(0, 50)], [1.0]), r"\[0, 50\)"),
        (Distances([(0, 1)], [-1.0]), "not negative"),
        (Distances([], []), "at least one"),
        (Distances([(0, 1)], [0.0]), "all zero"),
        (Pairs(similar=[(0, 1)]), "does not understand Pairs"),
    ],
)
def test_side_information_that_does_not_fit_is_refused(side, match):
    with pytest.raises(ValueError, match=match) as refused:
        DistanceMetric().fit(measured()[0], side=side)
    assert "DistanceMetric" in str(refused.value)


def test_distances_between_equal_rows_are_refused():
    with pytest.raises(ValueError, match="pairwise equal"):
        DistanceMetric().fit(np.ones((3, 2)), side=Distances([(0, 1)], [1.0]))


@pytest.mark.parametrize("parameters", [{"ridge": -1}, {"ridge": "some"}, {"tol": 0}])
def test_parameters_that_do_not_fit_are_refused(parameters):
    (name,) = parameters
    with pytest.raises(ValueError, match=f"The '{name}' parameter of DistanceMetric"):
        DistanceMetric(**parameters).fit(measured()[0])
