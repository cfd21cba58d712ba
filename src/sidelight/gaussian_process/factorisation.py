"""Cholesky factors of kernel matrices that may be singular to rounding."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri

from sidelight.core import FloatArray

#: The first jitter tried and the last, relative to the mean of the diagonal.
_FIRST, _LAST = 1e-12, 1e-1


@dataclass(frozen=True)
class Cholesky:
    """A = LLᵀ of a matrix, and what had to be added to its diagonal.

    Parameters
    ----------
    lower : ndarray of shape (n, n)
        L, zero above the diagonal, by columns in memory.
    jitter : float
        What was added to the diagonal; 0 where nothing was needed.
    """

    lower: FloatArray
    jitter: float

    @property
    def log_determinant(self) -> float:
        """Compute log|A|."""
        return 2 * float(np.log(np.diagonal(self.lower)).sum())

    def inverse_triangle(self) -> FloatArray:
        """Compute A⁻¹ on and below the diagonal; this takes L's memory."""
        inverse, _ = dpotri(self.lower, lower=1, overwrite_c=1)
        return np.asarray(inverse)

    def inverse(self) -> FloatArray:
        """Compute A⁻¹; this takes L's memory."""
        triangle = self.inverse_triangle()
        return np.asarray(triangle + np.tril(triangle, -1).T)


def factorise(A: FloatArray) -> Cholesky:
    """Factorise a positive matrix, with as little added to its diagonal as it takes."""
    scale = float(np.mean(np.diagonal(A)))
    if np.isfinite(scale):
        lower, failed = dpotrf(A, lower=1, clean=1)
        if not failed:
            return Cholesky(np.asarray(lower), 0.0)
        for relative in np.geomspace(_FIRST, _LAST, 12):
            jitter = float(relative) * scale
            raised = A + jitter * np.eye(len(A))
            lower, failed = dpotrf(raised, lower=1, clean=1, overwrite_a=1)
            if not failed:
                return Cholesky(np.asarray(lower), jitter)
    raise ValueError(
        f"A kernel matrix of order {len(A)} is not positive definite even with a tenth of its "
        f"mean diagonal, {scale:.3g}, added to the diagonal."
    )
