"""Expectation maximisation for a linear Gaussian model with missing entries.

Rows x = W z + μ + ε, z ~ N(0, I), ε ~ N(0, σ²I), of which any entries may be missing.  Every step
is a handful of matrix products over all rows and columns at once, and every second step runs
ahead along the last two wherever that is more likely still.

References
----------
M. E. Tipping and C. M. Bishop (1999), "Probabilistic principal component analysis", appendix.
R. Varadhan and C. Roland (2008), "Simple and globally convergent methods for accelerating the
convergence of any EM algorithm".
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from sidelight.core import BoolArray, FloatArray, Interruption, counted, report

_LOG_2PI = float(np.log(2 * np.pi))


@dataclass(frozen=True)
class LatentPosterior:
    """What is known of the latent points once the rows are seen.

    Parameters
    ----------
    mean : ndarray of shape (n, q)
        E[z | x].
    covariance : ndarray of shape (n, q, q)
        σ² M⁻¹, M = Σ_j observed w_j w_jᵀ + σ²I.
    log_density : ndarray of shape (n,)
        log p of the observed entries of each row.
    """

    mean: FloatArray
    covariance: FloatArray
    log_density: FloatArray


@dataclass(frozen=True)
class LinearGaussian:
    """A fitted model.

    Parameters
    ----------
    loadings : ndarray of shape (p, q)
        W.
    mean : ndarray of shape (p,)
        μ.
    noise_variance : float
        σ².
    history : ndarray of shape (n_iter,)
        The log likelihood at the start and after each iteration; it never falls.
    converged : bool
        Whether it stopped rising.
    """

    loadings: FloatArray
    mean: FloatArray
    noise_variance: float
    history: FloatArray
    converged: bool


def latent_posterior(
    X: FloatArray,
    observed: BoolArray,
    loadings: FloatArray,
    mean: FloatArray,
    noise_variance: float,
) -> LatentPosterior:
    """Condition the latent points on the observed entries."""
    n, q = X.shape[0], loadings.shape[1]
    residual = np.where(observed, X - mean, 0.0)
    counts = observed.sum(axis=1)
    identity = noise_variance * np.eye(q)
    if observed.all():  # one M serves all rows
        M = np.broadcast_to(loadings.T @ loadings + identity, (n, q, q))
        inverse = np.broadcast_to(np.linalg.inv(M[0]), (n, q, q))
        log_det = np.broadcast_to(np.linalg.slogdet(M[0])[1], (n,))
    else:
        outer = (loadings[:, :, None] * loadings[:, None, :]).reshape(-1, q * q)
        M = (observed.astype(np.float64) @ outer).reshape(n, q, q) + identity
        inverse = np.linalg.inv(M)
        log_det = np.linalg.slogdet(M)[1]
    b = residual @ loadings
    latent = np.einsum("ipq,iq->ip", inverse, b)
    # log|C| and xᵀC⁻¹x of the observed part through the q × q matrix M (Woodbury)
    fit = residual - np.where(observed, latent @ loadings.T, 0.0)
    quadratic = np.einsum("ij,ij->i", fit, fit) / noise_variance + np.einsum(
        "ij,ij->i", latent, latent
    )
    log_det = log_det + (counts - q) * np.log(noise_variance)
    log_density = -0.5 * (counts * _LOG_2PI + log_det + quadratic)
    return LatentPosterior(latent, noise_variance * inverse, log_density)


def fit_with_missing(
    X: FloatArray,
    observed: BoolArray,
    n_components: int,
    *,
    tol: float,
    max_iter: int,
    who: str = "Expectation maximisation",
) -> LinearGaussian:
    """Fit W, μ and σ² to the observed entries by maximum likelihood.

    W and μ are solved for jointly, column by column: with z̃ = (z, 1), the row (w_j, μ_j) solves
    Σ_i E[z̃z̃ᵀ] (w_j, μ_j) = Σ_i x_ij E[z̃] over the rows i that observe column j.
    """
    problem = _Problem(X, observed, n_components)
    current = problem.start()
    history = [problem.log_likelihood(current)]
    converged = False
    with Interruption() as interruption:
        for iteration in range(max_iter):
            report("expectation maximisation", iteration + 1, max_iter, history[-1])
            once = problem.step(current)
            twice = problem.step(once)
            current, likelihood = problem.better(twice, _extrapolate(current, once, twice))
            history.append(likelihood)
            if history[-1] - history[-2] <= tol * abs(history[-1]):
                converged = True
                break
    if interruption:
        interruption.warn(
            f"{who} was interrupted after {counted(len(history) - 1, 'iteration')}; the "
            f"likeliest model so far is kept.",
            stacklevel=4,
        )
    elif not converged:
        warnings.warn(
            f"{who} stopped after max_iter={max_iter} iterations while the log "
            f"likelihood still rose. Raise max_iter or tol={tol:g}.",
            ConvergenceWarning,
            stacklevel=4,
        )
    loadings, mean, noise = problem.unpack(current)
    return LinearGaussian(loadings, mean, noise, np.array(history), converged)


class _Problem:
    """The observed entries, and a step of expectation maximisation on (W, μ, log σ²)."""

    def __init__(self, X: FloatArray, observed: BoolArray, n_components: int) -> None:
        self.X, self.observed, self.q = X, observed, n_components
        self.weight = observed.astype(np.float64)
        self.known = np.where(observed, X, 0.0)
        self.n_known = float(self.weight.sum())

    def start(self) -> FloatArray:
        """The PCA of the rows with means filled in."""
        n, q = len(self.X), self.q
        mean = self.known.sum(axis=0) / self.weight.sum(axis=0)
        filled = np.where(self.observed, self.X - mean, 0.0)
        _, lengths, Vt = np.linalg.svd(filled, full_matrices=False)
        variance = float((filled**2).sum() / self.n_known) or 1.0
        self.floor = 1e-12 * variance
        noise = max(float((lengths[q:] ** 2).sum()) / self.n_known, 1e-3 * variance)
        loadings = Vt[:q].T * np.sqrt(np.maximum(lengths[:q] ** 2 / n, 1e-6 * variance))
        return _pack(loadings, mean, noise)

    def unpack(self, packed: FloatArray) -> tuple[FloatArray, FloatArray, float]:
        """W, μ and σ² of a packed vector."""
        p = self.X.shape[1]
        loadings = packed[: p * self.q].reshape(p, self.q)
        return loadings, packed[p * self.q : -1], max(float(np.exp(packed[-1])), self.floor)

    def log_likelihood(self, packed: FloatArray) -> float:
        """The log likelihood of all observed entries."""
        posterior = latent_posterior(self.X, self.observed, *self.unpack(packed))
        return float(posterior.log_density.sum())

    def step(self, packed: FloatArray) -> FloatArray:
        """One step; the likelihood does not fall."""
        (n, p), q = self.X.shape, self.q
        posterior = latent_posterior(self.X, self.observed, *self.unpack(packed))
        z = np.column_stack([posterior.mean, np.ones(n)])
        second = z[:, :, None] * z[:, None, :]
        second[:, :q, :q] += posterior.covariance
        A = (self.weight.T @ second.reshape(n, -1)).reshape(p, q + 1, q + 1)
        A[:, np.arange(q + 1), np.arange(q + 1)] += 1e-12 * np.trace(A, axis1=1, axis2=2)[:, None]
        joint = np.linalg.solve(A, (self.known.T @ z)[:, :, None])[:, :, 0]
        loadings, mean = joint[:, :q], joint[:, q]
        error = np.where(self.observed, self.X - posterior.mean @ loadings.T - mean, 0.0)
        outer = (loadings[:, :, None] * loadings[:, None, :]).reshape(p, -1)
        spread = float(np.sum((self.weight @ outer) * posterior.covariance.reshape(n, -1)))
        noise = max((float((error**2).sum()) + spread) / self.n_known, self.floor)
        return _pack(loadings, mean, noise)

    def better(self, safe: FloatArray, bold: FloatArray) -> tuple[FloatArray, float]:
        """The more likely of two, and its likelihood."""
        likelihood = self.log_likelihood(safe)
        if np.isfinite(bold).all() and abs(bold[-1] - safe[-1]) < 20:
            bolder = self.log_likelihood(bold)
            if bolder > likelihood:
                return bold, bolder
        return safe, likelihood


def _extrapolate(start: FloatArray, once: FloatArray, twice: FloatArray) -> FloatArray:
    """Run ahead along the last two steps (SQUAREM)."""
    first, second = once - start, twice - once
    bend = second - first
    length = -float(np.linalg.norm(first)) / max(float(np.linalg.norm(bend)), 1e-300)
    length = min(length, -1.0)
    return start - 2 * length * first + length**2 * bend


def _pack(loadings: FloatArray, mean: FloatArray, noise: float) -> FloatArray:
    return np.concatenate([loadings.ravel(), mean, [np.log(noise)]])
