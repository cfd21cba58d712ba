"""EquivalenceMetric: closed forms against a general solver, held-out pairs against refits."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
import scipy.linalg
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist, pdist
from sklearn.base import clone
from sklearn.datasets import load_digits, make_circles
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from sidelight import Isomap
from sidelight.metric import EquivalenceMetric
from sidelight.metric.learning import choice_of_space as opening
from sidelight.metric.learning.from_pairs import named_rows
from sidelight.metric.learning.leave_out import (
    SETTINGS,
    LeaveOutSettings,
    choose_strength,
    mapping_by_strength,
    rank_areas,
    spread_by_chance,
)
from sidelight.metric.learning.pair_graph import graph_rank, spanning_forest
from sidelight.metric.learning.safe_pairs import (
    geometric_mean_of_inverse,
    safe_metric,
)
from sidelight.metric.learning.scatter import PairScatter, Spread
from sidelight.metric.learning.space import FeatureSpace
from sidelight.side import Distances, Pairs, Relation


def labelled(n=60, p=5, seed=0):
    """Two classes that differ in the first feature, with large noise in the last."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    X = rng.normal(size=(n, p)) * np.linspace(0.5, 3, p)
    X[:, 0] += 2 * y
    return X, y


def mean_outer(X, pairs):
    d = X[pairs[:, 0]] - X[pairs[:, 1]]
    return d.T @ d / len(d)


def safe_problem(X, pairs, strength):
    """S̃ and D̃ written down from their definition."""
    T = 2 * np.cov(X.T)
    weight = strength * np.trace(T) / np.trace(T @ T)
    D = T
    if len(pairs.dissimilar):
        e = graph_rank(pairs.dissimilar)
        D = (e * mean_outer(X, pairs.dissimilar) + 30 * T) / (e + 30)
    S = mean_outer(X, pairs.similar) if len(pairs.similar) else T
    return np.eye(len(T)) + weight * S, np.eye(len(T)) + weight * D, T


@pytest.mark.parametrize("estimator", [EquivalenceMetric(), EquivalenceMetric(kernel="rbf")])
def test_scikit_learn_s_checks_pass(estimator):
    check_estimator(estimator)


def test_nothing_known_is_the_euclidean_metric_to_the_bit():
    X, y = labelled()
    metric = EquivalenceMetric().fit(X, y)
    assert_array_equal(metric.transform(X), X)
    assert_array_equal(metric.metric_, np.eye(5))
    assert_array_equal(metric.distances(X[:3], X), cdist(X[:3], X))
    assert metric.strength_ == 0


def test_strength_zero_is_the_euclidean_metric():
    X, y = labelled()
    metric = EquivalenceMetric(strength=0).fit(X, side=Pairs.from_labels(y))
    assert_allclose(metric.metric_, np.eye(5), atol=1e-14)


@pytest.mark.parametrize("kinds", ["both", "similar"])
def test_safe_metric_is_the_optimum_of_its_problem(kinds, semidefinite_solver):
    X, y = labelled()
    pairs = Pairs.from_labels(y, max_pairs=40)
    if kinds == "similar":
        pairs = Pairs(similar=pairs.similar)
    metric = EquivalenceMetric(strength=3.0).fit(X, side=pairs)
    S, D, T = safe_problem(X, pairs, 3.0)
    root = scipy.linalg.sqrtm(S).real
    A, value = semidefinite_solver(
        5, lambda A: 0.5 * cp.sum_squares(root @ A @ root) - cp.trace(A @ D)
    )
    assert metric.objective_ == pytest.approx(value, rel=1e-7)
    assert_allclose(metric.metric_, A * np.trace(T) / np.trace(A @ T), atol=1e-7)


def test_of_dissimilar_pairs_alone_it_is_the_geometric_mean(semidefinite_solver):
    X, y = labelled()
    pairs = Pairs(dissimilar=Pairs.from_labels(y, max_pairs=40).dissimilar)
    metric = EquivalenceMetric(strength=1.0).fit(X, side=pairs)
    P, Q, T = safe_problem(X, pairs, 1.0)
    scale = np.trace(metric.metric_ @ T) / np.trace(T)
    assert scale == pytest.approx(1)
    A = metric.metric_ * np.sqrt(
        np.trace(Q @ np.linalg.inv(metric.metric_ @ P @ metric.metric_)) / 5
    )
    assert_allclose(A @ P @ A, Q, atol=1e-10)  # Riccati's equation of the geometric mean
    _, value = semidefinite_solver(
        5, lambda A: cp.trace(A @ P) + cp.matrix_frac(np.linalg.cholesky(Q), A)
    )
    assert metric.objective_ == pytest.approx(value, rel=1e-7)


def test_geometric_mean_of_diagonal_matrices():
    A, value = geometric_mean_of_inverse(np.diag([4.0, 1.0]), np.diag([1.0, 16.0]))
    assert_allclose(A, np.diag([0.5, 4.0]), atol=1e-12)
    assert value == pytest.approx(12)


@pytest.mark.parametrize("kinds", ["both", "similar", "dissimilar"])
def test_thesis_metric_is_the_optimum_of_3_1(kinds, semidefinite_solver):
    X, y = labelled()
    pairs = Pairs.from_labels(y, max_pairs=40)
    if kinds != "both":
        pairs = Pairs(**{kinds: getattr(pairs, kinds)})
    metric = EquivalenceMetric(loss="thesis").fit(X, side=pairs)
    C = np.zeros((5, 5))
    for sign, chosen in ((1, pairs.similar), (-1, pairs.dissimilar)):
        if len(chosen):
            C += sign * len(chosen) * mean_outer(X, chosen)
    A, value = semidefinite_solver(
        5, lambda A: cp.trace(A @ C) / np.abs(C).max(), lambda A: cp.trace(A) == 1
    )
    assert metric.objective_ == pytest.approx(value * np.abs(C).max(), rel=1e-7)
    assert_allclose(metric.metric_, A, atol=1e-6)
    assert np.linalg.matrix_rank(metric.metric_) == 1


def test_where_the_smallest_eigenvalue_is_multiple_the_thesis_metric_is_spread_over_all(
    semidefinite_solver,
):
    X = np.random.default_rng(0).normal(size=(10, 6))
    pairs = Pairs(similar=[(0, 1), (2, 3)])
    metric = EquivalenceMetric(loss="thesis").fit(X, side=pairs)
    d = X[[0, 2]] - X[[1, 3]]
    A, _ = semidefinite_solver(
        6, lambda A: cp.sum(cp.multiply(d @ A, d)), lambda A: cp.trace(A) == 1
    )
    assert_allclose(metric.metric_, A, atol=1e-6)
    assert_allclose(np.linalg.eigvalsh(metric.metric_), [0, 0, 0.25, 0.25, 0.25, 0.25], atol=1e-12)


@pytest.mark.parametrize("loss", ["safe", "thesis"])
@pytest.mark.parametrize("kinds", ["both", "similar"])
def test_span_of_the_rows_gives_what_all_features_give(loss, kinds, monkeypatch):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 80)) * np.linspace(1, 4, 80)
    pairs = Pairs.from_labels(rng.integers(2, size=30), max_pairs=60)
    if kinds == "similar":
        pairs = Pairs(similar=pairs.similar)
    spanned = EquivalenceMetric(loss, strength=3.0).fit(X, side=pairs)
    monkeypatch.setattr(opening, "BACKGROUND_ROWS", 20)
    whole = EquivalenceMetric(loss, strength=3.0).fit(X, side=pairs)
    assert spanned._row_metric.space.dimension == 30
    assert whole._row_metric.space.dimension == 80
    new = rng.normal(size=(7, 80))
    assert_allclose(spanned.metric_, whole.metric_, atol=1e-9)
    assert_allclose(spanned.transform(new), whole.transform(new), atol=1e-8)
    assert spanned.objective_ == pytest.approx(whole.objective_, rel=1e-9)


def test_strength_is_the_same_in_the_span_of_the_rows(monkeypatch):
    X, y = labelled(40, 90)
    X[:, 0] += 6 * y
    spanned = EquivalenceMetric().fit(X, side=Pairs.from_labels(y))
    monkeypatch.setattr(opening, "BACKGROUND_ROWS", 20)
    whole = EquivalenceMetric().fit(X, side=Pairs.from_labels(y))
    assert (spanned._row_metric.space.dimension, whole._row_metric.space.dimension) == (40, 90)
    assert spanned.strength_ == whole.strength_ > 0


def test_transform_gives_the_learned_distances_and_there_is_a_way_back():
    X, y = labelled()
    metric = EquivalenceMetric().fit(X, side=Pairs.from_labels(y))
    d = X[3] - X[8]
    expected = np.sqrt(d @ metric.metric_ @ d)
    Z = metric.transform(X)
    assert np.linalg.norm(Z[3] - Z[8]) == pytest.approx(expected)
    assert metric.distances(X)[3, 8] == pytest.approx(expected)
    assert_allclose(metric.inverse_transform(Z), X, atol=1e-10)
    assert pdist(Z, "sqeuclidean").mean() == pytest.approx(pdist(X, "sqeuclidean").mean())


def test_there_is_no_way_back_from_a_projection_or_a_kernel():
    X, y = labelled()
    pairs = Pairs.from_labels(y)
    flat = EquivalenceMetric("thesis").fit(X, side=pairs)
    with pytest.raises(ValueError, match="singular"):
        flat.inverse_transform(X)
    assert not hasattr(EquivalenceMetric(kernel="rbf").fit(X, side=pairs), "inverse_transform")


def naive_choice(X, pairs, fold_of, chance, settings):
    """Leave a fold of rows out, refit from the definition, count; the strength and its areas."""
    like, unlike = (
        {*map(tuple, p), *map(tuple, p[:, ::-1])} for p in (pairs.similar, pairs.dissimilar)
    )
    reference = np.unique(np.linspace(0, len(X) - 1, min(len(X), settings.reference)).astype(int))
    e = graph_rank(pairs.similar)
    strengths = [s for s in settings.strengths if s <= max(e / 5, 0.3)]
    areas = np.zeros((len(strengths), len(pairs.rows)))
    for row, i in enumerate(pairs.rows):
        out = np.flatnonzero(fold_of == fold_of[i])
        unseen = [j for j in reference if j != i and (fold_of[j] < 0 or j in out)]
        kept = Pairs(*(p[~np.isin(p, out).any(axis=1)] for p in (pairs.similar, pairs.dissimilar)))
        strangers = [j for j in pairs.rows if j != i and (i, j) not in like | unlike]
        if not strangers:
            strangers = [j for j in reference if j != i and (i, j) not in like | unlike]
        near = [j for j in range(len(X)) if (i, j) in like] or strangers
        far = [j for j in range(len(X)) if (i, j) in unlike] or strangers
        for k, strength in enumerate(strengths):
            S, D, _ = safe_problem(X, kept, strength)
            A = np.linalg.inv(S) @ D @ np.linalg.inv(S)
            places = {}
            for j in (*near, *far):
                lengths = np.einsum("ij,jk,ik->i", X - X[j], A, X - X[j])[[i, *unseen]]
                places[j] = np.sum(lengths < lengths[0]) + 0.5 * np.sum(lengths == lengths[0])
            ahead = [[np.sign(places[l] - places[j]) for l in far] for j in near]
            areas[k, row] = 0.5 + 0.5 * np.mean(ahead)
    means, n = areas.mean(axis=1), areas.shape[1]
    best = means.argmax()
    error = max(np.sqrt((areas[best].var() + 0.25 / (n + 1)) / n), chance)
    paired = areas[best] - areas[0]
    gain = means[best] - max(means[0], 0.5)
    if gain <= max(3 * np.sqrt((paired.var() + 0.0625 / (n + 1)) / n), 2 * chance):
        return 0.0, means, error
    return strengths[1 + np.flatnonzero(means[1:] >= means[best] - error)[0]], means, error


@pytest.mark.parametrize("kinds", ["labels", "similar", "each row once"])
def test_strength_is_that_of_a_naive_count_over_rows_left_out(kinds):
    X, y = labelled(50, 4, seed=3)
    X[:, 0] += 2 * y
    pairs = Pairs.from_labels(np.where(np.arange(50) < 30, y, -2), unknown=-2)
    if kinds == "similar":
        pairs = Pairs(similar=pairs.similar[::3])
    if kinds == "each row once":
        order = np.argsort(y, kind="stable")
        pairs = Pairs(similar=order[: 2 * (len(order) // 2)].reshape(-1, 2))
    named = named_rows(X, pairs, FeatureSpace(4))
    assert_array_equal(named.Z, X)  # fewer rows than stand for any
    rng = np.random.default_rng(0)
    fold_of = named.folds(5, rng)
    chance = spread_by_chance(named, rng, SETTINGS)
    strength, means, error = naive_choice(X, pairs, fold_of, chance, SETTINGS)
    found = choose_strength(named, Spread.of(X), np.random.default_rng(0))
    assert found.strength == strength
    assert strength > 0 or kinds == "each row once"
    assert found.without == pytest.approx(means[0], abs=1e-9)
    assert found.best == pytest.approx(means.max(), abs=1e-9)
    assert found.error == pytest.approx(error, abs=1e-9)


def test_chance_is_how_much_the_areas_of_shuffled_labels_vary():
    X, y = labelled(60, 4)
    y[:50] = 0  # ten rows are called unlike all others: all areas rise and fall with these
    rng = np.random.default_rng(0)
    shuffled = [
        choose_strength(
            named_rows(X, Pairs.from_labels(rng.permutation(y)), FeatureSpace(4)),
            Spread.of(X),
            np.random.default_rng(0),
        )
        for _ in range(40)
    ]
    chance = spread_by_chance(named_rows(X, Pairs.from_labels(y), FeatureSpace(4)), rng, SETTINGS)
    assert 0.5 < chance / np.std([one.without for one in shuffled]) < 2.5


def test_pairs_that_name_each_row_once_are_used_where_they_foretell_one_another():
    X, y = labelled(400, 6, seed=4)
    order = np.random.default_rng(4).permutation(400)
    order = order[np.argsort(y[order], kind="stable")]
    true = Pairs(
        similar=order[y[order] == 1][:120].reshape(-1, 2),
        dissimilar=np.column_stack([order[y[order] == 1][120:180], order[y[order] == 0][120:180]]),
    )
    assert len(true.rows) == 2 * 120  # each once
    assert EquivalenceMetric().fit(X, side=true).strength_ > 0
    random = Pairs(similar=np.random.default_rng(4).permutation(400)[:240].reshape(-1, 2))
    assert EquivalenceMetric().fit(X, side=random).strength_ == 0


def test_one_decomposition_maps_rows_for_every_strength():
    X, y = labelled(30)
    named = named_rows(X, Pairs.from_labels(y, max_pairs=25), FeatureSpace(5))
    problem = named.problem(Spread.of(X), 0)
    mapped = mapping_by_strength(problem)
    for strength in (0.0, 0.3, 30.0):
        Z, A = mapped(X, strength), safe_metric(problem, strength).inner
        assert_allclose(pdist(Z, "sqeuclidean"), pdist(X, "mahalanobis", VI=A) ** 2, rtol=1e-9)


def test_rows_are_left_out_together_where_they_name_only_each_other():
    X = np.zeros((40, 2))
    pairs = Pairs(
        similar=[(0, 1), (2, 3), (4, 5), (10, 11), (11, 12), (12, 13)], dissimilar=[(6, 7)]
    )
    folds = named_rows(X, pairs, FeatureSpace(2)).folds(5, np.random.default_rng(0))
    assert set(np.flatnonzero(folds >= 0)) == set(pairs.rows)
    assert all(folds[a] == folds[b] for a, b in [(0, 1), (2, 3), (4, 5), (6, 7)])
    assert len(set(folds[10:14])) > 1
    labels = Pairs.from_labels([0, 1] * 20)
    counts = np.bincount(named_rows(X, labels, FeatureSpace(2)).folds(5, np.random.default_rng(1)))
    assert_array_equal(counts, [8] * 5)


def test_areas_are_those_under_the_curve():
    rng = np.random.default_rng(0)
    distances = rng.integers(6, size=(5, 30)).astype(float)  # with ties
    kind = rng.integers(3, size=(5, 30))
    areas = rank_areas(distances, kind == 1, kind == 2)
    for row in range(5):
        asked = kind[row] > 0
        assert areas[row] == pytest.approx(
            roc_auc_score(kind[row][asked] == 2, distances[row][asked])
        )


def test_scatter_of_pairs_is_the_mean_of_their_differences():
    X, y = labelled(30)
    X += 1e3
    pairs = Pairs.from_labels(y, max_pairs=50).similar
    scatter = PairScatter.of(X, pairs)
    assert_allclose(scatter.mean, mean_outer(X, pairs), rtol=1e-9)
    assert (scatter.count, scatter.rank) == (50, graph_rank(pairs))


def test_few_pairs_are_not_trusted_far():
    assert SETTINGS.strengths[: SETTINGS.trusted(1)] == (0.0, 0.3)
    assert SETTINGS.strengths[: SETTINGS.trusted(20)] == (0.0, 0.3, 1.0, 3.0)
    assert LeaveOutSettings(strengths=(0.0, 5.0, 7.0), pairs_for_one=2).trusted(10) == 2


def test_overwhelming_evidence_is_trusted():
    X, y = labelled(60)
    X[:, 0] = y + 0.01 * X[:, 0]  # sharp, and small beside the noise
    named = named_rows(X, Pairs.from_labels(y), FeatureSpace(5))
    choices = [
        choose_strength(
            named, Spread.of(X), np.random.default_rng(0), LeaveOutSettings(overwhelming=errors)
        )
        for errors in (4.0, np.inf)
    ]
    assert choices[0].strength >= 30 > 10 >= choices[1].strength
    assert choices[0].with_it > choices[1].with_it + 0.1


@pytest.mark.parametrize("n_pairs", [10, 100, None])
def test_pairs_of_shuffled_labels_are_not_used_and_the_report_says_so(n_pairs):
    used = 0
    for seed in range(300, 310):
        X, y = labelled(120, 8, seed)
        shuffled = np.random.default_rng(seed).permutation(y)
        metric = EquivalenceMetric().fit(X, side=Pairs.from_labels(shuffled, max_pairs=n_pairs))
        if metric.strength_ == 0:
            assert_array_equal(metric.transform(X), X)
            assert_array_equal(metric.metric_, np.eye(8))
            assert metric.report_.startswith("not used")
        used += metric.strength_ > 0
    assert used <= 1


def test_pairs_of_some_classes_shuffled_are_not_believed_for_the_classes_being_named():
    rng = np.random.default_rng(5)
    y = rng.integers(4, size=200)
    X = rng.normal(size=(200, 6)) + 3 * rng.normal(size=(4, 6))[y]
    told = np.where(y < 2, rng.integers(2, size=200), -2)  # two of four classes, mixed up
    drawn = Pairs.from_labels(told, unknown=-2, max_pairs=300)
    metric = EquivalenceMetric().fit(X, side=Pairs(similar=drawn.similar))
    assert metric.strength_ == 0


def test_one_class_that_is_all_like_itself_is_compared_with_any_row():
    X, y = labelled(100, 6)
    X[:, 0] += 2 * y
    members = np.flatnonzero(y)[:30]
    pairs = Pairs(similar=[(a, b) for a in members for b in members if a < b])
    assert EquivalenceMetric().fit(X, side=pairs).strength_ > 0


def test_labels_that_are_true_are_used_and_many_that_are_random_are_refuted():
    X, y = labelled(200, 8)
    true = EquivalenceMetric().fit(X, side=Pairs.from_labels(y))
    assert true.strength_ >= 1
    assert not true.refuted_
    assert true.report_.startswith(f"used at the strength {true.strength_:g}")
    random = Pairs.from_labels(np.random.default_rng(0).permutation(y))
    assert EquivalenceMetric().fit(X, side=random).refuted_
    few = Pairs.from_labels(np.random.default_rng(0).permutation(y), max_pairs=5)
    assert not EquivalenceMetric().fit(X, side=few).refuted_  # nobody can know


@pytest.mark.parametrize("n_known", [40, 50, 60, 80, 100])
def test_true_labels_of_some_digits_do_not_wreck_the_map_of_the_others(n_known):
    X, y = load_digits(return_X_y=True)
    gains = []
    for seed in range(700, 704):
        rng = np.random.default_rng([seed, n_known])
        rows = rng.choice(len(X), 600, replace=False)
        known = np.where(np.arange(600) < n_known, y[rows], -1)
        Z = EquivalenceMetric().fit(X[rows], side=Pairs.from_labels(known)).transform(X[rows])
        plain, told = (Isomap().fit(V).embedding_ for V in (X[rows], Z))
        others = np.arange(n_known, 600)
        accuracies = [
            np.mean(y[rows][others][_second_nearest(V[others])] == y[rows][others])
            for V in (plain, told)
        ]
        gains.append(accuracies[1] - accuracies[0])
    assert np.mean(gains) > -0.02
    assert np.min(gains) > -0.08


def _second_nearest(Z):
    distances = cdist(Z, Z)
    np.fill_diagonal(distances, np.inf)
    return distances.argmin(axis=1)


def test_graph_of_the_pairs():
    pairs = np.array([[0, 1], [1, 2], [0, 2], [7, 9], [9, 7]])
    assert graph_rank(pairs) == 3
    X = np.random.default_rng(0).normal(size=(10, 8))
    some, every = spanning_forest(pairs), pairs
    differences = np.vstack([X[p[:, 0]] - X[p[:, 1]] for p in (some, every)])
    assert len(some) == np.linalg.matrix_rank(differences) == 3


def test_many_features_and_five_pairs_never_make_a_square_matrix(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 4096))
    monkeypatch.setenv("SIDELIGHT_MEMORY_LIMIT", "100MB")
    side = Pairs(similar=[(0, 1), (2, 3)], dissimilar=[(0, 2)])
    metric = EquivalenceMetric(strength=1.0).fit(X, side=side)
    Z = metric.transform(X)
    before, after = (np.linalg.norm(V[0] - V[1]) for V in (X, Z))
    assert after < before
    with pytest.raises(MemoryError, match="4096 × 4096"):
        _ = metric.metric_


def test_beyond_the_affordable_the_span_is_sketched_and_named_pairs_still_shrink(monkeypatch):
    rng = np.random.default_rng(0)
    monkeypatch.setattr(opening, "MOST_FEATURES", 50)
    monkeypatch.setattr(opening, "BACKGROUND_ROWS", 100)
    monkeypatch.setattr(opening, "BACKGROUND_WIDTH", 30)
    low = rng.normal(size=(200, 10)) @ rng.normal(size=(10, 120))
    pairs = Pairs(similar=rng.permutation(200)[:60].reshape(30, 2))
    metric = EquivalenceMetric(strength=1.0).fit(low, side=pairs)
    assert metric._row_metric.space.dimension == 60
    monkeypatch.undo()
    whole = EquivalenceMetric(strength=1.0).fit(low, side=pairs)
    ratio = metric.distances(low)[np.triu_indices(200, 1)] / pdist(whole.transform(low))
    assert ratio.std() / ratio.mean() < 0.05  # only T is estimated, from half of the rows


def test_rows_keep_their_mean_squared_distance_beyond_the_span_too(monkeypatch):
    """tr(AT) = tr(T), where the span is sketched and leaves much of T out."""
    monkeypatch.setattr(opening, "MOST_FEATURES", 50)
    monkeypatch.setattr(opening, "BACKGROUND_WIDTH", 20)
    X, y = labelled(100, 80)
    pairs = Pairs.from_labels(np.where(np.arange(100) < 6, y, -2), unknown=-2)
    metric = EquivalenceMetric(strength=10.0).fit(X, side=pairs)
    assert metric._row_metric.space.dimension == 25
    T = 2 * np.cov(X.T)
    assert np.trace(metric.metric_ @ T) == pytest.approx(np.trace(T))
    before, after = (np.mean(pdist(Z) ** 2) for Z in (X, metric.transform(X)))
    assert after == pytest.approx(before)


def test_kernel_form_with_the_linear_kernel_is_the_linear_form():
    X, y = labelled()
    pairs = Pairs.from_labels(y, max_pairs=60)
    new = np.random.default_rng(9).normal(size=(8, 5))
    for loss in ("safe", "thesis"):
        plain = EquivalenceMetric(loss).fit(X, side=pairs)
        by_kernel = EquivalenceMetric(loss, kernel="linear").fit(X, side=pairs)
        given = EquivalenceMetric(loss, kernel="precomputed").fit(X @ X.T, side=pairs)
        assert_allclose(by_kernel.distances(new, X), plain.distances(new, X), atol=1e-8)
        assert_allclose(given.distances(new @ X.T, X @ X.T), plain.distances(new, X), atol=1e-8)
        assert by_kernel.strength_ == plain.strength_


def test_kernel_metric_is_a_quadratic_form_in_kernel_values_of_trace_one():
    X, y = labelled()
    metric = EquivalenceMetric("thesis", kernel="rbf", gamma=0.1).fit(X, side=Pairs.from_labels(y))
    K = np.exp(-0.1 * cdist(X, X, "sqeuclidean"))
    A = metric.metric_
    assert np.trace(K @ A) == pytest.approx(1)
    k = K[4] - K[11]
    assert metric.distances(X)[4, 11] == pytest.approx(np.sqrt(k @ A @ k), rel=1e-6)


def test_rings_are_told_apart_by_a_kernel_and_by_no_line():
    X, y = make_circles(300, factor=0.5, noise=0.05, random_state=0)
    pairs = Pairs.from_labels(np.where(np.arange(300) < 150, y, -2), unknown=-2, max_pairs=300)
    unseen = np.arange(150, 300)
    apart = (y[unseen][:, None] != y[unseen])[np.triu_indices(150, 1)]

    def area(metric):
        metric.fit(X, side=pairs)
        return roc_auc_score(apart, pdist(metric.transform(X[unseen])))

    assert area(EquivalenceMetric()) < 0.8
    assert area(EquivalenceMetric(kernel="rbf")) >= 0.99
    assert area(EquivalenceMetric("thesis", kernel="rbf")) >= 0.99


def test_a_kernel_over_many_rows_is_expanded_in_some_of_them(monkeypatch):
    monkeypatch.setattr(opening, "MOST_KERNEL_ROWS", 120)
    monkeypatch.setattr(opening, "BACKGROUND_ROWS", 40)
    X, y = make_circles(400, factor=0.4, noise=0.05, random_state=0)
    pairs = Pairs.from_labels(y, max_pairs=200)
    metric = EquivalenceMetric(kernel="rbf").fit(X, side=pairs)
    assert len(metric.metric_) == 120
    apart = (y[:, None] != y)[np.triu_indices(400, 1)]
    assert roc_auc_score(apart, pdist(metric.transform(X))) > 0.98


def test_one_wrong_pair_in_ten_is_tolerated():
    X, y = load_digits(return_X_y=True)
    shuffled = np.random.default_rng(0).permutation(len(X))[:900]
    X, y = X[shuffled], y[shuffled]
    pairs = Pairs.from_labels(y[:450], max_pairs=400)
    wrong = Pairs(
        similar=np.vstack([pairs.similar[40:], pairs.dissimilar[:40]]),
        dissimilar=np.vstack([pairs.dissimilar[40:], pairs.similar[:40]]),
    )

    def accuracy(side):
        model = make_pipeline(EquivalenceMetric(), KNeighborsClassifier(5))
        model.fit(X[:450], y[:450], equivalencemetric__side=side)
        return model.score(X[450:], y[450:])

    euclidean = accuracy(None)
    assert accuracy(pairs) >= euclidean - 0.02
    assert accuracy(wrong) >= euclidean - 0.02


def test_same_input_gives_the_same_metric():
    X, y = labelled(80)
    pairs = Pairs(similar=Pairs.from_labels(y).similar)
    metric = EquivalenceMetric()
    first = metric.fit(X, side=pairs).transform(X)
    assert_array_equal(clone(metric).fit(X, side=pairs).transform(X), first)


def test_rows_that_are_all_the_same_keep_their_metric():
    metric = EquivalenceMetric().fit(np.ones((4, 3)), side=Pairs(similar=[(0, 1)]))
    assert_allclose(metric.metric_, np.eye(3))


def test_columns_keep_their_names_and_a_kernel_s_are_numbered():
    import pandas as pd

    X, y = labelled()
    frame = pd.DataFrame(X, columns=list("abcde"))
    pairs = Pairs.from_labels(y)
    metric = EquivalenceMetric().set_output(transform="pandas").fit(frame, side=pairs)
    assert list(metric.transform(frame).columns) == list("abcde")
    assert isinstance(metric.distances(frame), np.ndarray)
    by_kernel = EquivalenceMetric(kernel="linear").fit(frame, side=pairs)
    assert by_kernel.get_feature_names_out()[0] == "equivalencemetric0"
    assert len(by_kernel.get_feature_names_out()) == by_kernel.transform(frame).shape[1] == 5


@pytest.mark.parametrize(
    ("side", "match"),
    [
        (Pairs(similar=[(0, 60)]), r"\[0, 60\)"),
        (Pairs(), "at least one pair"),
        (Pairs(similar=[(0, 1)], dissimilar=[(1, 0)]), r"contradict .* \(0, 1\)"),
        (Distances([(0, 1)], [1.0]), "does not understand Distances"),
        ([(0, 1)], "Did you mean Pairs"),
    ],
)
def test_side_information_that_does_not_fit_is_refused(side, match):
    with pytest.raises(ValueError, match=match) as refused:
        EquivalenceMetric().fit(labelled()[0], side=side)
    assert "EquivalenceMetric" in str(refused.value)


@pytest.mark.parametrize(
    "parameters",
    [{"loss": "hinge"}, {"strength": -1}, {"strength": "much"}, {"kernel": "rfb"}, {"gamma": 0}],
)
def test_parameters_that_do_not_fit_are_refused(parameters):
    (name,) = parameters
    with pytest.raises(ValueError, match=f"The '{name}' parameter of EquivalenceMetric"):
        EquivalenceMetric(**parameters).fit(labelled()[0])


def test_a_precomputed_kernel_is_square():
    with pytest.raises(ValueError, match="square"):
        EquivalenceMetric(kernel="precomputed").fit(np.ones((4, 3)))


def test_a_relation_of_names_is_the_metric_of_labels():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 5))
    names = np.where(X[:, 1] > 0, "up", "down")
    told = EquivalenceMetric().fit(X, side=Relation.from_values(names))
    expected = EquivalenceMetric().fit(X, side=Pairs.from_labels(names))
    assert told.strength_ == expected.strength_ > 0
    np.testing.assert_array_equal(told.metric_, expected.metric_)
    some = [name if i < 20 else None for i, name in enumerate(names.tolist())]
    others = Relation.from_values(names[20:], np.arange(20, 90))
    both = EquivalenceMetric().fit(X, side=[Pairs.from_labels(some), others])
    assert both.strength_ > 0


def test_numbers_known_of_some_rows_show_in_the_metric_of_all():
    for seed in range(420, 425):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((300, 6))
        told = Relation.from_values(X[:60, 2] + 0.1 * rng.standard_normal(60), np.arange(60))
        A = EquivalenceMetric().fit(X, side=told).metric_
        assert A[2, 2] > 3 * np.delete(np.diag(A), 2).max()


def test_a_relation_that_says_nothing_is_the_euclidean_metric():
    X = np.random.default_rng(0).standard_normal((30, 3))
    told = EquivalenceMetric().fit(X, side=Relation(np.ones((30, 30))))
    np.testing.assert_array_equal(told.transform(X), X)
    assert told.report_ == "not used: all rows are equally alike"
