"""What a search by a k-d tree would cost: the leaves that balls around some rows meet.

A query visits every leaf whose box the ball to its farthest neighbour meets: few in low dimension,
also where low-dimensional data lie in many features, and nearly all in high dimension.  How many
is counted on a sample, so that the same rows are searched in the same way on every machine.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from sidelight.core import FloatArray, evenly_spaced
from sidelight.neighbors.search.blocked import exact_nearest

#: Rows whose leaves are counted: the mean over so many is off by a tenth or so.
_COUNTED = 64
#: A leaf takes as long as so many products and sums of matrices (0.25 to 0.5 µs; normal rows and
#: swiss rolls of 4 to 15 features, 5,000 to 60,000 rows).
_LEAF = 25_000.0


def tree_cost(X: FloatArray, Q: FloatArray | None, n_neighbors: int) -> float:
    """Predict the work of :func:`tree_nearest`, in products and sums of an exact search."""
    queries = X if Q is None else Q
    n_wanted = min(X.shape[0], n_neighbors + (Q is None))
    some = queries[evenly_spaced(len(queries), _COUNTED)]
    radii = exact_nearest(X, some, n_wanted)[1][:, -1]
    return _LEAF * len(queries) * _leaves_met(X, some, radii)


def _leaves_met(X: FloatArray, Q: FloatArray, radii: FloatArray) -> float:
    """Count the leaves of the tree of X that balls around the rows of Q meet, in the mean."""
    low, high = _leaves(cKDTree(X))
    n_met = 0
    for query, radius in zip(Q, radii, strict=True):
        gaps = np.maximum(np.maximum(low - query, query - high), 0.0)
        n_met += int(np.count_nonzero(np.square(gaps).sum(axis=1) <= radius * radius))
    return n_met / len(Q)


def _leaves(tree: cKDTree) -> tuple[FloatArray, FloatArray]:
    """The corners of the boxes of all leaves, as the splits above them leave them."""
    low, high = [], []
    waiting: list[tuple[Any, FloatArray, FloatArray]] = [(tree.tree, tree.mins, tree.maxes)]
    while waiting:
        node, least, most = waiting.pop()
        if node.lesser is None:
            low.append(least)
            high.append(most)
            continue
        below, above = most.copy(), least.copy()
        below[node.split_dim] = above[node.split_dim] = node.split
        waiting += [(node.lesser, least, below), (node.greater, above, most)]
    return np.array(low), np.array(high)
