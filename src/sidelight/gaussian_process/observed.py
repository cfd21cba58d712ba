"""A table with holes, sorted by what is observed: columns of one pattern share a factorisation.

A Gaussian process over the rows gives each column by itself the density N(0, K + σ²I), and what
is missing of a column is left out by leaving out its rows and columns of K.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidelight.core import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class ColumnGroup:
    """Columns that are observed in the same rows.

    Parameters
    ----------
    rows : ndarray of shape (r,) or None
        The rows; None for all of them.
    columns : ndarray of shape (c,)
        The columns.
    values : ndarray of shape (r, c)
        The entries.
    factor : ndarray of shape (r, min(r, c))
        F with FFᵀ = values valuesᵀ: all that a likelihood needs.
    """

    rows: IntArray | None
    columns: IntArray
    values: FloatArray
    factor: FloatArray

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        return len(self.columns)


@dataclass(frozen=True)
class ObservedTable:
    """A table and its groups of columns.

    Parameters
    ----------
    values : ndarray of shape (n, p)
        The table, zero where nothing was observed.
    observed : ndarray of shape (n, p)
        Where something was.
    groups : tuple of ColumnGroup
        Every column is in one.
    """

    values: FloatArray
    observed: BoolArray
    groups: tuple[ColumnGroup, ...]

    @classmethod
    def of(cls, Y: FloatArray) -> ObservedTable:
        """Sort the columns of a table by what is observed of them."""
        observed = ~np.isnan(Y)
        values = np.where(observed, Y, 0.0)
        patterns, of_column = np.unique(observed, axis=1, return_inverse=True)
        of_column = of_column.ravel()
        groups = []
        for number in range(patterns.shape[1]):
            columns = np.flatnonzero(of_column == number)
            rows = None if patterns[:, number].all() else np.flatnonzero(patterns[:, number])
            block = values[:, columns] if rows is None else values[np.ix_(rows, columns)]
            groups.append(ColumnGroup(rows, columns, block, _square_factor(block)))
        return cls(values, observed, tuple(groups))

    @property
    def complete(self) -> bool:
        """Whether nothing is missing."""
        return len(self.groups) == 1 and self.groups[0].rows is None

    @property
    def n_observed(self) -> int:
        """How many entries there are."""
        return int(self.observed.sum())


def _square_factor(values: FloatArray) -> FloatArray:
    if values.shape[1] <= values.shape[0]:
        return values
    return np.ascontiguousarray(np.asarray(np.linalg.qr(values.T, mode="r")).T)
