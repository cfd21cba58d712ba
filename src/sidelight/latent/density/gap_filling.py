"""Missing entries of rows by regression on those near them in the map."""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray, IntArray
from sidelight.similarity import gaussian_shares

#: The ridge of the regression, as a share of the mean variance of a column among the neighbours.
_RIDGE = 0.01
#: Neighbours are weighed by exp(−2 d²/d_k²), d_k the distance of the last.
_FALL = 2.0


def fill_gaps(
    rows: FloatArray, items: FloatArray, neighbors: IntArray, squared: FloatArray
) -> FloatArray:
    """Fill in each row by the Gaussian that its neighbours make, given what is known of the row.

    With weighted mean μ and covariance C of the neighbours, known entries K and missing ones M:
    y_M = μ_M + C_MK (C_KK + ρI)⁻¹ (y_K − μ_K), solved in the space of the neighbours,
    C = AᵀA: y_M = μ_M + A_Mᵀ (A_K A_Kᵀ + ρI)⁻¹ A_K (y_K − μ_K).
    """
    known = ~np.isnan(rows)
    weights = gaussian_shares(squared, np.maximum(squared[:, -1:], 1e-300) / _FALL)
    near = items[neighbors]
    mean = np.einsum("mk,mkp->mp", weights, near)
    A = np.sqrt(weights)[:, :, None] * (near - mean[:, None])
    ridge = _RIDGE * np.einsum("mkp,mkp->m", A, A) / rows.shape[1]
    A_known = A * known[:, None, :]
    gram = A_known @ A_known.transpose(0, 2, 1)
    # where all neighbours are the same there is nothing to regress on
    gram += np.maximum(ridge, 1e-300)[:, None, None] * np.eye(neighbors.shape[1])
    off = np.where(known, rows - mean, 0.0)
    pulls = np.linalg.solve(gram, np.einsum("mkp,mp->mk", A_known, off)[:, :, None])[:, :, 0]
    return np.where(known, rows, mean + np.einsum("mk,mkp->mp", pulls, A))
