"""New rows by default: a wide kernel unfolds the map, and a narrower one places rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits, load_iris

from sidelight import KernelInformationEmbedding
from sidelight.datasets import noisy_s
from sidelight.latent.density import placing_bandwidth
from sidelight.latent.density.bandwidth import returning_error
from sidelight.latent.density.kernels import GaussianKernel
from sidelight.side import Condition


def eighth(X):
    """The bandwidth of the map, an eighth of the mean squared distance between rows."""
    return float(2 * X.var(axis=0).sum()) / 8


def share_of_noise(model, rows):
    """How far rows are from the clean ones when they come back, as a share of how far they were."""
    clean = rows.extras["clean"]
    return np.mean((model.denoise(rows.X) - clean) ** 2) / np.mean((rows.X - clean) ** 2)


def test_a_noisy_s_comes_back_cleaner_than_it_went_in():
    """The rows of the fit and new ones; one kernel for all would smooth away twice the noise."""
    left, smoothed = [], []
    for seed in range(900, 906):
        data, new = (noisy_s(200, noise=0.1, random_state=seed + i) for i in (0, 50))
        model = KernelInformationEmbedding(1).fit(data.X)
        wide = KernelInformationEmbedding(1, bandwidth=eighth(data.X)).fit(data.X)
        np.testing.assert_allclose(model.embedding_, wide.embedding_, atol=1e-8)
        for errors, one in ((left, model), (smoothed, wide)):
            errors.append([share_of_noise(one, rows) for rows in (data, new)])
    cleaner = np.array(left) < 0.95
    assert cleaner[:, 0].mean() >= 5 / 6, left
    assert cleaner[:, 1].mean() >= 4 / 6, left
    assert np.mean(np.array(smoothed) > 1.3) >= 5 / 6, smoothed


def told_apart(Z, labels, new, truth):
    """The share of new rows whose nearest row in the map is of their kind."""
    return float(np.mean(labels[cdist(new, Z).argmin(axis=1)] == truth))


@pytest.mark.parametrize(("load", "gain"), [(load_digits, 0.1), (load_iris, 0.03)])
def test_new_rows_are_placed_among_their_kind_and_the_map_stays(load, gain):
    X, y = load(return_X_y=True)
    gained = []
    for seed in range(800, 803):
        order = np.random.default_rng(seed).permutation(len(X))
        fitted, new = order[:100], order[100:300]
        model = KernelInformationEmbedding().fit(X[fitted])
        wide = KernelInformationEmbedding(bandwidth=eighth(X[fitted])).fit(X[fitted])
        assert model.bandwidth_ == pytest.approx(wide.bandwidth_)
        np.testing.assert_allclose(model.embedding_, wide.embedding_, atol=1e-8)
        np.testing.assert_allclose(model.transform(X[fitted]), model.embedding_, atol=1e-12)
        narrow, broad = (
            told_apart(one.embedding_, y[fitted], one.transform(X[new]), y[new])
            for one in (model, wide)
        )
        gained.append(narrow - broad)
    assert np.mean(gained) > gain, gained


def naive_error(Y, Z, h):
    """Row by row, each left out of the way to the map and of the way back."""
    total = 0.0
    for a in range(len(Y)):
        others = np.arange(len(Y)) != a
        k = np.exp(-np.sum((Y[others] - Y[a]) ** 2, axis=1) / h)
        z = k @ Z[others] / k.sum()
        k = np.exp(-np.sum((Z[others] - z) ** 2, axis=1))
        total += np.sum((k @ Y[others] / k.sum() - Y[a]) ** 2)
    return total / len(Y)


def test_rows_left_out_judge_and_the_maps_own_kernel_stays_where_none_is_clearly_better():
    """The widest of those that are about best; what is narrower than need be is kept."""
    rng = np.random.default_rng(3)
    Z = rng.standard_normal((40, 1))
    Y = np.hstack([Z, Z**2, np.sin(3 * Z)]) + 0.1 * rng.standard_normal((40, 3))
    kernel = GaussianKernel(3)
    for h in (0.1, 1.0):
        assert returning_error(Y, Z, kernel, h) == pytest.approx(naive_error(Y, Z, h))
    found = placing_bandwidth(Y, Z, kernel, 20.0)
    grid = 20.0 * np.geomspace(1.0, 0.01, 12)
    errors = np.array([naive_error(Y, Z, h) for h in grid])
    assert found == pytest.approx(grid[errors <= 1.05 * errors.min()].max())
    assert naive_error(Y, Z, found) < 0.5 * naive_error(Y, Z, 20.0)
    assert placing_bandwidth(Y, Z, kernel, found / 1.2) == found / 1.2


def test_copies_do_not_tell_one_another():
    rng = np.random.default_rng(4)
    Z = rng.standard_normal((40, 1))
    Y = np.hstack([Z, Z**2]) + 0.3 * rng.standard_normal((40, 2))
    twice = [np.vstack([one, one]) for one in (Y, Z)]
    kernel = GaussianKernel(2)
    assert placing_bandwidth(*twice, kernel, 20.0) == placing_bandwidth(Y, Z, kernel, 20.0)


def test_a_bandwidth_that_is_given_places_rows_and_so_does_one_beside_nothing():
    X, new = (noisy_s(80, noise=0.1, random_state=seed).X for seed in (5, 6))
    model = KernelInformationEmbedding(1, bandwidth=1.0).fit(X)
    weights = np.exp(-cdist(new, X, "sqeuclidean"))
    expected = weights @ model.embedding_ / weights.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.transform(new), expected, rtol=1e-9)
    plain = KernelInformationEmbedding(1).fit(X)
    with pytest.warns(UserWarning, match="does not show"):
        beside = KernelInformationEmbedding(1).fit(X, side=Condition(np.arange(80) % 2))
    np.testing.assert_array_equal(beside.transform(new), plain.transform(new))


def test_a_map_of_given_power_places_rows_likewise():
    X, new = (noisy_s(80, noise=0.1, random_state=seed).X for seed in (7, 8))
    model = KernelInformationEmbedding(1, power=30.0).fit(X)
    wide = KernelInformationEmbedding(1, power=30.0, bandwidth=eighth(X)).fit(X)
    np.testing.assert_allclose(model.embedding_, wide.embedding_, atol=1e-6)
    left, kept = (np.mean((one.denoise(new) - new) ** 2) for one in (model, wide))
    assert left < 0.7 * kept
