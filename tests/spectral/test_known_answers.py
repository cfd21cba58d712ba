"""Methods that must agree: every classical identity between the estimators."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path
from sklearn.exceptions import NotFittedError
from sklearn.metrics import pairwise_distances

from sidelight import (
    PCA,
    ClassicalMDS,
    Isomap,
    KernelPCA,
    LaplacianEigenmaps,
    LocallyLinearEmbedding,
    ProbabilisticPCA,
)
from sidelight.core.errors import NotEuclideanWarning
from sidelight.neighbors import neighborhood_graph
from sidelight.solvers.eigen.eigenpairs import fix_signs
from tests.comparison import assert_same_map, subspace_gap


@pytest.fixture(params=[(60, 9), (20, 50)], ids=["tall", "wide"])
def X(request):
    n, p = request.param
    rng = np.random.default_rng(0)
    return rng.standard_normal((n, 5)) @ rng.standard_normal((5, p)) * 2 + rng.random((n, p)) + 7


@pytest.fixture
def curved():
    rng = np.random.default_rng(1)
    t = np.sort(rng.random(150)) * 3
    return np.column_stack([np.cos(t), np.sin(t), rng.random(150), t**2 / 5])


def test_five_ways_to_the_principal_components(X):
    reference = PCA(3, method="direct").fit(X).embedding_
    D = pairwise_distances(X)
    others = {
        "dual": PCA(3, method="dual"),
        "operator": PCA(3, method="operator"),
        "linear kernel": KernelPCA(3, kernel="linear"),
    }
    for name, estimator in others.items():
        np.testing.assert_allclose(estimator.fit(X).embedding_, reference, atol=1e-8, err_msg=name)
    mds = ClassicalMDS(3, metric="precomputed").fit(D)
    np.testing.assert_allclose(mds.embedding_, reference, atol=1e-8)
    np.testing.assert_allclose(ClassicalMDS(3).fit(X).embedding_, reference, atol=1e-8)
    assert subspace_gap(ProbabilisticPCA(3).fit(X).embedding_, reference) < 1e-8


def test_pca_against_the_singular_value_decomposition(X):
    pca = PCA(4).fit(X)
    centred = X - X.mean(axis=0)
    _, s, Vt = np.linalg.svd(centred, full_matrices=False)
    np.testing.assert_allclose(pca.eigenvalues_, s[:4] ** 2, rtol=1e-9)
    assert_same_map(pca.components_.T, Vt[:4].T)
    np.testing.assert_allclose(pca.explained_variance_ratio_, s[:4] ** 2 / (s**2).sum())
    np.testing.assert_allclose(pca.explained_variance_, s[:4] ** 2 / (len(X) - 1))
    # the best linear approximation of rank 4 (Eckart–Young)
    error = np.linalg.norm(X - pca.inverse_transform(pca.embedding_)) ** 2
    assert error == pytest.approx((s[4:] ** 2).sum(), rel=1e-6, abs=1e-8)


def test_components_of_little_extent_are_the_data_s_own_and_of_none_still_orthonormal():
    """Of fewer rows than columns: what is 1e-5 as long as the longest is no rounding."""
    rng = np.random.default_rng(6)
    left = np.linalg.qr(np.column_stack([np.ones(12), rng.standard_normal((12, 3))]))[0][:, 1:]
    right = np.linalg.qr(rng.standard_normal((40, 3)))[0]
    pca = PCA(5).fit((left * [1.0, 1e-2, 1e-5]) @ right.T)
    np.testing.assert_allclose(np.abs(pca.components_[:3] @ right), np.eye(3), atol=1e-4)
    np.testing.assert_allclose(pca.components_ @ pca.components_.T, np.eye(5), atol=1e-4)


def test_pca_in_blocks_is_pca_at_once(X):
    pca = PCA(3)
    for start in range(0, len(X), 7):
        pca.partial_fit(X[start : start + 7])
    whole = PCA(3).fit(X)
    assert_same_map(pca.components_.T, whole.components_.T)
    np.testing.assert_allclose(pca.explained_variance_, whole.explained_variance_)
    np.testing.assert_allclose(pca.explained_variance_ratio_, whole.explained_variance_ratio_)


@pytest.mark.parametrize("method", ["direct", "dual", "operator"])
def test_blocks_after_a_fit_go_on_from_its_rows(X, method):
    half = len(X) // 2
    pca = PCA(3, method=method).fit(X[:half]).partial_fit(X[half:])
    whole = PCA(3).fit(X)
    np.testing.assert_allclose(pca.mean_, whole.mean_)
    np.testing.assert_allclose(pca.explained_variance_, whole.explained_variance_)
    np.testing.assert_allclose(pca.components_, whole.components_, atol=1e-8)
    assert pca.n_samples_seen_ == len(X)


def test_a_block_that_is_refused_leaves_all_as_it_was(X):
    pca = PCA(3)
    with pytest.raises(ValueError, match="'n_components' parameter of PCA"):
        pca.partial_fit(X[:2])
    with pytest.raises(NotFittedError):
        pca.transform(X)
    pca.partial_fit(X)
    components = pca.components_.copy()
    with pytest.raises(ValueError, match="'n_components' parameter of PCA"):
        pca.set_params(n_components=100).partial_fit(X[:2])
    np.testing.assert_array_equal(pca.components_, components)
    assert pca.n_samples_seen_ == len(X)
    assert pca.set_params(n_components=3).partial_fit(X[:2]).n_samples_seen_ == len(X) + 2


def test_blocks_go_on_from_a_table_too_large_to_keep(monkeypatch):
    monkeypatch.setattr("sidelight.spectral.pca._KEPT_BYTES", 100)
    X = np.random.default_rng(3).standard_normal((300, 4)) * [4, 3, 2, 1]
    pca, whole = PCA(3).fit(X[:200]).partial_fit(X[200:]), PCA(3).fit(X)
    np.testing.assert_allclose(pca.components_, whole.components_, atol=1e-8)
    gone = PCA(3, method="dual").fit(X[:200])
    with pytest.raises(ValueError, match=r"PCA\.partial_fit cannot go on.*rows are gone"):
        gone.partial_fit(X[200:])
    assert gone.n_samples_seen_ == 200


def test_blocks_do_not_go_on_from_rows_with_side_information(X):
    from sidelight.side import Anchors

    wanted = Anchors([0, 1, 2], np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), exact=False)
    told = PCA(2).fit(X, side=wanted)
    with pytest.raises(ValueError, match="fitted with side information"):
        told.partial_fit(X)


@pytest.mark.parametrize("seed", range(10))
def test_blocks_have_the_signs_of_all_rows_at_once(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_t(4, (400, 6)) * rng.uniform(1, 5, 6) @ rng.standard_normal((6, 6))
    pca = PCA(3)
    for block in np.array_split(X, 9):
        pca.partial_fit(block)
    np.testing.assert_allclose(pca.components_, PCA(3).fit(X).components_, atol=1e-8)


def test_a_share_of_the_variance():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((500, 4)) * [10, 5, 1, 0.1]
    pca = PCA(0.95).fit(X)
    assert pca.components_.shape[0] == 2
    assert PCA(None).fit(X).components_.shape[0] == 4


def test_isomap_with_all_neighbours_is_mds(X):
    isomap = Isomap(3, n_neighbors=len(X) - 1).fit(X)
    np.testing.assert_allclose(isomap.embedding_, ClassicalMDS(3).fit(X).embedding_, atol=1e-7)


def test_isomap_is_mds_of_path_lengths(curved):
    D = shortest_path(neighborhood_graph(curved, n_neighbors=6), directed=False)
    expected = ClassicalMDS(2, metric="precomputed").fit(D)
    isomap = Isomap(2, n_neighbors=6).fit(curved)
    np.testing.assert_allclose(isomap.embedding_, expected.embedding_, atol=1e-8)
    np.testing.assert_allclose(isomap.kernel(), expected.kernel(), atol=1e-8)


def test_every_point_a_landmark_is_isomap(curved):
    exact = Isomap(2, n_neighbors=8).fit(curved)
    landmark = Isomap(2, n_neighbors=8, n_landmarks=len(curved)).fit(curved)
    np.testing.assert_array_equal(landmark.embedding_, exact.embedding_)


@pytest.mark.parametrize("n_left_out", [1, 40])
def test_landmarks_are_scaled_and_all_others_triangulated(curved, n_left_out):
    """De Silva and Tenenbaum: z = ½ Λ^{−½} Vᵀ(mean of the columns of D² − d²)."""
    n = len(curved)
    model = Isomap(2, n_neighbors=8, n_landmarks=n - n_left_out).fit(curved)
    D = shortest_path(neighborhood_graph(curved, n_neighbors=8), directed=False)
    S = D[np.ix_(model.landmarks_, model.landmarks_)] ** 2
    centred = S - S.mean(axis=0) - S.mean(axis=1)[:, None] + S.mean()
    values, vectors = np.linalg.eigh(-centred / 2)
    axes = vectors[:, :-3:-1] / np.sqrt(values[:-3:-1])
    expected = (S.mean(axis=1) - D[:, model.landmarks_] ** 2) @ axes / 2
    assert_same_map(model.embedding_, expected, atol=1e-6)


def test_landmarks_of_a_flat_sheet_are_exact():
    # with all neighbours the distances are Euclidean, and any three landmarks fix the plane
    X = np.random.default_rng(3).random((80, 2)) * [3, 1]
    landmark = Isomap(2, n_neighbors=79, n_landmarks=12).fit(X)
    D = pairwise_distances(landmark.embedding_)
    np.testing.assert_allclose(D, pairwise_distances(X), atol=1e-9)


@pytest.mark.parametrize("normalized", [True, False])
def test_laplacian_eigenmaps_of_a_path_are_cosines(normalized):
    n = 40
    lem = LaplacianEigenmaps(2, radius=1.0, normalized=normalized).fit(np.arange(float(n))[:, None])
    p = np.array([1, 2])
    if normalized:  # a random walk on a path: cos(π p i / (n − 1))
        values = 1 - np.cos(np.pi * p / (n - 1))
        expected = np.cos(np.pi * np.outer(np.arange(n), p) / (n - 1))
        mass = np.r_[1, np.full(n - 2, 2), 1]
        expected /= np.sqrt(mass @ expected**2)
    else:
        values = 2 - 2 * np.cos(np.pi * p / n)
        expected = np.cos(np.pi * np.outer(np.arange(n) + 0.5, p) / n)
        expected /= np.linalg.norm(expected, axis=0)
    np.testing.assert_allclose(lem.eigenvalues_, values, rtol=1e-8)
    np.testing.assert_allclose(lem.embedding_, fix_signs(expected), atol=1e-8)


def test_laplacian_eigenmaps_of_a_cycle_are_a_circle():
    n = 400  # beyond the dense solver
    angle = 2 * np.pi * np.arange(n) / n
    lem = LaplacianEigenmaps(2, n_neighbors=2).fit(np.column_stack([np.cos(angle), np.sin(angle)]))
    np.testing.assert_allclose(lem.eigenvalues_, 1 - np.cos(2 * np.pi / n), rtol=1e-6)
    radius = np.linalg.norm(lem.embedding_, axis=1)
    np.testing.assert_allclose(radius, radius[0], rtol=1e-6)
    turn = np.unwrap(np.arctan2(lem.embedding_[:, 1], lem.embedding_[:, 0]))
    np.testing.assert_allclose(np.abs(np.diff(turn)), 2 * np.pi / n, rtol=1e-5)


def test_lle_of_an_affine_plane_is_affine():
    rng = np.random.default_rng(4)
    plane = rng.random((120, 2))
    X = plane @ rng.standard_normal((2, 6)) + 1
    lle = LocallyLinearEmbedding(2, n_neighbors=8, reg=1e-9).fit(X)
    assert lle.reconstruction_error_ < 1e-9
    design = np.column_stack([plane, np.ones(120)])
    fitted = design @ np.linalg.lstsq(design, lle.embedding_, rcond=None)[0]
    np.testing.assert_allclose(fitted, lle.embedding_, atol=1e-3)


def test_lle_from_distances_is_lle_from_features(curved):
    plain = LocallyLinearEmbedding(2, n_neighbors=7).fit(curved)
    table = pairwise_distances(curved)
    given = LocallyLinearEmbedding(2, n_neighbors=7, metric="precomputed").fit(table)
    np.testing.assert_allclose(given.embedding_, plain.embedding_, atol=1e-7)


@pytest.mark.real_data("europe_roads")
def test_road_distances_redraw_the_map_of_europe():
    from sidelight import datasets
    from sidelight.quality import procrustes

    roads = datasets.load("europe_roads")
    mds = ClassicalMDS(2, metric="precomputed").fit(roads.extras["distances"])
    assert len(mds.negative_eigenvalues_) == 22
    latitude, longitude = np.radians(roads.truth[:, 0]), np.radians(roads.truth[:, 1])
    flat = np.column_stack([longitude * np.cos(latitude.mean()), latitude])
    # roads are not straight: 93 % of the variance of the true positions is explained
    assert procrustes(mds.embedding_, flat).disparity < 0.08


def test_a_large_table_is_not_copied_for_its_kernel(monkeypatch):
    """It would cost more than it is worth, and linear kernel PCA has the same kernel."""
    X = np.random.default_rng(0).normal(size=(50, 4))
    kernel = PCA(2).fit(X).kernel()
    np.testing.assert_allclose(KernelPCA(2, kernel="linear").fit(X).kernel(), kernel, atol=1e-10)
    monkeypatch.setattr("sidelight.spectral.pca._KEPT_BYTES", 100)
    with pytest.raises(ValueError, match="PCA.kernel.*KernelPCA\\(kernel='linear'\\)"):
        PCA(2).fit(X).kernel()


def arcs(n, radius=1.0):
    """Squared lengths of arcs between places round a circle.

    Of them −½ times the centred table has the eigenvalues (−1)^(k+1) n r²/k², each twice.
    """
    angle = 2 * np.pi * np.arange(n) / n
    apart = np.abs(angle[:, None] - angle)
    return (radius * np.minimum(apart, 2 * np.pi - apart)) ** 2


def test_far_from_euclidean_is_where_what_is_left_out_exceeds_what_is_kept():
    D = np.sqrt(arcs(60))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kept = ClassicalMDS(2, metric="precomputed").fit(D)
    np.testing.assert_allclose(kept.eigenvalues_, 60.0, rtol=0.01)
    assert kept.negative_eigenvalues_[0] == pytest.approx(-15.0, rel=0.01)
    with pytest.warns(NotEuclideanWarning, match="the last component kept has 6"):
        ClassicalMDS(3, metric="precomputed").fit(D)  # 60/9, and 60/4 on the other side


def test_of_many_rows_the_negative_eigenvalues_are_found_too():
    n = 1300
    X = np.random.default_rng(0).standard_normal((n, 2))
    D = np.sqrt(pairwise_distances(X) ** 2 + arcs(n, 0.2))
    found = ClassicalMDS(2, metric="precomputed").fit(D).negative_eigenvalues_
    assert found[0] == pytest.approx(-n * 0.04 / 4, rel=0.05)
