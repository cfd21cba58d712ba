"""MultiAttributeMetric: the projector on the attributes' directions, and the mean of metrics."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.utils.estimator_checks import check_estimator

from sidelight.metric import EquivalenceMetric, MultiAttributeMetric
from sidelight.side import Attributes, Pairs, Relation


def two_attributes(n=80, p=6, seed=0):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(2, size=(2, n))
    X = rng.normal(size=(n, p)) * 2
    X[:, 0] += 4 * a
    X[:, 1] += 4 * b
    return X, Pairs.from_labels(a), Pairs.from_labels(b)


@pytest.mark.parametrize("estimator", [MultiAttributeMetric(), MultiAttributeMetric("thesis")])
def test_scikit_learn_s_checks_pass(estimator):
    check_estimator(estimator)


def test_nothing_known_is_the_euclidean_metric_to_the_bit():
    X = two_attributes()[0]
    assert_array_equal(MultiAttributeMetric().fit(X).transform(X), X)


def test_thesis_metric_projects_on_the_dominant_eigenvectors():
    X, first, second = two_attributes()
    metric = MultiAttributeMetric("thesis").fit(X, side=Attributes([first, second]))
    directions = []
    for pairs in (first, second):
        s, o = (X[p[:, 0]] - X[p[:, 1]] for p in (pairs.similar, pairs.dissimilar))
        directions.append(np.linalg.eigh(s.T @ s - o.T @ o)[1][:, 0])
    U = scipy.linalg.orth(np.column_stack(directions))
    assert_allclose(metric.metric_, U @ U.T, atol=1e-10)
    assert_allclose(metric.metric_ @ metric.metric_, metric.metric_, atol=1e-10)
    assert np.trace(metric.metric_) == pytest.approx(2)


def test_attributes_that_say_the_same_span_one_direction():
    X, first, _ = two_attributes()
    metric = MultiAttributeMetric("thesis").fit(X, side=Attributes([first, first]))
    assert np.trace(metric.metric_) == pytest.approx(1)


def test_an_attribute_without_a_single_direction_counts_with_its_eigenspace():
    X = np.vstack([np.zeros(4), np.eye(4)])
    side = Attributes([Pairs(similar=[(0, 1), (0, 2)]), Pairs(dissimilar=[(0, 2)])])
    metric = MultiAttributeMetric("thesis").fit(X, side=side)
    assert_allclose(metric.metric_, np.diag([0, 1, 1, 1]), atol=1e-12)


def test_safe_metric_is_the_mean_of_the_attributes_metrics():
    X, first, second = two_attributes()
    metric = MultiAttributeMetric().fit(X, side=Attributes([first, second]))
    each = [EquivalenceMetric().fit(X, side=pairs) for pairs in (first, second)]
    assert_allclose(metric.metric_, (each[0].metric_ + each[1].metric_) / 2, rtol=1e-12)
    assert_allclose(metric.strength_, [one.strength_ for one in each])
    squared = [one.distances(X) ** 2 for one in each]
    assert_allclose(metric.distances(X) ** 2, (squared[0] + squared[1]) / 2, atol=1e-9)
    weights = np.diag(metric.metric_)
    assert weights[:2].min() > 1.15 * weights[2:].max()


def test_an_attribute_that_foretells_nothing_is_not_used():
    X, first, _ = two_attributes()
    random = Pairs.from_labels(np.random.default_rng(1).integers(2, size=80), max_pairs=200)
    metric = MultiAttributeMetric().fit(X, side=Attributes([first, random]))
    alone = EquivalenceMetric().fit(X, side=first)
    assert metric.strength_[0] == alone.strength_ > 0 == metric.strength_[1]
    assert_allclose(metric.metric_, (alone.metric_ + np.eye(6)) / 2, rtol=1e-12, atol=1e-15)
    assert "attribute 0: used" in metric.report_
    assert "attribute 1: not used" in metric.report_
    neither = MultiAttributeMetric().fit(X, side=Attributes([random, random]))
    assert_array_equal(neither.transform(X), X)


def test_one_attribute_is_the_metric_of_its_pairs():
    X, first, _ = two_attributes()
    alone = EquivalenceMetric().fit(X, side=first)
    for side in (first, Attributes([first])):
        assert_allclose(MultiAttributeMetric().fit(X, side=side).metric_, alone.metric_)


def test_pairs_beside_attributes_are_one_more():
    X, first, second = two_attributes()
    both = MultiAttributeMetric().fit(X, side=Attributes([first, second])).metric_
    assert_allclose(MultiAttributeMetric().fit(X, side=[Attributes([first]), second]).metric_, both)


def test_every_relation_is_one_more_attribute():
    X, first, _ = two_attributes()
    told = Relation.from_values(X[:60, 2], index=np.arange(60))
    nothing = Relation(np.ones((80, 80)))
    metric = MultiAttributeMetric().fit(X, side=[first, told, nothing])
    each = [EquivalenceMetric().fit(X, side=side).metric_ for side in (first, told)]
    assert_allclose(metric.metric_, (each[0] + each[1]) / 2, rtol=1e-12)
    assert metric.strength_[2] == 0
    assert metric.report_.endswith("attribute 2: not used: all rows are equally alike")
    thesis = MultiAttributeMetric("thesis").fit(X, side=[told, nothing])
    assert_allclose(thesis.metric_, MultiAttributeMetric("thesis").fit(X, side=told).metric_)
    assert_array_equal(MultiAttributeMetric().fit(X, side=nothing).transform(X), X)


@pytest.mark.parametrize("loss", ["safe", "thesis"])
def test_kernel_form_with_the_linear_kernel_is_the_linear_form(loss):
    X, first, second = two_attributes()
    side = Attributes([first, second])
    plain = MultiAttributeMetric(loss).fit(X, side=side)
    by_kernel = MultiAttributeMetric(loss, kernel="linear").fit(X, side=side)
    new = np.random.default_rng(5).normal(size=(6, 6))
    assert_allclose(by_kernel.distances(new, X), plain.distances(new, X), atol=1e-8)


def test_a_contradiction_is_named_with_its_attribute():
    X, first, _ = two_attributes()
    torn = Pairs(similar=[(3, 4)], dissimilar=[(4, 3)])
    with pytest.raises(ValueError, match=r"attribute 1 contradict .* \(3, 4\)"):
        MultiAttributeMetric().fit(X, side=Attributes([first, torn]))
