"""DistanceSelection: the widest columns for the rows' own distances, planted ones for known."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import pdist
from sklearn.utils.estimator_checks import parametrize_with_checks

import sidelight
from sidelight.metric import DistanceSelection
from sidelight.metric.learning.columns import best_columns, judged_columns
from sidelight.side import Distances


@parametrize_with_checks([DistanceSelection()])
def test_scikit_learn_s_checks_pass(estimator, check):
    check(estimator)


def known(X, columns, n_pairs, rng, noise=0.0):
    pairs = np.array([rng.choice(len(X), 2, replace=False) for _ in range(n_pairs)])
    values = np.linalg.norm(X[pairs[:, 0]][:, columns] - X[pairs[:, 1]][:, columns], axis=1)
    return Distances(pairs, values * np.exp(noise * rng.standard_normal(n_pairs)))


def test_the_rows_own_distances_are_kept_best_by_the_widest_columns():
    X = np.random.default_rng(0).standard_normal((15, 6)) * [1, 3, 2, 0.5, 1.5, 0.2]
    model = DistanceSelection(3).fit(X)
    assert_array_equal(model.order_, np.argsort(-X.var(axis=0))[:3])
    of_all = pdist(X, "sqeuclidean")
    errors = {
        chosen: np.abs(of_all - pdist(X[:, chosen], "sqeuclidean")).mean()
        for chosen in combinations(range(6), 3)
    }
    best = min(errors, key=errors.get)
    assert tuple(model.get_support(indices=True)) == best
    # over all pairs, those of a row with itself among them
    assert_allclose(model.errors_[-1], errors[best] * 14 / 15)
    assert_array_equal(model.transform(X), X[:, list(best)])
    assert_array_equal(model.inverse_transform(model.transform(X))[:, list(best)], X[:, list(best)])
    some = DistanceSelection().fit(X)
    assert some.errors_[-1] <= 0.1 * of_all.mean() < some.errors_[-2]


def test_planted_columns_are_found_on_most_draws():
    found, exact = 0, 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((60, 12))
        columns = np.sort(rng.choice(12, 3, replace=False))
        model = DistanceSelection().fit(X, side=known(X, columns, 120, rng))
        exact += bool(model.report_.startswith("used") and model.errors_[-1] < 1e-12)
        model = DistanceSelection().fit(X, side=known(X, columns, 120, rng, noise=0.1))
        found += np.array_equal(model.get_support(indices=True), columns)
    assert exact == 10
    assert found >= 8


def test_no_exchange_of_one_column_lowers_the_error():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        squares, target = rng.random((40, 8)) ** 2, 3 * rng.random(40)
        order, errors = best_columns(squares, target, 3)

        def error(columns, squares=squares, target=target):
            return np.abs(target - squares[:, columns].sum(axis=1)).mean()

        assert error(order) == pytest.approx(errors[-1])
        for place in range(3):
            for other in set(range(8)) - set(order.tolist()):
                changed = order.copy()
                changed[place] = other
                assert error(changed) >= errors[-1] - 1e-9


def test_distances_that_tell_nothing_change_nothing():
    used = 0
    for seed in range(20):
        rng = np.random.default_rng(100 + seed)
        X = rng.standard_normal((50, 8))
        told = known(X, np.arange(8), 80, rng)
        wrong = Distances(told.pairs, rng.permutation(told.values))
        model = DistanceSelection().fit(X, side=wrong)
        used += model.report_.startswith("used")
        if not model.report_.startswith("used"):
            assert_array_equal(model.transform(X), X)
    assert used <= 1


def naively_judged(squares, target, pairs):
    """Errors of pairs of rows left out, by columns added one by one; how many are kept, if any."""
    rows = np.unique(pairs)
    part_of = dict(zip(rows, np.random.default_rng(0).permutation(len(rows)) % 5, strict=True))
    p, missed = squares.shape[1], []
    for part in range(5):
        out = np.array([part in (part_of[a], part_of[b]) for a, b in pairs])
        if out.all() or not out.any():
            continue
        order, told = [], np.zeros((~out).sum())
        for _ in range(p):
            left = [k for k in range(p) if k not in order]
            tried = [np.abs(target[~out] - told - squares[~out, k]).mean() for k in left]
            order.append(left[int(np.argmin(tried))])
            told = told + squares[~out, order[-1]]
        for t, row in zip(target[out], squares[out][:, order], strict=True):
            sums = [np.median(target[~out]), *np.cumsum(row)]
            missed.append([abs(t - each) for each in sums])
    if not missed:
        return p, False
    missed = np.array(missed)
    means = missed.mean(axis=0)
    best = 1 + int(np.argmin(means[1:]))
    doubts = (missed - missed[:, [best]]).std(axis=0) / np.sqrt(len(missed))
    clear = [means[k] - means[best] > 2 * doubts[k] for k in (0, p)]
    count = 1 + int(np.argmax(means[1:] <= means[best] + doubts[1:]))
    return count, all(clear) and len(missed) >= 10


def test_columns_are_judged_by_pairs_of_rows_left_out():
    """Against a naive count: of few pairs and many, told well and badly."""
    used, found, expected = 0, [], []
    for seed in range(240):
        rng = np.random.default_rng([7, seed])
        X = rng.standard_normal((40, 4))
        told = known(X, [0, 2], int(rng.integers(4, 60)), rng, noise=float(rng.uniform(0, 1)))
        squares = (X[told.pairs[:, 0]] - X[told.pairs[:, 1]]) ** 2
        judged = judged_columns(squares, told.values**2, told.pairs)
        found.append((judged.count, judged.used))
        expected.append(naively_judged(squares, told.values**2, told.pairs))
        used += judged.used
    assert found == expected
    assert 40 < used < 200


def test_as_many_as_are_asked_for():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((30, 5))
    side = known(X, [0, 2], 40, rng)
    for count in (1, 2, 5):
        assert DistanceSelection(count).fit(X, side=side).support_.sum() == count
    with pytest.raises(ValueError, match="'n_features_to_select' .* at most n_features=5. Got 6"):
        DistanceSelection(6).fit(X)
    with pytest.raises(ValueError, match="'n_features_to_select' parameter of DistanceSelection"):
        DistanceSelection("many").fit(X)


def test_a_file_holds_the_columns(tmp_path):
    X = np.random.default_rng(4).standard_normal((20, 4))
    model = DistanceSelection(2).fit(X)
    loaded = sidelight.load(sidelight.save(model, tmp_path / "columns.sidelight"))
    assert_array_equal(loaded.transform(X), model.transform(X))
    assert_array_equal(loaded.order_, model.order_)
