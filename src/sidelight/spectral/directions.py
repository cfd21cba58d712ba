"""Directions of a linear map and the places along them, from eigenpairs of its rows."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from sidelight.core import FloatArray, as_dense, is_sparse, row_blocks
from sidelight.solvers.eigen import Eigenpairs, RitzPairs, column_signs

#: Bytes of rows that are projected together: they stay in the cache.
_AT_ONCE = 1e6
Pairs: TypeAlias = Eigenpairs | RitzPairs


def projected(X: Any, mean: FloatArray, pairs: Pairs) -> tuple[FloatArray, FloatArray]:
    """The eigenvectors U of the scatter, with their signs, and the places (x − m)ᵀU."""
    axes = pairs.vectors.astype(X.dtype)
    if is_sparse(X):
        scores = np.asarray(X @ axes)
    else:
        scores = np.empty((X.shape[0], axes.shape[1]), dtype=X.dtype)
        for block in row_blocks(X.shape[0], float(X.itemsize * X.shape[1]), budget=_AT_ONCE):
            np.matmul(X[block], axes, out=scores[block])
    signs = column_signs(scores, mean @ pairs.vectors)
    directions = pairs.vectors * signs
    places = scores * signs
    places -= mean @ directions
    return directions, places


def seen_from_rows(X: Any, mean: FloatArray, pairs: Pairs) -> tuple[FloatArray, FloatArray]:
    """U = X V Λ^{−½} from the eigenvectors V of the Gram matrix, and the places V Λ^½."""
    lengths = np.sqrt(np.maximum(pairs.values, 0))
    back = as_dense(X).T @ pairs.vectors - np.outer(mean, pairs.vectors.sum(axis=0))
    return _orthonormal_columns(back, lengths), pairs.vectors * lengths


def _orthonormal_columns(back: FloatArray, lengths: FloatArray) -> FloatArray:
    """U = X V Λ^{−½}, completed by any orthonormal directions where Λ vanishes."""
    extent = lengths > 1e-7 * max(float(lengths.max(initial=0.0)), np.finfo(float).tiny)
    directions = back / np.where(extent, lengths, 1.0)
    if not extent.all():
        rng = np.random.default_rng(0)
        missing = rng.standard_normal((back.shape[0], int((~extent).sum())))
        found = directions[:, extent]
        missing -= found @ (found.T @ missing)
        directions[:, ~extent] = np.linalg.qr(missing)[0]
    return np.asarray(directions)
