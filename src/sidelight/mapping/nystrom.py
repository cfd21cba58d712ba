"""The backward map of every kernel method: the Nyström formula.

If K̃ z_p = λ_p z_p on the points, then z_p(x) = (1/λ_p) Σ_j k̃(x, x_j) z_p(x_j): at a point itself
the formula gives back that point's coordinate.

References
----------
Y. Bengio et al. (2004), "Out-of-sample extensions for LLE, Isomap, MDS, eigenmaps, and spectral
clustering".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import FloatArray
from sidelight.similarity import Centring
from sidelight.solvers.eigen import Eigenpairs, largest_eigenpairs


def kernel_coordinates(values: FloatArray, vectors: FloatArray) -> FloatArray:
    """Turn eigenpairs of a kernel into coordinates, z_p = √λ_p v_p.

    A direction whose eigenvalue is not positive has no extent: its coordinates are zero.
    """
    return np.asarray(vectors * np.sqrt(np.where(_matters(values), values, 0.0)))


def scale_kernel(
    K: Any, centring: Centring, n_components: int, *, who: str
) -> tuple[Eigenpairs, FloatArray]:
    """Classical scaling: the leading eigenpairs of the centred kernel, and the points' places."""
    tol = 1e-6 if K.dtype == np.float32 else 1e-9
    pairs = largest_eigenpairs(centring.operator(K), n_components, n=len(K), tol=tol, who=who)
    root = np.sqrt(centring.multiplicities)[:, None]
    return pairs, kernel_coordinates(pairs.values, pairs.vectors / root)


def extend_by_kernel(
    rows: FloatArray, centring: Centring, points: FloatArray, values: FloatArray
) -> FloatArray:
    """Place new items by the Nyström formula.

    With b_p = N z_p, which sums to zero, centring the row k(x, ·) comes down to subtracting the
    points' mean kernel: z_p(x) = (k(x, ·) − mean kernel)ᵀ b_p / λ_p.  What all entries of the
    difference have in common is taken off before it is summed, or its rounding would be seen.
    """
    b = centring.multiplicities[:, None] * points
    b -= centring.weights[:, None] * b.sum(axis=0)
    matters = _matters(values)
    scale = np.where(matters, 1 / np.where(matters, values, 1.0), 0.0)
    centred = rows - centring.column_means
    centred -= centred.mean(axis=1, keepdims=True)
    return np.asarray((centred @ b) * scale)


@dataclass(frozen=True)
class Nystrom:
    """z_p(x) = (1/λ_p) Σ_j k̃(x, x_j) z_p(x_j): the backward map of every kernel method.

    Parameters
    ----------
    centring : Centring
        Of the kernel of the points.
    points : ndarray of shape (n, d)
        Their places.
    values : ndarray of shape (d,)
        λ.
    """

    centring: Centring
    points: FloatArray
    values: FloatArray

    def __call__(self, K: FloatArray) -> FloatArray:
        """Place items by their kernel with the points, a row each."""
        return extend_by_kernel(K, self.centring, self.points, self.values)


def _matters(values: FloatArray) -> FloatArray:
    """Tell which eigenvalues are positive beyond rounding."""
    largest = float(values.max(initial=0.0))
    return np.asarray(values > 1e-12 * largest if largest > 0 else values > 0)
