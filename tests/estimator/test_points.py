"""The same questions to features, a table, a graph and items up to a transformation."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from sidelight import Isomap, embed
from sidelight.core.errors import DisconnectedGraphError
from sidelight.estimator.neighborhood import Reach
from sidelight.estimator.points import Invariant, points_of
from sidelight.neighbors import arrows_to, each_row, nearest_neighbors
from sidelight.side import Invariance
from sidelight.transforms import Shift


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).random((30, 4))


def kinds(X):
    D = cdist(X, X)
    return {
        "features": points_of(X, "euclidean", who="it"),
        "distances": points_of(D, "precomputed", who="it"),
        "graph": points_of(sp.csr_array(D), "precomputed", who="it"),
    }


def measured(X):
    return {name: points for name, points in kinds(X).items() if name != "graph"}


def items_up_to_shifts():
    measure = Invariance(Shift(), image_shape=(3, 3)).measure()
    return Invariant.of(np.random.default_rng(1).random((12, 9)), measure, who="it")


def test_rows_are_vectors_only_where_their_euclidean_distance_counts(X):
    plain, city = points_of(X, "euclidean", who="it"), points_of(X, "cityblock", who="it")
    assert plain.vectors is plain.features
    assert city.vectors is None
    np.testing.assert_array_equal(city.features, X)
    np.testing.assert_array_equal(city.as_vectors().vectors, X)
    found = kinds(X)
    for name in ("distances", "graph"):
        assert found[name].features is None
        assert found[name].vectors is None
        assert found[name].as_vectors() is found[name]
    shifted = items_up_to_shifts()
    assert shifted.features is shifted.rows
    assert shifted.vectors is None


def test_a_graph_alone_refuses_what_takes_all_pairs_in_the_words_of_who_asks(X):
    found = kinds(X)
    assert [name for name, points in found.items() if not points.complete] == ["graph"]
    for points in (*measured(X).values(), items_up_to_shifts()):
        points.require_all_pairs("no")
    with pytest.raises(ValueError, match="^no$"):
        found["graph"].require_all_pairs("no")
    for ask in (found["graph"].require_all_pairs, found["graph"].table):
        with pytest.raises(ValueError, match="it needs the distances between all rows"):
            ask()


def test_remoteness_is_that_of_the_vectors_whoever_is_asked(X):
    counts = np.arange(1, 31)
    middle = np.average(X, axis=0, weights=counts)
    expected = np.sum((X - middle) ** 2, axis=1)
    for points in (*measured(X).values(), points_of(sp.csr_array(X), "euclidean", who="it")):
        np.testing.assert_allclose(points.remoteness(counts), expected, rtol=1e-10)
    shifted = items_up_to_shifts()
    table = points_of(shifted.table(), "precomputed", who="it")
    ones = np.ones(12, dtype=int)
    np.testing.assert_allclose(shifted.remoteness(ones), table.remoteness(ones))
    with pytest.raises(ValueError, match="sparse graph"):
        kinds(X)["graph"].remoteness(counts)


def test_the_shortest_way_is_the_same_whoever_is_asked(X):
    members, goals = np.arange(0, 30, 3), np.arange(1, 30, 2)
    goals = np.setdiff1d(goals, members)
    D = cdist(X, X)[np.ix_(members, goals)]
    i, j = np.unravel_index(D.argmin(), D.shape)
    for points in kinds(X).values():
        assert points.shortest_way(members, goals) == (members[i], goals[j])


def test_the_shortest_way_of_a_graph_goes_along_edges_of_either_direction():
    one_way = sp.csr_array(([2.0, 1.0, 5.0], ([3, 0, 1], [0, 1, 2])), shape=(4, 4))
    points = points_of(one_way, "precomputed", who="it")
    assert points.shortest_way(np.array([0, 1]), np.array([2, 3])) == (0, 3)
    with pytest.raises(DisconnectedGraphError, match="given to it has no edge out of a set of 1"):
        points.shortest_way(np.array([2]), np.array([3]))


def test_points_that_come_again_as_new_are_as_far_from_the_others(X):
    some = np.array([4, 11, 25])
    for points in measured(X).values():
        new = points.as_new(some)
        np.testing.assert_allclose(points.table(new), cdist(X[some], X), atol=1e-12)
        seen = new.seen_from(np.arange(10), np.array([0, 2]))
        here = points.take(np.arange(10)).table(seen)
        np.testing.assert_allclose(here, cdist(X[[4, 25]], X[:10]), atol=1e-12)


def test_new_points_of_a_graph_reach_those_that_an_edge_leads_to(X):
    near = sp.csr_array(arrows_to(nearest_neighbors(X, 3)))
    graph = points_of(near, "precomputed", who="it")
    some, members = np.array([4, 11, 25]), np.arange(12)
    new = graph.as_new(some)
    np.testing.assert_array_equal(new.rows.toarray(), near.toarray()[some])
    led = (near.toarray()[some][:, members] > 0).any(axis=1)
    assert 0 < led.sum() < 3
    np.testing.assert_array_equal(new.reaches(members), led)
    seen = new.seen_from(members, np.flatnonzero(led))
    np.testing.assert_array_equal(seen.rows.toarray(), near.toarray()[some[led]][:, members])
    for points in measured(X).values():
        assert points.as_new(some).reaches(members).all()


@pytest.mark.parametrize("reach", [Reach(4), Reach(radius=0.4)])
def test_new_rows_have_the_same_neighbours_in_reach_whoever_is_asked(X, reach):
    new = X[:6] + 0.02
    D = cdist(new, X)
    asked = {"features": new, "distances": D, "graph": sp.csr_array(D)}
    expected = None
    for name, points in kinds(X).items():
        near = reach.of_new(points, points.of_new(asked[name], each_row(30)))
        found = [
            dict(zip(i[np.isfinite(d)], d[np.isfinite(d)].round(9), strict=True))
            for i, d in zip(near.indices, near.distances, strict=True)
        ]
        expected = expected or found
        assert found == expected
    counts = {len(row) for row in expected}
    assert counts == {4} if reach.k else len(counts) > 1


def test_a_table_of_distances_that_is_read_as_features_is_doubted(recwarn):
    X = np.random.default_rng(0).normal(size=(30, 3))
    D = cdist(X, X)
    with pytest.warns(UserWarning, match="Isomap: X is square and symmetric.*metric='precomputed'"):
        Isomap(n_neighbors=5).fit(D)
    recwarn.clear()
    Isomap(metric="precomputed", n_neighbors=5).fit(D)
    Isomap(n_neighbors=5).fit(X)
    embed(D, metric="euclidean", method="isomap")  # who says so is not doubted
    assert not [told for told in recwarn if "square and symmetric" in str(told.message)]
