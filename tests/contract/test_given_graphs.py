"""Sparse neighbourhood graphs, given with metric="precomputed" to every estimator that has one."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.neighbors import KNeighborsTransformer, NearestNeighbors, kneighbors_graph
from sklearn.pipeline import make_pipeline

import sidelight
from sidelight import (
    ActionRespectingEmbedding,
    AcyclicLocallyLinearEmbedding,
    Isomap,
    LaplacianEigenmaps,
    LocallyLinearEmbedding,
    MaximumEntropyUnfolding,
    NeighborEmbedding,
    SemidefiniteEmbedding,
)
from sidelight.core.errors import DisconnectedGraphError, DisconnectedGraphWarning
from sidelight.embedding import embed
from sidelight.neighbors import arrows_to, nearest_neighbors
from sidelight.quality import quality_report
from sidelight.side import Actions, Distances
from tests.comparison import gap_between

#: An estimator on data, the same on their graph, and how many neighbours that graph holds: the
#: local Gram matrices of LLE take the distances among neighbours as well.  Of a table or a graph
#: the field counts one feature, so that γ is for a whole row.
PAIRS = {
    "Isomap": ({}, {}, 10),
    "LaplacianEigenmaps": ({"weights": "heat"}, {"weights": "heat"}, 10),
    "LocallyLinearEmbedding": ({"n_neighbors": 7}, {"n_neighbors": 7}, 60),
    "HybridEmbedding": ({"n_neighbors": 7}, {"n_neighbors": 7}, 60),
    "SemidefiniteEmbedding": ({}, {}, 10),
    "MaximumEntropyUnfolding": ({"gamma": 0.05}, {"gamma": 0.01}, 10),
    "NeighborEmbedding": ({"n_neighbors": 10, "init": "spectral"}, {}, 10),
}


@pytest.fixture(scope="session")
def X():
    """A noisy bent sheet, as of the other contracts, with fewer rows."""
    rng = np.random.default_rng(0)
    t, h = 3 * rng.random(110), 2 * rng.random(110)
    sheet = np.column_stack([np.cos(t), np.sin(t), h, t / 2, h * t / 4])
    return sheet + 0.02 * rng.standard_normal(sheet.shape)


@pytest.fixture(scope="session")
def new(X):
    rng = np.random.default_rng(1)
    return X[:20] + 0.03 * rng.standard_normal((20, X.shape[1]))


@pytest.fixture(params=PAIRS)
def pair(request):
    of_data, of_graph, k = PAIRS[request.param]
    estimator = getattr(sidelight, request.param)
    return estimator(**of_data), estimator(metric="precomputed", **of_graph), k


def graph_of(X, k):
    return arrows_to(nearest_neighbors(X, k))


def test_the_graph_of_the_data_gives_the_map_of_the_data(pair, X):
    on_data, on_graph, k = pair
    expected = on_data.fit(X).embedding_
    found = on_graph.fit(graph_of(X, k)).embedding_
    np.testing.assert_allclose(found, expected, atol=1e-8 * np.abs(expected).max())


def test_a_larger_graph_is_cut_to_the_neighbours_asked_for(pair, X):
    on_data, on_graph, k = pair
    wanted = 7 if k == 60 else k
    expected = on_data.set_params(n_neighbors=wanted).fit(X).embedding_
    found = on_graph.set_params(n_neighbors=wanted).fit(graph_of(X, 70)).embedding_
    np.testing.assert_allclose(found, expected, atol=1e-8 * np.abs(expected).max())
    with pytest.raises(ValueError, match="'n_neighbors' parameter of .*Got 30, and"):
        on_graph.set_params(n_neighbors=30).fit(graph_of(X, 12))


def test_new_rows_by_a_sparse_block(pair, X, new):
    on_data, on_graph, _ = pair
    on_data.set_params(n_neighbors=7).fit(X)
    # all distances among neighbours are in this graph, so that nothing is measured along it
    on_graph.set_params(n_neighbors=7).fit(graph_of(X, 80))
    block = NearestNeighbors(n_neighbors=30).fit(X).kneighbors_graph(new, mode="distance")
    found, expected = on_graph.transform(block), on_data.transform(new)
    scale = np.abs(on_data.embedding_).max()
    np.testing.assert_allclose(found, expected, atol=1e-7 * scale)
    with pytest.raises(ValueError, match=r"must be a sparse array"):
        on_graph.transform(cdist(new, X))


def test_new_rows_whose_neighbours_are_not_joined_land_near_their_like(pair, X, new):
    _, on_graph, k = pair
    on_graph.fit(graph_of(X, k))
    block = NearestNeighbors(n_neighbors=10).fit(X).kneighbors_graph(new, mode="distance")
    spread = np.linalg.norm(on_graph.embedding_.std(axis=0))
    moved = np.linalg.norm(on_graph.transform(block) - on_graph.embedding_[:20], axis=1)
    assert np.median(moved) < 0.1 * spread
    assert moved.max() < 0.5 * spread


def test_training_rows_with_their_zero_are_where_they_are(pair, X):
    _, on_graph, k = pair
    with_self = KNeighborsTransformer(n_neighbors=k, mode="distance").fit_transform(X)
    Z = on_graph.fit_transform(with_self)
    np.testing.assert_allclose(on_graph.transform(with_self), Z, atol=1e-6 * np.abs(Z).max())


def test_the_training_graph_itself_is_where_it_is(pair, X):
    """Nothing is stored of a row and itself: maps were off by 3 (Isomap) to 34 %."""
    _, on_graph, k = pair
    graph = graph_of(X, k)
    Z = on_graph.fit_transform(graph)
    assert (graph.diagonal() == 0).all()
    assert graph.nnz == k * len(X)
    np.testing.assert_array_equal(on_graph.transform(graph), Z)
    some = on_graph.transform(graph[[3, 50]])  # each row depends on itself alone
    np.testing.assert_array_equal(some, Z[[3, 50]])
    near = sp.csr_array(graph[[3]]) * (1 + 1e-9)  # not the same, and not far
    np.testing.assert_allclose(on_graph.transform(near), Z[[3]], atol=0.5 * np.abs(Z).max())


def test_rows_that_share_all_their_edges_are_not_taken_for_each_other():
    """Two ends of a path that hang on the same vertex: which of them came is not known."""
    edges = np.array([[0, 2], [1, 2], [2, 3], [3, 4], [4, 5], [3, 5]])
    i, j = np.vstack([edges, edges[:, ::-1]]).T
    graph = sp.csr_array((np.ones(len(i)), (i, j)), shape=(6, 6))
    model = sidelight.Isomap(2, metric="precomputed").fit(graph)
    Z = model.transform(graph)
    np.testing.assert_array_equal(Z[0], Z[1])
    np.testing.assert_array_equal(Z[2:], model.embedding_[2:])


def test_a_zero_that_products_of_rows_left_a_trace_of_is_a_zero(pair, X):
    """Scikit-learn's distance of a row to itself is 6e-8 on some processors, and 0 on others."""
    _, on_graph, k = pair
    exact = KNeighborsTransformer(n_neighbors=k, mode="distance").fit_transform(X)
    exact.setdiag(0.0)
    traced = exact.copy()
    traced.setdiag(np.where(np.arange(len(X)) % 3 == 0, 6e-8, 0.0))
    Z = on_graph.fit_transform(exact)
    np.testing.assert_array_equal(on_graph.fit_transform(traced), Z)
    np.testing.assert_array_equal(on_graph.transform(traced), on_graph.transform(exact))
    traced.setdiag(np.where(np.arange(len(X)) % 3 == 0, 1e-3, 0.0))
    with pytest.raises(
        ValueError, match="must not join a row to itself. Got an edge of length 0.0"
    ):
        on_graph.fit(traced)


def test_one_direction_of_an_edge_is_enough(X):
    whole = graph_of(X, 10).maximum(graph_of(X, 10).T)
    for estimator in (Isomap, LaplacianEigenmaps, MaximumEntropyUnfolding, NeighborEmbedding):
        both = estimator(metric="precomputed").fit(whole).embedding_
        half = estimator(metric="precomputed").fit(sp.triu(whole)).embedding_
        np.testing.assert_array_equal(half, both)
    with pytest.raises(ValueError, match=r"stores none for .*X.maximum\(X.T\)"):
        LocallyLinearEmbedding(metric="precomputed").fit(sp.triu(whole))


def test_copies_are_one_point_of_the_graph(pair, X):
    on_data, on_graph, _ = pair
    copies = np.vstack([X, X[:40], X[:10]])
    graph = sp.csr_array(cdist(copies, copies))
    i, j = np.r_[110:150, 150:160], np.r_[0:40, 0:10]
    zeros = sp.coo_array((np.zeros(50), (i, j)), shape=graph.shape)
    entries = sp.coo_array(graph)
    graph = sp.coo_array(
        (
            np.append(entries.data, zeros.data),
            (np.append(entries.row, zeros.row), np.append(entries.col, zeros.col)),
        ),
        shape=graph.shape,
    )
    expected = on_data.set_params(n_neighbors=7).fit(copies).embedding_
    found = on_graph.set_params(n_neighbors=7).fit(graph).embedding_
    np.testing.assert_array_equal(found[110:150], found[:40])
    np.testing.assert_allclose(found, expected, atol=1e-7 * np.abs(expected).max())


def test_saved_and_loaded_it_places_new_rows_the_same(pair, X, new, tmp_path):
    _, on_graph, k = pair
    on_graph.fit(graph_of(X, k), items=X)
    block = sp.csr_array(cdist(new, X))
    sidelight.save(on_graph, tmp_path / "m.sidelight")
    again = sidelight.load(tmp_path / "m.sidelight")
    np.testing.assert_array_equal(again.embedding_, on_graph.embedding_)
    block = (
        block
        if k == 60
        else NearestNeighbors(n_neighbors=k).fit(X).kneighbors_graph(new, mode="distance")
    )
    np.testing.assert_array_equal(again.transform(block), on_graph.transform(block))
    back = again.inverse_transform(again.embedding_[:5])
    np.testing.assert_array_equal(back, on_graph.inverse_transform(on_graph.embedding_[:5]))


class TestPieces:
    """A graph in pieces holds no distances to join them by."""

    @pytest.fixture
    def apart(self, X):
        return np.vstack([X, X[:60] + 50, X[:3] - 90, [[400.0] * 5]])

    @pytest.fixture
    def graph(self, apart):
        graph = kneighbors_graph(apart[:170], 10, mode="distance")
        three = sp.csr_array(cdist(apart[170:173], apart[170:173]))
        return sp.block_diag([graph, three, sp.csr_array((1, 1))], format="csr")

    @pytest.fixture(params=["Isomap", "LaplacianEigenmaps", "SemidefiniteEmbedding"])
    def estimator(self, request):
        return getattr(sidelight, request.param)(metric="precomputed")

    def test_they_cannot_be_connected(self, estimator, graph):
        name = type(estimator).__name__
        with pytest.raises(DisconnectedGraphError, match=f"given to {name} is in 4 pieces.*Add"):
            estimator.fit(graph)

    def test_an_error_if_asked_for(self, estimator, graph):
        with pytest.raises(DisconnectedGraphError, match="4 pieces.*110, 60, 3, 1.*more edges"):
            estimator.set_params(on_disconnected="error").fit(graph)

    def test_the_largest_alone(self, estimator, graph, X):
        alone = type(estimator)(metric="precomputed").fit(graph_of(X, 10))
        with pytest.warns(DisconnectedGraphWarning, match="4 pieces.*NaN"):
            estimator.set_params(on_disconnected="largest").fit(
                graph, items=np.arange(174.0)[:, None]
            )
        np.testing.assert_allclose(estimator.embedding_[:110], alone.embedding_, atol=1e-9)
        assert np.isnan(estimator.embedding_[110:]).all()
        places = estimator.transform(graph[[0, 150]])
        np.testing.assert_array_equal(np.isnan(places).all(axis=1), [False, True])
        assert 0 <= estimator.inverse_transform(estimator.embedding_[:1]).item() < 110

    def test_side_by_side(self, estimator, graph, X):
        with pytest.warns(DisconnectedGraphWarning, match="4 pieces.*side by side"):
            estimator.set_params(on_disconnected="separate").fit(graph)
        Z = estimator.embedding_
        assert gap_between(Z[:110], Z[110:170], Z[170:173], Z[173:]) > 0
        # three points are laid out by their distances, and new rows join any piece
        np.testing.assert_allclose(
            cdist(Z[170:173], Z[170:173]), graph[170:173, 170:173].toarray(), atol=1e-9
        )
        beside = sp.csr_array(([0.0, 0.0, 0.0], ([0, 1, 2], [5, 171, 173])), shape=(3, 174))
        np.testing.assert_allclose(estimator.transform(beside), Z[[5, 171, 173]], atol=1e-9)

    def test_edges_that_were_cut_away_join_them_again(self, apart):
        rows = apart[:170]
        with pytest.warns(DisconnectedGraphWarning, match="joined by the shortest edge"):
            expected = Isomap(n_neighbors=7).fit(rows).embedding_
        model = Isomap(metric="precomputed", n_neighbors=7)
        with pytest.warns(DisconnectedGraphWarning, match="joined by the shortest edge"):
            found = model.fit(sp.csr_array(cdist(rows, rows))).embedding_
        np.testing.assert_allclose(found, expected, atol=1e-8 * np.abs(expected).max())


def test_a_path_is_laid_out_by_its_positions():
    n = 30
    path = sp.diags_array([np.ones(n - 1)], offsets=[1])
    Z = Isomap(1, metric="precomputed").fit_transform(path)[:, 0]
    np.testing.assert_allclose(np.abs(Z - Z[0]), np.arange(n), atol=1e-9)
    unfolded = SemidefiniteEmbedding(1, metric="precomputed", tol=1e-8).fit_transform(path)[:, 0]
    np.testing.assert_allclose(np.abs(np.diff(unfolded)), 1.0, atol=1e-4)


def test_a_ring_is_laid_out_as_cosine_and_sine():
    n = 24
    ring = sp.csr_array(np.roll(np.eye(n), 1, axis=1))
    model = LaplacianEigenmaps(2, metric="precomputed").fit(ring)
    angle = 2 * np.pi * np.arange(n) / n
    np.testing.assert_allclose(model.eigenvalues_, 1 - np.cos(angle[1]), atol=1e-9)
    # YᵀRY = I with degree two: a circle of radius 1/√n, turned in any way
    circle = np.column_stack([np.cos(angle), np.sin(angle)]) / np.sqrt(n)
    turn = np.linalg.lstsq(circle, model.embedding_, rcond=None)[0]
    np.testing.assert_allclose(circle @ turn, model.embedding_, atol=1e-9)
    np.testing.assert_allclose(turn @ turn.T, np.eye(2), atol=1e-8)


def test_the_maps_of_scikit_learn_on_the_same_graph(X):
    from sklearn.manifold import Isomap as TheirIsomap
    from sklearn.manifold import SpectralEmbedding

    graph = KNeighborsTransformer(n_neighbors=10, mode="distance").fit_transform(X)
    theirs = TheirIsomap(n_neighbors=10, metric="precomputed").fit_transform(graph)
    ours = Isomap(2, metric="precomputed").fit_transform(graph)
    turns = np.sign(np.einsum("ij,ij->j", ours, theirs))
    np.testing.assert_allclose(ours, theirs * turns, atol=1e-7 * np.abs(theirs).max())
    near = kneighbors_graph(X, 10, mode="distance")
    joined = ((near + near.T) > 0).astype(float)
    theirs = SpectralEmbedding(2, affinity="precomputed", eigen_tol=1e-12).fit_transform(joined)
    ours = LaplacianEigenmaps(2, metric="precomputed").fit_transform(near)
    factors = np.einsum("ij,ij->j", ours, theirs) / np.einsum("ij,ij->j", theirs, theirs)
    np.testing.assert_allclose(ours, theirs * factors, atol=1e-6 * np.abs(ours).max())


def test_after_scikit_learns_transformer_in_a_pipeline(X, new):
    plain = Isomap(n_neighbors=10).fit(X)
    pipeline = make_pipeline(
        KNeighborsTransformer(n_neighbors=10, mode="distance"),
        Isomap(n_neighbors=10, metric="precomputed"),
    )
    scale = np.abs(plain.embedding_).max()
    Z = pipeline.fit_transform(X)
    np.testing.assert_allclose(Z, plain.embedding_, atol=1e-8 * scale)
    np.testing.assert_allclose(pipeline.transform(new), plain.transform(new), atol=1e-8 * scale)
    np.testing.assert_allclose(pipeline.transform(X), Z, atol=1e-8 * scale)


@pytest.mark.parametrize("estimator", [Isomap, SemidefiniteEmbedding])
def test_landmarks_of_a_graph(estimator, X):
    whole = estimator(metric="precomputed").fit(graph_of(X, 10)).embedding_
    model = estimator(metric="precomputed", n_landmarks=60).fit(graph_of(X, 10))
    assert len(model.landmarks_) == 60
    turns = np.sign(np.einsum("ij,ij->j", model.embedding_, whole))
    for found, expected in zip((model.embedding_ * turns).T, whole.T, strict=True):
        assert np.corrcoef(found, expected)[0, 1] > 0.97


def test_side_information_constrains_the_kernel_of_a_graph(X):
    told = Distances([(0, 100)], [0.5])
    model = SemidefiniteEmbedding(2, metric="precomputed").fit(graph_of(X, 10), side=told)
    K = model.kernel()
    assert np.sqrt(K[0, 0] - 2 * K[0, 100] + K[100, 100]) == pytest.approx(0.5, abs=1e-3)


def test_the_default_stiffness_of_a_graph_is_that_of_the_distances_along_it(X):
    from sidelight.similarity.geodesic import geodesic_distances

    graph = graph_of(X, 10)
    model = MaximumEntropyUnfolding(metric="precomputed").fit(graph)
    scatter = np.square(geodesic_distances(graph)).sum() / (2 * len(X))
    assert model.gamma_ == pytest.approx(1e-3 / scatter, rel=1e-9)


def test_methods_that_a_graph_is_not_enough_for(X):
    graph = graph_of(X, 10)
    with pytest.raises(ValueError, match="AcyclicLocallyLinearEmbedding needs .* all rows"):
        AcyclicLocallyLinearEmbedding(metric="precomputed").fit(graph)
    actions = Actions(["a"] * (len(X) - 1))
    with pytest.raises(ValueError, match="ActionRespectingEmbedding needs .* all rows"):
        ActionRespectingEmbedding(metric="precomputed").fit(graph, side=actions)
    with pytest.raises(ValueError, match="common_neighbors=True"):
        SemidefiniteEmbedding(metric="precomputed", common_neighbors=True).fit(graph)
    with pytest.raises(ValueError, match="among the neighbours of each row.*more neighbours"):
        LocallyLinearEmbedding(metric="precomputed").fit(graph)
    with pytest.raises(ValueError, match="'edges' or a sparse graph"):
        MaximumEntropyUnfolding(metric="precomputed").fit(graph, edges=[[0, 1]])


def test_the_one_door_takes_a_graph_and_judges_it_along_the_graph(X):
    result = embed(graph_of(X, 10), metric="precomputed")
    assert result.reason == "Isomap: it measures along the graph."
    assert result.quality().shepard_correlation > 0.9
    with pytest.raises(ValueError, match="'X' .* must be dense.*geodesic_distances"):
        quality_report(graph_of(X, 10), result.points, metric="precomputed")


def test_nothing_of_the_size_of_a_table_is_made(X):
    import tracemalloc

    n = 4000
    angle = np.linspace(0, 6, n)
    curve = np.column_stack([np.cos(angle), np.sin(angle), angle])
    graph = kneighbors_graph(curve, 8, mode="distance")
    LaplacianEigenmaps(metric="precomputed").fit(graph[:300, :300])
    tracemalloc.start()
    LaplacianEigenmaps(metric="precomputed").fit(graph).transform(graph)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.25 * 8 * n * n
