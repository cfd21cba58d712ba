"""Fitting a metric to squared distances without the cone: kernel ridge regression.

min ½ Σ (dᵀAd − t)² + (ρ/2)‖A − cI‖²_F is solved by A = cI + Σ α_i d_i d_iᵀ with
(K + ρI)α = t − cg, K_ij = (d_iᵀd_j)² and g_i = ‖d_i‖²: a problem in as many unknowns as there are
pairs.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

from sidelight.core import FloatArray, require_memory
from sidelight.solvers import RidgeSystem

#: Ridges tried, in units of the mean eigenvalue of K.  The first is the floor.
RIDGES = tuple(float(ridge) for ridge in 10.0 ** np.arange(-2, 4.01, 0.5))


def squared_gram(differences: FloatArray) -> RidgeSystem:
    """Decompose K = (DDᵀ)∘(DDᵀ), or the matrix of the features d_k d_l where those are fewer."""
    m, r = differences.shape
    n_products = r * (r + 1) // 2
    require_memory(
        24.0 * m * min(m, n_products),
        what=f"the fit of {m} distances",
        who="DistanceMetric",
        instead="Give fewer distances, or reduce the features with PCA first.",
    )
    if m <= n_products:
        return RidgeSystem.of((differences @ differences.T) ** 2)
    first, second = np.triu_indices(r)
    products = differences[:, first] * differences[:, second]
    products *= np.where(first == second, 1, np.sqrt(2))
    vectors, lengths, _ = scipy.linalg.svd(products, full_matrices=False)
    return RidgeSystem(lengths**2, vectors)
