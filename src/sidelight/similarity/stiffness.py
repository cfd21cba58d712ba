"""The kernel of a stiffness matrix: its pseudo-inverse."""

from __future__ import annotations

import warnings

import numpy as np
import scipy.linalg

from sidelight.core import FloatArray


def pseudo_inverse(A: FloatArray, null: FloatArray) -> FloatArray:
    """Invert a positive semidefinite matrix off its one known null vector.

    A† = (A + u uᵀ)⁻¹ − u uᵀ with u the normalised null vector, scaled to A's size.

    Examples
    --------
    >>> import numpy as np
    >>> pseudo_inverse(np.array([[1.0, -1.0], [-1.0, 1.0]]), np.ones(2))
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    u = null / np.linalg.norm(null)
    scale = float(np.trace(A)) / len(A) or 1.0
    outer = np.outer(u, u)
    inverse = _inverse(A + scale * outer)
    return np.asarray((inverse + inverse.T) / 2 - outer / scale)


def _inverse(A: FloatArray) -> FloatArray:
    """A⁻¹; of springs so weak that rounding hides them, the inverse of the others."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", scipy.linalg.LinAlgWarning)
        try:
            return np.asarray(scipy.linalg.inv(A))
        except (scipy.linalg.LinAlgWarning, np.linalg.LinAlgError):
            return np.asarray(scipy.linalg.pinvh(A))
