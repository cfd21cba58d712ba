"""From candidates to neighbours: recompute, sort, and tell which rows are certain."""

from __future__ import annotations

import numpy as np

from sidelight.core import BoolArray, FloatArray, IntArray, Threads, row_blocks
from sidelight.neighbors.pair_distances import lengths
from sidelight.neighbors.search.blocked import exact_nearest


def refine(
    X: FloatArray, Q: FloatArray, candidates: IntArray, n_neighbors: int, *, threads: int
) -> tuple[IntArray, FloatArray]:
    """Keep the nearest of each row's candidates, by recomputed distances."""
    n_rows, n_candidates = candidates.shape
    candidates = np.sort(candidates, axis=1)
    distances = np.empty((n_rows, n_candidates))

    def measure(block: slice) -> None:
        differences = np.subtract(Q[block, None], X[candidates[block]], dtype=np.float64)
        distances[block] = lengths(differences.reshape(-1, X.shape[1])).reshape(-1, n_candidates)

    # Small enough for the differences to stay in the cache between the passes over them.
    blocks = row_blocks(n_rows, 8.0 * n_candidates * X.shape[1], budget=1e6)
    with Threads(threads) as pool:
        pool.run([(measure, (block,)) for block in blocks])
    # Candidates are in the order of their indices, and a stable sort keeps it among ties.
    order = np.argsort(distances, axis=1, kind="stable")[:, :n_neighbors]
    return (
        np.take_along_axis(candidates, order, axis=1),
        np.take_along_axis(distances, order, axis=1),
    )


def redo_uncertain(
    X: FloatArray,
    Q: FloatArray,
    found: tuple[IntArray, FloatArray],
    certain: BoolArray,
    *,
    itself: bool,
) -> tuple[IntArray, FloatArray]:
    """Search again, in float64, for the rows whose neighbours are not certain."""
    indices, distances = found
    rows = np.flatnonzero(~certain)
    if len(rows) == 0:
        return found

    def forbid(block: slice, values: FloatArray) -> None:
        values[np.arange(len(values)), rows[block]] = np.inf

    k = indices.shape[1]
    stage = "rows that rounding hides, again"
    again = exact_nearest(X, Q[rows], k, forbid=forbid if itself else None, stage=stage)
    indices[rows], distances[rows] = again
    return indices, distances
