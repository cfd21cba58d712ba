"""Exact neighbours from blocks of the table of distances, without a compiler.

Products of matrices give squared distances quickly and with rounding errors.  The errors are
bounded, the bound decides which rows may be among the nearest, and only for these is the distance
recomputed from differences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp

from sidelight.arrays import FloatArray, IntArray
from sidelight.neighbors.inputs import Points, row_blocks
from sidelight.neighbors.pairs import group_nearest, pair_distances, squared_norms

_UNIT_ROUNDOFF = 2.0**-53

# Told which rows a block holds and given its values, puts infinity where no neighbour may be.
Forbid: TypeAlias = Callable[[slice, FloatArray], None]


def forbid_self(block: slice, values: FloatArray) -> None:
    """Forbid every row to be its own neighbour.

    Parameters
    ----------
    block : slice
        Which rows the block holds.
    values : ndarray of shape (n_rows, n_samples)
        The block, changed in place.
    """
    values[np.arange(len(values)), np.arange(block.start, block.stop)] = np.inf


class DistanceBounds:
    """Bound squared distances from below, a block at a time, by float64 products.

    With ``s = ‖q‖² + ‖x‖² − 2 q·x`` computed from rows centred at the mean of ``X``, the error is
    at most ``ε (‖q‖² + ‖x‖²)``, ``ε = 4 (p + 8) 2⁻⁵³`` for ``p`` features [1]_.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
        The rows.  Dense rows are centred block by block, so that no copy of them is held.

    References
    ----------
    .. [1] N. J. Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., SIAM 2002,
       section 3.1.
    """

    def __init__(self, X: Points) -> None:
        self.X = X
        self.relative_error = 4.0 * (X.shape[1] + 8) * _UNIT_ROUNDOFF
        if sp.issparse(X):
            self._sparse = X.astype(np.float64)
            self.norms = squared_norms(X)
            return
        self._centre = X.mean(axis=0, dtype=np.float64)
        self.norms = np.empty(X.shape[0])
        for block in self._column_blocks():
            self.norms[block] = squared_norms(X[block] - self._centre)

    def _column_blocks(self) -> list[slice]:
        return row_blocks(self.X.shape[0], 8.0 * self.X.shape[1], budget=1.6e7)

    def lower(self, Q: Points) -> tuple[FloatArray, FloatArray]:
        """Bound the squared distances from some queries to all rows.

        Parameters
        ----------
        Q : ndarray or csr_array of shape (n_queries, n_features)
            A block of queries.

        Returns
        -------
        lower : ndarray of shape (n_queries, n_samples)
            No squared distance is below its bound.
        norms : ndarray of shape (n_queries,)
            The squared norms of the queries, for :meth:`width`.
        """
        shrunk = 1.0 - self.relative_error
        lower = np.empty((Q.shape[0], self.X.shape[0]))
        if sp.issparse(Q):
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
        """Say how far above its lower bound a squared distance can be.

        Parameters
        ----------
        query_norms, norms : ndarray
            Squared norms of both sides, in shapes that broadcast.

        Returns
        -------
        ndarray
            Twice the bound on the error, and what recomputing from differences may add.
        """
        return 3.0 * self.relative_error * (query_norms + norms)


def exact_nearest(
    X: Points, Q: Points, n_neighbors: int, *, forbid: Forbid | None = None
) -> tuple[IntArray, FloatArray]:
    """Find the nearest rows of every query, exactly.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
        The rows.
    Q : ndarray or csr_array of shape (n_queries, n_features)
        The queries.
    n_neighbors : int
        How many to find.
    forbid : callable, optional
        Puts infinity into a block where no neighbour may be; enough others must remain.

    Returns
    -------
    indices : ndarray of shape (n_queries, n_neighbors)
        Nearest first, ties broken by index.
    distances : ndarray of shape (n_queries, n_neighbors)
        Euclidean distances.
    """
    bounds = DistanceBounds(X)
    indices = np.empty((Q.shape[0], n_neighbors), dtype=np.intp)
    distances = np.empty((Q.shape[0], n_neighbors))
    for block in row_blocks(Q.shape[0], 24.0 * X.shape[0]):
        lower, query_norms = bounds.lower(Q[block])
        if forbid is not None:
            forbid(block, lower)
        # The largest upper bound of some k rows is an upper bound of the k-th smallest distance.
        some = np.argpartition(lower, n_neighbors - 1, axis=1)[:, :n_neighbors]
        width = bounds.width(query_norms[:, None], bounds.norms[some])
        ceiling = (np.take_along_axis(lower, some, axis=1) + width).max(axis=1)
        left, right = np.nonzero(lower <= ceiling[:, None])
        exact = pair_distances(Q[block], X, left, right)
        found = group_nearest(left, right, exact, len(lower), n_neighbors)
        indices[block], distances[block] = found
    return indices, distances


def nearest_in_blocks(
    blocks: Iterator[tuple[slice, FloatArray]],
    n_rows: int,
    n_neighbors: int,
    *,
    forbid: Forbid | None = None,
) -> tuple[IntArray, FloatArray]:
    """Find the nearest columns of every row of a table that comes in blocks.

    Parameters
    ----------
    blocks : iterator of (slice, ndarray)
        Blocks of rows of the table of distances; they are left as they are.
    n_rows : int
        Rows in all.
    n_neighbors : int
        How many to find.
    forbid : callable, optional
        Puts infinity into a block where no neighbour may be; enough others must remain.

    Returns
    -------
    indices : ndarray of shape (n_rows, n_neighbors)
        Nearest first, ties broken by index.
    distances : ndarray of shape (n_rows, n_neighbors)
        The distances.
    """
    indices = np.empty((n_rows, n_neighbors), dtype=np.intp)
    distances = np.empty((n_rows, n_neighbors))
    for block, table in blocks:
        values = table
        if forbid is not None:
            values = table.copy()
            forbid(block, values)
        ceiling = np.partition(values, n_neighbors - 1, axis=1)[:, n_neighbors - 1]
        left, right = np.nonzero(values <= ceiling[:, None])
        found = group_nearest(left, right, values[left, right], len(values), n_neighbors)
        indices[block], distances[block] = found
    return indices, distances
