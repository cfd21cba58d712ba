"""Scatter and Gram matrices of centred rows, block by block."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core import FloatArray, is_sparse
from sidelight.solvers.eigen import Operator

_BLOCK_ROWS = 8192
#: So many of the first rows, about, say whether the origin is far.
_JUDGED = 1024


def column_mean(X: Any) -> FloatArray:
    """Compute the mean of the rows in float64."""
    if is_sparse(X):
        return np.asarray(X.mean(axis=0), dtype=np.float64).ravel()
    return np.asarray(X.mean(axis=0, dtype=np.float64))


def mean_and_scatter(X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Compute the mean m and Σ_i (x_i − m)(x_i − m)ᵀ in one pass over the rows.

    Blocks are multiplied in the precision of X, shifted by the mean of the first one where that is
    far from the origin; the products are summed in float64, and what the shift misses of the mean
    is taken off at the end.
    """
    n, p = X.shape
    some = X[:_BLOCK_ROWS]
    some = some[:: max(1, len(some) // _JUDGED)]
    shift = some.mean(axis=0)
    # a mean that is no larger than the spread costs next to no digits: then leave the rows alone
    far = float(shift @ shift) > 4 * float(some.var(axis=0).sum())
    shift = X[:_BLOCK_ROWS].mean(axis=0) if far else np.zeros_like(shift)
    total, sums = np.zeros((p, p)), np.zeros(p)
    for start in range(0, n, _BLOCK_ROWS):
        block = X[start : start + _BLOCK_ROWS]
        if far:
            block = block - shift
        total += block.T @ block
        sums += np.ones(len(block), dtype=block.dtype) @ block
    offset = sums / n
    total -= n * np.outer(offset, offset)
    return shift.astype(np.float64) + offset, (total + total.T) / 2


def total_scatter(X: Any, mean: FloatArray) -> float:
    """Sum ‖x_i − m‖² over the rows: centred first, since Σ x² − n m² cancels far from the origin.

    Examples
    --------
    >>> import numpy as np
    >>> total_scatter(1e8 + np.array([[0.0], [2.0]]), np.array([1e8 + 1.0]))
    2.0
    """
    if is_sparse(X):
        rows = X.tocsr(copy=not X.has_canonical_format)
        rows.sum_duplicates()
        left = rows.data - mean[rows.indices]
        n_zeros = rows.shape[0] - np.bincount(rows.indices, minlength=len(mean))
        return float(left @ left + n_zeros @ mean**2)
    total = 0.0
    for start in range(0, X.shape[0], _BLOCK_ROWS):
        centred = X[start : start + _BLOCK_ROWS] - mean
        total += float(np.einsum("ij,ij->", centred, centred))
    return total


def gram_matrix(X: FloatArray, mean: FloatArray) -> FloatArray:
    """Compute ⟨x_i − m, x_j − m⟩ in float64."""
    centred = X - mean
    return np.asarray(centred @ centred.T)


def scatter_operator(X: Any, mean: FloatArray) -> Operator:
    """Give the function v ↦ Σ_i (x_i − m)(x_i − m)ᵀ v, which forms no p × p matrix."""

    def apply(block: FloatArray) -> FloatArray:
        block = np.asarray(block, dtype=np.float64)
        scores = X @ block - mean @ block
        # Xᵀs − m(1ᵀs); the second term vanishes but for rounding, since 1ᵀ(X − 1mᵀ) = 0
        image = X.T @ scores - np.outer(mean, scores.sum(axis=0))
        return np.asarray(image)

    return apply
