"""Neighbours among rows that occur many times: search the distinct ones, then hand out copies.

Hundreds of equal rows are hundreds of ties, and every tie would have to be looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from sidelight.core import FloatArray, IntArray, row_blocks
from sidelight.neighbors.checked_rows import Points
from sidelight.neighbors.duplicates import DistinctRows
from sidelight.neighbors.pair_distances import group_nearest

Search: TypeAlias = Callable[[Points, Points | None, int], tuple[IntArray, FloatArray]]


def nearest_through_distinct(
    search: Search, X: Points, Q: Points | None, n_neighbors: int, distinct: DistinctRows
) -> tuple[IntArray, FloatArray]:
    """Find neighbours among distinct rows and count every copy of them.

    The ``k`` nearest distinct rows hold the ``k`` nearest rows: the first copies alone are ``k``
    rows that come before any copy of a farther one.
    """
    n_distinct = len(distinct.rows)
    once = X[distinct.rows]
    if Q is not None:
        groups, gaps = search(once, Q, min(n_neighbors, n_distinct))
        return _hand_out(groups, gaps, np.arange(Q.shape[0]), n_neighbors, distinct, itself=False)
    groups = np.arange(n_distinct)[:, None]
    gaps = np.zeros((n_distinct, 1))
    if n_distinct > 1:
        others, lengths = search(once, None, min(n_neighbors, n_distinct - 1))
        groups = np.hstack([groups.astype(others.dtype), others])
        gaps = np.hstack([gaps.astype(lengths.dtype), lengths])
    return _hand_out(groups, gaps, distinct.inverse, n_neighbors, distinct, itself=True)


def _hand_out(
    groups: IntArray,
    gaps: FloatArray,
    asking: IntArray,
    n_neighbors: int,
    distinct: DistinctRows,
    *,
    itself: bool,
) -> tuple[IntArray, FloatArray]:
    """Replace groups by their members, for the row of ``groups`` that each query asks for."""
    members = np.argsort(distinct.inverse, kind="stable")
    starts = np.cumsum(distinct.counts) - distinct.counts
    # One more than wanted, since one of them may be the row itself.
    usable = np.minimum(distinct.counts, n_neighbors + 1)
    indices = np.empty((len(asking), n_neighbors), dtype=groups.dtype)
    distances = np.empty((len(asking), n_neighbors), dtype=gaps.dtype)
    for block in row_blocks(len(asking), 40.0 * groups.shape[1] * (n_neighbors + 1)):
        some = groups[asking[block]]
        sizes = usable[some].ravel()
        left = np.repeat(np.arange(len(some)), usable[some].sum(axis=1))
        offsets = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        right = members[np.repeat(starts[some].ravel(), sizes) + offsets]
        lengths = np.repeat(gaps[asking[block]].ravel(), sizes)
        if itself:
            others = right != left + block.start
            left, right, lengths = left[others], right[others], lengths[others]
        found = group_nearest(left, right, lengths, len(some), n_neighbors)
        indices[block], distances[block] = found
    return indices, distances
