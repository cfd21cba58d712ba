"""Exact neighbours from blocks of the table of distances, without a compiler.

Products of matrices give squared distances quickly and with rounding errors.  The errors are
bounded, the bound decides which rows may be among the nearest, and only for these is the distance
recomputed from differences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np

from sidelight.core import FloatArray, IntArray, is_sparse, report, row_blocks
from sidelight.neighbors.checked_rows import Points
from sidelight.neighbors.pair_distances import (
    group_nearest,
    pair_distances,
    squared_norms,
    without_late_ties,
)

_UNIT_ROUNDOFF = 2.0**-53

#: The stage of a search that somebody waits for.
NEAREST = "nearest neighbours"

# Told which rows a block holds and given its values, puts infinity where no neighbour may be.
Forbid: TypeAlias = Callable[[slice, FloatArray], None]


def forbid_self(block: slice, values: FloatArray) -> None:
    """Forbid every row to be its own neighbour."""
    values[np.arange(len(values)), np.arange(block.start, block.stop)] = np.inf


class DistanceBounds:
    """Bound squared distances from below, a block at a time, by float64 products.

    With ``s = ‖q‖² + ‖x‖² − 2 q·x`` computed from rows centred at the mean of ``X``, the error is
    at most ``ε (‖q‖² + ‖x‖²)``, ``ε = 4 (p + 8) 2⁻⁵³`` for ``p`` features [1]_.  Rows of whole
    numbers that are not too large are not centred, and there is no error: pixels, counts and
    grids are full of ties, none of which has to be looked at twice.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
        The rows.  Dense rows are centred block by block, so that no copy of them is held.
    Q : ndarray or csr_array of shape (n_queries, n_features)
        The queries that will come.

    References
    ----------
    .. [1] N. J. Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., SIAM 2002,
       section 3.1.
    """

    def __init__(self, X: Points, Q: Points) -> None:
        self.X = X
        self.without_error = _products_are_exact(X) and (Q is X or _products_are_exact(Q))
        self.relative_error = 4.0 * (X.shape[1] + 8) * _UNIT_ROUNDOFF * (not self.without_error)
        if is_sparse(X):
            self._sparse = X.astype(np.float64)
            self.norms = squared_norms(X)
            return
        self._centre = X.mean(axis=0, dtype=np.float64) * (not self.without_error)
        self.norms = np.empty(X.shape[0])
        for block in self._column_blocks():
            self.norms[block] = squared_norms(X[block] - self._centre)

    def _column_blocks(self) -> list[slice]:
        return row_blocks(self.X.shape[0], 8.0 * self.X.shape[1], budget=1.6e7)

    def lower(self, Q: Points) -> tuple[FloatArray, FloatArray]:
        """Bound the squared distances from some queries to all rows."""
        shrunk = 1.0 - self.relative_error
        lower = np.empty((Q.shape[0], self.X.shape[0]))
        if is_sparse(Q):
            norms = squared_norms(Q)
            lower[...] = (Q.astype(np.float64) @ self._sparse.T).toarray()
        else:
            centred = Q - self._centre
            norms = squared_norms(centred)
            for block in self._column_blocks():
                np.matmul(centred, (self.X[block] - self._centre).T, out=lower[:, block])
        lower *= -2.0
        lower += shrunk * norms[:, None]
        lower += shrunk * self.norms
        return lower, norms

    def width(self, query_norms: FloatArray, norms: FloatArray) -> FloatArray:
        """Say how far above its lower bound a squared distance can be."""
        return np.asarray(3.0 * self.relative_error * (query_norms + norms))


def exact_nearest(
    X: Points,
    Q: Points,
    n_neighbors: int,
    *,
    forbid: Forbid | None = None,
    stage: str | None = None,
) -> tuple[IntArray, FloatArray]:
    """Find the nearest rows of every query, exactly; a stage of its own says how far it is."""
    bounds = DistanceBounds(X, Q)
    indices = np.empty((Q.shape[0], n_neighbors), dtype=np.intp)
    distances = np.empty((Q.shape[0], n_neighbors))
    for block in row_blocks(Q.shape[0], 24.0 * X.shape[0], budget=1e8):
        lower, query_norms = bounds.lower(Q[block])
        if forbid is not None:
            forbid(block, lower)
        # The largest upper bound of some k rows is an upper bound of the k-th smallest distance.
        if n_neighbors == 1:
            some = lower.argmin(axis=1)[:, None]
        else:
            some = np.argpartition(lower, n_neighbors - 1, axis=1)[:, :n_neighbors]
        width = bounds.width(query_norms[:, None], bounds.norms[some])
        ceiling = (np.take_along_axis(lower, some, axis=1) + width).max(axis=1)
        left, right = np.nonzero(lower <= ceiling[:, None])
        if bounds.without_error:
            squares = lower[left, right]
            kept = without_late_ties(left, squares == ceiling[left], len(lower), n_neighbors)
            left, right, exact = left[kept], right[kept], np.sqrt(squares[kept])
        else:
            exact = pair_distances(Q[block], X, left, right)
        found = group_nearest(left, right, exact, len(lower), n_neighbors)
        indices[block], distances[block] = found
        if stage is not None:
            report(stage, block.stop, Q.shape[0])
    return indices, distances


def _products_are_exact(X: Points) -> bool:
    """Tell whether squared distances of these rows are whole numbers that float64 holds."""
    values = X if isinstance(X, np.ndarray) else X.data[:, None]
    largest = np.sqrt(2.0**51 / X.shape[1])
    return all(
        bool((np.abs(values[block]) <= largest).all() and (values[block] % 1 == 0).all())
        for block in row_blocks(len(values), 8.0 * values.shape[1], budget=1e6)
    )


def nearest_in_blocks(
    blocks: Iterator[tuple[slice, FloatArray]],
    n_rows: int,
    n_neighbors: int,
    *,
    forbid: Forbid | None = None,
) -> tuple[IntArray, FloatArray]:
    """Find the nearest columns of every row of a table that comes in blocks."""
    indices = np.empty((n_rows, n_neighbors), dtype=np.intp)
    distances = np.empty((n_rows, n_neighbors))
    for block, table in blocks:
        values = table
        if forbid is not None:
            values = table.copy()
            forbid(block, values)
        ceiling = np.partition(values, n_neighbors - 1, axis=1)[:, n_neighbors - 1]
        left, right = np.nonzero(values <= ceiling[:, None])
        lengths = values[left, right]
        kept = without_late_ties(left, lengths == ceiling[left], len(values), n_neighbors)
        left, right, lengths = left[kept], right[kept], lengths[kept]
        found = group_nearest(left, right, lengths, len(values), n_neighbors)
        indices[block], distances[block] = found
        report(NEAREST, block.stop, n_rows)
    return indices, distances
