"""Items predicted from their rivals near them in a map."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from sidelight.latent.conditioning.prediction import Prediction

SCALES = np.array([0.3, 1.0, 5.0])


def predicted_plainly(Z, Y, rivals, scale):
    """Σ_b r_ab k_ab y_b / Σ_b r_ab k_ab over all others b at once."""
    k = rivals * np.exp(-scale * cdist(Z, Z, "sqeuclidean"))
    np.fill_diagonal(k, 0.0)
    total = k.sum(axis=1, keepdims=True)
    predicted = np.divide(k @ Y, total, out=np.zeros_like(Y), where=total > 0)
    return np.mean((predicted - Y) ** 2)


@pytest.mark.parametrize("rivals", ["classes", "weights"])
@pytest.mark.parametrize("n_features", [3, 60])
def test_items_are_predicted_class_by_class_as_from_all_rivals_at_once(rivals, n_features):
    """One class has more items than columns, others fewer, and one item is alone."""
    rng = np.random.default_rng(4)
    classes = np.repeat([0, 1, 2, 3], [70, 25, 5, 1])[rng.permutation(101)]
    Y, Z = rng.normal(size=(101, n_features)) + 2, rng.normal(size=(101, 2))
    weights = (classes[:, None] == classes).astype(float)
    if rivals == "weights":
        weights = weights + np.exp(-cdist(Z[:, :1], Z[:, :1]))
    expected = [predicted_plainly(Z, Y, weights, scale) for scale in SCALES]
    judge = Prediction.of(Y, weights)
    np.testing.assert_allclose(judge.errors(Z, SCALES), expected, rtol=1e-9)
    assert judge.error(Z) == pytest.approx(expected[1], rel=1e-9)


def test_an_item_far_from_all_its_rivals_is_predicted_from_the_nearest():
    """Its kernel vanishes: the shares of its rivals are what counts."""
    Y = np.array([[0.0], [1.0], [5.0]])
    judge = Prediction.of(Y, np.ones((3, 3)))
    assert judge.error(np.array([[0.0], [50.0], [150.0]])) == pytest.approx((1 + 1 + 16) / 3)
