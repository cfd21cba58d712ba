"""Kernels of rows far from the origin, less what depends on one of the two rows alone.

Centring takes k(x, c) + k(c, y) − k(c, c) and the like off again, and with it the digits that the
distance from the origin has cost: at a distance M from it rows that differ by s lose (M/s)² of
them in xᵀy.  Seen from a centre c among the rows, with x = c + a and y = c + b, the rest is small.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import FloatArray, is_sparse
from sidelight.similarity.kernels import (
    CosineKernel,
    GaussianKernel,
    Kernel,
    LinearKernel,
    PolynomialKernel,
)
from sidelight.similarity.scatter import column_mean

#: From this relative change of the base on, a power is as good as its difference.
_SMALL = 0.5


@dataclass(frozen=True)
class PolynomialAfar:
    """k(x, y) − k(c, c) of the polynomial kernel, of rows less c.

    With the base β = γ‖c‖² + κ and r = γ(aᵀb + cᵀa + cᵀb) / β it is β^q ((1 + r)^q − 1).

    Parameters
    ----------
    kernel : PolynomialKernel
        k.
    centre : ndarray of shape (p,)
        c.
    """

    kernel: PolynomialKernel
    centre: FloatArray

    @property
    def gamma(self) -> float:
        """The γ of the kernel."""
        return self.kernel.gamma

    def __call__(self, X: Any, Y: Any) -> FloatArray:
        A, B, c = (np.asarray(rows, dtype=np.float64) for rows in (X, Y, self.centre))
        r = A @ B.T
        r += (A @ c)[:, None]
        r += B @ c
        return self._less_base(r)

    def diagonal(self, X: Any) -> FloatArray:
        """Compute k(x, x) − k(c, c)."""
        A, c = np.asarray(X, dtype=np.float64), np.asarray(self.centre, dtype=np.float64)
        return self._less_base(np.einsum("ij,ij->i", A, A) + 2 * (A @ c))

    def _less_base(self, r: FloatArray) -> FloatArray:
        c, degree = np.asarray(self.centre, dtype=np.float64), self.kernel.degree
        base = self.kernel.gamma * float(c @ c) + self.kernel.coef0
        r *= self.kernel.gamma
        r /= base
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused by name
            near = np.abs(r) < _SMALL
            few = np.expm1(degree * np.log1p(np.where(near, r, 0.0)))
            return np.asarray(np.power(base, degree) * np.where(near, few, (1 + r) ** degree - 1))


@dataclass(frozen=True)
class CosineAfar:
    """The cosine kernel of rows less c, by their directions seen from that of c.

    Parameters
    ----------
    centre : ndarray of shape (p,)
        c.
    """

    centre: FloatArray

    def __call__(self, X: Any, Y: Any) -> FloatArray:
        return np.asarray(self._turned(X) @ self._turned(Y).T)

    def diagonal(self, X: Any) -> FloatArray:
        """Compute the squared length of the difference of directions."""
        turned = self._turned(X)
        return np.asarray(np.einsum("ij,ij->i", turned, turned))

    def rounding(self, largest: float) -> float:
        """What values are off by: directions are rounded before they are compared."""
        return float(np.finfo(np.float64).eps * np.sqrt(largest))

    def _turned(self, X: Any) -> FloatArray:
        """x/‖x‖ − c/‖c‖; a row of zeros has no direction."""
        c = np.asarray(self.centre, dtype=np.float64)
        rows = np.asarray(X, dtype=np.float64) + c
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / np.where(lengths > 0, lengths, 1.0) - c / np.linalg.norm(c))


def seen_from_centre(kernel: Kernel, X: Any) -> tuple[Kernel, FloatArray | None]:
    """A kernel of rows less a centre that is the given one once centred, and the centre.

    Kernels of differences and inner products are themselves; those that know the origin are seen
    from the mean where the rows are farther from the origin than from it.  Sparse rows stay so.
    """
    if is_sparse(X):
        return kernel, None
    centre = column_mean(X).astype(X.dtype)
    if isinstance(kernel, (GaussianKernel, LinearKernel)):
        return kernel, centre
    distance = float(np.asarray(centre, dtype=np.float64) @ centre)
    if distance > float(X.var(axis=0, dtype=np.float64).sum()):
        if isinstance(kernel, PolynomialKernel) and kernel.gamma * distance + kernel.coef0 > 0:
            return PolynomialAfar(kernel, centre), centre
        if isinstance(kernel, CosineKernel):
            return CosineAfar(centre), centre
    return kernel, None
