"""Local tangent space embedding: its closed form, its optimum, and where new rows go."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from scipy.sparse.csgraph import dijkstra
from scipy.stats import spearmanr

from sidelight import KernelPCA, LocalTangentSpaceEmbedding
from sidelight.core.errors import (
    DisconnectedGraphError,
    DisconnectedGraphWarning,
    NotEnoughMemoryError,
)
from sidelight.side import Anchors, Condition, Distances, Pairs
from sidelight.transforms import Gain, LocalFilter, Shift
from tests.comparison import assert_same_map

K, SHAPE = 4, (5, 8)


@pytest.fixture(scope="module")
def X():
    """Blobs of light at random places."""
    rng = np.random.default_rng(0)
    r, c = np.indices(SHAPE)
    at = np.column_stack([rng.uniform(1, 3, 30), rng.uniform(1.5, 5.5, 30)])
    blobs = np.exp(-0.4 * ((r - at[:, :1, None]) ** 2 + (c - at[:, 1:, None]) ** 2))
    return blobs.reshape(30, -1) + 0.01 * rng.standard_normal((30, 40))


def model_of(d=2, **given):
    given = {"transformation": LocalFilter(), "image_shape": SHAPE, "n_neighbors": K, **given}
    return LocalTangentSpaceEmbedding(d, **given)


def naive_step(source, target, reg=1e-3):
    """The best δ by a least-squares problem with the ridge written below, and what comes of it."""
    A = LocalFilter().design(source[None], SHAPE)[0]
    q = A.shape[1]
    ridge = np.sqrt(reg * np.trace(A.T @ A) / q) * np.eye(q)
    wanted = np.concatenate([target - source, np.zeros(q)])
    delta = np.linalg.lstsq(np.vstack([A, ridge]), wanted, rcond=None)[0]
    return source + A @ delta, np.linalg.norm(delta), np.linalg.norm(A @ delta)


def naive_weights(items, x, reg=1e-3):
    R = items - x
    G = R @ R.T
    w = np.linalg.solve(G + reg * np.trace(G) * np.eye(len(R)), np.ones(len(R)))
    return w / w.sum()


def naive(X):
    """D of all nodes, F = [I, −W], by their definitions; a loop over pairs."""
    n = len(X)
    made = [[naive_step(X[j], X[i]) for j in range(n)] for i in range(n)]
    errors = np.array([[np.linalg.norm(X[i] - made[i][j][0]) for j in range(n)] for i in range(n)])
    np.fill_diagonal(errors, np.inf)
    best = np.argsort(errors, axis=1)[:, :K]
    unit = np.median([made[i][j][1] / made[i][j][2] for i in range(n) for j in best[i]])
    N = n * (K + 1)
    D, F = np.zeros((N, N)), np.hstack([np.eye(n), np.zeros((n, n * K))])
    for i in range(n):
        nodes = n + K * i + np.arange(K)  # the nearest first
        for node, j in zip(nodes, best[i], strict=True):
            D[j, node] = D[node, j] = made[i][j][1]
            D[i, node] = D[node, i] = unit * errors[i, j]
        F[i, nodes] = -naive_weights(np.array([made[i][j][0] for j in best[i]]), X[i])
    return dijkstra(sp.csr_array(D), directed=False), F, unit


def test_the_closed_form_written_out(X):
    D, F, unit = naive(X)
    N = len(D)
    J = np.eye(N) - 1 / N
    values, vectors = np.linalg.eigh(-J @ D**2 @ J / 2 - F.T @ F / 2)
    model = model_of().fit(X)
    assert model.unit_ == pytest.approx(unit, rel=1e-9)
    np.testing.assert_allclose(model.eigenvalues_, values[::-1][:2], rtol=1e-8)
    Z = vectors[:, ::-1][:, :2] * np.sqrt(values[::-1][:2])
    assert_same_map(model.embedding_, Z[:30], atol=1e-7)
    assert_same_map(model._map.place.rule.nystrom.points, Z, atol=1e-7)


def test_nothing_is_below_its_optimum(X):
    few = X[:12]
    D, F, _ = naive(few)
    N = len(D)
    J = np.eye(N) - 1 / N
    M = -J @ D**2 @ J / 2
    Z = model_of().fit(few)._map.place.rule.nystrom.points

    def value_and_slope(z):
        Z = z.reshape(N, 2)
        left, apart = F @ Z, Z @ Z.T - M
        return np.sum(left**2) + np.sum(apart**2), (2 * F.T @ left + 4 * apart @ Z).ravel()

    ours = value_and_slope(Z.ravel())[0]
    rng = np.random.default_rng(1)
    options = {"maxiter": 20_000, "maxfun": 40_000, "ftol": 1e-15, "gtol": 1e-10}
    found = min(
        minimize(
            value_and_slope, rng.standard_normal(2 * N), jac=True, method="L-BFGS-B",
            options=options,
        ).fun
        for _ in range(4)
    )  # fmt: skip
    assert found == pytest.approx(ours, rel=1e-8)
    assert found >= ours * (1 - 1e-9)


def test_new_rows_and_their_approximations_go_where_the_objective_is_least(X):
    model = model_of().fit(X)
    D, _, unit = naive(X)
    N, Z = len(D), model._map.place.rule.nystrom.points
    signs = np.sign(Z[:30].sum(axis=0)) * np.sign(model.embedding_.sum(axis=0))
    Z = Z * signs
    rng = np.random.default_rng(2)
    for x in X[:3] + 0.03 * rng.standard_normal((3, 40)):
        made = [naive_step(source, x) for source in X]
        errors = np.array([np.linalg.norm(x - item) for item, _, _ in made])
        best = np.argsort(errors)[:K]
        w = naive_weights(np.array([made[j][0] for j in best]), x)
        whole = np.zeros((N + K + 1, N + K + 1))
        whole[:N, :N] = D
        for node, j in enumerate(best, start=N + 1):
            whole[j, node], whole[N, node] = made[j][1], unit * errors[j]
        to = dijkstra(sp.csr_array(np.maximum(whole, whole.T)), directed=False)[N:, :N]
        k = -(to**2) / 2
        k = k - k.mean(axis=1, keepdims=True) + (D**2).mean(axis=0) / 2 - (D**2).mean() / 2

        # 2‖k − zZᵀ‖² + ‖cᵀz‖² is least where 2 z ZᵀZ + ccᵀz = 2 kZ
        c = np.concatenate([[1.0], -w])
        slope = 2 * np.kron(np.eye(K + 1), Z.T @ Z) + np.kron(np.outer(c, c), np.eye(2))
        found = np.linalg.solve(slope, 2 * (k @ Z).ravel())[:2]
        np.testing.assert_allclose(model.transform(x[None])[0], found, rtol=1e-8)
    np.testing.assert_array_equal(model.transform(X), model.embedding_)


def test_a_moving_light_is_one_dimension():
    """The step by a pixel is one filter: every frame is an exact approximation of the next."""
    X = np.exp(-0.1 * (np.arange(40) - np.arange(6, 34)[:, None]) ** 2)
    given = {"image_shape": (1, 40), "n_neighbors": 2, "reg": 1e-8}
    Z = model_of(1, **given).fit_transform(np.random.default_rng(3).permutation(X))
    order = np.random.default_rng(3).permutation(28)
    assert abs(spearmanr(Z[:, 0], order)[0]) > 1 - 1e-9
    steps = np.abs(np.diff(Z[np.argsort(order), 0]))
    assert steps.max() < 1.1 * steps.min()


def test_without_a_transformation_neighbours_stay_what_they_are():
    X = np.outer(np.arange(12.0), [3.0, 4.0])
    model = LocalTangentSpaceEmbedding(1, n_neighbors=2, reg=1e-9).fit(X)
    assert model.unit_ == 1
    steps = np.abs(np.diff(model.embedding_[:, 0]))
    np.testing.assert_allclose(steps[2:-2], 5.0, rtol=0.05)


def test_copies_count_as_the_rows_they_are(X):
    copies = np.vstack([X, X[:10]])
    Z = model_of().fit_transform(copies)
    np.testing.assert_array_equal(Z[30:], Z[:10])
    mean = model_of().fit(copies)._map.place.rule.nystrom
    counts = mean.centring.multiplicities
    assert counts.sum() == 40 * (K + 1)
    np.testing.assert_allclose(counts @ mean.points, 0, atol=1e-8)


def test_the_kernel_of_rows_is_that_of_rows_and_approximations_also_of_copies(X):
    model = model_of().fit(np.vstack([X, X[:10], X[:4]]))
    rows = model.kernel(approximations=True)[:44, :44]
    centred = rows - rows.mean(axis=0) - rows.mean(axis=1)[:, None] + rows.mean()
    np.testing.assert_allclose(model.kernel(), centred, atol=1e-9 * np.abs(rows).max())


def test_by_default_there_are_five_neighbours_or_all_others(X):
    five = model_of(n_neighbors=5).fit(X)
    np.testing.assert_array_equal(model_of(n_neighbors="auto").fit(X).embedding_, five.embedding_)
    few = model_of(n_neighbors="auto").fit(X[:5])
    np.testing.assert_array_equal(few.embedding_, model_of(n_neighbors=4).fit(X[:5]).embedding_)


def test_pieces(X):
    """Lights that no filter takes to one another: in the upper left, and in the lower right."""
    lights = X.reshape(-1, *SHAPE)
    upper = np.pad(lights[:15], ((0, 0), (0, 20), (0, 20)))
    lower = np.pad(lights[15:], ((0, 0), (20, 0), (20, 0)))
    apart = np.vstack([upper, lower]).reshape(30, -1)
    given = {"image_shape": (25, 28)}
    with pytest.warns(DisconnectedGraphWarning, match="2 pieces"):
        joined = model_of(**given).fit(apart)
    assert np.isfinite(joined.embedding_).all()
    np.testing.assert_array_equal(np.bincount(joined.pieces_), [15, 15])
    with pytest.raises(DisconnectedGraphError, match="LocalTangentSpaceEmbedding.*2 pieces"):
        model_of(on_disconnected="error", **given).fit(apart)
    with pytest.warns(DisconnectedGraphWarning):
        separate = model_of(on_disconnected="separate", **given).fit(apart)
    alone = model_of(**given).fit(apart[:15])
    np.testing.assert_allclose(separate.embedding_[:15], alone.embedding_, atol=1e-9)
    np.testing.assert_allclose(separate.transform(apart), separate.embedding_, atol=1e-9)


def test_what_is_refused(X, monkeypatch):
    cases = [
        ({"transformation": Shift()}, "'transformation' parameter.*bilinear.*Got Shift"),
        ({"transformation": None}, "'image_shape' parameter.*no effect without"),
        ({"image_shape": (5, 7)}, "(?i)shape"),
        ({"image_shape": None}, "(?i)shape"),
        ({"n_neighbors": 30}, "'n_neighbors' parameter of LocalTangentSpaceEmbedding.*Got 30"),
        ({"reg": 0.0}, "'reg' parameter"),
    ]
    for given, message in cases:
        with pytest.raises(ValueError, match=message):
            model_of(**given).fit(X)
    monkeypatch.setenv("SIDELIGHT_MEMORY_LIMIT", "100KB")
    with pytest.raises(NotEnoughMemoryError, match="9 ways to change each of 30 rows"):
        model_of().fit(X)


def test_an_empty_image_changes_into_nothing(X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = model_of().fit(np.vstack([X, np.zeros((1, 40))]))
    assert np.isfinite(model.embedding_).all()


def test_a_gain_needs_no_image(X):
    bright = np.vstack([X, 1.5 * X[:10]])
    model = LocalTangentSpaceEmbedding(2, transformation=Gain(), n_neighbors=6).fit(bright)
    errors = model._map.place.rule.stepping.errors()
    assert errors[30, 0] < 2e-3 * np.linalg.norm(X[0])


@pytest.mark.parametrize("twice", [False, True])
def test_the_map_is_kernel_pca_of_the_kernel_of_rows_and_approximations(X, twice):
    """The kernel of the rows alone, without approximations, misses the map."""
    rows = np.vstack([X, X[:3], X[:1]]) if twice else X
    model = model_of().fit(rows)
    whole = model.kernel(approximations=True)
    assert len(whole) == (K + 1) * len(rows)
    np.testing.assert_allclose(whole.sum(axis=0), 0, atol=1e-9 * np.abs(whole).max() * len(whole))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # shortest paths are not Euclidean
        again = KernelPCA(2, kernel="precomputed").fit(whole)
    np.testing.assert_allclose(again.eigenvalues_, model.eigenvalues_, rtol=1e-6)
    assert_same_map(again.embedding_[: len(rows)], model.embedding_, atol=1e-5)


@pytest.mark.parametrize(
    "side",
    [
        Pairs(similar=[(0, 1), (2, 3)]),
        Condition(np.arange(30) % 2),
        Distances([(0, 1), (2, 3)], [1.0, 2.0]),
    ],
    ids=lambda side: type(side).__name__,
)
def test_rows_that_are_no_longer_images_are_not_transformed(X, side):
    """A metric or a factor in front changed them, and filters went over what was left."""
    kind = type(side).__name__
    with pytest.raises(ValueError, match=f"cannot listen to {kind} together with a transformation"):
        model_of().fit(X, side=side)
    assert LocalTangentSpaceEmbedding().fit(X, side=side).side_report_[0].kind == kind
    anchored = model_of().fit(X, side=Anchors([0, 5], [[0.0, 0.0], [1.0, 0.0]]))
    assert anchored.side_report_[0].place == "behind"


def test_of_many_nodes_the_map_is_an_eigenvector_to_the_last_digits():
    """Their distances are in single precision; products in it would leave a hundred-thousandth."""
    angle = 2 * np.pi * np.arange(700) / 700
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    model = LocalTangentSpaceEmbedding().fit(ring)
    assert model.residuals_.max() < 1e-9
    # a circle, evenly gone round
    radii = np.linalg.norm(model.embedding_, axis=1)
    np.testing.assert_allclose(radii, radii.mean(), rtol=1e-3)
