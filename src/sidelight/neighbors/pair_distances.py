"""The one arithmetic for Euclidean distances that are handed out.

Every search finds candidates in its own way, with rounding errors of its own.  The distances it
returns are recomputed here, from differences in float64, so that the answer, with its ties, does
not depend on the search.
"""

from __future__ import annotations

import numpy as np

from sidelight.core import BoolArray, FloatArray, IntArray, is_sparse, row_blocks
from sidelight.neighbors.checked_rows import Points

#: Candidates are sorted in a table that has at most so many places for each of them.
_WIDE = 4


def pair_distances(Q: Points, X: Points, left: IntArray, right: IntArray) -> FloatArray:
    """Compute ``‖q_left − x_right‖`` for pairs of rows.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 0.0], [3.0, 4.0]])
    >>> pair_distances(X, X, np.array([0]), np.array([1]))
    array([5.])
    """
    distances = np.empty(len(left))
    # Small enough for the differences to stay in the cache between the two passes over them.
    size = 200.0 if is_sparse(X) else 8.0 * X.shape[1]
    for block in row_blocks(len(left), size, budget=1e6):
        if isinstance(Q, np.ndarray) and isinstance(X, np.ndarray):
            difference = np.subtract(Q[left[block]], X[right[block]], dtype=np.float64)
            distances[block] = lengths(difference)
        else:
            gap = (Q[left[block]] - X[right[block]]).astype(np.float64)
            distances[block] = np.sqrt(np.asarray(gap.multiply(gap).sum(axis=1)).ravel())
    return distances


def lengths(differences: FloatArray) -> FloatArray:
    """Compute the lengths of rows."""
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", differences, differences)))


def group_nearest(
    left: IntArray, right: IntArray, distances: FloatArray, n_rows: int, n_neighbors: int
) -> tuple[IntArray, FloatArray]:
    """Keep the nearest of each row's candidates, ties broken by index."""
    starts = np.searchsorted(left, np.arange(n_rows + 1))
    counts = np.diff(starts)
    rising = bool(((right[1:] > right[:-1]) | (left[1:] > left[:-1])).all())
    if rising and int(counts.max(initial=0)) * n_rows <= _WIDE * max(len(left), 1):
        # in a table of a row each a stable sort keeps the order of ties
        table = np.full((n_rows, int(counts.max(initial=0))), np.inf)
        table[left, np.arange(len(left)) - starts[left]] = distances
        kept = np.argsort(table, axis=1, kind="stable")[:, :n_neighbors] + starts[:-1, None]
    else:
        order = np.lexsort((right, distances, left))
        kept = order[starts[:-1, None] + np.arange(n_neighbors)]
    return right[kept].astype(np.intp, copy=False), distances[kept]


def without_late_ties(left: IntArray, tied: BoolArray, n_rows: int, n_neighbors: int) -> BoolArray:
    """Mark the candidates that remain when each row's last distance is tied too often."""
    running = np.concatenate([[0], np.cumsum(tied)])
    before = running[np.searchsorted(left, np.arange(n_rows))]
    return np.asarray(~tied | (running[1:] - before[left] <= n_neighbors))


def squared_norms(X: Points) -> FloatArray:
    """Compute ``‖x_i‖²`` in float64."""
    if is_sparse(X):
        wide = X.astype(np.float64)
        return np.asarray(wide.multiply(wide).sum(axis=1)).ravel()
    norms = np.empty(X.shape[0])
    for block in row_blocks(X.shape[0], 8.0 * X.shape[1], budget=4e6):
        wide_rows = X[block].astype(np.float64, copy=False)
        norms[block] = np.einsum("ij,ij->i", wide_rows, wide_rows)
    return norms
