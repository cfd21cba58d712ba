"""A bound on the likelihood through a few inducing points: cost n m² instead of n³.

With Q = K_nm K_mm⁻¹ K_mn, what the m inducing points explain of K,

    F = Σ_j log N(y_j | 0, Q + σ²I) − (p / 2σ²) tr(K − Q)  ≤  Σ_j log N(y_j | 0, K + σ²I),

equal where every point is an inducing point.  Being a bound it can be raised in the inducing
points too, without fitting more than the exact model would.

References
----------
M. K. Titsias (2009), "Variational learning of inducing variables in sparse Gaussian processes".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve, solve_triangular

from sidelight.core import FloatArray
from sidelight.gaussian_process.factorisation import Cholesky, factorise
from sidelight.gaussian_process.observed import ColumnGroup, ObservedTable

_LOG_2PI = float(np.log(2 * np.pi))
#: Always added to K_mm, relative to its mean diagonal: inducing points may meet.
INDUCING_JITTER = 1e-8


@dataclass(frozen=True)
class Bound:
    """The bound F and its slopes.

    Parameters
    ----------
    value : float
        F.
    cross_slope : ndarray of shape (m, n)
        ∂F/∂K_mn.
    inducing_slope : ndarray of shape (m, m)
        ∂F/∂K_mm, symmetric.
    diagonal_slope : ndarray of shape (n,)
        ∂F/∂k(z_i, z_i).
    noise_slope : float
        ∂F/∂σ².
    jitter : float
        What was added to the diagonal of K_mm.
    """

    value: float
    cross_slope: FloatArray
    inducing_slope: FloatArray
    diagonal_slope: FloatArray
    noise_slope: float
    jitter: float


def inducing_bound(
    inducing: FloatArray,
    cross: FloatArray,
    diagonal: FloatArray,
    noise: float,
    table: ObservedTable,
) -> Bound:
    """Compute the bound on what is observed, and its slopes."""
    base, jitter = factorise_inducing(inducing)
    inverse = cho_solve((base.lower, True), np.eye(len(inducing)), check_finite=False)
    m, n = cross.shape
    bound = Bound(0.0, np.zeros((m, n)), np.zeros((m, m)), np.zeros(n), 0.0, jitter)
    for group in table.groups:
        bound = _add(bound, _of_group(base, inverse, cross, diagonal, noise, group), group)
    return bound


def factorise_inducing(inducing: FloatArray) -> tuple[Cholesky, float]:
    """Factorise K_mm with the jitter that it always gets, or more where it needs more."""
    least = INDUCING_JITTER * float(np.mean(np.diagonal(inducing)))
    raised = inducing.copy()
    raised.flat[:: len(raised) + 1] += least
    factor = factorise(raised)
    return factor, least + factor.jitter


def _of_group(
    base: Cholesky,
    inverse: FloatArray,
    cross: FloatArray,
    diagonal: FloatArray,
    noise: float,
    group: ColumnGroup,
) -> Bound:
    if group.rows is not None:
        cross, diagonal = np.ascontiguousarray(cross[:, group.rows]), diagonal[group.rows]
    (m, r), c = cross.shape, group.n_columns
    V = solve_triangular(base.lower, cross, lower=True, check_finite=False)
    B = V @ V.T / noise
    explained = noise * float(np.trace(B))
    B.flat[:: m + 1] += 1.0
    inner = factorise(B)
    # Σ = K_mm + K_mn K_nm / σ² = L B Lᵀ;  a = Σ⁻¹ K_mn Y / σ²
    root = solve_triangular(inner.lower, V @ group.factor, lower=True, check_finite=False)
    a = solve_triangular(inner.lower, root, lower=True, trans=1, check_finite=False) / noise
    a = solve_triangular(base.lower, a, lower=True, trans=1, check_finite=False)
    left_over = float(diagonal.sum()) - explained
    value = -0.5 * (
        c * r * (_LOG_2PI + np.log(noise))
        + c * inner.log_determinant
        + float(np.sum(group.factor**2)) / noise
        - float(np.sum(root**2)) / noise**2
        + c * left_over / noise
    )
    half = solve_triangular(inner.lower, np.eye(m), lower=True, check_finite=False)
    # tr(Σ⁻¹ K_mn K_nm) = σ² tr(B⁻¹(B − I))
    overlap = noise * (m - float(np.sum(half**2)))
    half = solve_triangular(base.lower, half.T, lower=True, trans=1, check_finite=False)
    sigma_inverse = half @ half.T
    residual = group.factor - cross.T @ a
    spread = inverse @ cross
    cross_slope = (a @ residual.T + c * (spread - sigma_inverse @ cross)) / noise
    inducing_slope = 0.5 * (
        c * (inverse - sigma_inverse) - a @ a.T - (c / noise) * (spread @ spread.T)
    )
    noise_slope = 0.5 * (
        -c * r / noise + (float(np.sum(residual**2)) + c * left_over + c * overlap) / noise**2
    )
    diagonal_slope = np.full(r, -0.5 * c / noise)
    return Bound(value, cross_slope, inducing_slope, diagonal_slope, noise_slope, inner.jitter)


def _add(total: Bound, part: Bound, group: ColumnGroup) -> Bound:
    rows = slice(None) if group.rows is None else group.rows
    total.cross_slope[:, rows] += part.cross_slope
    total.diagonal_slope[rows] += part.diagonal_slope
    return Bound(
        total.value + part.value,
        total.cross_slope,
        total.inducing_slope + part.inducing_slope,
        total.diagonal_slope,
        total.noise_slope + part.noise_slope,
        max(total.jitter, part.jitter),
    )
