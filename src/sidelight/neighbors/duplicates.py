"""Rows that occur more than once, found by hashing and verified exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from sidelight.core import BoolArray, FloatArray, IntArray, is_sparse, row_blocks
from sidelight.neighbors.checked_rows import Points
from sidelight.neighbors.given_graph import is_graph, same_place
from sidelight.neighbors.metrics import Metric, check_given, check_metric


@dataclass(frozen=True)
class DistinctRows:
    """The distinct rows of a table.

    Parameters
    ----------
    rows : ndarray of shape (n_distinct,)
        Where each distinct row occurs first, ascending.
    inverse : ndarray of shape (n_samples,)
        Which distinct row each row is: ``X[rows][inverse]`` is ``X``.
    counts : ndarray of shape (n_distinct,)
        How often each occurs.
    """

    rows: IntArray
    inverse: IntArray
    counts: IntArray


def each_row(n: int) -> DistinctRows:
    """Every row a point of its own, whether it is like another or not."""
    return DistinctRows(np.arange(n), np.arange(n), np.ones(n, dtype=np.intp))


def distinct_rows(
    X: Any, *, metric: Metric = "euclidean", who: str = "distinct_rows"
) -> DistinctRows:
    """Find the distinct rows in the order in which they first occur.

    Examples
    --------
    >>> from sidelight.neighbors import distinct_rows
    >>> distinct = distinct_rows([[2, 0], [1, 1], [2, 0], [2, 0]])
    >>> distinct.rows, distinct.inverse, distinct.counts
    (array([0, 1]), array([0, 1, 0, 0]), array([3, 1]))
    """
    metric = check_metric(metric, who=who)
    return find_distinct(check_given(X, metric=metric, who=who)[0], metric)


def find_distinct(rows: Points, metric: Metric) -> DistinctRows:
    """Find the distinct rows among those that were checked."""
    if is_graph(rows, metric):
        return _from_groups(same_place(rows))
    if metric == "precomputed":
        return _from_groups(_zero_distance_groups(rows))
    return distinct_points(rows)


def distinct_points(points: Points) -> DistinctRows:
    """Find the distinct rows of a checked table of features."""
    if is_sparse(points):
        points = _canonical(points)
        keys = _hash_sparse(points)
    else:
        keys = hashed_rows(points)
    _, first, groups = np.unique(keys, return_index=True, return_inverse=True)
    representative = first[groups]
    repeats = np.flatnonzero(representative != np.arange(len(groups)))
    wrong = repeats[~_equal_rows(points, repeats, representative[repeats])]
    if len(wrong):
        # Two different rows with one hash: those rows, if ever there are any, are told apart by
        # their entries.
        suspects = np.flatnonzero(np.isin(groups, groups[wrong]))
        entries = points[suspects]
        dense = entries.toarray() if is_sparse(entries) else np.asarray(entries)
        _, settled = np.unique(dense + 0.0, axis=0, return_inverse=True)
        groups = groups.copy()
        groups[suspects] = len(first) + settled.ravel()
    return _from_groups(groups)


def _from_groups(groups: IntArray) -> DistinctRows:
    """Renumber groups in the order of their first members."""
    _, first, inverse, counts = np.unique(
        groups, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return DistinctRows(rows=first[order], inverse=rank[inverse], counts=counts[order])


def _zero_distance_groups(D: FloatArray) -> IntArray:
    left, right = [], []
    for block in row_blocks(len(D), 1.0 * len(D)):
        i, j = np.nonzero(D[block] == 0)
        left.append(i + block.start)
        right.append(j)
    i, j = np.concatenate(left), np.concatenate(right)
    zeros = sp.coo_array((np.ones(len(i), dtype=np.int8), (i, j)), shape=D.shape)
    return np.asarray(connected_components(zeros, directed=False)[1])


def _multipliers(n_features: int) -> IntArray:
    generator = np.random.default_rng(0x51DE)
    return generator.integers(0, 2**64, size=n_features, dtype=np.uint64) | np.uint64(1)


def _words(values: FloatArray) -> IntArray:
    """Read floats as integers, with their high bits folded on the low ones.

    Whole numbers have no low bits at all, and the low bits are those that a product keeps.
    """
    words = (values.astype(np.float64) + 0.0).view(np.uint64)
    words ^= words >> np.uint64(32)
    return words


def hashed_rows(X: FloatArray) -> IntArray:
    """A number of 64 bits for each row, the same for equal rows."""
    multipliers = _multipliers(X.shape[1])
    keys = np.empty(X.shape[0], dtype=np.uint64)
    for block in row_blocks(X.shape[0], 8.0 * X.shape[1], budget=1e6):
        keys[block] = _words(X[block]) @ multipliers
    return keys


def _hash_sparse(X: sp.csr_array) -> IntArray:
    terms = _words(X.data) * _multipliers(X.shape[1])[X.indices]
    running = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(terms, dtype=np.uint64)])
    return np.asarray(running[X.indptr[1:]] - running[X.indptr[:-1]])


def _canonical(X: sp.csr_array) -> sp.csr_array:
    X = X.copy()
    X.sum_duplicates()
    X.eliminate_zeros()
    return X


def _equal_rows(X: Points, left: IntArray, right: IntArray) -> BoolArray:
    equal = np.empty(len(left), dtype=np.bool_)
    for block in row_blocks(len(left), 8.0 * X.shape[1], budget=4e6):
        one, other = X[left[block]], X[right[block]]
        if isinstance(one, np.ndarray):
            equal[block] = (one == other).all(axis=1)
        else:
            equal[block] = np.diff(sp.csr_array(one != other).indptr) == 0
    return equal
