"""Expectation maximisation for a linear Gaussian model with missing entries.

Rows x = W z + μ + ε, z ~ N(0, I), ε ~ N(0, σ²I), of which any entries may be missing.  Every step
is a handful of matrix products over all rows and columns at once.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from sidelight.arrays import BoolArray, FloatArray
from sidelight.progress import report

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
        The log likelihood before each iteration; it never falls.
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
    """Condition the latent points on the observed entries.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Rows; what is not observed is not looked at.
    observed : ndarray of shape (n, p)
        Which entries are.
    loadings : ndarray of shape (p, q)
        W.
    mean : ndarray of shape (p,)
        μ.
    noise_variance : float
        σ².

    Returns
    -------
    LatentPosterior
        Means, covariances and log densities.
    """
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
    X: FloatArray, observed: BoolArray, n_components: int, *, tol: float, max_iter: int
) -> LinearGaussian:
    """Fit W, μ and σ² to the observed entries by maximum likelihood.

    W and μ are solved for jointly, column by column: with z̃ = (z, 1), the row (w_j, μ_j) solves
    Σ_i E[z̃z̃ᵀ] (w_j, μ_j) = Σ_i x_ij E[z̃] over the rows i that observe column j.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Rows with missing entries.
    observed : ndarray of shape (n, p)
        Which entries are there; each column has at least one.
    n_components : int
        q.
    tol : float
        Stop when the log likelihood rises by less than ``tol`` times its size.
    max_iter : int
        The most iterations.

    Returns
    -------
    LinearGaussian
        The model and the history of its log likelihood.
    """
    n, p = X.shape
    q = n_components
    weight = observed.astype(np.float64)
    known = np.where(observed, X, 0.0)
    n_known = weight.sum()
    mean = known.sum(axis=0) / weight.sum(axis=0)
    # begin at the PCA of the rows with means filled in
    filled = np.where(observed, X - mean, 0.0)
    _, lengths, Vt = np.linalg.svd(filled, full_matrices=False)
    variance = float((filled**2).sum() / n_known) or 1.0
    floor = 1e-12 * variance
    noise = max(float((lengths[q:] ** 2).sum()) / n_known, 1e-3 * variance)
    loadings = Vt[:q].T * np.sqrt(np.maximum(lengths[:q] ** 2 / n, 1e-6 * variance))
    history: list[float] = []
    converged = False
    for iteration in range(max_iter):
        posterior = latent_posterior(X, observed, loadings, mean, noise)
        history.append(float(posterior.log_density.sum()))
        report("expectation maximisation", iteration + 1, max_iter, history[-1])
        if iteration and history[-1] - history[-2] <= tol * abs(history[-1]):
            converged = True
            break
        z = np.column_stack([posterior.mean, np.ones(n)])
        second = z[:, :, None] * z[:, None, :]
        second[:, :q, :q] += posterior.covariance
        A = (weight.T @ second.reshape(n, -1)).reshape(p, q + 1, q + 1)
        A[:, np.arange(q + 1), np.arange(q + 1)] += 1e-12 * np.trace(A, axis1=1, axis2=2)[:, None]
        joint = np.linalg.solve(A, (known.T @ z)[:, :, None])[:, :, 0]
        loadings, mean = joint[:, :q], joint[:, q]
        error = np.where(observed, X - posterior.mean @ loadings.T - mean, 0.0)
        outer = (loadings[:, :, None] * loadings[:, None, :]).reshape(p, -1)
        spread = float(np.sum((weight @ outer) * posterior.covariance.reshape(n, -1)))
        noise = max((float((error**2).sum()) + spread) / n_known, floor)
    if not converged:
        warnings.warn(
            f"Expectation maximisation stopped after max_iter={max_iter} iterations while the log "
            f"likelihood still rose. Raise max_iter or tol={tol:g}.",
            ConvergenceWarning,
            stacklevel=4,
        )
    return LinearGaussian(loadings, mean, noise, np.array(history), converged)
