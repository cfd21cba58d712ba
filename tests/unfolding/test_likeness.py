"""Rows as the judge of actions: those of a walk are followed, those of chance are not."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits

from sidelight import ActionRespectingEmbedding, SemidefiniteEmbedding
from sidelight.datasets import image_walk
from sidelight.side import Actions
from sidelight.unfolding.likeness import (
    LIKENESS,
    alike_together,
    nearest_in,
    why_not_followed,
)
from tests.unfolding.walks import wandering

BOTH = [ActionRespectingEmbedding, SemidefiniteEmbedding]


def digits_by_chance(seed, n=40):
    """Digits in any order, and actions that led from none of them to the next."""
    digits, rng = load_digits(), np.random.default_rng(seed)
    rows = rng.choice(len(digits.data), n, replace=False)
    return digits.data[rows], rng.integers(0, 4, n - 1).astype(str)


def test_alike_together_is_a_count_of_pairs():
    rng = np.random.default_rng(3)
    X, Z = rng.standard_normal((15, 4)), rng.integers(0, 3, (15, 2)).astype(float)  # with ties
    arrows = nearest_in(cdist(X, X), 4)
    each = []
    for i in range(15):
        near = set(arrows[[i]].indices.tolist())
        others = set(range(15)) - near - {i}
        d = np.linalg.norm(Z - Z[i], axis=1)
        won = [(d[j] < d[k]) + 0.5 * (d[j] == d[k]) for j in near for k in others]
        each.append(np.mean(won))
    assert alike_together(arrows, Z) == pytest.approx(np.mean(each))


def test_alike_together_knows_its_ends():
    x = np.arange(12.0)[:, None]
    arrows = nearest_in(np.abs(x - x.T), 2)
    assert alike_together(arrows, x) > 0.98  # all but the ends, where a tie is as near
    assert alike_together(arrows, 0 * x) == 0.5
    everyone = sp.csr_array(1 - np.eye(12))  # of whom none is left to compare with
    assert alike_together(everyone, x) == 1.0


@pytest.mark.parametrize("estimator", BOTH)
def test_actions_of_chance_are_left_out_with_a_warning(estimator):
    """Maps followed them, and showed nothing of the digits."""
    for seed in (70, 71, 72):
        X, labels = digits_by_chance(seed)
        with pytest.warns(UserWarning, match=f"{estimator.__name__}: the Actions are not followed"):
            told = estimator().fit(X, side=Actions(labels))
        np.testing.assert_array_equal(told.embedding_, estimator().fit(X).embedding_)
        (report,) = told.side_report_
        assert "not followed" in report.change
        assert "certain=True" in report.change


@pytest.mark.parametrize(("lost", "followed"), [(0.0, True), (0.06, True), (0.08, False)])
def test_a_map_with_actions_may_lose_a_little_of_what_it_shows_without(lost, followed):
    said = {"lost": LIKENESS.lost, "instead": "as without them", "who": "SemidefiniteEmbedding"}
    if followed:
        assert why_not_followed(0.8 - lost, 0.8, **said) == ""
    else:
        with pytest.warns(UserWarning, match="72% of the time, and 80% are asked for"):
            assert why_not_followed(0.8 - lost, 0.8, **said).startswith("not followed")


@pytest.mark.parametrize("estimator", BOTH)
def test_what_is_certain_is_followed(estimator):
    X, labels = digits_by_chance(70)
    told = estimator().fit(X, side=Actions(labels, certain=True))
    assert not np.allclose(told.embedding_, estimator().fit(X).embedding_)
    assert told.side_report_[0].change == ""


@pytest.mark.parametrize("estimator", BOTH)
def test_few_rows_are_not_judged(estimator):
    X, labels = digits_by_chance(73, LIKENESS.few - 1)
    told = estimator().fit(X, side=Actions(labels))
    sure = estimator().fit(X, side=Actions(labels, certain=True))
    np.testing.assert_array_equal(told.embedding_, sure.embedding_)


def test_actions_of_walks_are_followed():
    """Over six walks, with noise and without: all of them with actions alone."""
    for seed in range(20, 26):
        actions = wandering(40, 5, seed)
        noise = 0.1 * (seed % 2)
        walk = image_walk("texture", actions, patch_shape=(16, 16), noise=noise, random_state=seed)
        model = ActionRespectingEmbedding().fit(walk.X, side=Actions(actions))
        assert model.side_report_[0].change == ""
        assert set(model.actions_) == set(actions)


def test_actions_without_a_map_by_them_have_nothing_to_predict():
    X, labels = digits_by_chance(71)
    with pytest.warns(UserWarning, match="not followed"):
        model = ActionRespectingEmbedding().fit(X, side=Actions(labels))
    assert len(model.actions_) == 0
    with pytest.raises((ValueError, AttributeError), match="[Aa]ctions"):
        model.predict(0, labels[0])


@pytest.mark.parametrize("value", ["yes", 1, None])
def test_certain_is_a_truth_value(value):
    with pytest.raises(ValueError, match="'certain' argument of Actions must be True or False"):
        Actions(["a"], certain=value)
