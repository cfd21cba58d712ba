"""Pipelines in cross-validation of one's own: the step that listens is told."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose
from sklearn.decomposition import PCA as PlainPCA
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sidelight import PCA, FactorRemoval
from sidelight.model_selection import choose, cross_validate, search
from sidelight.side import Condition, Pairs

FOLDS = KFold(4, shuffle=True, random_state=0)
SCALES = np.array([1.0, 30.0, 0.2, 5.0])


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y, batch = rng.integers(3, size=(2, 160))
    X = (
        rng.normal(size=(160, 4))
        + 3 * rng.normal(size=(3, 4))[y]
        + 6 * rng.normal(size=(3, 4))[batch]
    )
    return SCALES * X, y, batch


@pytest.fixture(params=[False, True], ids=["as it is", "routing"])
def routing(request):
    with sklearn.config_context(enable_metadata_routing=request.param):
        yield request.param


def listening(estimator, routing):
    return estimator.set_fit_request(side=True) if routing else estimator


def test_where_nothing_is_known_a_pipeline_is_fitted_to_x_alone(data, routing):
    """It was given side=None, which a pipeline refuses."""
    X, y, _ = data
    pipe = make_pipeline(StandardScaler(), PCA(2))
    scores = cross_validate(pipe, X, y, cv=FOLDS, scoring="labels")
    scaled = StandardScaler().fit_transform(X)
    assert_allclose(scores, cross_validate(PCA(2), scaled, y, cv=FOLDS, scoring="labels"), atol=0.1)
    found = search(pipe, {"pca__n_components": [1, 3]}, X, y, cv=FOLDS, scoring="labels")
    assert found.parameters == {"pca__n_components": 3}
    assert found.model[-1].embedding_.shape == (160, 3)
    chosen = choose(pipe, "pca__n_components", X, y, values=[1, 3], cv=FOLDS, scoring="labels")
    assert chosen.model[-1].n_components_ == 3


def test_the_step_that_listens_is_told(data, routing):
    X, y, _ = data
    known = Pairs.from_labels(y, max_pairs=2000)
    pipe = make_pipeline(StandardScaler(), listening(PCA(2), routing))
    scores = cross_validate(pipe, X, side=known, cv=FOLDS, scoring="pairs")
    for score, (train, test) in zip(scores, FOLDS.split(X), strict=True):
        scaler = StandardScaler().fit(X[train])
        model = PCA(2).fit(scaler.transform(X[train]), side=known.within(train))
        Z, left = model.transform(scaler.transform(X[test])), known.within(test)
        near, far = (
            np.linalg.norm(Z[pairs[:, 0]] - Z[pairs[:, 1]], axis=1)
            for pairs in (left.similar, left.dissimilar)
        )
        assert score == pytest.approx((far[:, None] > near).mean())
    found = search(pipe, {"pca__n_components": [2]}, X, side=known, cv=FOLDS, scoring="pairs")
    assert [heard.kind for heard in found.model[-1].side_report_] == ["Pairs"]


@pytest.mark.parametrize("taking", [PCA(2), FactorRemoval()], ids=["in front", "alone"])
def test_rows_left_out_go_through_a_pipeline_by_their_own_condition(data, routing, taking):
    X, _, batch = data
    side = Condition(batch.astype(str))
    raw = make_pipeline(StandardScaler(), PlainPCA(2))
    pipe = make_pipeline(StandardScaler(), listening(sklearn.clone(taking), routing), PlainPCA(2))
    seen = cross_validate(raw, X, batch, cv=FOLDS, scoring="labels")
    left = cross_validate(pipe, X, batch, side=side, cv=FOLDS, scoring="labels")
    assert seen.mean() > 0.7
    assert left.mean() < 0.5  # of three batches


def test_nobody_guesses_which_of_several_steps_is_told(data):
    X, _, batch = data
    side = Condition(batch.astype(str))
    match = r"takes side information, and of factorremoval, pca factorremoval and pca do.*routing"
    with pytest.raises(ValueError, match=match):
        cross_validate(make_pipeline(FactorRemoval(), PCA(2)), X, side=side, cv=FOLDS)
    with pytest.raises(ValueError, match="standardscaler, pca none does"):
        cross_validate(make_pipeline(StandardScaler(), PlainPCA(2)), X, side=side, cv=FOLDS)
