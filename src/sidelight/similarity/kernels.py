"""Kernels: inner products in a feature space, k(x, y) = ⟨φ(x), φ(y)⟩."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from sidelight.core import FloatArray, is_sparse, one_blas_thread, refuse_without_effect
from sidelight.similarity.gaussian import half_squares
from sidelight.similarity.panels import SymmetricPanels

#: Rows worked on at a time: a block of the kernel stays in the cache while it is finished.
BLOCK_ROWS = 256
#: The side of the tiles that are mirrored: two of them stay in the cache.
_MIRRORED = 256
#: Products of rows with so few features are done before a second thread has begun.
_FEW_FEATURES = 64


class Kernel(Protocol):
    """A function of two sets of rows, and its diagonal."""

    def __call__(self, X: Any, Y: Any) -> FloatArray:
        """Compute k(x_i, y_j)."""
        ...

    def diagonal(self, X: Any) -> FloatArray:
        """Compute k(x_i, x_i)."""
        ...


@dataclass(frozen=True)
class LinearKernel:
    """The inner product k(x, y) = xᵀy."""

    def __call__(self, X: Any, Y: Any) -> FloatArray:
        return _inner(X, Y)

    def diagonal(self, X: Any) -> FloatArray:
        """Compute ‖x‖²."""
        return _squared_lengths(X)


@dataclass(frozen=True)
class GaussianKernel:
    """The radial kernel k(x, y) = exp(−γ‖x − y‖²), scikit-learn's ``"rbf"``.

    Parameters
    ----------
    gamma : float
        γ.
    """

    gamma: float

    def __call__(self, X: Any, Y: Any) -> FloatArray:
        if is_sparse(X) or is_sparse(Y):
            exponent = 2 * _inner(X, Y)
            exponent -= _squared_lengths(X)[:, None]
            exponent -= _squared_lengths(Y)[None, :]
            exponent *= self.gamma
            np.minimum(exponent, 0, out=exponent)
        else:
            # rounding is relative to the lengths of rows: they are measured from their middle
            middle = Y.mean(axis=0)
            unit = np.asarray(np.sqrt(2 * self.gamma), dtype=X.dtype)
            exponent = half_squares(unit * (X - middle), unit * (Y - middle))
        return np.exp(exponent, out=exponent)

    def diagonal(self, X: Any) -> FloatArray:
        """Compute k(x, x) = 1."""
        return np.ones(X.shape[0], dtype=X.dtype)


@dataclass(frozen=True)
class PolynomialKernel:
    """The polynomial kernel k(x, y) = (γ xᵀy + c)^q.

    Parameters
    ----------
    degree : float
        q.
    gamma : float
        γ.
    coef0 : float
        c.
    """

    degree: float
    gamma: float
    coef0: float

    def __call__(self, X: Any, Y: Any) -> FloatArray:
        K = _inner(X, Y)
        K *= self.gamma
        K += self.coef0
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused by name
            return np.power(K, self.degree, out=K)

    def diagonal(self, X: Any) -> FloatArray:
        """Compute (γ‖x‖² + c)^q."""
        with np.errstate(over="ignore", invalid="ignore"):
            diagonal: FloatArray = (self.gamma * _squared_lengths(X) + self.coef0) ** self.degree
        return diagonal


@dataclass(frozen=True)
class CosineKernel:
    """The cosine of the angle, k(x, y) = xᵀy / (‖x‖‖y‖); a row of zeros is orthogonal to all."""

    def __call__(self, X: Any, Y: Any) -> FloatArray:
        K = _inner(X, Y)
        K /= _lengths_or_one(X)[:, None]
        K /= _lengths_or_one(Y)[None, :]
        return K

    def diagonal(self, X: Any) -> FloatArray:
        """Compute k(x, x): one, or zero for a row of zeros."""
        return np.asarray((_squared_lengths(X) > 0).astype(X.dtype))


@dataclass(frozen=True)
class CallableKernel:
    """A kernel of the user's: a function of two rows that returns a number.

    Parameters
    ----------
    function : callable
        ``function(x, y) -> float``.
    """

    function: Callable[[FloatArray, FloatArray], float]

    def __call__(self, X: Any, Y: Any) -> FloatArray:
        return np.array([[self.function(x, y) for y in Y] for x in X], dtype=np.float64)

    def diagonal(self, X: Any) -> FloatArray:
        """Compute k(x, x) row by row."""
        return np.array([self.function(x, x) for x in X], dtype=np.float64)


KERNEL_NAMES = ("linear", "rbf", "polynomial", "poly", "cosine")


def resolve_kernel(
    kernel: str | Callable[[FloatArray, FloatArray], float],
    X: Any,
    *,
    gamma: float | str = "scale",
    degree: float = 3,
    coef0: float = 1,
) -> Kernel:
    """Turn a kernel's name into the kernel."""
    if callable(kernel):
        own: Any = getattr(kernel, "value", kernel)  # of a parameter that is also a method
        return own if hasattr(own, "diagonal") else CallableKernel(kernel)
    if kernel == "linear":
        return LinearKernel()
    if kernel == "cosine":
        return CosineKernel()
    width = _scale_gamma(X) if isinstance(gamma, str) else float(gamma)
    if kernel == "rbf":
        return GaussianKernel(width)
    return PolynomialKernel(float(degree), width, float(coef0))


def refuse_unused_kernel_parameters(estimator: Any, kernel: Any) -> None:
    """Refuse values of gamma, degree and coef0 that the kernel does not have."""
    names = {"gamma", "degree", "coef0"}
    used = {"rbf": {"gamma"}, "polynomial": names, "poly": names}
    named = isinstance(kernel, str) or kernel is None
    unused = names - used.get(kernel, set()) if named else names
    when = f"with kernel={kernel!r}" if named else "with a kernel of one's own"
    refuse_without_effect(estimator, sorted(unused), when)


def check_kernel_table(K: FloatArray, *, who: str) -> FloatArray:
    """Refuse a precomputed kernel that is not symmetric, |k_ij − k_ji| ≤ 1e-8 max |k|."""
    scale = float(np.abs(K).max(initial=0.0)) or 1.0
    gap = np.abs(K - K.T)
    if gap.max(initial=0.0) > 1e-8 * scale:
        i, j = np.unravel_index(int(gap.argmax()), K.shape)
        raise ValueError(
            f"With kernel='precomputed', {who} expects X to be symmetric. Got X[{i}, {j}] = "
            f"{K[i, j]:g} and X[{j}, {i}] = {K[j, i]:g}. Use (X + X.T) / 2 if the difference is "
            f"noise."
        )
    return K


def require_finite_kernel(K: FloatArray, *, who: str) -> FloatArray:
    """Refuse values of a kernel that are not numbers, such as (−2)^½, or too large for one."""
    if not np.isfinite(K).all():
        raise ValueError(
            f"The 'kernel' parameter of {who} must give finite numbers. Got NaN or infinity. With "
            f"kernel='polynomial' take a whole 'degree' that is not too large; measure X in units "
            f"of its spread."
        )
    return K


def kernel_panels(kernel: Kernel, X: Any, *, dtype: Any = np.float64) -> SymmetricPanels:
    """Compute the upper half of the kernel matrix of one set of rows."""
    X = X.astype(dtype, copy=False)
    with one_blas_thread() if X.shape[1] <= _FEW_FEATURES else nullcontext():
        return SymmetricPanels.filled(lambda i, j: kernel(X[i], X[j]), X.shape[0], dtype)


def kernel_matrix(kernel: Kernel, X: Any, *, dtype: Any = np.float64) -> FloatArray:
    """Compute the symmetric kernel matrix of one set of rows, half of it mirrored.

    Examples
    --------
    >>> import numpy as np
    >>> kernel_matrix(GaussianKernel(1.0), np.array([[0.0], [1.0]])).round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    """
    n = X.shape[0]
    X = X.astype(dtype, copy=False)
    K = np.empty((n, n), dtype=dtype)
    for start in range(0, n, BLOCK_ROWS):
        stop = min(start + BLOCK_ROWS, n)
        K[start:stop, start:] = kernel(X[start:stop], X[start:])
        corner = np.triu(K[start:stop, start:stop])
        K[start:stop, start:stop] = corner + np.triu(corner, 1).T
        for left in range(stop, n, _MIRRORED):
            tile = K[start:stop, left : left + _MIRRORED]
            K[left : left + _MIRRORED, start:stop] = tile.T.copy()
    K[np.diag_indices(n)] = kernel.diagonal(X)
    return K


def _inner(X: Any, Y: Any) -> FloatArray:
    product = X @ Y.T
    return np.asarray(product.toarray() if is_sparse(product) else product)


def _squared_lengths(X: Any) -> FloatArray:
    if is_sparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.asarray(np.einsum("ij,ij->i", X, X))


def _lengths_or_one(X: Any) -> FloatArray:
    lengths = np.sqrt(_squared_lengths(X))
    return np.asarray(np.where(lengths > 0, lengths, 1))


def _scale_gamma(X: Any) -> float:
    """γ = 1 / Σ_j var(x_j): where a column lies says nothing about how far apart rows are."""
    # measured from the first row, rows that are all the same are at nothing, however many they are
    if is_sparse(X):
        stored, n = X.astype(np.float64).tocsc(), X.shape[0]
        first = stored[[0]].toarray()[0]
        counts = np.diff(stored.indptr)
        columns = np.repeat(np.arange(X.shape[1]), counts)
        away, absent = stored.data - first[columns], n - counts
        sums = np.bincount(columns, weights=away, minlength=X.shape[1])
        mean = (sums - absent * first) / n
        away -= mean[columns]
        variance = float((away @ away + absent @ (first + mean) ** 2) / n)
    else:
        first = X[0].astype(np.float64)
        away = X - first
        mean = away.mean(axis=0)
        variance = float(away.var(axis=0).sum())
    # what rows differ by in their last digits is no variance either
    rounding = float(np.square(4 * np.finfo(np.float64).eps * (first + mean)).sum())
    return 1.0 / variance if variance > rounding else 1.0
