"""A neighbourhood graph from pairs of rows that the user gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from sidelight.core import FloatArray, IntArray
from sidelight.neighbors.edges import symmetric_graph
from sidelight.neighbors.metrics import (
    Metric,
    distance_blocks,
    euclidean_rows,
    from_euclidean,
    is_euclidean,
)
from sidelight.neighbors.pair_distances import pair_distances


def check_edges(edges: Any, n_samples: int, *, who: str) -> IntArray:
    """Check pairs of rows.

    Examples
    --------
    >>> check_edges([[0, 1]], 3, who="").shape
    (1, 2)
    """
    pairs = np.asarray(edges)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not len(pairs) or pairs.dtype.kind not in "iu":
        raise ValueError(
            f"The 'edges' argument of {who}.fit must be integer pairs of rows, of shape "
            f"(n_edges, 2). Got shape {pairs.shape} of {pairs.dtype} instead."
        )
    if pairs.min() < 0 or pairs.max() >= n_samples:
        raise ValueError(
            f"The 'edges' argument of {who}.fit must name rows in [0, {n_samples}). "
            f"Got {pairs.min() if pairs.min() < 0 else pairs.max()} instead."
        )
    if np.any(pairs[:, 0] == pairs[:, 1]):
        row = int(pairs[pairs[:, 0] == pairs[:, 1]][0, 0])
        raise ValueError(
            f"The 'edges' argument of {who}.fit must join different rows. Got ({row}, {row}) "
            f"instead. Leave it out."
        )
    return pairs.astype(np.intp)


def graph_of_edges(points: Any, ends: IntArray, metric: Metric) -> sp.csr_array:
    """Measure the edges and build the symmetric graph of them.

    Examples
    --------
    >>> import numpy as np
    >>> graph_of_edges(np.array([[0.0], [2.0]]), np.array([[0, 1]]), "euclidean").toarray()
    array([[0., 2.],
           [2., 0.]])
    """
    left, right = ends[ends[:, 0] != ends[:, 1]].T
    return symmetric_graph(left, right, _lengths(points, left, right, metric), points.shape[0])


def _lengths(points: Any, left: IntArray, right: IntArray, metric: Metric) -> FloatArray:
    if is_euclidean(metric):
        rows, _ = euclidean_rows(points, None, metric, who="edges")
        return from_euclidean(pair_distances(rows, rows, left, right), metric)
    lengths = np.empty(len(left))
    for block, distances in distance_blocks(points, None, metric, who="edges", rows=left):
        lengths[block] = distances[np.arange(len(distances)), right[block]]
    return lengths
