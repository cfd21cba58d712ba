"""Centring: the kernel of points whose mean in feature space is the origin.

K̃ = J K Jᵀ with J = I − 1 wᵀ, w the weights of the points (all 1/n unless rows were
duplicated).  The centred matrix is never formed where only its eigenvectors are wanted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import FloatArray, IntArray, row_blocks
from sidelight.similarity.panels import SymmetricPanels
from sidelight.solvers.eigen import Operator

#: Bytes of a band of rows that is widened at a time.
_IN_CACHE = 2e6


@dataclass(frozen=True)
class Centring:
    """The means that centring needs, kept so that new items can be placed alike.

    Parameters
    ----------
    column_means : ndarray of shape (n,)
        Weighted mean of every column of K.
    multiplicities : ndarray of shape (n,)
        How often each point occurs.
    """

    column_means: FloatArray
    multiplicities: FloatArray

    @classmethod
    def of(
        cls, K: FloatArray | SymmetricPanels, multiplicities: IntArray | None = None
    ) -> Centring:
        """Take the means of a kernel matrix."""
        if multiplicities is None or np.all(multiplicities == 1):
            # numpy sums a row pairwise: a float32 row loses next to nothing
            sums = K.row_sums() if isinstance(K, SymmetricPanels) else K.sum(axis=1)
            return cls(sums / np.float64(len(K)), np.ones(len(K)))
        counts = multiplicities.astype(np.float64)
        sums = K @ counts.astype(K.dtype)
        return cls(sums / counts.sum(), counts)

    @property
    def weights(self) -> FloatArray:
        """The points' weights w."""
        return np.asarray(self.multiplicities / self.multiplicities.sum())

    def matrix(self, K: FloatArray) -> FloatArray:
        """Centre the matrix itself."""
        grand_mean = self.weights @ self.column_means
        return np.asarray(K - self.column_means[:, None] - self.column_means + grand_mean)

    def operator(self, K: FloatArray | SymmetricPanels, *, in_double: bool = False) -> Operator:
        """Give the function that applies N^½ J K Jᵀ N^½ to a block, N the multiplicities.

        Its eigenvalues are those of the centred kernel of all points, duplicates written out.
        Products of a table in single precision end in other digits on every processor, unless they
        are ``in_double``.
        """
        root = np.sqrt(self.multiplicities)[:, None]
        weights = self.weights[:, None]

        def apply(block: FloatArray) -> FloatArray:
            scaled = root * block
            scaled -= weights * scaled.sum(axis=0)
            if in_double and isinstance(K, np.ndarray):
                image = _product_in_double(K, scaled)
            else:
                image = np.asarray(K @ scaled.astype(K.dtype, copy=False), dtype=np.float64)
            image -= weights.T @ image
            return np.asarray(root * image)

        return apply


def _product_in_double(K: FloatArray, block: FloatArray) -> FloatArray:
    """K times a block of vectors, a band of rows widened at a time."""
    bands = row_blocks(len(K), 8.0 * K.shape[1], budget=_IN_CACHE)
    return np.vstack([K[band].astype(np.float64, copy=False) @ block for band in bands])


def centre_kernel(K: FloatArray) -> FloatArray:
    """Centre a kernel matrix: K̃ = (I − 11ᵀ/n) K (I − 11ᵀ/n).

    Examples
    --------
    >>> import numpy as np
    >>> centre_kernel(np.array([[1.0, 0.0], [0.0, 1.0]]))
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """
    return Centring.of(K).matrix(K)


def kernel_from_distances(
    D: FloatArray, *, dtype: Any = np.float64, out: FloatArray | None = None
) -> FloatArray:
    """Turn distances into the kernel −½ D∘D, still to be centred (eqs. 1.8 and 1.9, corrected)."""
    K = np.empty(D.shape, dtype=dtype) if out is None else out
    for start in range(0, len(D), 128):  # a few rows at a time stay in the cache
        rows = slice(start, start + 128)
        np.multiply(D[rows], D[rows], out=K[rows], casting="same_kind")
        K[rows] *= -0.5
    return K
