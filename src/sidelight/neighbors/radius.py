"""All rows within a radius."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.spatial import cKDTree

from sidelight.core import FloatArray, IntArray, count_threads, require_memory, row_blocks
from sidelight.neighbors.checked_rows import Points, check_radius
from sidelight.neighbors.edges import edge_matrix
from sidelight.neighbors.given_graph import is_graph
from sidelight.neighbors.metrics import (
    Metric,
    check_compared,
    check_method,
    check_metric,
    distance_blocks,
    euclidean_radius,
    euclidean_rows,
    from_euclidean,
    is_euclidean,
)
from sidelight.neighbors.pair_distances import pair_distances
from sidelight.neighbors.search import DistanceBounds, prefers_tree


def radius_neighbors(
    X: Any,
    radius: float,
    *,
    queries: Any = None,
    metric: Metric = "euclidean",
    method: str = "auto",
    n_jobs: int | None = None,
    who: str = "radius_neighbors",
) -> sp.csr_array:
    """Find all rows within a radius of every row, ``d(q_i, x_j) ≤ radius``.

    Examples
    --------
    >>> from sidelight.neighbors import radius_neighbors
    >>> radius_neighbors([[0.0], [1.0], [3.0], [3.0]], 1.5).indices
    array([1, 0, 3, 2], dtype=int32)
    """
    metric = check_metric(metric, who=who)
    rows, wanted = check_compared(X, queries, metric=metric, who=who)
    return find_within(rows, radius, wanted, metric=metric, method=method, n_jobs=n_jobs, who=who)


def find_within(
    rows: Points,
    radius: float,
    wanted: Points | None = None,
    *,
    metric: Metric,
    method: str = "auto",
    n_jobs: int | None = None,
    who: str,
) -> sp.csr_array:
    """Find all within a radius among rows that were checked, of them or of those wanted."""
    radius = check_radius(radius, who=who)
    count_threads(n_jobs, who=who)
    if is_graph(rows, metric):
        graph = rows if wanted is None else wanted
        near = graph.data <= radius
        ends = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))[near]
        return edge_matrix(ends, graph.indices[near], graph.data[near], graph.shape)
    method = check_method(method, metric, rows, who=who)
    shape = (rows.shape[0] if wanted is None else wanted.shape[0], rows.shape[0])
    if is_euclidean(metric):
        rows, wanted = euclidean_rows(rows, wanted, metric, who=who)
        reach = euclidean_radius(radius, metric)
        if method == "kd_tree" or (method != "blocked" and prefers_tree(rows)):
            left, right = _tree_candidates(rows, wanted, reach, who)
        else:
            left, right = _candidates(rows, wanted, reach, who)
        distances = pair_distances(rows if wanted is None else wanted, rows, left, right)
        distances = from_euclidean(distances, metric)
        within = distances <= radius
        return edge_matrix(left[within], right[within], distances[within], shape)
    parts: list[tuple[IntArray, IntArray, FloatArray]] = []
    for block, table in distance_blocks(rows, wanted, metric, n_jobs=n_jobs, who=who):
        left, right = np.nonzero(table <= radius)
        distances = table[left, right]
        left = left + block.start
        if wanted is None:
            others = left != right
            left, right, distances = left[others], right[others], distances[others]
        parts.append((left, right, distances))
    left, right, distances = (np.concatenate(part) for part in zip(*parts, strict=True))
    return edge_matrix(left, right, distances, shape)


def _candidates(X: Points, Q: Points | None, reach: float, who: str) -> tuple[IntArray, IntArray]:
    """Find every pair that may be within reach, and few others."""
    queries = X if Q is None else Q
    bounds = DistanceBounds(X, queries)
    lefts, rights = [], []
    n_pairs = 0
    for block in row_blocks(queries.shape[0], 24.0 * X.shape[0]):
        lower, _ = bounds.lower(queries[block])
        left, right = np.nonzero(lower <= reach * reach * (1.0 + 1e-12))
        left += block.start
        if Q is None:
            left, right = left[left != right], right[left != right]
        lefts.append(left)
        rights.append(right)
        n_pairs += len(left)
        _require_pairs(n_pairs, who)
    return np.concatenate(lefts), np.concatenate(rights)


def _tree_candidates(
    X: FloatArray, Q: Points | None, reach: float, who: str
) -> tuple[IntArray, IntArray]:
    """Find the same pairs by a k-d tree."""
    tree = cKDTree(X)
    reach *= 1.0 + 1e-12
    if Q is None:
        _require_pairs(int(tree.count_neighbors(tree, reach)), who)
        pairs = tree.query_pairs(reach, output_type="ndarray")
        return np.concatenate([pairs[:, 0], pairs[:, 1]]), np.concatenate(
            [pairs[:, 1], pairs[:, 0]]
        )
    asking = cKDTree(Q)
    _require_pairs(int(asking.count_neighbors(tree, reach)), who)
    found = asking.sparse_distance_matrix(tree, reach, output_type="ndarray")
    return found["i"], found["j"]


def _require_pairs(n_pairs: int, who: str) -> None:
    # Two indices, a distance and a flag, and once more while the matrix is put together.
    require_memory(
        64.0 * n_pairs,
        what=f"{n_pairs} pairs of neighbours within the radius",
        who=who,
        instead="Take a smaller radius, or n_neighbors instead.",
    )
