"""Hybrid embedding: its ends are its two methods, and between them nothing does better."""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from scipy.optimize import minimize
from scipy.sparse.csgraph import dijkstra
from scipy.spatial.distance import cdist
from sklearn.datasets import make_swiss_roll

from sidelight import (
    ClassicalMDS,
    HybridEmbedding,
    Isomap,
    LaplacianEigenmaps,
    LocallyLinearEmbedding,
    load,
    save,
)
from sidelight.core.errors import DisconnectedGraphWarning, NotEnoughMemoryError
from sidelight.side import Invariance
from sidelight.transforms import LocalFilter, invariant_distances
from tests.comparison import assert_same_map

K = 7
SIDES = list(product(("isomap", "mds"), ("lle", "laplacian")))


def sheet(n, seed=0):
    rng = np.random.default_rng(seed)
    t, h = 3 * rng.random(n), 2 * rng.random(n)
    return np.column_stack([np.cos(t), np.sin(t), h, t / 2]) + 0.02 * rng.standard_normal((n, 4))


@pytest.fixture(scope="module")
def X():
    return sheet(90)


def naive_sides(X, distance, locality, k=K):
    """M and L of eq. 2.3, by their definitions."""
    n, D = len(X), cdist(X, X)
    order = np.argsort(D, axis=1)[:, 1 : k + 1]
    near = np.zeros((n, n), dtype=bool)
    np.put_along_axis(near, order, True, axis=1)
    J = np.eye(n) - 1 / n
    if distance == "isomap":
        D = dijkstra(sp.csr_array(np.where(near | near.T, D, 0)), directed=False)
    M = -J @ D**2 @ J / 2
    if locality == "laplacian":
        W = (near | near.T).astype(float)
        return M, np.diag(W.sum(axis=1)) - W
    W = np.zeros((n, n))
    for i, chosen in enumerate(order):
        G = (X[chosen] - X[i]) @ (X[chosen] - X[i]).T
        w = np.linalg.solve(G + 1e-3 * np.trace(G) * np.eye(k), np.ones(k))
        W[i, chosen] = w / w.sum()
    return M, (np.eye(n) - W).T @ (np.eye(n) - W)


def naive_hybrid(M, L, alpha, d=2, balance="norm", variant="optimum"):
    """The closed form as it is printed in errata: B = (1 − α) M − (α/2) L, dense."""
    mu, lam = np.linalg.eigvalsh(M)[::-1], np.linalg.eigvalsh(L)
    w = mu[0] / lam[-1] if balance == "norm" else mu[d - 1] / lam[d]
    basis = scipy.linalg.null_space(np.ones((1, len(M))))  # the constant is taken off
    values, vectors = np.linalg.eigh(basis.T @ ((1 - alpha) * M - alpha / 2 * w * L) @ basis)
    values, vectors = values[::-1][:d], basis @ vectors[:, ::-1][:, :d]
    if variant == "directions":
        return w, values, vectors
    return w, values, vectors * np.sqrt(np.maximum(values, 0) / (1 - alpha))


@pytest.mark.parametrize(("distance", "locality"), SIDES)
@pytest.mark.parametrize("balance", ["norm", "map"])
@pytest.mark.parametrize("variant", ["optimum", "directions"])
def test_the_closed_form_written_out(X, distance, locality, balance, variant):
    M, L = naive_sides(X, distance, locality)
    for alpha in (0.0, 0.2, 0.6):
        w, values, Z = naive_hybrid(M, L, alpha, balance=balance, variant=variant)
        given = {"distance": distance, "locality": locality, "balance": balance}
        model = HybridEmbedding(alpha=alpha, variant=variant, n_neighbors=K, **given)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a dimension is lost
            model.fit(X)
        # the smallest eigenvalues of LLE are 1e-8 of its largest: the balance has as few digits
        loose = 1e3 if balance == "map" else 1
        assert model.weight_ == pytest.approx(w, rel=1e-9 * loose)
        share = 1 if variant == "directions" else 1 - alpha
        np.testing.assert_allclose(model.eigenvalues_ * share, values, rtol=1e-8 * loose, atol=1e-9)
        assert_same_map(model.embedding_, Z, atol=1e-8 * loose)


@pytest.mark.parametrize(("distance", "locality"), SIDES)
@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.9])
def test_a_search_that_applies_b_finds_what_the_matrix_says(distance, locality, alpha):
    X = sheet(640, seed=1)
    M, L = naive_sides(X, distance, locality, k=10)
    model = HybridEmbedding(alpha=alpha, distance=distance, locality=locality).fit(X)
    _, values, Z = naive_hybrid(M, L, alpha)
    np.testing.assert_allclose(model.eigenvalues_ * (1 - alpha), values, rtol=1e-8)
    assert_same_map(model.embedding_, Z, atol=1e-7)
    assert model.residuals_.max() < 1e-8


def objective(Z, M, L, w, alpha):
    return (1 - alpha) * np.sum((M - Z @ Z.T) ** 2) + alpha * w * np.trace(Z.T @ L @ Z)


@pytest.mark.parametrize(("distance", "locality"), SIDES)
@pytest.mark.parametrize("alpha", [0.0, 0.5, 0.95])
def test_nothing_is_below_its_optimum(distance, locality, alpha):
    X = sheet(24, seed=2)
    M, L = naive_sides(X, distance, locality, k=6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = HybridEmbedding(
            alpha=alpha, distance=distance, locality=locality, n_neighbors=6
        ).fit(X)
    w = model.weight_
    ours = objective(model.embedding_, M, L, w, alpha)

    def value_and_slope(z):
        Z = z.reshape(-1, 2)
        slope = 4 * (1 - alpha) * (Z @ Z.T - M) @ Z + 2 * alpha * w * L @ Z
        return objective(Z, M, L, w, alpha), slope.ravel()

    rng = np.random.default_rng(3)
    found = [
        minimize(
            value_and_slope,
            rng.standard_normal(48),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": 20_000, "maxfun": 40_000, "ftol": 1e-15, "gtol": 1e-10},
        ).fun
        for _ in range(4)
    ]
    assert min(found) == pytest.approx(ours, rel=1e-8)
    assert min(found) >= ours * (1 - 1e-9)


def test_only_dropping_negative_eigenvalues_is_the_optimum(X):
    """The text also offers to add their size to all (footnote 3); that is another map."""
    M, L = naive_sides(X, "isomap", "laplacian")
    given = {"locality": "laplacian", "alpha": 0.7, "balance": "map", "n_neighbors": K}
    with pytest.warns(UserWarning, match="an extent in 1 of 2 dimensions at alpha=0.7"):
        model = HybridEmbedding(**given).fit(X)
    assert model.eigenvalues_[1] < 0
    np.testing.assert_array_equal(model.embedding_[:, 1], 0)
    np.testing.assert_array_equal(model.transform(X + 0.01)[:, 1], 0)
    raised = HybridEmbedding(variant="directions", **given).fit(X)
    lifted = raised.embedding_ * np.sqrt(raised.eigenvalues_ - raised.eigenvalues_.min())
    best = objective(model.embedding_, M, L, model.weight_, 0.7)
    assert best < objective(lifted / np.sqrt(0.3), M, L, model.weight_, 0.7)


@pytest.mark.parametrize("n", [90, 640])
def test_without_locality_it_is_the_distance_method(n):
    X = np.vstack([sheet(n, seed=4), sheet(n, seed=4)[:20]])  # and copies count
    for distance, alone in (("isomap", Isomap(n_neighbors=K)), ("mds", ClassicalMDS())):
        for locality in ("lle", "laplacian"):
            model = HybridEmbedding(
                alpha=0, distance=distance, locality=locality, n_neighbors=K
            ).fit(X)
            assert_same_map(model.embedding_, alone.fit(X).embedding_, atol=1e-7)
            np.testing.assert_allclose(model.eigenvalues_, alone.eigenvalues_, rtol=1e-8)
            new = X[:30] + 0.03
            assert_same_map(model.transform(new), alone.transform(new), atol=1e-6)


@pytest.mark.parametrize("n", [90, 640])
@pytest.mark.parametrize("distance", ["isomap", "mds"])
def test_directions_end_at_the_locality_method(n, distance):
    X = np.vstack([sheet(n, seed=5), sheet(n, seed=5)[:20]])
    lem = LaplacianEigenmaps(normalized=False, n_neighbors=K)
    for locality, alone in (("lle", LocallyLinearEmbedding(n_neighbors=K)), ("laplacian", lem)):
        model = HybridEmbedding(
            alpha=1, variant="directions", distance=distance, locality=locality, n_neighbors=K
        ).fit(X)
        assert_same_map(model.embedding_, alone.fit(X).embedding_, atol=1e-5)
        if locality == "laplacian":  # LLE alone places at the barycentre, not λ beside it
            new = X[:30] + 0.03
            assert_same_map(model.transform(new), alone.transform(new), atol=1e-6)
        close = HybridEmbedding(
            alpha=1 - 1e-13, variant="directions", distance=distance, locality=locality,
            n_neighbors=K,
        ).fit(X)  # fmt: skip
        assert_same_map(close.embedding_, model.embedding_, atol=1e-3)


@pytest.mark.parametrize("variant", ["optimum", "directions"])
def test_the_constant_is_no_direction(X, variant):
    """Beside negative eigenvalues it would come first: B takes it to zero."""
    given = {"locality": "laplacian", "alpha": 0.97, "n_neighbors": K, "balance": "map"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        Z = HybridEmbedding(2, variant=variant, **given).fit_transform(X)
    np.testing.assert_allclose(Z.sum(axis=0), 0, atol=1e-9 * np.abs(Z).max())


def test_copies_count_as_the_rows_they_are(X):
    copies = np.vstack([X, X[:30], X[:10]])
    _, first = np.unique(copies, axis=0, return_index=True)
    assert len(first) == len(X)
    model = HybridEmbedding(alpha=0.6, locality="laplacian", n_neighbors=K).fit(copies)
    M, _ = naive_sides(X, "isomap", "laplacian")
    D2 = np.add.outer(np.diag(M), np.diag(M)) - 2 * M
    index = np.concatenate([np.arange(90), np.arange(30), np.arange(10)])
    J = np.eye(130) - 1 / 130
    whole = -J @ D2[np.ix_(index, index)] @ J / 2
    counts = np.bincount(index)
    order = np.argsort(cdist(X, X), axis=1)[:, 1 : K + 1]
    near = np.zeros((90, 90))
    np.put_along_axis(near, order, 1.0, axis=1)
    W = np.maximum(near, near.T)[np.ix_(index, index)]  # every copy is a neighbour too
    L = np.diag(W.sum(axis=1)) - W
    # copies move together: P takes the places of points to those of rows
    P = np.eye(90)[index] / np.sqrt(counts)
    M_points, L_points = P.T @ whole @ P, P.T @ L @ P
    w = np.linalg.eigvalsh(M_points)[-1] / np.linalg.eigvalsh(L_points)[-1]
    assert model.weight_ == pytest.approx(w, rel=1e-9)
    B = (0.4 * M_points - 0.3 * w * L_points) / 0.4
    np.testing.assert_allclose(model.eigenvalues_, np.linalg.eigvalsh(B)[::-1][:2], rtol=1e-9)
    K_rows = model.kernel()
    np.testing.assert_allclose(
        P.T @ K_rows @ P, B - np.outer(np.sqrt(counts), np.sqrt(counts) @ B) / 130, atol=1e-9
    )


def test_it_is_kernel_pca_of_its_kernel(X):
    for variant in ("optimum", "directions"):
        model = HybridEmbedding(alpha=0.7, variant=variant, n_neighbors=K).fit(X)
        values, vectors = np.linalg.eigh(model.kernel())
        lengths = 1 if variant == "directions" else np.sqrt(values[::-1][:2])
        np.testing.assert_allclose(model.eigenvalues_, values[::-1][:2], rtol=1e-9)
        assert_same_map(vectors[:, ::-1][:, :2] * lengths, model.embedding_, atol=1e-7)


@pytest.mark.parametrize(("distance", "locality"), SIDES)
def test_new_rows_go_where_the_objective_is_least_while_others_stay(X, distance, locality):
    alpha = 0.8
    model = HybridEmbedding(alpha=alpha, distance=distance, locality=locality, n_neighbors=K).fit(X)
    Z, w = model.embedding_, model.weight_
    new = X[::15] + 0.05
    D, to = cdist(X, X), cdist(new, X)
    order = np.argsort(to, axis=1)[:, :K]
    if distance == "isomap":
        chosen = np.zeros_like(D, dtype=bool)
        np.put_along_axis(chosen, np.argsort(D, axis=1)[:, 1 : K + 1], True, axis=1)
        D = dijkstra(sp.csr_array(np.where(chosen | chosen.T, D, 0)), directed=False)
        to = np.array(
            [(d[near, None] + D[near]).min(axis=0) for d, near in zip(to, order, strict=True)]
        )
    k = -(to**2) / 2
    k = k - k.mean(axis=1, keepdims=True) + (D**2).mean(axis=0) / 2 - (D**2).mean() / 2
    for x, row, near, place in zip(new, k, order, model.transform(new), strict=True):
        weights = np.ones(K)
        if locality == "lle":
            G = (X[near] - x) @ (X[near] - x).T
            weights = np.linalg.solve(G + 1e-3 * np.trace(G) * np.eye(K), np.ones(K))
            weights /= weights.sum()

        def cost(z, row=row, near=near, weights=weights):
            fits = 2 * np.sum((row - Z @ z) ** 2)  # M has the row twice
            if locality == "lle":
                return (1 - alpha) * fits + alpha * w * np.sum((z - weights @ Z[near]) ** 2)
            return (1 - alpha) * fits + alpha * w * np.sum((z - Z[near]) ** 2)

        found = minimize(cost, np.zeros(2), tol=1e-14).x
        np.testing.assert_allclose(place, found, atol=1e-5 * np.abs(Z).max())


@pytest.mark.parametrize("n", [90, 640])
def test_a_path_gives_what_separate_fits_give(n):
    X, alphas = sheet(n, seed=6), [0.0, 0.5, 0.9, 0.99, 0.5]
    asked = HybridEmbedding(balance="map", variant="directions", n_neighbors=K)
    path = asked.alpha_path(X, alphas)
    assert asked.alpha == 0.5
    assert not hasattr(asked, "embedding_")
    for alpha, model in zip(alphas, path, strict=True):
        alone = HybridEmbedding(
            alpha=alpha, balance="map", variant="directions", n_neighbors=K
        ).fit(X)
        assert model.alpha == alpha
        assert_same_map(model.embedding_, alone.embedding_, atol=1e-5)
        assert_same_map(model.transform(X[:9] + 0.02), alone.transform(X[:9] + 0.02), atol=1e-5)
    assert np.abs(path[0].embedding_ - path[-2].embedding_).max() > 0.05


def test_a_path_of_pieces():
    X = np.vstack([sheet(90), sheet(60) + 30])
    asked = HybridEmbedding(on_disconnected="separate", n_neighbors=K)
    with pytest.warns(DisconnectedGraphWarning):
        path = asked.alpha_path(X, [0.1, 0.8])
    with pytest.warns(DisconnectedGraphWarning):
        alone = HybridEmbedding(alpha=0.8, on_disconnected="separate", n_neighbors=K).fit(X)
    np.testing.assert_allclose(path[1].embedding_, alone.embedding_, atol=1e-9)


def test_distances_of_another_kind_than_neighbours(X):
    new = X[:9] + 0.02
    for distance in ("isomap", "mds"):
        given = {"alpha": 0.6, "distance": distance, "n_neighbors": K}
        by_name = HybridEmbedding(distance_metric="cityblock", **given).fit(X)
        by_table = HybridEmbedding(distance_metric="precomputed", **given).fit(
            X, distances=cdist(X, X, "cityblock")
        )
        assert_same_map(by_table.embedding_, by_name.embedding_, atol=1e-8)
        plain = HybridEmbedding(**given).fit(X)
        assert np.abs(by_name.embedding_ - plain.embedding_).max() > 0.05
        # without their distances new rows are where their neighbours are
        lle = LocallyLinearEmbedding(n_neighbors=K).fit(X)
        lle._map.place.rule.places[:] = by_table.embedding_
        np.testing.assert_allclose(by_table.transform(new), lle.transform(new), atol=1e-9)
        assert np.abs(by_name.transform(new) - by_table.transform(new)).max() > 1e-4
    alone = ClassicalMDS(metric="cityblock").fit(X)
    ends = HybridEmbedding(alpha=0, distance="mds", distance_metric="cityblock").fit(X)
    assert_same_map(ends.embedding_, alone.embedding_, atol=1e-7)
    assert_same_map(ends.transform(new), alone.transform(new), atol=1e-7)


def test_landmarks_know_nearly_what_all_points_know():
    X = make_swiss_roll(900, random_state=3)[0]
    given = {"alpha": 0.3, "balance": "map", "n_neighbors": 10}
    whole = HybridEmbedding(**given).fit(X)
    some = HybridEmbedding(n_landmarks=200, **given).fit(X)
    for axis in range(2):
        assert abs(np.corrcoef(whole.embedding_[:, axis], some.embedding_[:, axis])[0, 1]) > 0.995
    new = X[:50] + 0.02
    scale = np.abs(whole.embedding_).max()
    assert np.median(np.abs(some.transform(new) - some.embedding_[:50])) < 0.02 * scale


def test_what_landmarks_make_of_noise_is_left_out():
    """Distances along a graph of noise are far from Euclidean: M was up to five times too large."""
    X = np.random.default_rng(0).standard_normal((600, 10))
    whole = HybridEmbedding(alpha=0).fit(X)
    for n_landmarks in (20, 50):
        some = HybridEmbedding(alpha=0, n_landmarks=n_landmarks).fit(X)
        np.testing.assert_allclose(some.eigenvalues_, whole.eigenvalues_, rtol=0.15)


def test_nothing_of_the_size_of_all_pairs_is_formed(monkeypatch):
    X = sheet(1500, seed=7)
    for given in ({"distance": "mds"}, {"n_landmarks": 50}):
        monkeypatch.setenv("SIDELIGHT_MEMORY_LIMIT", "2MB")
        with monkeypatch.context() as within:
            for kind in (sp.csr_array, sp.csc_array):
                within.setattr(kind, "toarray", lambda self: pytest.fail("a dense matrix"))
            HybridEmbedding(**given).fit(X)
    with pytest.raises(NotEnoughMemoryError, match="HybridEmbedding would need .* 1500 × 1500"):
        HybridEmbedding().fit(X)
    with pytest.raises(NotEnoughMemoryError, match="HybridEmbedding would need .* 1500 × 1500"):
        HybridEmbedding(distance="mds", distance_metric="cosine").fit(X)


def test_what_is_refused(X):
    table = cdist(X, X)
    cases = [
        ({"alpha": 1.0}, {}, "below 1 for the optimum.*variant='directions'"),
        ({"alpha": 1.1}, {}, r"'alpha' parameter of HybridEmbedding must be a float in \[0, 1\]"),
        ({"distance": "lle"}, {}, "'distance' parameter"),
        ({"distance": "mds", "n_landmarks": 9}, {}, "'n_landmarks'.*no effect with distance='mds'"),
        ({"distance_metric": "precomputed"}, {}, r"fit\(X, distances=…\), both.*no table"),
        ({}, {"distances": table}, "distance_metric=None and a table"),
        (
            {"distance_metric": "precomputed"},
            {"distances": table[:5]},
            r"'distances' argument.*all 90 rows of X. Got an array of shape \(5, 90\)",
        ),
        (
            {"distance_metric": "precomputed"},
            {"distances": table - 1},
            "HybridEmbedding",
        ),
    ]
    for parameters, given, message in cases:
        with pytest.raises(ValueError, match=message):
            HybridEmbedding(**parameters).fit(X, **given)
    with pytest.raises(ValueError, match="'distance_metric'.*has none"):
        HybridEmbedding(metric="precomputed", distance_metric="cosine").fit(table)
    with pytest.raises(ValueError, match="'alpha' parameter .* Got -1 instead"):
        HybridEmbedding().alpha_path(X, [0.3, -1])
    graph = sp.csr_array(np.where(table < 1, table, 0))
    with pytest.raises(
        ValueError, match="'distance' parameter of HybridEmbedding must be 'isomap'"
    ):
        HybridEmbedding(metric="precomputed", distance="mds", locality="laplacian").fit(graph)


def test_an_invariance_is_forgiven_by_the_distances_and_not_by_neighbours(tmp_path):
    """A light that moves: the distances that are kept forgive it, those of neighbours do not."""
    rng = np.random.default_rng(8)
    lights = np.exp(-0.2 * (np.arange(24) - np.arange(4, 20)[:, None]) ** 2)
    X = np.vstack([lights, np.abs(lights - np.roll(lights, 3, axis=1))])
    X += 0.01 * rng.standard_normal(X.shape)
    new = X[::5] + 0.02
    for kind in ("correction", "reconstruction"):
        known = Invariance(LocalFilter(), image_shape=(1, 24), distance=kind)
        given = {"distance": "mds", "locality": "laplacian", "alpha": 0.4, "n_neighbors": 4}
        told = HybridEmbedding(**given).fit(X, side=known)
        D = invariant_distances(X, LocalFilter(), (1, 24), kind=kind)
        table = HybridEmbedding(distance_metric="precomputed", **given).fit(X, distances=D)
        assert_same_map(told.embedding_, table.embedding_, atol=1e-7)
        assert [(heard.kind, heard.place) for heard in told.side_report_] == [
            ("Invariance", "in the distances")
        ]
        # pulled by forgiving distances, each new row by itself
        alone = np.vstack([told.transform(row[None]) for row in new])
        np.testing.assert_allclose(told.transform(new), alone, atol=1e-9)
        assert np.abs(told.transform(new) - table.transform(new)).max() > 1e-5
        np.testing.assert_array_equal(told.transform(X), told.embedding_)
        save(told, tmp_path / "told.sidelight")
        again = load(tmp_path / "told.sidelight")
        np.testing.assert_array_equal(again.transform(new), told.transform(new))
    ends = HybridEmbedding(**{**given, "alpha": 0}).fit(X, side=known)
    mds = ClassicalMDS().fit(X, side=known)
    assert_same_map(ends.embedding_, mds.embedding_, atol=1e-7)
    assert_same_map(ends.transform(new), mds.transform(new), atol=1e-6)
    with pytest.raises(ValueError, match="'distance_metric'.*no effect beside an Invariance"):
        HybridEmbedding(distance_metric="cosine").fit(X, side=known)


@pytest.mark.parametrize("last_bit", [0.0, 1e-15, -1e-15])
@pytest.mark.parametrize("locality", ["lle", "laplacian"])
def test_of_a_ring_a_rule_turns_the_map_not_the_last_bit(locality, last_bit):
    angle = 2 * np.pi * np.arange(24) / 24
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    noise = last_bit * np.random.default_rng(0).standard_normal(ring.shape)
    model = HybridEmbedding(2, n_neighbors=4, locality=locality).fit(ring + noise)
    # both directions vary alike: the first has all of the first row
    radius = np.sqrt(model.eigenvalues_[0] * 2 / 24)
    np.testing.assert_allclose(model.embedding_, radius * ring, atol=1e-6 * radius)


def test_residuals_are_measured_of_few_rows_too():
    X = np.random.default_rng(0).standard_normal((40, 3))
    model = HybridEmbedding(2, n_neighbors=8).fit(X)
    assert 0 < model.residuals_.max() < 1e-12
