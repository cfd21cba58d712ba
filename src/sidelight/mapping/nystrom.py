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

from sidelight.arrays import FloatArray


def kernel_coordinates(values: FloatArray, vectors: FloatArray) -> FloatArray:
    """Turn eigenpairs of a kernel into coordinates, z_p = √λ_p v_p.

    A direction whose eigenvalue is not positive has no extent: its coordinates are zero.

    Parameters
    ----------
    values : ndarray of shape (d,)
        Eigenvalues.
    vectors : ndarray of shape (n, d)
        Orthonormal eigenvectors.

    Returns
    -------
    ndarray of shape (n, d)
        Coordinates.
    """
    return np.asarray(vectors * np.sqrt(np.where(_matters(values), values, 0.0)))


def extend_by_kernel(
    centred_rows: FloatArray, points: FloatArray, values: FloatArray, counts: FloatArray
) -> FloatArray:
    """Place new items by the Nyström formula.

    Parameters
    ----------
    centred_rows : ndarray of shape (m, n)
        k̃(new, points).
    points : ndarray of shape (n, d)
        The points' coordinates.
    values : ndarray of shape (d,)
        Their eigenvalues.
    counts : ndarray of shape (n,)
        How often each point occurs.

    Returns
    -------
    ndarray of shape (m, d)
        Coordinates of the new items.
    """
    matters = _matters(values)
    scale = np.where(matters, 1 / np.where(matters, values, 1.0), 0.0)
    return np.asarray((centred_rows @ (counts[:, None] * points)) * scale)


def _matters(values: FloatArray) -> FloatArray:
    """Tell which eigenvalues are positive beyond rounding."""
    largest = float(values.max(initial=0.0))
    return np.asarray(values > 1e-12 * largest if largest > 0 else values > 0)
