"""A few axes that tell most of the distances between rows of many features."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core import FloatArray, row_blocks
from sidelight.neighbors.search.exact_products import exact_product

#: Rows that the axes are found from, at most, and numbers that these may be.
_SAMPLE = 4000
_NUMBERS = 4e7
_ROUNDS = 5


def along_leading_axes(X: FloatArray, n_axes: int, *, seed: Any) -> FloatArray:
    """Project the rows to nearly their principal subspace.

    The axes are those of a sample after a few rounds of subspace iteration, ``Q ← orth(XᵀX Q)``.
    Products are exact and the rest is added up in one order, so that the same rows give the same
    axes on every processor, also where several directions are equally long.
    """
    generator = np.random.default_rng((seed, X.shape[0]))
    n_sampled = min(X.shape[0], _SAMPLE, max(4 * n_axes, int(_NUMBERS // X.shape[1])))
    mean = X.mean(axis=0, dtype=np.float64)
    sample = X[np.sort(generator.choice(X.shape[0], n_sampled, replace=False))] - mean
    axes = generator.choice([-1.0, 1.0], size=(X.shape[1], n_axes))
    for _ in range(_ROUNDS):
        axes = _orthonormal(exact_product(sample.T, exact_product(sample, axes)))
    projected = np.empty((X.shape[0], n_axes))
    for block in row_blocks(X.shape[0], 24.0 * X.shape[1]):
        projected[block] = exact_product(X[block] - mean, axes)
    return projected


def _orthonormal(columns: FloatArray) -> FloatArray:
    from sidelight.neighbors.search._leading_axes_compiled import orthonormalise

    rows = np.ascontiguousarray(columns.T)
    orthonormalise(rows)
    return rows.T
