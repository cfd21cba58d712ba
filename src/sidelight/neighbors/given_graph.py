"""Neighbourhood graphs that somebody else made: what is stored is known, and nothing else is.

A stored entry is an edge with its length, a stored zero joins two rows at the same place, and rows
between which nothing is stored are not neighbours.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from sidelight.core import BoolArray, FloatArray, IntArray, is_sparse
from sidelight.neighbors.checked_rows import check_finite
from sidelight.neighbors.edges import edge_matrix, index_type

#: Two directions of one edge may differ by this much, relative to its length.
_TOLERANCE = 1e-6
#: Distances by products of rows leave the root of their rounding between equal rows (some
#: processors 6e-8 where others leave nothing): less than this share of a row's longest edge.
_ROUNDING = 1e-6


def is_graph(X: Any, metric: Any) -> bool:
    """Tell whether precomputed distances are those along the edges of a graph."""
    return isinstance(metric, str) and metric == "precomputed" and is_sparse(X)


def check_graph(X: Any, *, who: str) -> sp.csr_array:
    """Check a sparse neighbourhood graph.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> graph = sp.coo_array(([2.0, 0.0], ([0, 1], [1, 1])), shape=(2, 2))
    >>> check_graph(graph, who="Isomap").nnz
    1
    """
    if X.ndim != 2 or X.shape[0] != X.shape[1]:
        raise ValueError(
            f"The 'X' parameter of {who} must be a square graph of distances with "
            f"metric='precomputed'. Got a sparse array of shape {X.shape} instead. Give the "
            "distances to the neighbours of each row, or another metric for rows of features."
        )
    rows, columns, lengths = _entries(X, who=who, name="X")
    themselves = rows == columns
    if (themselves & ~_rounding(rows, lengths, X.shape[0])).any():
        worst = int(np.argmax(np.where(themselves, lengths, 0.0)))
        raise ValueError(
            f"The 'X' parameter of {who} must not join a row to itself. Got an edge of length "
            f"{lengths[worst]:g} from row {rows[worst]} to itself instead. If these are "
            "similarities, turn them into distances; else use X.setdiag(0)."
        )
    rows, columns, lengths = (part[~themselves] for part in (rows, columns, lengths))
    if not len(rows):
        raise ValueError(
            f"The 'X' parameter of {who} must be a graph with edges. Got a sparse array of shape "
            f"{X.shape} that stores none. Give the distances to the neighbours of each row, such "
            "as sklearn.neighbors.kneighbors_graph(…, mode='distance') makes."
        )
    graph = edge_matrix(rows, columns, lengths, X.shape)
    _check_directions(graph, who)
    return graph


def check_graph_block(X: Any, n_samples: int, *, who: str, name: str = "X") -> sp.csr_array:
    """Check the edges from new rows to the rows of a graph."""
    if not is_sparse(X):
        raise ValueError(
            f"The {name!r} parameter of {who} must be a sparse array, for it was fitted to a "
            f"sparse graph: the distances from each new row to its neighbours among the "
            f"{n_samples} rows. Got a dense one instead, whose entries would all be neighbours."
        )
    if X.shape[1] != n_samples:
        raise ValueError(
            f"The {name!r} parameter of {who} must hold edges to the {n_samples} rows of the "
            f"graph. Got {X.shape[1]} columns instead."
        )
    rows, columns, lengths = _entries(X, who=who, name=name)
    lengths = np.where(_rounding(rows, lengths, X.shape[0]), 0.0, lengths)
    block = edge_matrix(rows, columns, lengths, X.shape)
    alone = np.flatnonzero(np.diff(block.indptr) == 0)
    if len(alone):
        raise ValueError(
            f"The {name!r} parameter of {who} must join every new row to the graph. Got none for "
            f"row {alone[0]} ({len(alone)} in all). Give its distances to some rows, or leave it "
            "out."
        )
    return block


def same_place(graph: sp.csr_array) -> IntArray:
    """Number the groups of rows that edges of length zero join.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> same_place(sp.csr_array(([0.0, 2.0], ([0, 1], [2, 2])), shape=(3, 3)))
    array([0, 1, 0], dtype=int32)
    """
    zero = graph.data == 0
    rows = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))[zero]
    joined = sp.coo_array((np.ones(len(rows)), (rows, graph.indices[zero])), shape=graph.shape)
    return np.asarray(connected_components(joined, directed=False)[1])


def merge_copies(
    graph: sp.csr_array, group: IntArray, n_groups: int, *, rows: bool = True
) -> sp.csr_array:
    """Make one vertex of all rows at the same place, with the edges of all of them.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> graph = sp.csr_array(([0.0, 3.0, 2.0], ([0, 0, 2], [2, 1, 1])), shape=(3, 3))
    >>> merge_copies(graph, np.array([0, 1, 0]), 2).toarray()
    array([[0., 2.],
           [0., 0.]])
    """
    left: IntArray = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    right, lengths = group[graph.indices], graph.data
    if rows:
        left = group[left]
        left, right, lengths = (part[left != right] for part in (left, right, lengths))
    order = np.lexsort((lengths, right, left))
    left, right, lengths = left[order], right[order], lengths[order]
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = (np.diff(left) != 0) | (np.diff(right) != 0)
    shape = (n_groups if rows else graph.shape[0], n_groups)
    return edge_matrix(left[first], right[first], lengths[first], shape)


def nearest_stored(
    graph: sp.csr_array, k: int | None = None, *, radius: float = np.inf
) -> tuple[IntArray, FloatArray]:
    """Sort the neighbours that are stored of each row, the nearest first.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> nearest_stored(sp.csr_array([[0.0, 2.0, 1.0], [2.0, 0.0, 0.0]]))
    (array([[2, 1],
           [0, 0]]), array([[ 1.,  2.],
           [ 2., inf]]))
    """
    m = graph.shape[0]
    rows = np.repeat(np.arange(m), np.diff(graph.indptr))
    order = np.lexsort((graph.indices, graph.data, rows))
    rank = np.arange(len(rows)) - graph.indptr[rows]
    kept = (graph.data[order] <= radius) | (rank == 0)
    if k is not None:
        kept &= rank < k
    order, rows, rank = order[kept], rows[kept], rank[kept]
    width = int(rank.max(initial=0)) + 1
    indices = np.zeros((m, width), dtype=np.intp)
    distances = np.full((m, width), np.inf)
    indices[rows, rank], distances[rows, rank] = graph.indices[order], graph.data[order]
    return indices, distances


def known_from_both_ends(graph: sp.csr_array) -> sp.csr_array:
    """All neighbours of every row, the nearest first; edges may be stored in one direction.

    Rows that chose their nearest are chosen by some of them in return: the two that are nearest of
    all choose each other.  So a graph in which no edge is stored twice has each in one direction,
    and it joins both of its ends; else a row has the neighbours that are stored of it, and one of
    which none are, those that have it.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> half = sp.csr_array([[0.0, 2.0, 1.0], [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]])
    >>> known_from_both_ends(half).indices
    array([2, 1, 0, 2, 0, 1], dtype=int32)
    """
    n, alone = graph.shape[0], np.diff(graph.indptr) == 0
    rows, twice, _ = _other_directions(graph)
    back = alone[graph.indices] if twice.any() else np.ones(graph.nnz, dtype=np.bool_)
    left = np.concatenate([rows, graph.indices[back]])
    right = np.concatenate([graph.indices, rows[back]])
    lengths = np.concatenate([graph.data, graph.data[back]])
    order = np.lexsort((right, lengths, left))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(left, minlength=n))])
    dtype = index_type(max(n, len(left)))
    listed = (lengths[order], right[order].astype(dtype), indptr.astype(dtype))
    return sp.csr_array(listed, shape=graph.shape)


def nearest_in_graph(graph: sp.csr_array, k: int, *, who: str) -> tuple[IntArray, FloatArray]:
    """Find the k nearest of the neighbours that a graph gives each row."""
    counts = np.diff(graph.indptr)
    if counts.min() < k:
        few = int(np.count_nonzero(counts < k))
        raise ValueError(
            f"The 'n_neighbors' parameter of {who} must be at most the number of neighbours that "
            f"the given graph stores for each row. Got {k}, and {few} of {len(counts)} distinct "
            f"rows have fewer, one of them {counts.min()}. Give a graph with more neighbours, or "
            f"n_neighbors='auto' for the edges that it has."
        )
    return nearest_stored(graph, k)


def _entries(X: Any, *, who: str, name: str) -> tuple[IntArray, IntArray, FloatArray]:
    csr = sp.csr_array(X)
    if csr.dtype.kind not in "biuf":
        raise ValueError(
            f"The {name!r} parameter of {who} must hold real distances with metric='precomputed'. "
            f"Got a sparse array of {csr.dtype} instead."
        )
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()  # as all of SciPy reads entries that are stored twice
    check_finite(csr.data, who=who, name=name)
    rows = np.repeat(np.arange(csr.shape[0]), np.diff(csr.indptr))
    if csr.nnz and csr.data.min() < 0:
        worst = int(np.argmin(csr.data))
        raise ValueError(
            f"The {name!r} parameter of {who} must hold distances, which are not negative, with "
            f"metric='precomputed'. Got {csr.data[worst]:g} between rows {rows[worst]} and "
            f"{csr.indices[worst]}, the worst edge. If these are similarities, turn them into "
            "distances first."
        )
    return rows, csr.indices, csr.data.astype(np.float64)


def _rounding(rows: IntArray, lengths: FloatArray, n: int) -> Any:
    """Tell which edges are so short beside the longest of their row that they say "the same"."""
    longest = np.zeros(n)
    np.maximum.at(longest, rows, lengths)
    return lengths <= _ROUNDING * longest[rows]


def _check_directions(graph: sp.csr_array, who: str) -> None:
    """Refuse edges that have one length forth and another back; one direction is enough."""
    rows, both, place = _other_directions(graph)
    back = np.where(both, graph.data[place], graph.data)
    gap = np.abs(graph.data - back)
    wrong = gap > _TOLERANCE * np.maximum(graph.data, back)
    if wrong.any():
        worst = int(np.argmax(gap))
        i, j = rows[worst], graph.indices[worst]
        raise ValueError(
            f"The 'X' parameter of {who} must give an edge one length. Got {graph.data[worst]:g} "
            f"from row {i} to row {j} but {back[worst]:g} back, the worst of "
            f"{np.count_nonzero(wrong) // 2} edges. Use (X + X.T) / 2, or store one direction."
        )


def _other_directions(graph: sp.csr_array) -> tuple[IntArray, BoolArray, IntArray]:
    """The row of every edge, whether it is stored the other way round too, and where."""
    n = np.int64(graph.shape[0])
    rows = np.repeat(np.arange(graph.shape[0], dtype=np.int64), np.diff(graph.indptr))
    forth = rows * n + graph.indices
    wanted = graph.indices.astype(np.int64) * n + rows
    place = np.minimum(np.searchsorted(forth, wanted), len(forth) - 1)
    return rows, forth[place] == wanted, place
