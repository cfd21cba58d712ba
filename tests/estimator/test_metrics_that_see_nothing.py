"""A metric by which rows that differ are one is named as the cause, before a map says nothing."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from sidelight import ClassicalMDS
from sidelight.estimator.points import points_of
from sidelight.registry import ESTIMATORS

BY_METRIC = [
    entry.name for entry in ESTIMATORS if "metric" in entry.load()().get_params(deep=False)
]


def rows(n=14, p=2):
    return np.random.default_rng(0).random((n, p)) + 0.1


def nothing(x, y):
    return 0.0


def fitted(name, metric, X):
    (entry,) = [entry for entry in ESTIMATORS if entry.name == name]
    return entry.load()(metric=metric).fit(X)


@pytest.mark.parametrize("name", BY_METRIC)
def test_rows_that_all_rise_are_one_by_their_correlation(name):
    complaint = f"'metric' parameter of {name} must tell rows of X apart. Got 'correlation'"
    with pytest.raises(ValueError, match=complaint):
        fitted(name, "correlation", np.sort(rows(), axis=1))


@pytest.mark.parametrize(
    ("metric", "X"),
    [
        ("cosine", rows(p=1)),
        ("cosine", np.outer(np.arange(1.0, 9.0), [1.0, 2.0, 0.5])),
        ("cosine", sp.csr_array(np.outer(np.arange(1.0, 9.0), [1.0, 0.0, 0.5]))),
        ("cosine", np.outer(np.arange(1.0, 9.0), [1, 2, 3]).astype(np.float32)),
        ("correlation", np.arange(8.0)[:, None] + [1.0, 5.0, 2.0]),
        (nothing, rows()),
    ],
)
def test_rows_that_differ_and_are_at_no_distance_are_refused(metric, X):
    with pytest.raises(ValueError, match="must tell rows of X apart.*though they differ"):
        ClassicalMDS(metric=metric).fit(X)


@pytest.mark.parametrize("written", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("name", BY_METRIC)
def test_rows_of_zeros_are_named_once_where_directions_count(name, written):
    X = rows(n=30, p=4)
    X[[6, 9]] = 0
    (entry,) = [entry for entry in ESTIMATORS if entry.name == name]
    if written is sp.csr_array and not entry.load()().__sklearn_tags__().input_tags.sparse:
        pytest.skip("takes no sparse rows")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        fitted(name, "cosine", written(X))
    said = [str(one.message) for one in told if "of zeros" in str(one.message)]
    assert len(said) == 1, said
    assert said[0].startswith(f"{name} got 2 rows of zeros (the first is row 6 of X)")


def test_nothing_is_said_of_zeros_where_there_are_none_or_they_have_a_place(recwarn):
    X = rows(n=14, p=3)
    points_of(X, "cosine", who="it")
    X[3] = 0
    points_of(X, "euclidean", who="it")
    assert not recwarn.list


def test_the_first_row_alone_may_be_at_no_distance_from_all():
    """By a measure that is no metric: of a row of nothing but no, yule says nothing."""
    answers = np.unique(np.random.default_rng(0).random((30, 8)) < 0.4, axis=0)
    assert not answers[0].any()
    assert points_of(answers * 1.0, "yule", who="it").n == len(answers)


def test_of_rows_that_are_all_the_same_no_metric_is_the_cause():
    assert not ClassicalMDS(metric="cosine").fit(np.ones((6, 3))).embedding_.any()


@pytest.mark.parametrize(("metric", "p"), [("correlation", 2), ("cosine", 1)])
def test_two_directions_are_said_to_be_no_more(metric, p):
    X = rows(p=p) - 0.5
    with pytest.warns(UserWarning, match=f"metric='{metric}' tells ClassicalMDS no more of X"):
        Z = ClassicalMDS(metric=metric).fit_transform(X)
    assert len(np.unique(Z.round(6), axis=0)) == 2


@pytest.mark.parametrize("last", [1, 9000])
def test_one_row_of_its_own_is_enough(last):
    """Wherever it is: rows are looked at in blocks."""
    X = np.outer(np.arange(1.0, 9002.0), np.ones(20))
    X[last, 0] += 0.5
    assert points_of(X, "cosine", who="it").n == len(X)


def test_small_angles_far_from_zero_are_seen():
    """Distances of 1e-16, which are their squares, would be lost to rounding."""
    far = rows() + 1e7
    assert points_of(far, "cosine", who="it").n == len(far)
    lifted = np.sort(rows(p=3), axis=1) + np.array([0, 1e-7, 0])
    assert points_of(lifted, "correlation", who="it").n == len(far)
