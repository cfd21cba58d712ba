"""Exact neighbours by a k-d tree, for few features, and what it would cost.

A query visits every leaf whose box the ball to its farthest neighbour meets: few in low dimension,
also where low-dimensional data lie in many features, and nearly all in high dimension.  How many
is counted on a sample, so that the same rows are searched in the same way on every machine.
"""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np
from scipy.spatial import cKDTree

from sidelight.core import FloatArray, IntArray, evenly_spaced, report, row_blocks
from sidelight.neighbors.checked_rows import Points
from sidelight.neighbors.search.blocked import NEAREST, exact_nearest
from sidelight.neighbors.search.refine import redo_uncertain, refine

# Below this many rows a plain table is as quick as anything, and needs no compiler.
SMALL = 2000
# Above this many features a tree visits nearly all of its leaves.
TREE_FEATURES = 15
# Up to so many it visits few of them, however the rows lie.
_ALWAYS = 6

# More candidates than wanted, so that few rows end in a tie.
_MARGIN = 6
# The tree's own distances are off by less than this, relatively.
_TREE_ROUNDING = 1e-13
# Rows that ask between two reports of progress.
_ASKING = 8192
# Rows whose leaves are counted: the mean over so many is off by a tenth or so.
_COUNTED = 64
# A leaf takes as long as so many products and sums of matrices (0.25 to 0.5 µs; normal rows and
# swiss rolls of 4 to 15 features, 5,000 to 60,000 rows).
_LEAF = 25_000.0


def prefers_tree(X: Points) -> TypeGuard[FloatArray]:
    """Tell whether a tree may be the quickest way to the neighbours."""
    return isinstance(X, np.ndarray) and X.shape[0] > SMALL and X.shape[1] <= TREE_FEATURES


def surely_prefers_tree(X: Points) -> bool:
    """Tell whether a tree is the quickest way to the neighbours, however the rows lie."""
    return prefers_tree(X) and X.shape[1] <= _ALWAYS


def tree_nearest(
    X: FloatArray, Q: FloatArray | None, n_neighbors: int, *, threads: int
) -> tuple[IntArray, FloatArray]:
    """Find the nearest rows by a k-d tree.

    The tree finds a few more than are wanted.  Where the last of them is as near as the last
    wanted, ties may be hidden behind it, and that row is searched again without a tree.
    """
    itself = Q is None
    queries = X if Q is None else Q
    n_samples = X.shape[0]
    n_candidates = min(n_samples, n_neighbors + itself + _MARGIN)
    reached, candidates = _ask(cKDTree(X), queries, n_candidates, threads)
    if itself:
        candidates = without_self(candidates)
    found = refine(X, queries, candidates, n_neighbors, threads=threads)
    if n_candidates == n_samples:
        return found
    certain = found[1][:, -1] < reached[:, -1] * (1.0 - _TREE_ROUNDING)
    return redo_uncertain(X, queries, found, certain, itself=itself)


def _ask(
    tree: cKDTree, queries: FloatArray, n_candidates: int, threads: int
) -> tuple[FloatArray, IntArray]:
    """Ask the tree for the nearest of all queries, and say how far that has come."""
    distances = np.empty((len(queries), n_candidates))
    candidates = np.empty((len(queries), n_candidates), dtype=np.intp)
    # A list of numbers instead of a number gives two dimensions even for one neighbour.
    ranks = np.arange(1, n_candidates + 1)
    blocks = row_blocks(len(queries), 1.0, budget=_ASKING)
    for number, block in enumerate(blocks):
        distances[block], candidates[block] = tree.query(queries[block], k=ranks, workers=threads)
        report(NEAREST, number + 1, len(blocks))
    return distances, candidates


def without_self(candidates: IntArray) -> IntArray:
    """Take each row's own number out of its candidates."""
    n_rows, n_candidates = candidates.shape
    keep = candidates != np.arange(n_rows)[:, None]
    keep[keep.all(axis=1), -1] = False
    return np.asarray(candidates[keep]).reshape(n_rows, n_candidates - 1)


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
