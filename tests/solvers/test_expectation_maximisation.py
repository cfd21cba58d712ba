"""A linear Gaussian model with missing entries, against dense Gaussians."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.exceptions import ConvergenceWarning

from sidelight.core.errors import InterruptedFitWarning
from sidelight.core.progress import listening
from sidelight.solvers.expectation_maximisation import fit_with_missing, latent_posterior


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    W = rng.standard_normal((6, 2))
    X = rng.standard_normal((80, 2)) @ W.T + 1.5 + 0.3 * rng.standard_normal((80, 6))
    observed = rng.random(X.shape) > 0.3
    observed[0] = False
    return X, observed, W


def test_posterior_and_density_against_the_dense_gaussian(problem):
    X, observed, W = problem
    mean, noise = X.mean(axis=0), 0.2
    posterior = latent_posterior(X, observed, W, mean, noise)
    for i in range(12):
        o = observed[i]
        if not o.any():
            np.testing.assert_allclose(posterior.mean[i], 0)
            np.testing.assert_allclose(posterior.covariance[i], np.eye(2))
            assert posterior.log_density[i] == pytest.approx(0)
            continue
        C = W[o] @ W[o].T + noise * np.eye(o.sum())
        density = multivariate_normal(mean[o], C).logpdf(X[i, o])
        assert posterior.log_density[i] == pytest.approx(density, abs=1e-10)
        gain = W[o].T @ np.linalg.inv(C)
        np.testing.assert_allclose(posterior.mean[i], gain @ (X[i, o] - mean[o]), atol=1e-10)
        np.testing.assert_allclose(posterior.covariance[i], np.eye(2) - gain @ W[o], atol=1e-10)


def test_the_likelihood_never_falls_and_ends_at_a_stationary_point(problem):
    X, observed, _ = problem
    model = fit_with_missing(X, observed, 2, tol=1e-12, max_iter=5000)
    assert model.converged
    assert np.diff(model.history).min() > -1e-9

    def likelihood(W, mean, noise):
        return latent_posterior(X, observed, W, mean, noise).log_density.sum()

    best = likelihood(model.loadings, model.mean, model.noise_variance)
    rng = np.random.default_rng(1)
    h = 1e-4
    for _ in range(5):
        dW, dm = rng.standard_normal(model.loadings.shape), rng.standard_normal(6)
        slope = (
            likelihood(model.loadings + h * dW, model.mean + h * dm, model.noise_variance)
            - likelihood(model.loadings - h * dW, model.mean - h * dm, model.noise_variance)
        ) / (2 * h)
        assert abs(slope) < 1e-2 * abs(best) ** 0.5
    for factor in (0.98, 1.02):
        assert likelihood(model.loadings, model.mean, factor * model.noise_variance) < best


def test_stopping_early_is_said(problem):
    X, observed, _ = problem
    with pytest.warns(ConvergenceWarning, match="max_iter=3"):
        fit_with_missing(X, observed, 2, tol=1e-12, max_iter=3)


def test_an_interruption_keeps_the_likeliest_model_so_far(problem):
    def stop(progress):
        if progress.done == 4:
            raise KeyboardInterrupt

    X, observed, _ = problem
    observed[0, 0] = True
    whole = fit_with_missing(X, observed, 2, tol=1e-12, max_iter=500)
    with listening(stop), pytest.warns(InterruptedFitWarning, match="after 3 iterations"):
        part = fit_with_missing(X, observed, 2, tol=1e-12, max_iter=500)
    np.testing.assert_array_equal(part.history, whole.history[:4])
    assert not part.converged
    density = latent_posterior(X, observed, part.loadings, part.mean, part.noise_variance)
    assert density.log_density.sum() == pytest.approx(part.history[-1], rel=1e-9)
