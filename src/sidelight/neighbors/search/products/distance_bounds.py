"""Squared distances bounded from below by products of matrices."""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray, is_sparse, row_blocks
from sidelight.neighbors.checked_rows import Points
from sidelight.neighbors.pair_distances import squared_norms

# What products in float32 may lose below their range, of rows in units of their largest entry.
_LEAST = 1e-34


class DistanceBounds:
    """Bound squared distances from below, a block at a time, by products of matrices.

    With ``s = ‖q‖² + ‖x‖² − 2 q·x`` computed from rows centred at the mean of ``X``, as one product
    ``(−2q, 1, ‖q‖²)·(x, ‖x‖², 1)``, the error is at most ``ε (‖q‖² + ‖x‖²)``, ``ε = 4 (p + 8) u``
    for ``p`` features and the unit roundoff ``u`` [1]_.  Rows of whole numbers that are not too
    large are not centred, and there is no error: pixels, counts and grids are full of ties, none of
    which has to be looked at twice.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
        The rows.  Dense rows are centred block by block, so that no copy of them is held.
    Q : ndarray or csr_array of shape (n_queries, n_features)
        The queries that will come.
    single : bool
        Whether products are of dense rows in float32, in units in which no entry is above one:
        bounds are those of squared distances times ``scale**2``.

    References
    ----------
    .. [1] N. J. Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., SIAM 2002,
       section 3.1.
    """

    def __init__(self, X: Points, Q: Points, *, single: bool = False) -> None:
        self.X, self.single = X, single
        self._dtype = np.dtype(np.float32 if single else np.float64)
        digits = 24 if single else 53
        self.without_error = _products_are_exact(X, digits) and (
            Q is X or _products_are_exact(Q, digits)
        )
        self.relative_error = 4.0 * (X.shape[1] + 8) * 2.0**-digits * (not self.without_error)
        self.scale = 1.0
        if is_sparse(X):
            self._sparse = X.astype(np.float64)
            self.norms = squared_norms(X)
            return
        self._centre = X.mean(axis=0, dtype=np.float64) * (not self.without_error)
        if single and not self.without_error:
            self.scale = min(scale_of(rows, self._centre) for rows in (X, Q))
        self.norms = np.empty(X.shape[0])
        for block in self._column_blocks():
            self.norms[block] = squared_norms(self._centred(X[block]))

    def _column_blocks(self) -> list[slice]:
        return row_blocks(self.X.shape[0], 8.0 * self.X.shape[1], budget=1.6e7)

    def _centred(self, rows: FloatArray) -> FloatArray:
        centred = rows - self._centre
        if self.scale != 1.0:
            centred *= self.scale
        return np.asarray(centred)

    def lower(self, Q: Points) -> tuple[FloatArray, FloatArray]:
        """Bound the squared distances from some queries to all rows."""
        lower = np.empty((Q.shape[0], self.X.shape[0]), dtype=self._dtype)
        if is_sparse(Q):
            norms = squared_norms(Q)
            lower[...] = (Q.astype(np.float64) @ self._sparse.T).toarray()
            lower *= -2.0
            lower += self._shrunk(norms)[:, None]
            lower += self._shrunk(self.norms)
            return lower, norms
        centred = self._centred(Q)
        norms = squared_norms(centred)
        left = self._with_norms(-2.0 * centred, 1.0, self._shrunk(norms))
        for block in self._column_blocks():
            columns = self._centred(self.X[block])
            right = self._with_norms(columns, self._shrunk(self.norms[block]), 1.0)
            np.matmul(left, right.T, out=lower[:, block])
        return lower, norms

    def _shrunk(self, norms: FloatArray) -> FloatArray:
        least = _LEAST * (self.single and not self.without_error)
        return np.asarray((1.0 - self.relative_error) * norms - least)

    def _with_norms(
        self, rows: FloatArray, first: FloatArray | float, second: FloatArray | float
    ) -> FloatArray:
        """Rows and two columns beside them."""
        n, p = rows.shape
        wider = np.empty((n, p + 2), dtype=self._dtype)
        wider[:, :p], wider[:, p], wider[:, p + 1] = rows, first, second
        return wider

    def width(self, query_norms: FloatArray, norms: FloatArray) -> FloatArray:
        """Say how far above its lower bound a squared distance can be."""
        least = 4.0 * _LEAST * (self.single and not self.without_error)
        return np.asarray(3.0 * self.relative_error * (query_norms + norms) + least)

    def ceiling(self, lower: FloatArray, query_norms: FloatArray, n_neighbors: int) -> FloatArray:
        """Bound the squared distances to the k-th nearest rows from above."""
        if self.single or self.without_error:
            kth = np.partition(lower, n_neighbors - 1, axis=1)[:, n_neighbors - 1]
            if self.without_error:
                return np.asarray(kth)
            most = kth + self.width(query_norms, self.norms.max())
            return np.nextafter(most.astype(np.float32), np.float32(np.inf))
        # The largest upper bound of some k rows is an upper bound of the k-th smallest distance.
        if n_neighbors == 1:
            some = lower.argmin(axis=1)[:, None]
        else:
            some = np.argpartition(lower, n_neighbors - 1, axis=1)[:, :n_neighbors]
        width = self.width(query_norms[:, None], self.norms[some])
        return np.asarray((np.take_along_axis(lower, some, axis=1) + width).max(axis=1))


def scale_of(X: FloatArray, centre: FloatArray) -> float:
    """Find the power of two that brings the largest centred entry to one."""
    largest = max(
        float(np.abs(X[block] - centre).max())
        for block in row_blocks(X.shape[0], 8.0 * X.shape[1], budget=4e6)
    )
    return float(2.0 ** -np.ceil(np.log2(largest))) if largest > 0 else 1.0


def _products_are_exact(X: Points, digits: int) -> bool:
    """Tell whether squared distances of these rows are whole numbers of so many binary digits."""
    values = X if isinstance(X, np.ndarray) else X.data[:, None]
    largest = np.sqrt(2.0 ** (digits - 2) / X.shape[1])
    return all(
        bool((np.abs(values[block]) <= largest).all() and (values[block] % 1 == 0).all())
        for block in row_blocks(len(values), 8.0 * values.shape[1], budget=1e6)
    )
