"""Models of rows that stand alone among those of scikit-learn; labels are no outputs."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

pytest.importorskip("torch", reason="the gated models stand on torch")

from sidelight import gated
from sidelight.gated import BiasedAutoencoder, GatedAutoencoder, GatedBoltzmannMachine
from tests.gated.turning import turned

ALONE = [
    GatedBoltzmannMachine(2, output="gaussian", max_iter=5),
    GatedAutoencoder(2, max_iter=5),
    BiasedAutoencoder(2, max_iter=5),
]
X, Y, _ = turned(60, 0)
LABELS = (X[:, 0] > 0).astype(int)


def by_name(model):
    return type(model).__name__


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("model", ALONE, ids=by_name)
def test_scikit_learns_own_checks_pass(model):
    results = check_estimator(model, on_skip=None)
    assert not [r["check_name"] for r in results if r["status"] not in ("passed", "skipped")]


@pytest.mark.parametrize("model", ALONE, ids=by_name)
@pytest.mark.parametrize("labels", [LABELS, LABELS * 1.0, np.array(["off", "on"])[LABELS]])
def test_before_a_classifier_rows_are_learned_alone(model, labels):
    line = make_pipeline(model, LogisticRegression()).fit(X, labels)
    alone = type(model)(**model.get_params()).fit(X)
    np.testing.assert_array_equal(line[0].transform(X), alone.transform(X))
    assert set(line.predict(X)) <= set(labels)
    np.testing.assert_array_equal(model.fit(X, labels).transform(X), alone.transform(X))
    np.testing.assert_array_equal(model.fit_transform(X, Y), alone.transform(X))


def test_one_real_output_of_each_row_is_refused_as_a_table_and_taken_as_a_column():
    real = X[:, 0] + 0.5
    with pytest.raises(ValueError, match=r"Y to be a table .*Y\.reshape\(-1, 1\)"):
        BiasedAutoencoder(1, max_iter=2).fit(X, real)
    assert BiasedAutoencoder(1, max_iter=2).fit(X, real[:, None]).predict(X).shape == (60, 1)


@pytest.mark.parametrize("model", ALONE, ids=by_name)
def test_predictions_are_of_pairs(model):
    assert hasattr(type(model)(), "predict")
    model.fit(X, LABELS)
    assert not hasattr(model, "predict")
    with pytest.raises(ValueError, match=r"rows that stand alone.* fit\(X, Y\).* labels"):
        model.predict(X)
    assert model.fit(X, Y).predict(X).shape == Y.shape


def test_scores_are_means_and_choose_among_models():
    model = GatedBoltzmannMachine(3, max_iter=60).fit(X, Y)
    assert model.score(X, Y) == pytest.approx(model.score_samples(X, Y).mean())
    alone = GatedBoltzmannMachine(3, max_iter=60).fit(X)
    assert alone.score(X, LABELS) == alone.score(X) == pytest.approx(alone.score_samples(X).mean())
    many = turned(1000, 1)[:2]
    found = GridSearchCV(GatedBoltzmannMachine(4), {"max_iter": [1, 300]}, cv=2).fit(*many)
    assert found.best_params_ == {"max_iter": 300}


def asked_of(name):
    """Every public method of a model but those that fit, with tables for what it must be given."""
    kind = getattr(gated, name)
    table = {"X": X, "Y": Y, "Z": X}
    for method, function in inspect.getmembers(kind, inspect.isfunction):
        borrowed = function.__module__.startswith("sklearn.")
        if method.startswith("_") or "fit" in method or borrowed:
            continue
        names = [p for p in inspect.signature(function).parameters if p in table]
        yield method, [table[p] for p in names]
    if hasattr(kind, "get_feature_names_out"):
        yield "get_feature_names_out", []


@pytest.mark.parametrize("name", gated.__all__)
def test_a_model_that_has_learned_nothing_says_so_whatever_it_is_asked(name):
    asked = dict(asked_of(name))
    assert "predict" in asked
    for method, given in asked.items():
        with pytest.raises(NotFittedError):
            getattr(getattr(gated, name)(), method)(*given)
        if "Y" in inspect.signature(getattr(getattr(gated, name), method)).parameters:
            with pytest.raises((NotFittedError, TypeError)):
                getattr(getattr(gated, name)(), method)(given[0])
