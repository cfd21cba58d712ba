"""Tables of distances: what passes, and what is said of what does not."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight.neighbors import nearest_neighbors
from sidelight.neighbors.given_distances import as_distances, check_distance_block, check_distances


def table():
    x = np.array([0.0, 1.0, 3.0, 7.0])
    return np.abs(x[:, None] - x)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_good_table_is_not_copied(dtype):
    D = table().astype(dtype)
    assert check_distances(D, who="Isomap") is D
    whole = check_distances(table().astype(int), who="Isomap")
    np.testing.assert_array_equal(whole, table())


@pytest.mark.parametrize(("place", "size"), [((0, 3), 7.0), ((2, 2), 7.0)])
def test_a_table_of_distances_is_known_by_its_looks_up_to_rounding(place, size):
    """By more than 1e-8 of the largest distance it is no table of distances, and read as rows."""
    for share, looks in ((0.0, True), (5e-9, True), (2e-8, False), (1e-6, False)):
        D = table()
        D[place] += share * size
        found = as_distances(D)
        assert (found is not None) == looks
        if looks:
            np.testing.assert_allclose(found, table(), atol=1e-7)
            assert not found.diagonal().any()
    single = table().astype(np.float32) * (1 + 1e-7 * np.tri(4, dtype=np.float32))
    assert as_distances(single) is not None


def test_rounding_is_forgiven():
    D = table()
    D[0, 3] += 6e-8
    check_distances(D, who="Isomap")


def broken(i, j, value):
    D = table()
    D[i, j] = value
    return D


@pytest.mark.parametrize(
    ("D", "message"),
    [
        (table()[:3], r"parameter of Isomap must be a square table.*Got shape \(3, 4\)"),
        (broken(1, 2, -2.0), "Got -2 between rows 1 and 2, the worst pair"),
        (broken(2, 2, 0.5), "zero diagonal.*a distance of 0.5 from row 2 to itself"),
        (broken(3, 1, 6.5), "Got 6 from row 1 to row 3 but 6.5 back.*X.T"),
        (broken(0, 1, np.nan), "Input contains NaN"),
        (table().astype(complex), "real table"),
        (table()[0], "real table"),
    ],
)
def test_bad_tables(D, message):
    with pytest.raises(ValueError, match=message):
        check_distances(D, who="Isomap")
    with pytest.raises(ValueError, match=message):
        nearest_neighbors(D, 1, metric="precomputed", who="Isomap")


def test_the_worst_pair_is_found_in_any_tile(monkeypatch):
    from sidelight.neighbors import given_distances as precomputed

    blocks = precomputed.row_blocks
    monkeypatch.setattr(precomputed, "row_blocks", lambda n, *_, **__: blocks(n, 1.0, budget=7.0))
    rng = np.random.default_rng(0)
    for _ in range(20):
        points = rng.normal(size=(30, 2))
        D = np.linalg.norm(points[:, None] - points, axis=2)
        i, j = sorted(rng.choice(30, size=2, replace=False))
        D[i, j] += 0.5
        k, l = sorted(rng.choice(30, size=2, replace=False))
        D[l, k] += 0.25
        with pytest.raises(ValueError, match=f"from row {i} to row {j} but"):
            check_distances(D, who="Isomap")


def test_blocks_for_new_points():
    block = table()[:2]
    assert check_distance_block(block, 4, who="Isomap") is block
    with pytest.raises(ValueError, match=r"distances to all 5 rows of X.*Got 4 column"):
        check_distance_block(block, 5, who="Isomap")
    with pytest.raises(ValueError, match="not negative"):
        check_distance_block(-block, 4, who="Isomap")


def test_a_graph_of_neighbours_is_sent_to_the_distances_along_it():
    from sidelight import ClassicalMDS, Isomap
    from sidelight.neighbors import neighborhood_graph
    from sidelight.similarity.geodesic import geodesic_distances

    X = np.random.default_rng(0).random((60, 3))
    graph = neighborhood_graph(X, n_neighbors=8)
    with pytest.raises(ValueError, match="ClassicalMDS.*such as Isomap.*geodesic_distances"):
        ClassicalMDS(metric="precomputed").fit(graph)
    along = ClassicalMDS(2, metric="precomputed").fit(geodesic_distances(graph))
    expected = Isomap(2, n_neighbors=8).fit(X)
    np.testing.assert_allclose(along.embedding_, expected.embedding_, atol=1e-9)


def test_a_table_is_symmetric_but_for_rounding_beside_its_largest():
    D = np.array([[0.0, 1.0, 9.0], [1.0, 0.0, 2.0], [9.0, 2.0, 0.0]])
    rounded, wrong = D.copy(), D.copy()
    rounded[0, 1] += 5e-9 * 9
    wrong[0, 1] += 1e-6
    assert check_distances(rounded, who="here") is rounded
    with pytest.raises(ValueError, match="must be symmetric"):
        check_distances(wrong, who="here")
