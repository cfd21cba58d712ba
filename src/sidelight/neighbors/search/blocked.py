"""Exact neighbours from blocks of the table of distances, without a compiler.

Products of matrices give squared distances quickly and with rounding errors.  The errors are
bounded, the bound decides which rows may be among the nearest, and only for these is the distance
recomputed from differences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np

from sidelight.core import FloatArray, IntArray, report, row_blocks
from sidelight.neighbors.checked_rows import Points
from sidelight.neighbors.pair_distances import (
    group_nearest,
    pair_distances,
    without_late_ties,
)
from sidelight.neighbors.search.products import DistanceBounds

# Float32 is tried for so many queries at least, where its error is no larger part of the norms, and
# given up where it leaves more candidates than twice those wanted and so many.
_ENOUGH, _MOST_ERROR, _SPARE = 64, 1e-2, 24

#: The stage of a search that somebody waits for.
NEAREST = "nearest neighbours"

# Told which rows a block holds and given its values, puts infinity where no neighbour may be.
Forbid: TypeAlias = Callable[[slice, FloatArray], None]


def forbid_self(block: slice, values: FloatArray) -> None:
    """Forbid every row to be its own neighbour."""
    values[np.arange(len(values)), np.arange(block.start, block.stop)] = np.inf


def exact_nearest(
    X: Points,
    Q: Points,
    n_neighbors: int,
    *,
    forbid: Forbid | None = None,
    stage: str | None = None,
) -> tuple[IntArray, FloatArray]:
    """Find the nearest rows of every query, exactly; a stage of its own says how far it is.

    Float32 tells which rows are worth a second look, unless it leaves too many.
    """
    bounds = DistanceBounds(X, Q, single=_suits_single(X, Q))
    indices = np.empty((Q.shape[0], n_neighbors), dtype=np.intp)
    distances = np.empty((Q.shape[0], n_neighbors))
    for block in row_blocks(Q.shape[0], 24.0 * X.shape[0], budget=1e8):
        found = _nearest_by(bounds, Q[block], block, n_neighbors, forbid)
        if found is None:
            bounds = DistanceBounds(X, Q)
            found = _nearest_by(bounds, Q[block], block, n_neighbors, forbid)
        assert found is not None
        indices[block], distances[block] = found
        if stage is not None:
            report(stage, block.stop, Q.shape[0])
    return indices, distances


def _suits_single(X: Points, Q: Points) -> bool:
    """Tell whether rows may be compared in float32 at first."""
    few_features = 4.0 * (X.shape[1] + 8) * 2.0**-24 < _MOST_ERROR
    return isinstance(X, np.ndarray) and Q.shape[0] >= _ENOUGH and few_features


def _nearest_by(
    bounds: DistanceBounds, Q: Points, block: slice, n_neighbors: int, forbid: Forbid | None
) -> tuple[IntArray, FloatArray] | None:
    """The nearest rows of some queries; None where float32 leaves too many candidates."""
    lower, query_norms = bounds.lower(Q)
    if forbid is not None:
        forbid(block, lower)
    n_rows, n_columns = lower.shape
    ceiling = bounds.ceiling(lower, query_norms, n_neighbors)
    left, right = np.divmod(np.flatnonzero(lower <= ceiling[:, None]), n_columns)
    if bounds.without_error:
        squares = lower[left, right]
        kept = without_late_ties(left, squares == ceiling[left], n_rows, n_neighbors)
        left, right, exact = left[kept], right[kept], np.sqrt(squares[kept], dtype=np.float64)
    elif bounds.single and len(left) > n_rows * (2 * n_neighbors + _SPARE):
        return None
    else:
        exact = pair_distances(Q, bounds.X, left, right)
    return group_nearest(left, right, exact, n_rows, n_neighbors)


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
