"""The Sammon mapping: isometric data, the naive stress, new rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.distance import cdist, pdist

from sidelight import SammonMapping, StochasticNeighborEmbedding
from sidelight.latent.sammon_mapping import SammonStress
from sidelight.quality import procrustes


@pytest.fixture
def X():
    return np.random.default_rng(0).random((40, 5))


def naive_stress(d, z, n_components):
    delta = pdist(z.reshape(-1, n_components))
    return np.sum((d - delta) ** 2 / d) / d.sum()


def test_a_plane_in_space_is_found_again_without_stress():
    rng = np.random.default_rng(1)
    plane = rng.standard_normal((50, 2)) * [3, 1]
    turned = plane @ np.linalg.qr(rng.standard_normal((6, 6)))[0][:2]
    for start in ("classical", plane + 0.3 * rng.standard_normal(plane.shape)):
        model = SammonMapping(2, init=start).fit(turned)
        assert model.objective_ < 1e-11
        assert procrustes(model.embedding_, plane).residual < 1e-5
        np.testing.assert_allclose(pdist(model.embedding_), pdist(plane), rtol=1e-4, atol=1e-4)


def test_stress_and_gradient(X, assert_gradient):
    D = cdist(X, X)
    stress = SammonStress(D, np.ones(40))
    Z = np.random.default_rng(2).standard_normal((40, 2))
    assert stress(Z)[0] == pytest.approx(naive_stress(pdist(X), Z.ravel(), 2), rel=1e-12)
    assert_gradient(stress, Z)


def test_agreement_with_a_naive_minimisation(X):
    model = SammonMapping(2).fit(X)
    centred = X - X.mean(axis=0)
    components = centred @ np.linalg.svd(centred, full_matrices=False)[2][:2].T
    rng = np.random.default_rng(5)
    starts = components, components + 0.1 * rng.standard_normal(components.shape)
    found = [
        minimize(
            lambda z: naive_stress(pdist(X), z, 2),
            start.ravel(),
            method="L-BFGS-B",
            options={"ftol": 1e-12, "maxfun": 10**6},
        ).fun
        for start in starts
    ]
    assert model.objective_ < (1 + 1e-6) * min(found)
    assert min(found) < 1.05 * model.objective_
    assert model.objective_ < 0.8 * model.history_[0]  # better than the principal components


def test_copies_are_one_point_that_counts_as_often(X, assert_gradient):
    copies = np.vstack([X, X[:7], X[:7]])
    model = SammonMapping(2).fit(copies)
    np.testing.assert_array_equal(model.embedding_[40:47], model.embedding_[:7])
    np.testing.assert_array_equal(model.embedding_[47:], model.embedding_[:7])
    d, delta = pdist(copies), pdist(model.embedding_)
    some = d > 0
    naive = np.sum((d - delta)[some] ** 2 / d[some]) / d.sum()
    assert model.objective_ == pytest.approx(naive, rel=1e-9)
    counts = np.r_[np.full(7, 3.0), np.ones(33)]
    assert_gradient(SammonStress(cdist(X, X), counts), X[:, :2])


def test_a_new_row_minimises_its_own_stress_and_interpolates(X):
    model = SammonMapping(2).fit(X[:35])
    Y = model.embedding_
    for row, place in zip(X[35:], model.transform(X[35:]), strict=True):
        d = np.linalg.norm(row - X[:35], axis=1)

        def stress(z, d=d):
            return np.sum((d - np.linalg.norm(z - Y, axis=1)) ** 2 / d)

        best = min(
            (minimize(stress, start, method="Nelder-Mead").fun for start in [place, *Y[::7]]),
        )
        assert stress(place) <= best + 1e-6
    nearly = X[:5] + 1e-7
    np.testing.assert_allclose(model.transform(nearly), Y[:5], atol=1e-5)


def test_all_rows_the_same():
    with pytest.raises(ValueError, match="SammonMapping needs at least two distinct rows"):
        SammonMapping().fit(np.ones((9, 3)))


@pytest.mark.parametrize(
    "method", [SammonMapping, StochasticNeighborEmbedding], ids=lambda method: method.__name__
)
def test_rows_far_from_the_origin_lose_nothing(method):
    X = np.random.default_rng(0).standard_normal((30, 4)) * [3, 2, 1, 0.3]
    near, far = method(2).fit(X), method(2).fit(X + 1e8)
    assert far.objective_ == pytest.approx(near.objective_, rel=1e-5)


@pytest.mark.parametrize("start", [np.zeros((30, 2)), np.array([["a", "b"]] * 30)])
def test_a_start_that_no_step_leaves_is_refused(start):
    X = np.random.default_rng(0).standard_normal((30, 4))
    with pytest.raises(ValueError, match="The 'init' parameter of SammonMapping must give"):
        SammonMapping(init=start).fit(X)


def test_a_new_row_counts_copies_as_often_as_they_are(X):
    """As the fit does: of forty rows that are one, each has its part in the stress."""
    copied = np.vstack([X, np.repeat(X[:2], 20, axis=0)])
    model = SammonMapping(2).fit(copied)
    Y = model.embedding_
    new = np.random.default_rng(7).random((6, 5))
    for row, place in zip(new, model.transform(new), strict=True):
        d = np.linalg.norm(copied - row, axis=1)

        def stress(z, d=d):
            return np.sum((d - np.linalg.norm(Y - z, axis=1)) ** 2 / d)

        best = min(minimize(stress, start).fun for start in Y[::4])
        assert stress(place) <= best + 1e-8


def test_new_distances_are_not_negative():
    D = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
    model = SammonMapping(1, metric="precomputed").fit(D)
    with pytest.raises(ValueError, match="which are not negative"):
        model.transform(-D[:1])


def test_a_random_state_that_is_none_is_named():
    with pytest.raises(ValueError, match="The 'random_state' parameter of SammonMapping"):
        SammonMapping(init="random", random_state="x").fit(np.eye(4))
