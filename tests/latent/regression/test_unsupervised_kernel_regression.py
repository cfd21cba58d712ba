"""Unsupervised kernel regression: PCA with a linear basis, leave-one-out, projection."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.distance import cdist

from sidelight import PCA, UnsupervisedKernelRegression
from sidelight.latent.regression.reconstruction import (
    GaussianReconstruction,
    LinearReconstruction,
    gaussian_weights,
)
from tests.comparison import subspace_gap


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    t = 3 * rng.random(80)
    curve = np.column_stack([np.cos(t), np.sin(t), 0.5 * t])
    return curve + 0.02 * rng.standard_normal(curve.shape)


def test_the_linear_basis_is_pca_from_any_start(X):
    rng = np.random.default_rng(1)
    wide = rng.standard_normal((40, 6)) * [4, 3, 1, 0.6, 0.4, 0.1] + 7.0
    for start in ("auto", 0.1 * rng.standard_normal((40, 2))):
        model = UnsupervisedKernelRegression(2, kernel="linear", init=start).fit(wide)
        pca = PCA(2).fit(wide)
        # ZZᵀ is the projection onto the components, without being told to be one
        np.testing.assert_allclose(model.embedding_.T @ model.embedding_, np.eye(2), atol=1e-5)
        assert subspace_gap(model.embedding_, pca.embedding_) < 1e-5
        spectrum = np.linalg.svd(wide - wide.mean(axis=0), compute_uv=False) ** 2
        assert model.objective_ == pytest.approx(spectrum[2:].sum() / 40, rel=1e-9)
        new = rng.standard_normal((5, 6))
        np.testing.assert_allclose(
            model.inverse_transform(model.transform(new)),
            pca.inverse_transform(pca.transform(new)),
            atol=1e-4,
        )
        scale = np.linalg.norm(pca.embedding_, axis=0)
        np.testing.assert_allclose(model.embedding_, pca.embedding_ / scale, atol=1e-4)


@pytest.mark.parametrize("leave_one_out", [True, False])
def test_error_and_gradient(X, leave_one_out, assert_gradient):
    some = X[:20]
    Z = np.random.default_rng(2).standard_normal((20, 2))
    objective = GaussianReconstruction(some, leave_one_out=leave_one_out, penalty=0.3)
    total = 0.0
    for i in range(20):
        e = np.exp(-((Z[i] - Z) ** 2).sum(axis=1))
        e[i] = 0.0 if leave_one_out else e[i]
        total += np.sum((some[i] - e @ some / e.sum()) ** 2)
        total += 0.3 * np.sum((Z[i] - Z.mean(axis=0)) ** 2)
    assert objective(Z)[0] == pytest.approx(total / 20, rel=1e-12)
    assert_gradient(objective, Z)
    assert_gradient(LinearReconstruction(some), Z)


def test_points_so_far_apart_that_exp_vanishes_have_weights():
    Z = np.array([[0.0], [100.0], [201.0]])
    B = gaussian_weights(Z, Z, leave_one_out=True)
    np.testing.assert_allclose(B, [[0, 1, 0], [1, 0, 0], [0, 1, 0]], atol=1e-12)


def test_a_curve_is_told_from_one_coordinate(X):
    model = UnsupervisedKernelRegression(1).fit(X)
    position = np.arctan2(X[:, 1], X[:, 0])
    assert abs(np.corrcoef(model.embedding_[:, 0], position)[0, 1]) > 0.97
    pca_error = np.mean((X - PCA(1).fit(X).inverse_transform(PCA(1).fit_transform(X))) ** 2)
    back = model.inverse_transform(model.embedding_)
    assert np.mean((back - X) ** 2) < 0.1 * pca_error
    assert model.reconstruction_error_ < model.objective_ < model.history_[0]


def test_the_map_is_a_minimum(X):
    model = UnsupervisedKernelRegression(1).fit(X)
    variance = np.sum((X - X.mean(axis=0)) ** 2) / len(X)
    objective = GaussianReconstruction(
        X - X.mean(axis=0), leave_one_out=True, penalty=1e-3 * variance
    )
    value, gradient = objective(model.embedding_)
    assert value == pytest.approx(model.objective_, rel=1e-9)
    assert np.abs(gradient).max() < 1e-5 * variance / len(X)


def test_new_rows_are_projected_onto_the_surface(X):
    model = UnsupervisedKernelRegression(1).fit(X[:70])
    grid = np.linspace(model.embedding_.min() - 1, model.embedding_.max() + 1, 4001)[:, None]
    variance = np.sum((X[:70] - X[:70].mean(axis=0)) ** 2) / 70
    errors = cdist(X[70:], model.inverse_transform(grid), "sqeuclidean")
    errors += 1e-3 * variance * (grid**2).T
    placed = model.transform(X[70:])
    own = np.sum((model.inverse_transform(placed) - X[70:]) ** 2, axis=1)
    own += 1e-3 * variance * placed[:, 0] ** 2
    assert np.all(own <= errors.min(axis=1) + 1e-8)


def test_of_two_descents_each_finds_what_the_other_misses():
    """Beside noisy folds: one start alone, either of them, misses the nearest place twice as often.

    (Shares of rows that are farther from the curve than need be: 0.03 against 0.06 and 0.07.)
    """
    missed = []
    for seed in range(4):
        for noise in (0.3, 0.5):
            rng = np.random.default_rng(seed)

            def noisy(t, noise=noise, rng=rng):
                folds = np.column_stack([t / 2, np.sin(2 * t)])
                return folds + noise * rng.standard_normal(folds.shape)

            model = UnsupervisedKernelRegression(1, penalty=0.01).fit(noisy(rng.uniform(-4, 4, 80)))
            new, rule = noisy(rng.uniform(-4, 4, 150)), model._map.place.rule
            ends = model.embedding_.min() - 2, model.embedding_.max() + 2
            grid, placed = np.linspace(*ends, 3001)[:, None], model.transform(new)
            measured = rule.regression.measured
            least = cdist(new, model.inverse_transform(grid), "sqeuclidean")
            least += rule.pull * np.sum(measured(grid) ** 2, axis=1)
            own = np.sum((model.inverse_transform(placed) - new) ** 2, axis=1)
            own += rule.pull * np.sum(measured(placed) ** 2, axis=1)
            missed.append(np.mean(own > least.min(axis=1) + 1e-3))
    assert np.mean(missed) < 0.045, missed


def test_rows_far_from_all_others_have_a_place_within_reach_of_the_map(X):
    """Far outside of the points the surface hardly changes, and nothing but a penalty holds."""
    model = UnsupervisedKernelRegression(1, penalty=0.0).fit(X[:60])
    middle, size = X.mean(axis=0), np.ptp(X)
    ways = np.random.default_rng(0).standard_normal((30, X.shape[1]))
    placed = model.transform(np.vstack([middle + far * size * ways for far in (20.0, 2000.0)]))
    assert np.abs(placed).max() < 5 * np.ptp(model.embedding_)


def test_more_features_than_rows_change_nothing(X):
    lift = np.linalg.qr(np.random.default_rng(3).standard_normal((120, 120)))[0][:3]
    flat = UnsupervisedKernelRegression(1).fit(X[:60])
    lifted = UnsupervisedKernelRegression(1).fit(X[:60] @ lift)
    np.testing.assert_allclose(lifted.embedding_, flat.embedding_, atol=1e-5)
    np.testing.assert_allclose(lifted.transform(X[60:] @ lift), flat.transform(X[60:]), atol=1e-5)
    back = lifted.inverse_transform(flat.embedding_[:4])
    np.testing.assert_allclose(back, flat.inverse_transform(flat.embedding_[:4]) @ lift, atol=1e-5)


def test_the_penalised_form_without_leaving_out(X):
    model = UnsupervisedKernelRegression(1, leave_one_out=False, penalty=1e-3).fit(X)
    centred = X - X.mean(axis=0)
    objective = GaussianReconstruction(
        centred, leave_one_out=False, penalty=1e-3 * np.sum(centred**2) / len(X)
    )

    def least_from(start):
        assert objective(start[:, None])[0] > 1.01 * model.objective_
        return minimize(
            lambda z: (objective(z[:, None])[0], objective(z[:, None])[1][:, 0]),
            start,
            jac=True,
            method="CG",
            options={"gtol": 1e-9, "maxiter": 5000},
        ).fun

    rng = np.random.default_rng(8)
    for _ in range(3):  # from elsewhere nearby another solver comes back
        nearby = model.embedding_[:, 0] + 0.1 * rng.standard_normal(len(X))
        assert model.objective_ == pytest.approx(least_from(nearby), rel=1e-4)
    # and from where nothing of ours was used it finds nothing better, and once as good
    principal = PCA(1).fit_transform(X)[:, 0]
    alone = [least_from(unit * principal / principal.std()) for unit in (0.5, 1.0, 2.0, 4.0)]
    assert min(alone) == pytest.approx(model.objective_, rel=1e-4)


def test_what_it_refuses(X):
    with pytest.raises(ValueError, match="needs a positive 'penalty'"):
        UnsupervisedKernelRegression(leave_one_out=False, penalty=0).fit(X)
    with pytest.raises(ValueError, match="at least two distinct rows"):
        UnsupervisedKernelRegression().fit(np.ones((9, 3)))
    with pytest.raises(ValueError, match="'kernel' parameter of UnsupervisedKernelRegression"):
        UnsupervisedKernelRegression(kernel="cubic").fit(X)


def test_points_that_came_to_one_place_are_warned_of():
    with pytest.warns(UserWarning, match="came to one place"):
        UnsupervisedKernelRegression(1).fit([[0.0, 1.0], [1.0, 0.0]])


def test_other_parameters_change_nothing_before_the_next_fit():
    rng = np.random.default_rng(0)
    X, new = rng.standard_normal((40, 4)), rng.standard_normal((7, 4))
    for kernel, other in (("gaussian", "linear"), ("linear", "gaussian")):
        model = UnsupervisedKernelRegression(2, kernel=kernel).fit(X)
        before = model.transform(new), model.inverse_transform(model.embedding_)
        model.set_params(kernel=other, penalty=5.0)
        np.testing.assert_array_equal(model.transform(new), before[0])
        np.testing.assert_array_equal(model.inverse_transform(model.embedding_), before[1])


@pytest.mark.parametrize("option", [{"leave_one_out": False}, {"penalty": 0.1}])
def test_what_a_linear_basis_has_no_use_for_is_refused(option):
    model = UnsupervisedKernelRegression(2, kernel="linear", **option)
    with pytest.raises(ValueError, match="no effect with kernel='linear'"):
        model.fit(np.random.default_rng(0).standard_normal((20, 4)))


def test_a_linear_basis_has_no_more_dimensions_than_the_data():
    """Those beyond were arbitrary, and fitted rows were placed elsewhere by half of the map."""
    X = np.random.default_rng(0).standard_normal((16, 1))
    with pytest.raises(ValueError, match="must be at most n_features=1 with kernel='linear'"):
        UnsupervisedKernelRegression(2, kernel="linear").fit(X)
    model = UnsupervisedKernelRegression(1, kernel="linear").fit(X)
    np.testing.assert_allclose(model.transform(X), model.embedding_, atol=1e-8)
