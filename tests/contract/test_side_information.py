"""Side information: in the same place for every estimator, understood or refused by name."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from sidelight.metric import DistanceMetric, EquivalenceMetric, MultiAttributeMetric
from sidelight.registry import ESTIMATORS, MAPS
from sidelight.side import Actions, Anchors, Attributes, Distances, Pairs

INFORMED = [entry for entry in MAPS if "Pairs" in entry.understands]
PAIRS = Pairs(similar=[(0, 5), (3, 80), (12, 40)], dissimilar=[(1, 90), (7, 100)])
DISTANCES = Distances([(0, 9), (4, 60), (21, 33)], [1.0, 0.4, 2.0])
KINDS = {
    "pairs": (PAIRS, EquivalenceMetric),
    "attributes": (Attributes([PAIRS, Pairs(similar=[(2, 8)])]), MultiAttributeMetric),
    "distances": (DISTANCES, DistanceMetric),
}


@pytest.fixture(params=INFORMED, ids=lambda entry: entry.name)
def informed(request):
    """Every estimator that listens to pairs, set to do so through a learned metric."""
    model = request.param.load()()
    return model.set_params(side_as="metric") if "side_as" in model.get_params() else model


def test_the_registry_says_what_the_classes_say():
    for entry in ESTIMATORS:
        assert set(entry.load()._understands) == set(entry.understands), entry.name


@pytest.mark.parametrize("nothing", [None, []])
def test_nothing_known_is_the_plain_method_to_the_bit(informed, X, new, nothing):
    plain = clone(informed).fit(X)
    given = clone(informed).fit(X, side=nothing)
    np.testing.assert_array_equal(given.embedding_, plain.embedding_)
    np.testing.assert_array_equal(given.transform(new), plain.transform(new))


@pytest.mark.filterwarnings("ignore::sidelight.errors.DisconnectedGraphWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_the_plain_method_on_rows_in_the_learned_metric(informed, X, new, kind):
    side, learner = KINDS[kind]
    metric = learner().fit(X, side=side)
    expected = clone(informed).fit(metric.transform(X))
    given = clone(informed).fit(X, side=side)
    np.testing.assert_allclose(given.embedding_, expected.embedding_, atol=1e-10)
    np.testing.assert_allclose(
        given.transform(new), expected.transform(metric.transform(new)), atol=1e-10
    )
    np.testing.assert_allclose(given.transform(X), given.embedding_, atol=1e-6)
    back = given.inverse_transform(given.embedding_)
    assert np.mean((back - X) ** 2) < X.var(axis=0).mean()  # in the units of the data
    assert not np.allclose(given.side_metrics_[0].metric_, np.eye(X.shape[1]))


def test_two_kinds_at_once(informed, X):
    given = informed.fit(X, side=[DISTANCES, PAIRS])
    assert [type(m).__name__ for m in given.side_metrics_] == [
        "EquivalenceMetric",
        "DistanceMetric",
    ]


def test_what_is_not_understood_is_refused_with_who_does(estimator, X):
    name = type(estimator).__name__
    with pytest.raises(ValueError, match=f"{name}.*Anchors"):
        estimator.fit(X, side=Anchors([0], [[1.0, 2.0]]))
    if "Actions" not in estimator._understands:
        with pytest.raises(ValueError, match=f"{name}.*Actions"):
            estimator.fit(X, side=Actions(["left"] * (len(X) - 1)))
    if "Pairs" not in estimator._understands:
        with pytest.raises(ValueError, match=f"{name}.*Pairs.*Isomap"):
            estimator.fit(X, side=PAIRS)
    assert not hasattr(estimator, "embedding_")


def test_a_learned_metric_needs_feature_vectors(informed, X):
    from scipy.spatial.distance import cdist

    with pytest.raises(ValueError, match="metric must be 'euclidean'.*'precomputed'"):
        informed.set_params(metric="precomputed").fit(cdist(X, X), side=PAIRS)


def test_rows_that_are_not_there(informed, X):
    with pytest.raises(ValueError, match="160"):
        informed.fit(X, side=Pairs(similar=[(0, 160)]))
    assert not hasattr(informed, "embedding_")
