"""The table that a GP-LVM is fitted to: rows in one order, columns that vary, one unit."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from sidelight.core import BoolArray, FloatArray, IntArray, counted
from sidelight.neighbors import distinct_rows

#: Spreads below this, or above one over it, have no square among the floating point numbers.
_LEAST_SCALE = 1e-150


@dataclass(frozen=True)
class StandardTable:
    """Rows as the model sees them, and the way there and back.

    Parameters
    ----------
    Y : ndarray of shape (n, p_kept)
        Centred columns that vary, divided by one standard deviation; NaN where missing.
    order : ndarray of shape (n,)
        Row i of Y is row order[i] of the data: sorted by their entries, so that the order in
        which rows were given cannot matter, to the last bit.
    kept : ndarray of shape (p,)
        Which columns vary.
    mean : ndarray of shape (p,)
        Of the observed entries of all columns.
    scale : float
        The standard deviation of all centred entries.
    """

    Y: FloatArray
    order: IntArray
    kept: BoolArray
    mean: FloatArray
    scale: float

    @classmethod
    def of(cls, X: FloatArray, *, who: str) -> StandardTable:
        """Standardise a table."""
        observed = ~np.isnan(X)
        empty = np.flatnonzero(~observed.any(axis=0))
        if len(empty):
            raise ValueError(
                f"{who} needs at least one observed entry in every column of X. Nothing is "
                f"observed in the columns {empty[:5].tolist()}. Remove them."
            )
        blank = int((~observed.any(axis=1)).sum())
        if blank:
            warnings.warn(
                f"No entry is observed in {counted(blank, 'row')} of X, which {who} can place by "
                f"the prior alone, at the origin of the map.",
                UserWarning,
                stacklevel=4,
            )
        order = np.lexsort(X.T[::-1])
        X = X[order]
        with np.errstate(invalid="ignore"):
            kept = np.nanmax(X, axis=0) > np.nanmin(X, axis=0)
        if not kept.any():
            raise ValueError(
                f"{who} needs a column that varies. Got {len(X)} rows that are all the same."
            )
        mean = np.nanmean(X, axis=0)
        mean[~kept] = np.nanmin(X, axis=0)[~kept]
        centred = X[:, kept] - mean[kept]
        largest = float(np.nanmax(np.abs(centred)))  # whose square may be too large a number
        scale = largest * float(np.sqrt(np.nanmean((centred / largest) ** 2)))
        if not _LEAST_SCALE < scale < 1 / _LEAST_SCALE:
            raise ValueError(
                f"{who} needs data whose variance is a number. Got a spread of {scale:.3g}, whose "
                f"square overflows or vanishes. Give X in another unit."
            )
        return cls(np.ascontiguousarray(centred / scale), order, kept, mean, scale)

    def standardise(self, X: FloatArray) -> FloatArray:
        """Write new rows as the model sees them."""
        return np.asarray((X[:, self.kept] - self.mean[self.kept]) / self.scale)

    def restore(self, Y: FloatArray) -> FloatArray:
        """Write rows of the model in the data's columns and unit."""
        X = np.tile(self.mean, (len(Y), 1))
        X[:, self.kept] += self.scale * Y
        return X

    def spread(self, deviation: FloatArray) -> FloatArray:
        """Write standard deviations in the data's columns and unit."""
        full = np.zeros((len(deviation), len(self.kept)))
        full[:, self.kept] = self.scale * deviation
        return full

    def back_in_order(self, rows: FloatArray) -> FloatArray:
        """Put what belongs to the model's rows into the data's order."""
        restored = np.empty_like(rows)
        restored[self.order] = rows
        return restored


def first_alike(rows: FloatArray, others: FloatArray) -> IntArray:
    """Find, for each of some rows, the first of others that has the same entries."""
    both = np.vstack([others, rows])
    missing = np.isnan(both)
    coded = np.hstack([np.where(missing, 0.0, both), missing.astype(np.float64)])
    distinct = distinct_rows(coded)
    first = distinct.rows[distinct.inverse[len(others) :]]
    return np.asarray(np.where(first < len(others), first, -1))
