"""As many dimensions as the neighbourhoods of the points show."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.neighbors import kneighbors_graph

from sidelight.datasets import swiss_roll
from sidelight.estimator import dimensions_of_points
from sidelight.estimator.points import points_of


def dimensions(X, metric="euclidean"):
    return dimensions_of_points(points_of(X, metric, who="Isomap"))


def test_data_distances_and_graphs_say_the_same():
    X = swiss_roll(400, random_state=0).X
    copies = np.vstack([X, X[:20]])
    assert dimensions(X) == 2
    assert dimensions(copies) == 2
    assert dimensions(sp.csr_array(X)) == 2
    assert dimensions(cdist(X, X), "precomputed") == 2
    graph = kneighbors_graph(X, 10, mode="distance")
    assert dimensions(graph, "precomputed") == 2
    assert dimensions(X, "manhattan") == 2


def test_never_more_than_the_data_have():
    rng = np.random.default_rng(0)
    assert dimensions(rng.random((200, 1))) == 1
    assert dimensions(rng.standard_normal((5, 40))) == 4


def test_what_says_nothing_about_the_dimension():
    with pytest.raises(ValueError, match="Isomap.*at least 4 distinct rows. Got 2"):
        dimensions(np.array([[0.0], [1.0], [1.0]]))
    ring = sp.csr_array(np.roll(np.eye(12), 1, axis=1) + np.roll(np.eye(12), -1, axis=1))
    with pytest.raises(ValueError, match="Isomap.*graph without lengths. Give a number"):
        dimensions(ring, "precomputed")
