"""Linear maps: projections on directions, and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import FloatArray, is_sparse
from sidelight.similarity import gram_matrix


@dataclass(frozen=True)
class Projection:
    """z = U(x − m), with zeros in further dimensions where fewer directions than asked for exist.

    Parameters
    ----------
    directions : ndarray of shape (d, p)
        The rows of U.
    mean : ndarray of shape (p,)
        m.
    n_components : int
        The dimensions of z.
    """

    directions: FloatArray
    mean: FloatArray
    n_components: int

    def __call__(self, X: Any) -> FloatArray:
        """Project rows; those in single precision are multiplied in single precision."""
        scores = X @ self.directions.T.astype(X.dtype, copy=False)
        return self.padded(np.asarray(scores - self.mean @ self.directions.T))

    def padded(self, Z: FloatArray) -> FloatArray:
        """Add the dimensions in which nothing varies."""
        missing = self.n_components - Z.shape[1]
        return np.pad(Z, ((0, 0), (0, missing))) if missing else Z


@dataclass(frozen=True)
class LinearBack:
    """x = m + Uᵀz.

    Parameters
    ----------
    directions : ndarray of shape (d, p)
        The rows of U.
    mean : ndarray of shape (p,)
        m.
    """

    directions: FloatArray
    mean: FloatArray

    def __call__(self, Z: FloatArray) -> FloatArray:
        """Rebuild rows from their projections."""
        return np.asarray(Z[:, : len(self.directions)] @ self.directions + self.mean)


@dataclass(frozen=True)
class GramKernel:
    """Inner products of the centred rows.

    Parameters
    ----------
    rows : array or sparse array of shape (n, p)
        The rows.
    mean : ndarray of shape (p,)
        Their mean.
    """

    rows: Any
    mean: FloatArray

    def __call__(self) -> FloatArray:
        """Compute all of them."""
        rows = self.rows.toarray() if is_sparse(self.rows) else self.rows
        return gram_matrix(rows, self.mean)
