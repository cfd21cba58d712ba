"""Metrics that are given what cannot be used say so, and stay what they were."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from sidelight.metric import DistanceMetric, EquivalenceMetric, MultiAttributeMetric
from sidelight.side import Attributes, Distances, Pairs

PAIRS = Pairs(similar=[(0, 1), (2, 3)], dissimilar=[(0, 4)])
KNOWN = {
    EquivalenceMetric: PAIRS,
    MultiAttributeMetric: Attributes([PAIRS]),
    DistanceMetric: Distances([(0, 1), (2, 3)], [1.0, 2.0]),
}


@pytest.fixture(params=KNOWN, ids=lambda metric: metric.__name__)
def learner(request):
    return request.param


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((12, 4))


def test_a_refused_refit_leaves_the_learned_metric(learner, X):
    metric = learner().fit(X, side=KNOWN[learner])
    before = metric.transform(X)
    wider = np.column_stack([X, X])
    with pytest.raises(ValueError, match="side"):
        metric.fit(wider, side=object())
    with pytest.raises(ValueError, match="rows of X"):
        metric.fit(
            wider,
            side=type(PAIRS)(similar=[(0, 99)])
            if learner is not DistanceMetric
            else Distances([(0, 99)], [1.0]),
        )
    np.testing.assert_array_equal(metric.transform(X), before)
    assert metric.n_features_in_ == 4


def test_a_refused_first_fit_is_no_fit(learner, X):
    from sklearn.exceptions import NotFittedError

    metric = learner()
    with pytest.raises(ValueError, match="side"):
        metric.fit(X, side=object())
    with pytest.raises(NotFittedError):
        metric.transform(X)


@pytest.mark.parametrize("unit", [1e-300, 1e-100, 1e100, 1e300])
def test_units_whose_squares_are_lost_are_refused_by_name(learner, X, unit):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=f"{learner.__name__} cannot use X.*other units"):
            learner().fit(X * unit, side=KNOWN[learner])


def test_distances_whose_squares_are_lost_are_refused_by_name(X):
    with pytest.raises(ValueError, match="DistanceMetric cannot use Distances.*other units"):
        DistanceMetric().fit(X, side=Distances([(0, 1)], [1e200]))


def test_a_kernel_must_be_symmetric(learner, X):
    K = X @ X.T
    K[0, 1] += 1.0
    with pytest.raises(ValueError, match=f"{learner.__name__} expects X to be symmetric"):
        learner(kernel="precomputed").fit(K, side=KNOWN[learner])


def test_a_root_of_a_negative_number_is_no_kernel(learner, X):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=f"'kernel' parameter of {learner.__name__}.*degree"):
            learner(kernel="polynomial", degree=0.5, coef0=0.0).fit(X, side=KNOWN[learner])


@pytest.mark.parametrize(
    ("kernel", "unused"),
    [(None, {"gamma": 2.0}), ("linear", {"degree": 2}), ("rbf", {"coef0": 0.5})],
)
def test_parameters_of_a_kernel_that_is_not_there_are_refused(learner, X, kernel, unused):
    name = next(iter(unused))
    with pytest.raises(ValueError, match=f"{name!r} parameter of {learner.__name__} has no effect"):
        learner(kernel=kernel, **unused).fit(X, side=KNOWN[learner])
