"""A neighbour embedding that is interrupted keeps what is known, and goes on to the same map."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits

from sidelight import NeighborEmbedding
from sidelight.core import InterruptedFitWarning
from sidelight.core.progress import listening
from sidelight.side import Anchors, Distances
from tests.interruption import stop_at

INDEX = np.array([0, 40, 90, 140])
ANCHORS = Anchors(INDEX, 100.0 * np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]))
APART = Distances([(3, 50), (7, 120), (20, 160)], [30.0, 45.0, 60.0])
STEPS = 60


@pytest.fixture(scope="module")
def X():
    return load_digits().data[:200]


# the second time that so many steps are done is in the settling around what is known
@pytest.mark.parametrize("times", [1, 2], ids=["in the first map", "in the settling"])
@pytest.mark.parametrize("side", [ANCHORS, APART], ids=["anchors", "distances"])
def test_what_is_known_holds_in_an_interrupted_map_which_goes_on_to_the_same(X, side, times):
    whole = NeighborEmbedding(max_iter=STEPS).fit(X, side=side)
    model = NeighborEmbedding(max_iter=STEPS, warm_start=True)
    stop = stop_at("neighbour embedding", 20, times)
    with listening(stop), pytest.warns(InterruptedFitWarning):
        model.fit(X, side=side)
    Z = model.embedding_
    assert not np.array_equal(Z, whole.embedding_)
    if side is ANCHORS:
        np.testing.assert_allclose(Z[INDEX], ANCHORS.positions, atol=1e-9)
    else:
        found = np.linalg.norm(Z[APART.pairs[:, 0]] - Z[APART.pairs[:, 1]], axis=1)
        np.testing.assert_allclose(found, APART.values, rtol=1e-3)
    assert model.n_iter_ == (20 if times == 1 else STEPS)
    model.fit(X, side=side)
    np.testing.assert_array_equal(model.embedding_, whole.embedding_)
    assert model.n_iter_ == STEPS
