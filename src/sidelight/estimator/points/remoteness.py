"""How far every point is from the mean of all, squared: ‖y_i − ȳ‖²."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from sidelight.core import FloatArray, IntArray, is_sparse


def remoteness_of_vectors(X: Any, counts: IntArray) -> FloatArray:
    """Compute ‖x_i − x̄‖², where x̄ is the mean of rows that occur so often.

    Examples
    --------
    >>> import numpy as np
    >>> remoteness_of_vectors(np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([1, 1]))
    array([6.25, 6.25])
    """
    c = counts.astype(np.float64)
    mean = np.asarray(c @ X, dtype=np.float64).ravel() / float(c.sum())
    if is_sparse(X):
        squares = np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
        return np.asarray(squares - 2 * (X @ mean) + mean @ mean)
    centred = X - mean
    return np.asarray(np.einsum("ij,ij->i", centred, centred))


def remoteness_by_distances(
    blocks: Iterable[tuple[slice, FloatArray]], counts: IntArray
) -> FloatArray:
    """Compute Σ_j c_j d_ij²/N − Σ_ij c_i c_j d_ij²/2N², which stands for it with any metric.

    c are the multiplicities and N is their sum.

    Examples
    --------
    >>> import numpy as np
    >>> table = np.array([[0.0, 5.0], [5.0, 0.0]])
    >>> remoteness_by_distances([(slice(0, 2), table)], np.array([1, 1]))
    array([6.25, 6.25])
    """
    c = counts.astype(np.float64)
    total = float(c.sum())
    means = np.empty(len(c))
    for block, distances in blocks:
        means[block] = np.square(distances, dtype=np.float64) @ c / total
    return np.asarray(means - c @ means / (2 * total))
