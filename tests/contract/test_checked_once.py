"""X is checked once, when it comes: all that a fit does with it later takes it as it is."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.utils.validation import validate_data

from sidelight import Isomap
from sidelight.estimator import base
from sidelight.metric import base as metric_base
from sidelight.neighbors import arrows_to, checked_rows, given_distances, given_graph
from sidelight.neighbors import nearest_neighbors as neighbors_of
from sidelight.side import Actions, Pairs
from tests.fitting import cheap

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def checks(monkeypatch):
    """How often a table, a graph and rows of features were gone through, so far."""
    done = Counter()

    def counted(module, name, what):
        check = getattr(module, name)

        def counting(*given, **more):
            done[what] += 1
            return check(*given, **more)

        monkeypatch.setattr(module, name, counting)

    counted(given_distances, "_worst_asymmetry", "tables")
    counted(given_graph, "_check_directions", "graphs")
    counted(checked_rows, "check_finite", "features")
    return done


@pytest.fixture
def validated(monkeypatch):
    """The estimators that had scikit-learn go through a table, one after the other."""
    asked = []

    def validating(model, *given, **more):
        asked.append(model)
        return validate_data(model, *given, **more)

    for module in (base, metric_base):
        monkeypatch.setattr(module, "validate_data", validating)
    return asked


#: Methods that begin with a map by another, which is an estimator of its own.
BEGIN_WITH_ANOTHER = {"gplvm", "conditional"}


def test_features_are_validated_by_one_estimator(entry, X, validated):
    model = cheap(entry)
    model.fit(X[:60], **({"side": Actions(["on"] * 59)} if entry.command == "are" else {}))
    assert validated[0] is model
    assert len(validated) == 1 or entry.command in BEGIN_WITH_ANOTHER


def test_features_are_validated_once_whatever_is_known_about_them(entry, X, validated):
    """Where pairs did no good in the graph, X was gone through again for a metric in front."""
    if "Pairs" not in entry.understands:
        return
    model = cheap(entry)
    model.fit(X[:60], side=Pairs.from_labels(np.arange(60) % 3, max_pairs=60, random_state=0))
    assert sum(one is model for one in validated) == 1


def test_a_table(distance_entry, X, checks):
    if distance_entry.command == "are":  # which asks for actions
        return
    cheap(distance_entry).set_params(metric="precomputed").fit(cdist(X[:60], X[:60]))
    assert checks == {"tables": 1}


def test_a_graph(X, checks):
    Isomap(metric="precomputed").fit(arrows_to(neighbors_of(X, 12)))
    assert checks == {"graphs": 1, "features": 1}  # these, to make the graph


@pytest.mark.parametrize("radius", [None, 0.8])
def test_features_are_checked_as_every_scikit_learn_estimator_does(X, checks, radius):
    model = Isomap(radius=radius).fit(X[:60])
    model.transform(X[60:70])
    assert not checks


def test_pieces_of_a_table_are_joined_without_another_look(X, checks):
    apart = cdist(X[:60], X[:60])
    apart[:30, 30:] += 50.0
    apart[30:, :30] += 50.0
    Isomap(metric="precomputed").fit(apart)
    assert checks == {"tables": 1}
