"""Distances of listed pairs of rows, in any metric."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core import FloatArray, IntArray
from sidelight.neighbors.metrics import Metric, distance_blocks
from sidelight.neighbors.pair_distances import pair_distances


def lengths_of_pairs(
    X: Any, pairs: IntArray, *, metric: Metric = "euclidean", who: str = "lengths_of_pairs"
) -> FloatArray:
    """Measure how far apart the rows of each pair are.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 0.0], [3.0, 4.0], [3.0, 0.0]])
    >>> lengths_of_pairs(X, np.array([[0, 1], [1, 2]]), metric="manhattan")
    array([7., 4.])
    """
    left, right = pairs[:, 0], pairs[:, 1]
    if isinstance(metric, str) and metric in ("euclidean", "l2"):
        return pair_distances(X, X, left, right)
    rows, place = np.unique(left, return_inverse=True)
    lengths = np.empty(len(pairs))
    for block, D in distance_blocks(X, None, metric, who=who, rows=rows):
        here = np.flatnonzero((place >= block.start) & (place < block.stop))
        lengths[here] = np.asarray(D)[place[here] - block.start, right[here]]
    return lengths
