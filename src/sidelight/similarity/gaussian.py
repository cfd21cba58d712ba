"""Gaussian similarity, in one convention: exp(−d²/h), h in the unit of squared distances.

Who speaks of a rate γ says h = 1/γ (scikit-learn's kernels), and of a width or length scale ℓ
h = 2ℓ² (heat kernels, Gaussian processes, smoothers).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core import FloatArray, row_blocks

#: Halves of squares are off by so many roundings of the longest row, and from here on it shows.
_ROUNDINGS, _SHOWS = 8.0, 1e-3


def gaussian_similarity(squared: FloatArray, bandwidth: Any = 1.0) -> FloatArray:
    """Turn squared distances into similarities exp(−d²/h).

    Examples
    --------
    >>> import numpy as np
    >>> gaussian_similarity(np.array([0.0, 1.0]), 2.0).round(4)
    array([1.    , 0.6065])
    """
    return np.asarray(np.exp(squared / -bandwidth))


def gaussian_shares(squared: FloatArray, bandwidth: Any = 1.0) -> FloatArray:
    """Turn each row of squared distances into shares exp(−d_ij²/h) / Σ_k exp(−d_ik²/h).

    They are the choices of neighbour embedding and the weights of a kernel regression.  A row
    that is far from everything has shares too; what is infinitely far has none.

    Examples
    --------
    >>> import numpy as np
    >>> gaussian_shares(np.array([[1e6, 1e6 + 1, np.inf]])).round(4)
    array([[0.7311, 0.2689, 0.    ]])
    """
    shares = squared / -bandwidth
    shares -= shares.max(axis=1, keepdims=True)
    np.exp(shares, out=shares)
    shares /= shares.sum(axis=1, keepdims=True)
    return np.asarray(shares)


def half_squares(A: FloatArray, B: FloatArray) -> FloatArray:
    """Compute −‖a − b‖²/2, at most zero, by one product: (a, −‖a‖²/2, 1) · (b, 1, −‖b‖²/2).

    There are no passes over the table, as the sums of lengths and products would need.  Where rows
    are so long that rounding would part a row from itself, those that are near are subtracted.
    """
    ones_a, ones_b = (np.ones((len(rows), 1), dtype=rows.dtype) for rows in (A, B))
    half_a, half_b = (-0.5 * np.einsum("ij,ij->i", rows, rows)[:, None] for rows in (A, B))
    exponents = np.hstack([A, half_a, ones_a]) @ np.hstack([B, ones_b, half_b]).T
    np.minimum(exponents, 0, out=exponents)  # rounding must not make a distance negative
    longest = float(max(-half.min(initial=0.0) for half in (half_a, half_b)))
    off = _ROUNDINGS * float(np.finfo(exponents.dtype).eps) * longest
    if _SHOWS < off < np.inf:
        _subtract_near(exponents, A, B, off)
    return np.asarray(exponents)


def _subtract_near(exponents: FloatArray, A: FloatArray, B: FloatArray, off: float) -> None:
    """Set −‖a − b‖²/2 of rows that are no farther than rounding."""
    for block in row_blocks(len(A), 8.0 * B.size):
        left, right = np.nonzero(exponents[block] >= -off)
        left += block.start
        gaps = A[left] - B[right]
        exponents[left, right] = -0.5 * np.einsum("ij,ij->i", gaps, gaps)
