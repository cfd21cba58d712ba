"""Nearly exact neighbours of many rows: nearest-neighbour descent.

A neighbour of a neighbour is likely a neighbour [1]_.  Random projection trees give every row some
near rows to begin with; then every row meets the friends of its friends, round after round, until
little changes.

References
----------
.. [1] W. Dong, M. Charikar and K. Li, "Efficient k-nearest neighbor graph construction for generic
   similarity measures", WWW 2011.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core import FloatArray, IntArray, Threads, one_blas_thread, report, shares
from sidelight.neighbors.search.refine import refine

_TREES = 8
_LEAF = 40
_MAX_ROUNDS = 15
# Stop when fewer than this part of all list entries changed in a round.
_TOLERANCE = 0.01
# Rows from which the principal axes are estimated, and the most features they are worth it for.
_SAMPLE = 2000
_MAX_ROTATED = 2000
# Principal axes that the trees look at, and that settle most distances.
_LEADING = 48


def descent_nearest(
    X: FloatArray, n_neighbors: int, *, threads: int, random_state: Any
) -> tuple[IntArray, FloatArray]:
    """Find nearly all of the nearest others of every row."""
    from sidelight.neighbors.search._neighbor_descent_compiled import (
        improve,
        offer_leaves,
        reverse_lists,
    )

    n_samples = X.shape[0]
    generator = np.random.default_rng(random_state)
    turned = _principal_axes(X, generator)
    leading = np.ascontiguousarray(turned[:, :_LEADING])
    rest = np.ascontiguousarray(turned[:, _LEADING:])
    n_listed = min(n_samples - 1, max(n_neighbors + 4, 14))
    distances, indices, fresh = _empty_lists(n_samples, n_listed)
    n_shares = 4 * threads  # more than threads: rows take different times
    lists = (distances, indices, fresh)
    with Threads(threads) as pool:
        for tree in range(_TREES):
            order, starts = _leaves(leading, generator)
            told = (leading, rest, order, starts)
            pool.run(
                [
                    (offer_leaves, (*told, share.start, share.stop, *lists))
                    for share in shares(len(starts) - 1, n_shares)
                ]
            )
            report("projection trees", tree + 1, _TREES)
        for round_ in range(_MAX_ROUNDS):
            backwards = _empty_lists(n_samples, n_listed)
            reverse_lists(distances, indices, fresh, *backwards)
            friends = np.hstack([indices, backwards[1]])
            friends_fresh = np.hstack([fresh, backwards[2]])
            told = (leading, rest, friends, friends_fresh)
            changes = pool.run(
                [
                    (improve, (*told, share.start, share.stop, *lists, _unseen(n_samples)))
                    for share in shares(n_samples, n_shares)
                ]
            )
            n_changes = sum(changes)
            report("neighbours of neighbours", round_ + 1, None, n_changes / indices.size)
            if n_changes <= _TOLERANCE * indices.size:
                break
    return refine(X, X, indices[:, :n_neighbors].astype(np.intp), n_neighbors, threads=threads)


def _principal_axes(X: FloatArray, generator: np.random.Generator) -> FloatArray:
    """Turn the rows so that their first coordinates tell most of the distances.

    Distances stay as they are, and most of them can be given up after a few coordinates.
    """
    n_samples, n_features = X.shape
    narrow = np.subtract(X, X.mean(axis=0, dtype=np.float64)).astype(np.float32)
    if not _LEADING < n_features <= _MAX_ROTATED:
        order = np.argsort(-np.einsum("ij,ij->j", narrow, narrow), kind="stable")
        return np.ascontiguousarray(narrow[:, order])
    some = generator.choice(n_samples, size=min(n_samples, _SAMPLE), replace=False)
    with one_blas_thread():
        sample = narrow[some].astype(np.float64)
        _, axes = np.linalg.eigh(sample.T @ sample)
        turned: FloatArray = narrow @ axes[:, ::-1].astype(np.float32)
        return turned


def _empty_lists(n_samples: int, length: int) -> tuple[FloatArray, IntArray, Any]:
    return (
        np.full((n_samples, length), np.inf, dtype=np.float32),
        np.full((n_samples, length), -1, dtype=np.int32),
        np.zeros((n_samples, length), dtype=np.bool_),
    )


def _leaves(X: FloatArray, generator: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Halve the rows at medians of random projections until the parts are small.

    All parts of a level share one direction, the difference of two rows, so that a level is one
    product and one sort.
    """
    n_samples = X.shape[0]
    n_levels = max(0, int(np.ceil(np.log2(n_samples / _LEAF))))
    ends = generator.integers(n_samples, size=(2, n_levels))
    directions = X[ends[0]] - X[ends[1]]
    parts = np.zeros(n_samples, dtype=np.int64)
    order = np.arange(n_samples)
    for direction in directions:
        order = np.lexsort((np.einsum("ij,j->i", X, direction), parts))
        sizes = np.bincount(parts)
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        ranks = np.empty(n_samples, dtype=np.int64)
        ranks[order] = np.arange(n_samples) - starts[parts[order]]
        parts = 2 * parts + (ranks >= (sizes[parts] + 1) // 2)
    order = np.argsort(parts, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(parts))])
    return order, starts


def _unseen(n_samples: int) -> IntArray:
    return np.full(n_samples, -1, dtype=np.int32)
