"""Where a metric is learned: all features, the span of some rows, or a kernel's feature space.

In each, a row has r coordinates z, the metric is an r × r matrix B on them, and what lies outside
the coordinates is weighted by one number c:  A = QBQᵀ + c(I − QQᵀ).  With 4,096 features and
five pairs nothing of order 4,096² is ever formed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from sidelight.core import FloatArray, IntArray
from sidelight.similarity import Kernel


class Space(Protocol):
    """Coordinates of rows, and what a metric on the coordinates does to rows."""

    @property
    def dimension(self) -> int:
        """The number of coordinates, r."""
        ...

    @property
    def n_outside(self) -> int:
        """The number of dimensions that the coordinates leave out and the metric weights by c."""
        ...

    @property
    def n_out(self) -> int:
        """The number of columns of :meth:`apply`."""
        ...

    def coordinates(self, X: FloatArray) -> FloatArray:
        """Compute the coordinates of rows."""
        ...

    def apply(self, X: FloatArray, inner: FloatArray, outside: float) -> FloatArray:
        """Apply a symmetric linear map, ``inner`` on the coordinates and ``outside`` elsewhere."""
        ...

    def matrix(self, inner: FloatArray, outside: float) -> FloatArray:
        """Write the metric out."""
        ...


@dataclass(frozen=True)
class FeatureSpace:
    """All features: z = x.

    Parameters
    ----------
    n_features : int
        The number of features p.
    """

    n_features: int

    @property
    def dimension(self) -> int:
        """The number of features."""
        return self.n_features

    @property
    def n_outside(self) -> int:
        """Nothing is left out."""
        return 0

    @property
    def n_out(self) -> int:
        """The number of features."""
        return self.n_features

    def coordinates(self, X: FloatArray) -> FloatArray:
        """Give the rows as they are."""
        return X

    def apply(self, X: FloatArray, inner: FloatArray, outside: float) -> FloatArray:
        """Map the rows."""
        return np.asarray(X @ inner)

    def matrix(self, inner: FloatArray, outside: float) -> FloatArray:
        """Write the metric out."""
        return inner.copy()


@dataclass(frozen=True)
class SpannedSpace:
    """A subspace of the features: z = Qᵀx.  With no column in Q only the outside is left.

    Parameters
    ----------
    basis : ndarray of shape (p, r)
        Orthonormal columns Q.
    """

    basis: FloatArray

    @property
    def dimension(self) -> int:
        """The dimension of the subspace."""
        return int(self.basis.shape[1])

    @property
    def n_outside(self) -> int:
        """The dimension of its complement."""
        return int(self.basis.shape[0] - self.basis.shape[1])

    @property
    def n_out(self) -> int:
        """The number of features."""
        return int(self.basis.shape[0])

    def coordinates(self, X: FloatArray) -> FloatArray:
        """Project rows on the basis."""
        return np.asarray(X @ self.basis)

    def apply(self, X: FloatArray, inner: FloatArray, outside: float) -> FloatArray:
        """Map the rows."""
        change = inner - outside * np.eye(self.dimension)
        return np.asarray(outside * X + ((X @ self.basis) @ change) @ self.basis.T)

    def matrix(self, inner: FloatArray, outside: float) -> FloatArray:
        """Write the metric out."""
        change = inner - outside * np.eye(self.dimension)
        A = self.basis @ change @ self.basis.T
        A[np.diag_indices(len(A))] += outside
        return np.asarray((A + A.T) / 2)


@dataclass(frozen=True)
class KernelSpace:
    """The span of some rows in a kernel's feature space (thesis section 3.4): W = Φβ.

    With K = VΛVᵀ the kernel of those rows, z(x) = Λ^{−½}Vᵀk(x): kernel PCA without centring.  What
    lies outside the span of the rows is dropped, as W = Φβ implies.

    Parameters
    ----------
    kernel : Kernel or None
        The kernel; None if rows come as kernel values.
    rows : ndarray of shape (m, p) or ndarray of int of shape (m,)
        The rows; their numbers where rows come as kernel values.
    projection : ndarray of shape (m, r)
        P = VΛ^{−½}.
    """

    kernel: Kernel | None
    rows: FloatArray | IntArray
    projection: FloatArray

    @property
    def dimension(self) -> int:
        """The dimension of the span."""
        return int(self.projection.shape[1])

    @property
    def n_outside(self) -> int:
        """Nothing outside is weighted."""
        return 0

    @property
    def n_out(self) -> int:
        """The dimension of the span."""
        return self.dimension

    def coordinates(self, X: FloatArray) -> FloatArray:
        """Project rows on the span, in feature space."""
        K: Any = X[:, self.rows] if self.kernel is None else self.kernel(X, self.rows)
        return np.asarray(np.asarray(K, dtype=np.float64) @ self.projection)

    def apply(self, X: FloatArray, inner: FloatArray, outside: float) -> FloatArray:
        """Map the rows."""
        return np.asarray(self.coordinates(X) @ inner)

    def matrix(self, inner: FloatArray, outside: float) -> FloatArray:
        """Write out 𝒜 of the squared distance (k_x − k_y)ᵀ𝒜(k_x − k_y)."""
        A = self.projection @ inner @ self.projection.T
        return np.asarray((A + A.T) / 2)
