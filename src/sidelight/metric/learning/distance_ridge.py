"""Fitting a metric to squared distances without the cone: kernel ridge regression.

min ½ Σ (dᵀAd − t)² + (ρ/2)‖A − cI‖²_F is solved by A = cI + Σ α_i d_i d_iᵀ with
(K + ρI)α = t − cg, K_ij = (d_iᵀd_j)² and g_i = ‖d_i‖²: a problem in as many unknowns as there are
pairs.  Leaving pair i out leaves the residual α_i / [(K + ρI)⁻¹]_ii.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg

from sidelight.core import FloatArray, require_memory

#: Ridges tried, in units of the mean eigenvalue of K.  The first is the floor.
RIDGES = tuple(float(ridge) for ridge in 10.0 ** np.arange(-2, 4.01, 0.5))


@dataclass(frozen=True)
class SquaredGram:
    """K = (DDᵀ)∘(DDᵀ) by its eigenvectors, as many as are not zero.

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
    def of(cls, differences: FloatArray) -> SquaredGram:
        """Decompose K, or the matrix of the features d_k d_l where there are fewer of those."""
        m, r = differences.shape
        n_products = r * (r + 1) // 2
        require_memory(
            24.0 * m * min(m, n_products),
            what=f"the fit of {m} distances",
            who="DistanceMetric",
            instead="Give fewer distances, or reduce the features with PCA first.",
        )
        if m <= n_products:
            values, vectors = scipy.linalg.eigh((differences @ differences.T) ** 2)
            return cls(np.maximum(values, 0), vectors)
        first, second = np.triu_indices(r)
        products = differences[:, first] * differences[:, second]
        products *= np.where(first == second, 1, np.sqrt(2))
        vectors, lengths, _ = scipy.linalg.svd(products, full_matrices=False)
        return cls(lengths**2, vectors)

    @property
    def mean_eigenvalue(self) -> float:
        """The mean over all m eigenvalues."""
        return float(self.values.sum()) / len(self.vectors)

    def apply(self, v: FloatArray) -> FloatArray:
        """Compute Kv."""
        return np.asarray(self.vectors @ (self.values * (self.vectors.T @ v)))

    def solve(self, b: FloatArray, ridge: float) -> FloatArray:
        """Solve (K + ρI)α = b."""
        inside = self.vectors.T @ b
        return np.asarray(b / ridge + self.vectors @ (inside * self._change(ridge)))

    def leave_one_out(self, b: FloatArray, ridge: float) -> FloatArray:
        """Compute each pair's residual in the fit to all other pairs."""
        diagonal = 1 / ridge + (self.vectors**2) @ self._change(ridge)
        return np.asarray(self.solve(b, ridge) / diagonal)

    def _change(self, ridge: float) -> FloatArray:
        return np.asarray(1 / (self.values + ridge) - 1 / ridge)


def choose_ridge(gram: SquaredGram, b: FloatArray) -> float:
    """Choose ρ by leave-one-out, not below a hundredth of the mean eigenvalue of K."""
    scale = gram.mean_eigenvalue
    errors = [float(np.sum(gram.leave_one_out(b, ridge * scale) ** 2)) for ridge in RIDGES]
    return RIDGES[int(np.argmin(errors))]
