"""Scatter and Gram matrices of centred rows, block by block."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg.blas

from sidelight.arrays import FloatArray, is_sparse
from sidelight.solvers.eigen import Operator

_BLOCK_ROWS = 4096


def column_mean(X: Any) -> FloatArray:
    """Compute the mean of the rows in float64.

    Parameters
    ----------
    X : array or sparse array of shape (n, p)
        Rows.

    Returns
    -------
    ndarray of shape (p,)
        The mean.
    """
    if is_sparse(X):
        return np.asarray(X.mean(axis=0), dtype=np.float64).ravel()
    return np.asarray(X.mean(axis=0, dtype=np.float64))


def scatter_matrix(X: FloatArray, mean: FloatArray) -> FloatArray:
    """Compute Σ_i (x_i − m)(x_i − m)ᵀ with half the products of a general multiplication.

    Blocks are centred and multiplied in the precision of X and summed in float64.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Rows.
    mean : ndarray of shape (p,)
        m.

    Returns
    -------
    ndarray of shape (p, p)
        The scatter matrix.
    """
    p = X.shape[1]
    centre = mean.astype(X.dtype)
    rank_k_update = scipy.linalg.blas.ssyrk if X.dtype == np.float32 else scipy.linalg.blas.dsyrk
    total = np.zeros((p, p), order="F")
    for start in range(0, X.shape[0], _BLOCK_ROWS):
        block = X[start : start + _BLOCK_ROWS] - centre
        total += rank_k_update(1.0, block.T)  # the upper triangle
    total += np.triu(total, 1).T
    return total


def gram_matrix(X: FloatArray, mean: FloatArray) -> FloatArray:
    """Compute ⟨x_i − m, x_j − m⟩ in float64.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Rows.
    mean : ndarray of shape (p,)
        m.

    Returns
    -------
    ndarray of shape (n, n)
        The Gram matrix.
    """
    centred = X - mean
    return np.asarray(centred @ centred.T)


def scatter_operator(X: Any, mean: FloatArray) -> Operator:
    """Give the function v ↦ Σ_i (x_i − m)(x_i − m)ᵀ v, which forms no p × p matrix.

    Parameters
    ----------
    X : array or sparse array of shape (n, p)
        Rows; a sparse array is not filled in.
    mean : ndarray of shape (p,)
        m.

    Returns
    -------
    callable
        From (p, b) to (p, b).
    """

    def apply(block: FloatArray) -> FloatArray:
        block = np.asarray(block, dtype=np.float64)
        scores = X @ block - mean @ block
        # Xᵀs − m(1ᵀs); the second term vanishes but for rounding, since 1ᵀ(X − 1mᵀ) = 0
        image = X.T @ scores - np.outer(mean, scores.sum(axis=0))
        return np.asarray(image)

    return apply
