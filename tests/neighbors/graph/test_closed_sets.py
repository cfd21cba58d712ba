"""Sets that no arrow leaves, and their shortest way out."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from sidelight import LocallyLinearEmbedding
from sidelight.estimator.points import points_of
from sidelight.neighbors import nearest_neighbors
from sidelight.neighbors.graph.closed_sets import closed_classes, open_closed_classes


def arrows(X, k):
    near = nearest_neighbors(X, k)
    n = len(X)
    return sp.csr_array(
        (np.ones(n * k), near.indices.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n)
    )


def two_clusters_and_a_bridge():
    """Tight ends, whose neighbours stay inside, and loose points between that look outwards."""
    rng = np.random.default_rng(0)
    left, right = rng.normal(0, 0.01, (12, 2)), rng.normal([10, 0], 0.01, (12, 2))
    bridge = np.column_stack([np.linspace(1, 9, 9), rng.normal(0, 0.1, 9)])
    return np.vstack([left, bridge, right])


def test_closed_classes_against_reachability():
    for seed in range(5):
        directed = sp.random_array((25, 25), density=0.05, rng=seed, format="csr")
        reach = np.linalg.matrix_power(np.eye(25) + (directed.toarray() > 0), 25) > 0
        closed = {
            tuple(np.flatnonzero(reach[i]))
            for i in range(25)
            if all(reach[j, i] for j in np.flatnonzero(reach[i]))
        }
        assert {tuple(c) for c in closed_classes(sp.csr_array(directed))} == closed


def test_the_way_out_is_the_shortest():
    X = two_clusters_and_a_bridge()
    directed = arrows(X, 4)
    classes = closed_classes(directed)
    assert len(classes) == 2
    opened, n_opened = open_closed_classes(directed, points_of(X, "euclidean", who="").shortest_way)
    assert n_opened == 1
    assert len(closed_classes(opened)) == 1
    added = (opened.toarray() > 0) & (directed.toarray() == 0)
    (i,), (j,) = np.nonzero(added)
    # from the smaller set to the nearest point that leads to the larger one
    larger, smaller = sorted(classes, key=len, reverse=True)
    reach = np.linalg.matrix_power(np.eye(len(X)) + directed.toarray(), len(X)) > 0
    leading = np.flatnonzero(reach[:, larger].any(axis=1))
    D = cdist(X, X)
    assert i in smaller
    assert j in leading
    assert D[i, j] == D[np.ix_(smaller, leading)].min()
    of_table = points_of(D, "precomputed", who="")
    same, n_same = open_closed_classes(directed, of_table.shortest_way)
    assert n_same == 1
    np.testing.assert_array_equal(same.toarray(), opened.toarray())


def test_lle_does_not_collapse_on_closed_sets():
    """Weakly connected, yet two sets could collapse at no cost: there are two null vectors."""
    import pytest

    from sidelight.core.errors import DisconnectedGraphWarning

    X = two_clusters_and_a_bridge()
    with pytest.warns(DisconnectedGraphWarning, match="all their neighbours within the set"):
        lle = LocallyLinearEmbedding(1, n_neighbors=4).fit(X)
    F = lle._map.kernel.of_points.A  # I − W
    values = np.linalg.eigvalsh((F.T @ F).toarray())
    assert values[1] > 100 * abs(values[0])  # only the constant is free
