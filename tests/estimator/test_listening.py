"""Densities and ways back behind a metric that acts in front."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight import GPLVM, Isomap, KernelInformationEmbedding, ProbabilisticPCA
from sidelight.estimator import deviations_behind_front, listening
from sidelight.metric import DistanceMetric, EquivalenceMetric, FactorRemoval
from sidelight.side import Condition, Distances, Pairs

RNG = np.random.default_rng(0)
X = RNG.standard_normal((80, 4)) @ np.diag([3.0, 2.0, 1.0, 0.5])
SIDE = Pairs.from_labels(X[:, 2] > 0, max_pairs=200)
METRIC = EquivalenceMetric().fit(X, side=SIDE)


def test_deviations_are_those_of_a_linear_map():
    std = RNG.random((5, 4))
    weights = METRIC.inverse_transform(np.eye(4))
    covariances = np.einsum("ki,nk,kj->nij", weights, std**2, weights)
    expected = np.sqrt(covariances.diagonal(axis1=1, axis2=2))
    np.testing.assert_allclose(deviations_behind_front(std, (METRIC,)), expected)
    removal = FactorRemoval().fit(X, side=Condition(np.arange(80) % 2))
    np.testing.assert_array_equal(deviations_behind_front(std, (removal,)), std)


def test_the_pairs_are_used():
    assert METRIC.strength_ > 0
    np.testing.assert_allclose(METRIC.inverse_transform(METRIC.transform(X)), X, atol=1e-9)


def test_a_gaussian_density_is_of_rows_behind_the_metric():
    model = ProbabilisticPCA().fit(X, side=SIDE)
    metric = model.side_metrics_[0]
    assert not np.allclose(metric.metric_, np.eye(4))
    plain = ProbabilisticPCA().fit(metric.transform(X))
    mapped = metric.transform(X[:7])
    np.testing.assert_allclose(model.score_samples(X[:7]), plain.score_samples(mapped))
    for given, expected in zip(model.posterior(X[:7]), plain.posterior(mapped), strict=True):
        np.testing.assert_allclose(given, expected, atol=1e-12)
    np.testing.assert_allclose(model.impute(X[:7]), X[:7], atol=1e-9)


@pytest.mark.parametrize("method", [GPLVM, KernelInformationEmbedding])
def test_the_way_back_and_how_sure_it_is(method):
    plain, model = method().fit(METRIC.transform(X)), method().fit(X, side=SIDE)
    Z = plain.embedding_[:6]
    mean, std = plain.inverse_transform(Z, return_std=True)
    given = model.inverse_transform(Z, return_std=True)
    np.testing.assert_allclose(given[0], METRIC.inverse_transform(mean), atol=1e-8)
    np.testing.assert_allclose(given[1], deviations_behind_front(std, (METRIC,)), atol=1e-8)
    np.testing.assert_allclose(model.inverse_transform(Z), given[0])


def test_items_without_noise_and_with_entries_filled_in():
    plain = KernelInformationEmbedding().fit(METRIC.transform(X))
    model = KernelInformationEmbedding().fit(X, side=SIDE)
    clean = METRIC.inverse_transform(plain.denoise(METRIC.transform(X[:5])))
    np.testing.assert_allclose(model.denoise(X[:5]), clean, atol=1e-8)
    np.testing.assert_allclose(model.impute(X[:5]), X[:5], atol=1e-9)


def test_a_factor_in_front_is_named_for_new_rows():
    batch = np.arange(80) % 2
    shifted = X + batch[:, None] * [4.0, 4.0, 4.0, 4.0]
    told = Condition(batch.astype(str))
    model = ProbabilisticPCA().fit(shifted, side=told)
    some = Condition(told.values[:6])
    mean, _ = model.posterior(shifted[:6], condition=some)
    np.testing.assert_allclose(mean, model.embedding_[:6], atol=1e-9)
    assert np.isfinite(model.score_samples(shifted[:6], condition=some)).all()
    process = GPLVM().fit(shifted, side=told)
    places = process.transform(shifted[:6], condition=some)
    np.testing.assert_allclose(places, process.embedding_[:6], atol=1e-9)
    with pytest.raises(ValueError, match="condition="):
        process.transform(shifted[:6])


def test_missing_values_have_no_metric():
    holes = X.copy()
    holes[3, 1] = np.nan
    for method in (GPLVM, ProbabilisticPCA):
        with pytest.raises(ValueError, match=f"{method.__name__} cannot learn a metric from Pairs"):
            method().fit(holes, side=SIDE)


def test_codes_have_no_metric():
    codes = RNG.integers(3, size=(40, 4)).astype(float)
    with pytest.raises(ValueError, match="kernel='discrete' compares codes.*leave Pairs out"):
        KernelInformationEmbedding(kernel="discrete").fit(codes, side=Pairs(similar=[(0, 1)]))


@pytest.mark.parametrize("used", [True, False])
def test_what_acts_in_front_is_learned_once_though_pairs_are_left_out_of_the_graph(
    monkeypatch, used
):
    """The factor, whose warning came twice, and distances unless a metric of pairs is new."""
    counts = {FactorRemoval: 0, EquivalenceMetric: 0, DistanceMetric: 0}
    for learner in counts:

        def counted(self, X, y=None, *, side=None, fit=learner.fit, learner=learner):
            counts[learner] += 1
            if learner is EquivalenceMetric:
                self.strength = float(used)
            return fit(self, X, side=side)

        monkeypatch.setattr(learner, "fit", counted)
    monkeypatch.setattr(listening, "metric_for_map", lambda X, pairs, learned, embed: learned)
    batch = np.arange(80) % 2
    shifted = X + 4.0 * batch[:, None]
    distances = Distances([(0, 1), (2, 3)], [1.0, 2.0])
    side = [Condition(batch.astype(str)), Pairs(similar=[(0, 1), (5, 9)]), distances]
    told = Isomap(n_neighbors=8).fit(shifted, side=side)
    assert [heard.place for heard in told.side_report_] == ["in front"] * 3
    assert counts[FactorRemoval] == counts[EquivalenceMetric] == 1
    assert counts[DistanceMetric] == 1 + used
