"""The backward map of every kernel method: the Nyström formula.

If K̃ z_p = λ_p z_p on the points, then z_p(x) = (1/λ_p) Σ_j k̃(x, x_j) z_p(x_j): at a point itself
the formula gives back that point's coordinate.

References
----------
Y. Bengio et al. (2004), "Out-of-sample extensions for LLE, Isomap, MDS, eigenmaps, and spectral
clustering".
"""

from __future__ import annotations

import numpy as np

from sidelight.core.arrays import FloatArray
from sidelight.similarity.centring import Centring


def kernel_coordinates(values: FloatArray, vectors: FloatArray) -> FloatArray:
    """Turn eigenpairs of a kernel into coordinates, z_p = √λ_p v_p.

    A direction whose eigenvalue is not positive has no extent: its coordinates are zero.
    """
    return np.asarray(vectors * np.sqrt(np.where(_matters(values), values, 0.0)))


def extend_by_kernel(
    rows: FloatArray, centring: Centring, points: FloatArray, values: FloatArray
) -> FloatArray:
    """Place new items by the Nyström formula.

    With b_p = N z_p, which sums to zero, centring the row k(x, ·) comes down to subtracting the
    points' mean kernel: z_p(x) = (k(x, ·) − mean kernel)ᵀ b_p / λ_p.
    """
    b = centring.multiplicities[:, None] * points
    b -= centring.weights[:, None] * b.sum(axis=0)
    matters = _matters(values)
    scale = np.where(matters, 1 / np.where(matters, values, 1.0), 0.0)
    return np.asarray((rows @ b - centring.column_means @ b) * scale)


def _matters(values: FloatArray) -> FloatArray:
    """Tell which eigenvalues are positive beyond rounding."""
    largest = float(values.max(initial=0.0))
    return np.asarray(values > 1e-12 * largest if largest > 0 else values > 0)
