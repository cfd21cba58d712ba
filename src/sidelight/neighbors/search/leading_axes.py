"""A few axes that tell most of the distances between rows of many features."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import FloatArray, row_blocks
from sidelight.neighbors.search.products import exact_product

#: Rows that the axes are found from, at most, and numbers that these may be.
_SAMPLE = 4000
_NUMBERS = 4e7
_ROUNDS = 5


@dataclass(frozen=True)
class LeadingAxes:
    """Axes of nearly the principal subspace of rows.

    Parameters
    ----------
    mean : ndarray of shape (n_features,)
        Of the rows.
    axes : ndarray of shape (n_features, n_axes)
        Orthonormal.
    share : float
        How much of the variance of the sample they hold.
    """

    mean: FloatArray
    axes: FloatArray
    share: float

    def along(self, X: FloatArray) -> FloatArray:
        """Project rows to the axes."""
        projected = np.empty((X.shape[0], self.axes.shape[1]))
        for block in row_blocks(X.shape[0], 24.0 * X.shape[1]):
            projected[block] = exact_product(X[block] - self.mean, self.axes)
        return projected


def leading_axes(X: FloatArray, n_axes: int, *, seed: Any) -> LeadingAxes:
    """Find the axes of a sample by a few rounds of subspace iteration, ``Q ← orth(XᵀX Q)``.

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
    whole = _sum_of_squares(sample)
    held = _sum_of_squares(exact_product(sample, axes))
    return LeadingAxes(mean, axes, held / whole if whole > 0.0 else 1.0)


def _sum_of_squares(rows: FloatArray) -> float:
    """Add up squares in one order: down the columns, and these without rounding."""
    columns = np.zeros(rows.shape[1])
    for block in row_blocks(len(rows), 8.0 * rows.shape[1], budget=4e6):
        columns += np.square(rows[block]).sum(axis=0)
    return math.fsum(columns)


def _orthonormal(columns: FloatArray) -> FloatArray:
    from sidelight.neighbors.search._leading_axes_compiled import orthonormalise

    rows = np.ascontiguousarray(columns.T)
    orthonormalise(rows)
    return rows.T
