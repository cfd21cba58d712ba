"""Where new rows go: each method's own extension, written out naively."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse.csgraph import dijkstra
from scipy.spatial.distance import cdist

from sidelight import (
    ClassicalMDS,
    HybridEmbedding,
    Isomap,
    LaplacianEigenmaps,
    LocallyLinearEmbedding,
    MaximumEntropyUnfolding,
    NeighborEmbedding,
    SammonMapping,
    StochasticNeighborEmbedding,
    load,
    save,
)
from sidelight.neighbors import neighborhood_graph

K = 7


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(0)
    t = np.sort(rng.random(90)) * 3
    return np.column_stack([np.cos(t), np.sin(t), rng.random(90)])


@pytest.fixture(scope="module")
def new(X):
    return X[::10] + 0.05 * np.random.default_rng(1).standard_normal((9, 3))


def nearest(new, X):
    D = cdist(new, X)
    order = np.argsort(D, axis=1)[:, :K]
    return order, np.take_along_axis(D, order, axis=1)


@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize("weights", ["binary", "heat"])
def test_laplacian_eigenmaps_by_the_eigenvector_equation(X, new, normalized, weights):
    lem = LaplacianEigenmaps(2, n_neighbors=K, normalized=normalized, weights=weights).fit(X)
    places = lem.transform(new)
    for x, place in zip(new, places, strict=True):
        near, d = (a[0] for a in nearest(x[None], X))
        w = np.exp(-(d**2) / (2 * lem.width_**2)) if weights == "heat" else np.ones(K)
        # row x of W y = (1 − λ) R y, or of W y = (R − λ) y
        mass = w.sum() * (1 - lem.eigenvalues_) if normalized else w.sum() - lem.eigenvalues_
        np.testing.assert_allclose(place, w @ lem.embedding_[near] / mass, rtol=1e-9)


def test_neighbours_that_stand_for_copies_pull_as_many_times(X, new):
    copies = np.vstack([X, X[20:50], X[30:40], X[30:40]])
    lem = LaplacianEigenmaps(2, n_neighbors=K).fit(copies)
    counts = np.ones(90)
    counts[20:50], counts[30:40] = 2, 4
    for x, place in zip(new, lem.transform(new), strict=True):
        near = nearest(x[None], X)[0][0]
        mean = counts[near] @ lem.embedding_[near] / counts[near].sum()
        np.testing.assert_allclose(place, mean / (1 - lem.eigenvalues_), rtol=1e-9)


def test_where_the_equation_says_next_to_nothing_the_mean_of_neighbours_stands():
    """With eight neighbours of twelve rows 1 − λ is near zero or below: it would throw them out."""
    seen = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, x = rng.standard_normal((12, 5)), rng.standard_normal((1, 5))
        lem = LaplacianEigenmaps(4, n_neighbors=8).fit(X)
        near = np.argsort(cdist(x, X)[0])[:8]
        share = 1 - lem.eigenvalues_
        expected = lem.embedding_[near].mean(axis=0) / np.where(share > 0.05, share, 1.0)
        np.testing.assert_allclose(lem.transform(x)[0], expected, rtol=1e-9)
        seen.extend(share)
    assert min(seen) < 0 < 0.06 < max(seen)


def test_the_same_equation_holds_on_the_training_rows(X):
    lem = LaplacianEigenmaps(2, n_neighbors=K).fit(X)
    chosen = np.zeros((len(X), len(X)))
    D = cdist(X, X)
    np.fill_diagonal(D, np.inf)
    np.put_along_axis(chosen, np.argsort(D, axis=1)[:, :K], 1.0, axis=1)
    W = np.maximum(chosen, chosen.T)
    degrees = W.sum(axis=1)
    again = W @ lem.embedding_ / (degrees[:, None] * (1 - lem.eigenvalues_))
    np.testing.assert_allclose(again, lem.embedding_, atol=1e-9)


def test_lle_by_constrained_least_squares(X, new):
    lle = LocallyLinearEmbedding(2, n_neighbors=K, reg=1e-3).fit(X)
    places = lle.transform(new)
    for x, place in zip(new, places, strict=True):
        near = nearest(x[None], X)[0][0]
        G = (X[near] - x) @ (X[near] - x).T
        G += 1e-3 * np.trace(G) * np.eye(K)
        # stationarity with a multiplier for Σw = 1
        system = np.block([[G, np.ones((K, 1))], [np.ones((1, K)), np.zeros((1, 1))]])
        w = np.linalg.solve(system, np.r_[np.zeros(K), 1.0])[:K]
        np.testing.assert_allclose(place, w @ lle.embedding_[near], rtol=1e-8)


def test_isomap_through_the_nearest_neighbours(X, new):
    isomap = Isomap(2, n_neighbors=K).fit(X)
    geodesic = dijkstra(neighborhood_graph(X, n_neighbors=K), directed=False)
    near, d = nearest(new, X)
    to_all = (d[:, :, None] + geodesic[near]).min(axis=1)
    # Gower: z = ½ Λ⁻¹ Zᵀ (mean of the columns of D² − δ²)
    centred = (geodesic**2).mean(axis=0) - to_all**2
    expected = 0.5 * centred @ isomap.embedding_ / isomap.eigenvalues_
    np.testing.assert_allclose(isomap.transform(new), expected, atol=1e-8)


def test_isomap_of_landmarks_through_the_nearest_neighbours(X, new):
    iso = Isomap(2, n_neighbors=K, n_landmarks=20).fit(X)
    np.testing.assert_allclose(iso.transform(X), iso.embedding_, atol=1e-9)
    to = dijkstra(neighborhood_graph(X, n_neighbors=K), indices=iso.landmarks_)
    near, d = nearest(new, X)
    D = (d[:, :, None] + to.T[near]).min(axis=1) ** 2
    middle = to[:, iso.landmarks_] ** 2
    Z = iso.embedding_[iso.landmarks_]
    expected = (-0.5 * (D - middle.mean(axis=0))) @ Z / iso.eigenvalues_
    np.testing.assert_allclose(iso.transform(new), expected, atol=1e-8)
    with pytest.raises(ValueError, match="'n_landmarks' parameter of Isomap must be above"):
        Isomap(2, n_neighbors=K, n_landmarks=2).fit(X)


def test_scaling_finds_a_new_town_by_its_distances():
    towns = np.random.default_rng(2).random((12, 2)) * 10
    mds = ClassicalMDS(2, metric="precomputed").fit(cdist(towns, towns))
    town = np.array([[3.0, 8.0]])
    placed = mds.transform(cdist(town, towns))
    np.testing.assert_allclose(cdist(placed, mds.embedding_), cdist(town, towns), atol=1e-9)


def test_points_placed_by_landmarks_some_at_a_time_are_where_they_are_at_once(monkeypatch):
    from sidelight.core import row_blocks
    from sidelight.spectral import isomap

    X = np.random.default_rng(0).random((300, 3))
    model = isomap.Isomap(2, n_neighbors=8, n_landmarks=20)
    once = model.fit_transform(X)
    monkeypatch.setattr(isomap, "row_blocks", lambda n, size: row_blocks(n, 1.0, budget=77.0))
    np.testing.assert_allclose(model.fit_transform(X), once, atol=1e-12 * np.abs(once).max())


class TestOfATable:
    """Classical scaling keeps half of the kernel of a table, and nothing of the table."""

    D = cdist(*[np.random.default_rng(4).standard_normal((300, 5))] * 2)

    def test_the_kernel_is_that_of_the_table(self):
        model = ClassicalMDS(2, metric="precomputed").fit(self.D)
        J = np.eye(300) - 1 / 300
        np.testing.assert_allclose(model.kernel(), -0.5 * J @ self.D**2 @ J, atol=1e-12)

    def test_what_happens_to_the_table_later_changes_nothing(self):
        D = self.D.copy()
        model = ClassicalMDS(2, metric="precomputed").fit(D)
        before = model.kernel(), model.transform(self.D[:3])
        D[:] = 7.0
        np.testing.assert_array_equal(model.kernel(), before[0])
        np.testing.assert_array_equal(model.transform(self.D[:3]), before[1])

    def test_a_model_file_is_half_as_large_as_the_table(self, tmp_path):
        model = ClassicalMDS(2, metric="precomputed").fit(self.D)
        save(model, tmp_path / "model.sidelight")
        again = load(tmp_path / "model.sidelight")
        np.testing.assert_array_equal(again.kernel(), model.kernel())
        np.testing.assert_array_equal(again.transform(self.D), model.transform(self.D))
        assert (tmp_path / "model.sidelight").stat().st_size < 0.8 * self.D.nbytes


@pytest.mark.filterwarnings("ignore")
class TestRowsAtNoDistance:
    """Different rows between which a metric sees no difference: texts, one twice as long."""

    @pytest.fixture(scope="class")
    def texts(self):
        counts = np.random.default_rng(4).poisson(1.0, (60, 12)) + 1.0
        return np.vstack([counts, *(times * counts[:15] for times in (2, 4, 8, 16))])

    @pytest.mark.parametrize(
        "estimator",
        [
            HybridEmbedding(),
            Isomap(),
            LaplacianEigenmaps(),
            LaplacianEigenmaps(n_neighbors=3),
            LaplacianEigenmaps(radius=0.1),
            LocallyLinearEmbedding(),
            LocallyLinearEmbedding(n_neighbors=4),
            MaximumEntropyUnfolding(),
            NeighborEmbedding(),
            SammonMapping(),
            StochasticNeighborEmbedding(),
        ],
        ids=repr,
    )
    def test_a_fitted_row_is_where_it_was(self, texts, estimator):
        """It was taken for the first of the rows at no distance from it, wherever that lay."""
        model = estimator.set_params(metric="cosine").fit(texts)
        assert np.isfinite(model.embedding_).all()
        scale = np.abs(model.embedding_).max()
        found = model.transform(texts[::-1])[::-1]
        np.testing.assert_allclose(found, model.embedding_, atol=1e-6 * scale)
        alone = np.vstack([model.transform(row[None]) for row in texts[::7]])
        np.testing.assert_allclose(alone, model.embedding_[::7], atol=1e-6 * scale)

    def test_by_a_metric_of_yes_and_no(self):
        answers = np.unique(np.random.default_rng(0).random((60, 12)) < 0.4, axis=0)
        model = LaplacianEigenmaps(metric="yule").fit(answers)
        np.testing.assert_allclose(model.transform(answers), model.embedding_, atol=1e-9)
