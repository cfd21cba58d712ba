"""Ridge regression with every ridge: one decomposition, and each item left out in closed form.

(K + ρI) α = y.  Leaving item i out leaves the residual α_i / [(K + ρI)⁻¹]_ii.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import scipy.linalg

from sidelight.core import FloatArray
from sidelight.solvers.choosing import best_of


@dataclass(frozen=True)
class RidgeSystem:
    """K by its eigenvectors, as many as are not zero.

    Parameters
    ----------
    values : ndarray of shape (k,)
        Eigenvalues.
    vectors : ndarray of shape (m, k)
        Eigenvectors.
    """

    values: FloatArray
    vectors: FloatArray

    @classmethod
    def of(cls, K: FloatArray) -> RidgeSystem:
        """Decompose a kernel; rounding must not make an eigenvalue negative."""
        values, vectors = scipy.linalg.eigh(K)
        return cls(np.maximum(values, 0), vectors)

    @property
    def mean_eigenvalue(self) -> float:
        """The mean over all m eigenvalues."""
        return float(self.values.sum()) / len(self.vectors)

    def apply(self, v: FloatArray) -> FloatArray:
        """Compute Kv."""
        return np.asarray(self.vectors @ (self.values * (self.vectors.T @ v)))

    def solve(self, y: FloatArray, ridge: float) -> FloatArray:
        """Solve (K + ρI)α = y, for one column or for several."""
        rest, inverse = self._inverse(ridge)
        inside = (self.vectors.T @ y).T * inverse
        return np.asarray(rest * y + self.vectors @ inside.T)

    def leave_one_out(self, y: FloatArray, ridge: float) -> FloatArray:
        """Compute each item's residual in the fit to all others."""
        rest, inverse = self._inverse(ridge)
        diagonal = rest + (self.vectors**2) @ inverse
        return np.asarray((self.solve(y, ridge).T / diagonal).T)

    def left_out_error(self, y: FloatArray, ridge: float) -> float:
        """Σ of the squared residuals of items that were left out."""
        return float(np.sum(self.leave_one_out(y, ridge) ** 2))

    def best_ridge(self, y: FloatArray, ridges: Iterable[float]) -> float:
        """Choose the ridge with which items are best predicted from all others."""
        return best_of(ridges, lambda ridge: self.left_out_error(y, ridge))

    def _inverse(self, ridge: float) -> tuple[float, FloatArray]:
        """(K + ρI)⁻¹ = rest·I + V diag(inverse) Vᵀ; nothing is left over by all eigenvectors."""
        inverse = 1 / (self.values + ridge)
        if len(self.values) == len(self.vectors):
            return 0.0, inverse
        return 1 / ridge, inverse - 1 / ridge
