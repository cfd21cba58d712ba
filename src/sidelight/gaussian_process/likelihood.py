"""The exact likelihood of columns under a Gaussian process, and its slope in the kernel.

    log p(Y | K) = Σ_j log N(y_j | 0, K + σ²I),     ∂/∂K = ½ Σ_j (a_j a_jᵀ − K_j⁻¹),

with a_j = K_j⁻¹ y_j and K_j the rows and columns of K + σ²I where column j is observed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve
from scipy.linalg.blas import dsyrk

from sidelight.core import FloatArray, IntArray
from sidelight.gaussian_process.factorisation import factorise
from sidelight.gaussian_process.observed import ColumnGroup, ObservedTable

_LOG_2PI = float(np.log(2 * np.pi))
#: What looking at one more pattern costs beside its factorisation, in multiplications.
_PER_PATTERN = 2e6


@dataclass(frozen=True)
class Likelihood:
    """A log likelihood and its slopes.

    Parameters
    ----------
    value : float
        log p(Y | K).
    slope : ndarray of shape (n, n)
        2 ∂/∂K below the diagonal, ∂/∂K on it, zero above: the sum of its products with a change
        of K's lower triangle is the change of the value.
    noise_slope : float
        ∂/∂σ².
    jitter : float
        The most that was added to a diagonal.
    """

    value: float
    slope: FloatArray
    noise_slope: float
    jitter: float


def exact_likelihood(K: FloatArray, noise: float, table: ObservedTable) -> Likelihood:
    """Compute log p(Y | K) of what is observed, and its slopes.

    Columns of one pattern share a factorisation of their own part of K (cost r³ for r rows).
    Where there are many patterns, each with little missing, all start from one factorisation of
    the whole instead, and what is missing is conditioned out of its inverse (cost m³ for m
    missing entries).
    """
    if cheaper_from_the_whole(table):
        return _from_the_whole(K, noise, table)
    n = len(K)
    value, noise_slope, jitter = 0.0, 0.0, 0.0
    total: FloatArray | None = None
    for group in table.groups:
        part, slope, trace, added = _of_group(K, noise, group)
        value, noise_slope, jitter = value + part, noise_slope + trace, max(jitter, added)
        if group.rows is None:
            total = slope if total is None else total + slope
            continue
        if total is None:
            total = np.zeros((n, n), order="F")
        total[np.ix_(group.rows, group.rows)] += slope
    assert total is not None
    return Likelihood(value, total, noise_slope, jitter)


def cheaper_from_the_whole(table: ObservedTable) -> bool:
    """Tell whether conditioning what is missing out of one inverse costs less."""
    n, p = table.values.shape
    present = np.array([n if g.rows is None else len(g.rows) for g in table.groups], dtype=float)
    apart = float(np.sum(present**3 + _PER_PATTERN))
    together = 5.0 * n**3 + 4.0 * n * n * p + float(np.sum((n - present) ** 3)) + _PER_PATTERN
    return len(table.groups) > 1 and together < apart


def _of_group(
    K: FloatArray, noise: float, group: ColumnGroup
) -> tuple[float, FloatArray, float, float]:
    block = K.copy() if group.rows is None else K[np.ix_(group.rows, group.rows)]
    r, c = len(block), group.n_columns
    block.flat[:: r + 1] += noise
    cholesky = factorise(block)
    log_det = cholesky.log_determinant
    a = cho_solve((cholesky.lower, True), group.factor, check_finite=False)
    quadratic = float(np.sum(a * group.factor))
    value = -0.5 * (c * (r * _LOG_2PI + log_det) + quadratic)
    # aaᵀ − c K⁻¹ in the triangle that the inverse was written to
    inverse = cholesky.inverse_triangle()
    slope = np.asarray(dsyrk(1.0, a, beta=-float(c), c=inverse, lower=1, overwrite_c=1))
    trace = 0.5 * float(np.trace(slope))
    slope.T.flat[:: r + 1] *= 0.5
    return value, slope, trace, cholesky.jitter


def _from_the_whole(K: FloatArray, noise: float, table: ObservedTable) -> Likelihood:
    """With P = (K + σ²I)⁻¹ and M what column j misses: K_j⁻¹ = P − P_:M P_MM⁻¹ P_M:."""
    n, p = table.values.shape
    raised = K.copy()
    raised.flat[:: n + 1] += noise
    cholesky = factorise(raised)
    log_det = p * cholesky.log_determinant
    P = cholesky.inverse()
    image = P @ table.values
    filled = table.values.copy()
    # what the patterns take away, Σ_j P_:M P_MM⁻¹ P_M: = P D P
    D = np.zeros(n * n)
    for columns, missing in _by_count(table):
        inverse = np.linalg.inv(P[missing[:, :, None], missing[:, None, :]])
        log_det -= float(np.linalg.slogdet(inverse)[1].sum())
        # the value at which a missing entry pulls on nothing
        entries = -np.einsum("cij,cj->ci", inverse, image[missing, columns[:, None]])
        filled[missing, columns[:, None]] = entries
        places = (missing[:, :, None] * n + missing[:, None, :]).ravel()
        D += np.bincount(places, weights=inverse.ravel(), minlength=n * n)
    a = P @ filled
    quadratic = float(np.sum(a * table.values))
    full = a @ a.T - p * P + P @ D.reshape(n, n) @ P
    value = -0.5 * (table.n_observed * _LOG_2PI + log_det + quadratic)
    slope = np.tril(full)
    slope.flat[:: n + 1] *= 0.5
    return Likelihood(value, slope, 0.5 * float(np.trace(full)), cholesky.jitter)


def _by_count(table: ObservedTable) -> list[tuple[IntArray, IntArray]]:
    """Columns with as many missing entries, and the rows where these are."""
    absent = ~table.observed
    counts = absent.sum(axis=0)
    found: list[tuple[IntArray, IntArray]] = []
    for count in np.unique(counts[counts > 0]):
        columns = np.flatnonzero(counts == count)
        rows = np.nonzero(absent[:, columns].T)[1].reshape(len(columns), count)
        found.append((columns, rows))
    return found
