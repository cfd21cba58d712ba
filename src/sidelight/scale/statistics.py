"""Statistics of a Dask array in one pass: rows, missing numbers, mean, variance, range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import FloatArray, IntArray, counted
from sidelight.scale.blocks import in_whole_rows, summed_up


@dataclass(frozen=True, eq=False)
class Statistics:
    """What one pass over the rows of a table tells of each column.

    Parameters
    ----------
    n_rows : int
        How many rows there are.
    missing : ndarray of int of shape (n_features,)
        How many numbers are missing (NaN) in each column.
    mean : ndarray of shape (n_features,)
        Of the numbers that are there; NaN where there is none.
    variance : ndarray of shape (n_features,)
        Mean squared deviation from the mean, as ``numpy.nanvar``.
    minimum, maximum : ndarray of shape (n_features,)
        The range of the numbers that are there.
    """

    n_rows: int
    missing: IntArray
    mean: FloatArray
    variance: FloatArray
    minimum: FloatArray
    maximum: FloatArray

    def __repr__(self) -> str:
        return (
            f"Statistics({counted(self.n_rows, 'row')} × {counted(len(self.mean), 'column')}, "
            f"{int(self.missing.sum()):,} missing)"
        )


def statistics(array: Any) -> Statistics:
    """Measure every column of a Dask array in one pass, block by block.

    Blocks are joined by the formula of Chan, Golub and LeVeque for means and sums of squares,
    always in the order of the rows: the result does not depend on who finished first.

    Parameters
    ----------
    array : dask.array.Array of shape (n_samples, n_features)
        The table; NaN is a missing number.

    Returns
    -------
    Statistics
        Rows, missing numbers, mean, variance, minimum and maximum.

    References
    ----------
    T. F. Chan, G. H. Golub, R. J. LeVeque (1979), "Updating formulae and a pairwise algorithm for
    computing sample variances".

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from sidelight.scale import statistics
    >>> found = statistics(da.from_array(np.arange(12.0).reshape(6, 2), chunks=(4, 2)))
    >>> found, found.mean, found.variance.round(3)
    (Statistics(6 rows × 2 columns, 0 missing), array([5., 6.]), array([11.667, 11.667]))
    """
    array = in_whole_rows(array, who="statistics")
    return summed_up(array, statistics_of, joined, who="statistics")  # type: ignore[no-any-return]


def statistics_of(X: FloatArray) -> Statistics:
    """The statistics of some rows in memory."""
    X = X.astype(np.float64, copy=False)
    there = ~np.isnan(X)
    count = there.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(there, X, 0.0).sum(axis=0) / count
        variance = (np.where(there, X - mean, 0.0) ** 2).sum(axis=0) / count
    return Statistics(
        len(X),
        len(X) - count,
        mean,
        variance,
        np.fmin.reduce(X, axis=0),
        np.fmax.reduce(X, axis=0),
    )


def joined(one: Statistics, other: Statistics) -> Statistics:
    """The statistics of the rows of both."""
    n, m = one.n_rows - one.missing, other.n_rows - other.missing
    total = np.maximum(n + m, 1)
    # a column with nothing in it has no mean, and no weight
    left, right = np.where(n > 0, one.mean, other.mean), np.where(m > 0, other.mean, one.mean)
    shift = right - left
    squares = n * np.where(n > 0, one.variance, 0.0) + m * np.where(m > 0, other.variance, 0.0)
    variance = squares / total + (n / total) * (m / total) * shift**2
    return Statistics(
        one.n_rows + other.n_rows,
        one.missing + other.missing,
        left + shift * (m / total),
        np.where(n + m > 0, variance, np.nan),
        np.fmin(one.minimum, other.minimum),
        np.fmax(one.maximum, other.maximum),
    )
