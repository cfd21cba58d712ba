"""The density, its dual, and missing values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from sidelight import ProbabilisticPCA


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    return rng.standard_normal((120, 3)) @ rng.standard_normal((3, 7)) + 2 + rng.random((120, 7))


def covariance(model):
    p = model.components_.shape[1]
    return model.components_.T @ model.components_ + model.noise_variance_ * np.eye(p)


def test_likelihood_against_the_dense_gaussian(X):
    model = ProbabilisticPCA(2).fit(X)
    dense = multivariate_normal(model.mean_, covariance(model))
    np.testing.assert_allclose(model.score_samples(X), dense.logpdf(X), atol=1e-9)
    assert model.log_likelihood_ == pytest.approx(dense.logpdf(X).sum())
    assert model.score(X) == pytest.approx(dense.logpdf(X).mean())


def test_no_other_parameters_are_more_likely(X):
    model = ProbabilisticPCA(2).fit(X)
    rng = np.random.default_rng(1)
    W, s2 = model.components_, model.noise_variance_

    def likelihood(W, s2):
        C = W.T @ W + s2 * np.eye(7)
        return multivariate_normal(model.mean_, C).logpdf(X).sum()

    for _ in range(20):
        shaken = likelihood(W + 1e-3 * rng.standard_normal(W.shape), s2)
        assert shaken < model.log_likelihood_
    h = 1e-5
    slope = (likelihood(W, s2 + h) - likelihood(W, s2 - h)) / (2 * h)
    assert abs(slope) < 1e-3


def test_noise_is_the_mean_of_the_eigenvalues_left_out(X):
    values = np.linalg.eigvalsh(np.cov(X.T, bias=True))[::-1]
    model = ProbabilisticPCA(2).fit(X)
    assert model.noise_variance_ == pytest.approx(values[2:].mean())
    np.testing.assert_allclose(model.eigenvalues_, values[:2])


def test_posterior_is_conditioning_the_joint_gaussian(X):
    model = ProbabilisticPCA(2).fit(X)
    mean, spread = model.posterior(X[:3])
    C = covariance(model)
    gain = model.components_ @ np.linalg.inv(C)
    np.testing.assert_allclose(mean, (X[:3] - model.mean_) @ gain.T, atol=1e-10)
    np.testing.assert_allclose(spread[0], np.eye(2) - gain @ model.components_.T, atol=1e-10)


def test_dual_form_against_the_dense_gaussian_of_columns(X):
    dual = ProbabilisticPCA(2, form="dual").fit(X)
    K = dual.embedding_ @ dual.embedding_.T + dual.noise_variance_ * np.eye(len(X))
    centred = X - X.mean(axis=0)
    dense = sum(multivariate_normal(np.zeros(len(X)), K).logpdf(column) for column in centred.T)
    assert dual.log_likelihood_ == pytest.approx(dense, abs=1e-6)
    np.testing.assert_allclose(dual.transform(X), dual.embedding_, atol=1e-10)
    Z = dual.embedding_
    weights = np.linalg.solve(Z.T @ Z + dual.noise_variance_ * np.eye(2), Z.T @ centred)
    np.testing.assert_allclose(dual.components_, weights, atol=1e-10)


def test_one_entry_less_changes_little_and_many_are_filled_in_well(X):
    complete = ProbabilisticPCA(3).fit(X)
    holes = X.copy()
    holes[5, 2] = np.nan
    assert ProbabilisticPCA(3).fit(holes).noise_variance_ == pytest.approx(
        complete.noise_variance_, rel=0.02
    )
    rng = np.random.default_rng(2)
    holes[rng.random(X.shape) < 0.25] = np.nan
    model = ProbabilisticPCA(3).fit(holes)
    missing = np.isnan(holes)
    filled = model.impute(holes)
    np.testing.assert_array_equal(filled[~missing], X[~missing])
    error = np.sqrt(np.mean((filled - X)[missing] ** 2))
    by_mean = np.sqrt(np.mean((np.nanmean(holes, axis=0) - X)[missing] ** 2))
    assert error < 0.5 * by_mean


def test_missing_likelihood_is_that_of_the_observed_marginals(X):
    rng = np.random.default_rng(3)
    holes = X.copy()
    holes[rng.random(X.shape) < 0.3] = np.nan
    model = ProbabilisticPCA(2).fit(holes)
    C = covariance(model)
    total = 0.0
    for row in holes:
        o = ~np.isnan(row)
        if o.any():
            total += multivariate_normal(model.mean_[o], C[np.ix_(o, o)]).logpdf(row[o])
    assert model.log_likelihood_ == pytest.approx(total, abs=1e-8)


def test_empty_rows_and_columns(X):
    holes = X.copy()
    holes[4] = np.nan
    with pytest.warns(UserWarning, match="No entry is observed in 1 row of X"):
        model = ProbabilisticPCA(2).fit(holes)
    np.testing.assert_allclose(model.embedding_[4], 0, atol=1e-12)
    holes[:, 3] = np.nan
    with pytest.raises(ValueError, match=r"ProbabilisticPCA.*in the columns \[3\]"):
        ProbabilisticPCA(2).fit(holes)


def test_as_many_components_as_features_is_the_full_covariance(X):
    model = ProbabilisticPCA(7).fit(X)
    np.testing.assert_allclose(covariance(model), np.cov(X.T, bias=True), atol=1e-8)


def test_density_of_the_map_integrates_to_one(X):
    model = ProbabilisticPCA(1).fit(X)
    grid = np.linspace(-8, 8, 2001)[:, None]
    assert np.trapezoid(model.density(grid), grid[:, 0]) == pytest.approx(1)


def test_dual_form_says_what_it_cannot_do(X):
    dual = ProbabilisticPCA(2, form="dual").fit(X)
    with pytest.raises(ValueError, match="form='primal'"):
        dual.score(X)
    holes = X.copy()
    holes[0, 0] = np.nan
    with pytest.raises(ValueError, match="form='dual' of ProbabilisticPCA needs complete rows"):
        ProbabilisticPCA(2, form="dual").fit(holes)


def test_draws_have_the_moments_of_the_density(X):
    model = ProbabilisticPCA(2).fit(X)
    drawn = model.sample(60_000, random_state=0)
    C = covariance(model)
    np.testing.assert_allclose(drawn.mean(axis=0), model.mean_, atol=0.03)
    np.testing.assert_allclose(np.cov(drawn.T), C, atol=0.04 * np.abs(C).max())
    beside = np.linalg.svd(model.components_)[2][2:]  # the directions of noise alone
    spread = ((drawn - model.mean_) @ beside.T).var()
    assert spread == pytest.approx(model.noise_variance_, rel=0.03)
    with pytest.raises(ValueError, match="ProbabilisticPCA.sample is of form='primal'"):
        ProbabilisticPCA(2, form="dual").fit(X).sample()


@pytest.mark.parametrize("turned", [False, True])
def test_directions_that_vary_alike_are_no_map_and_that_is_said(turned):
    corners = np.vstack([np.eye(3), -np.eye(3)])
    if turned:
        corners = corners @ np.linalg.qr(np.random.default_rng(0).random((3, 3)))[0]
    with pytest.warns(UserWarning, match="no direction that varies more than the others"):
        model = ProbabilisticPCA(2).fit(corners)
    np.testing.assert_array_equal(model.embedding_, 0.0)
    assert model.noise_variance_ == pytest.approx(1 / 3)


@pytest.mark.parametrize("form", ["primal", "dual"])
def test_rows_without_noise_have_next_to_none(form):
    rng = np.random.default_rng(8)
    X = rng.standard_normal((30, 2)) @ rng.standard_normal((2, 6))
    model = ProbabilisticPCA(2, form=form).fit(X)
    assert 0 < model.noise_variance_ < 1e-11 * X.var()
    np.testing.assert_allclose(model.inverse_transform(model.embedding_), X, atol=1e-6)
