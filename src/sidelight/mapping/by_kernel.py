"""Items compared by a kernel: their table, the places of new ones, and the ways back."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sidelight.core import FloatArray, blas_threads_that_pay, is_sparse, row_blocks
from sidelight.mapping.nystrom import Nystrom
from sidelight.mapping.preimage import (
    RidgePreimage,
    distance_preimage,
    expansion_coefficients,
    fixed_point_preimage,
)
from sidelight.mapping.smoother import KernelSmoother
from sidelight.similarity import (
    Kernel,
    SymmetricPanels,
    kernel_matrix,
    kernel_panels,
    require_finite_kernel,
)


@dataclass(frozen=True)
class ComparedRows:
    """Rows of features, and the kernel that compares them.

    Parameters
    ----------
    kernel : Kernel
        k.
    rows : array or sparse array of shape (n, p)
        The rows, less the centre.
    centre : ndarray of shape (p,), optional
        What all rows are seen from, where the kernel knows only differences.
    """

    kernel: Kernel
    rows: Any
    centre: FloatArray | None

    @property
    def gamma(self) -> float | None:
        """The γ of the kernel, where it has one."""
        return getattr(self.kernel, "gamma", None)

    def rounding(self, largest: float, dtype: Any) -> float:
        """What values of the kernel are off by, the largest of which is given."""
        own = getattr(self.kernel, "rounding", None)
        return max(float(np.finfo(dtype).eps) * largest, own(largest) if own else 0.0)

    def differ(self) -> bool:
        """Whether any two rows do."""
        return bool((self.rows.max(axis=0) != self.rows.min(axis=0)).max())

    def panels(self, dtype: Any) -> FloatArray | SymmetricPanels:
        """The upper half of the kernel matrix."""
        return kernel_panels(self.kernel, self.rows, dtype=dtype)

    def table(self) -> FloatArray:
        """The kernel matrix."""
        return kernel_matrix(self.kernel, self.rows)

    def of_new(self, X: Any) -> FloatArray:
        """The kernel between new rows and all rows."""
        if is_sparse(X) and not is_sparse(self.rows):
            X = X.toarray()
        return self.kernel(X if self.centre is None else X - self.centre, self.rows)


@dataclass(frozen=True)
class KernelTable:
    """A kernel matrix that was given.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Symmetric.
    """

    K: FloatArray
    gamma = None

    def rounding(self, largest: float, dtype: Any) -> float:
        """What values of the kernel are off by, the largest of which is given."""
        return float(np.finfo(dtype).eps) * largest

    def differ(self) -> bool:
        """Whether any two values do."""
        return bool(self.K.max() > self.K.min())

    def panels(self, dtype: Any) -> FloatArray | SymmetricPanels:
        """The matrix as it was given."""
        return self.K

    def table(self) -> FloatArray:
        """The matrix."""
        return self.K

    def of_new(self, X: Any) -> FloatArray:
        """The block that was given for new items."""
        return np.asarray(X.toarray() if is_sparse(X) else X)


@dataclass(frozen=True)
class ByKernel:
    """New items, placed by their kernel with the training items.

    Parameters
    ----------
    compared : ComparedRows or KernelTable
        The training items.
    nystrom : Nystrom
        Of their kernel.
    """

    compared: Any
    nystrom: Nystrom

    def __call__(self, X: Any) -> FloatArray:
        """Place new items, a block at a time."""
        blocks = row_blocks(X.shape[0], 8.0 * len(self.nystrom.points), budget=2e8)
        kernels = (self.compared.of_new(X[block]) for block in blocks)
        return np.vstack([self.nystrom(require_finite_kernel(K, who="KernelPCA")) for K in kernels])


@dataclass(frozen=True)
class CentredKernel:
    """The centred kernel matrix of the training items.

    Parameters
    ----------
    compared : ComparedRows or KernelTable
        The training items.
    nystrom : Nystrom
        With the centring of their kernel.
    """

    compared: Any
    nystrom: Nystrom

    def __call__(self) -> FloatArray:
        """Compute it."""
        return self.nystrom.centring.matrix(self.compared.table())


@dataclass(frozen=True)
class Preimage:
    """Items that map near to places of a kernel map.

    Parameters
    ----------
    way : {"linear", "fixed_point", "distances", "ridge"}
        How they are found.
    nystrom : Nystrom
        The map.
    items : array or sparse array of shape (n, p)
        The training items.
    kernel : Kernel, optional
        By which they were compared.
    ridge : float, optional
        Of the regression.
    """

    way: str
    nystrom: Nystrom
    items: Any
    kernel: Any
    ridge: float | None

    @cached_property
    def _rows(self) -> FloatArray:
        return np.asarray(
            self.items.toarray() if is_sparse(self.items) else self.items, dtype=np.float64
        )

    @cached_property
    def _regression(self) -> RidgePreimage:
        with blas_threads_that_pay(self.items):  # as in the fit, if it asks first
            return RidgePreimage.fit(self.nystrom.points, self._rows, ridge=self.ridge)

    def __call__(self, Z: FloatArray) -> FloatArray:
        """Find them."""
        if self.way == "ridge":
            return self._regression(Z)
        points, counts = self.nystrom.points, self.nystrom.centring.multiplicities
        gamma = expansion_coefficients(Z, points, self.nystrom.values, counts)
        if self.way == "linear":
            return np.asarray(gamma @ self._rows)
        if self.way == "distances":
            return distance_preimage(
                gamma, self._rows, self.kernel, kernel_matrix(self.kernel, self._rows)
            )
        start = KernelSmoother.fit(points, self._rows)(Z)
        return fixed_point_preimage(gamma, self._rows, self.kernel, start)
