"""Exact neighbours by a k-d tree, for few features."""

from __future__ import annotations

from typing import TypeGuard

import numpy as np
from scipy.spatial import cKDTree

from sidelight.core import FloatArray, IntArray, report, row_blocks
from sidelight.neighbors.checked_rows import Points
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
        report("nearest neighbours", number + 1, len(blocks))
    return distances, candidates


def without_self(candidates: IntArray) -> IntArray:
    """Take each row's own number out of its candidates."""
    n_rows, n_candidates = candidates.shape
    keep = candidates != np.arange(n_rows)[:, None]
    keep[keep.all(axis=1), -1] = False
    return np.asarray(candidates[keep]).reshape(n_rows, n_candidates - 1)
