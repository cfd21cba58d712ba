"""Exact neighbours by a k-d tree, for few features."""

from __future__ import annotations

from typing import TypeGuard

import numpy as np
from scipy.spatial import cKDTree

from sidelight.core import FloatArray, IntArray
from sidelight.neighbors.checked_rows import Points
from sidelight.neighbors.search.refine import redo_uncertain, refine

# Below this many rows a plain table is as quick as anything, and needs no compiler.
SMALL = 2000
# Above this many features a tree visits nearly all of its leaves.
TREE_FEATURES = 15

# More candidates than wanted, so that few rows end in a tie.
_MARGIN = 6
# The tree's own distances are off by less than this, relatively.
_TREE_ROUNDING = 1e-13


def prefers_tree(X: Points) -> TypeGuard[FloatArray]:
    """Tell whether a tree is the quickest way to the neighbours."""
    return isinstance(X, np.ndarray) and X.shape[0] > SMALL and X.shape[1] <= TREE_FEATURES


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
    tree = cKDTree(X)
    # A list of numbers instead of a number gives two dimensions even for one neighbour.
    ranks = np.arange(1, n_candidates + 1)
    answer = tree.query(queries, k=ranks, workers=threads)
    reached = np.asarray(answer[0])
    candidates: IntArray = np.asarray(answer[1])
    if itself:
        candidates = without_self(candidates)
    found = refine(X, queries, candidates, n_neighbors, threads=threads)
    if n_candidates == n_samples:
        return found
    certain = found[1][:, -1] < reached[:, -1] * (1.0 - _TREE_ROUNDING)
    return redo_uncertain(X, queries, found, certain, itself=itself)


def without_self(candidates: IntArray) -> IntArray:
    """Take each row's own number out of its candidates."""
    n_rows, n_candidates = candidates.shape
    keep = candidates != np.arange(n_rows)[:, None]
    keep[keep.all(axis=1), -1] = False
    return np.asarray(candidates[keep]).reshape(n_rows, n_candidates - 1)
