"""Exact shortest paths in undirected graphs with lengths, from all nodes, some, or new points.

The result is the least rounded length of a path, summed from the source; it depends neither on
the batches nor on the number of threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.csgraph import dijkstra

from sidelight.core import FloatArray, IntArray, for_walks
from sidelight.solvers.paths._waves import Waves

_COMPILED_FROM = 200
"""Smaller graphs are left to scipy, which has nothing to compile."""


def all_pairs_shortest_paths(
    graph: sp.csr_array,
    *,
    dtype: npt.DTypeLike = np.float32,
    n_jobs: int | None = None,
) -> FloatArray:
    """Compute the length of the shortest path between every two nodes.

    D[i, j] = min over the paths from i to j of the sum of the lengths of their edges.

    References
    ----------
    E. W. Dijkstra (1959), "A note on two problems in connexion with graphs".
    D. Delling, A. V. Goldberg, A. Nowatzyk and R. F. Werneck (2013), "PHAST: hardware-accelerated
    shortest path trees" (several sources per vector).

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from sidelight.solvers.paths.shortest_paths import all_pairs_shortest_paths
    >>> ring = sp.csr_array(np.roll(np.eye(5), 1, axis=1))
    >>> all_pairs_shortest_paths(ring)[0].tolist()
    [0.0, 1.0, 2.0, 2.0, 1.0]
    """
    who = "all_pairs_shortest_paths"
    undirected = undirected_graph(graph, who=who)
    dtype = _float_type(dtype, who)
    n = undirected.shape[0]
    if n < _COMPILED_FROM:
        return _between_all(undirected).astype(dtype)
    out = np.empty((n, n), dtype=dtype)
    Waves.through(undirected, dtype, n_jobs).from_every_node(out)
    return out


def shortest_paths_from(
    graph: sp.csr_array,
    sources: IntArray,
    *,
    dtype: npt.DTypeLike = np.float64,
    n_jobs: int | None = None,
) -> FloatArray:
    """Compute the length of the shortest path from some nodes to every node.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from sidelight.solvers.paths.shortest_paths import shortest_paths_from
    >>> ring = sp.csr_array(np.roll(np.eye(5), 1, axis=1))
    >>> shortest_paths_from(ring, np.array([2])).tolist()
    [[2.0, 1.0, 0.0, 1.0, 2.0]]
    """
    who = "shortest_paths_from"
    undirected = undirected_graph(graph, who=who)
    nodes = _valid_nodes(sources, 1, undirected.shape[0], "sources", who)
    entries = nodes[:, None]
    return _from_entries(undirected, entries, np.zeros(entries.shape), dtype, n_jobs, who)


def shortest_paths_from_outside(
    graph: sp.csr_array,
    entry_nodes: IntArray,
    entry_distances: FloatArray,
    *,
    dtype: npt.DTypeLike = np.float64,
    n_jobs: int | None = None,
) -> FloatArray:
    """Compute the length of the shortest path from new points to every node.

    New point i is joined to the nodes a = entry_nodes[i] by edges of the lengths
    e = entry_distances[i], and to no other new point: D[i, j] = min_l e_l + d(a_l, j).  Each row of
    the result depends on that row of the entries alone.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from sidelight.solvers.paths.shortest_paths import shortest_paths_from_outside
    >>> ring = sp.csr_array(np.roll(np.eye(5), 1, axis=1))
    >>> shortest_paths_from_outside(ring, np.array([[0, 2]]), np.array([[0.5, 0.25]])).tolist()
    [[0.5, 1.25, 0.25, 1.25, 1.5]]
    """
    who = "shortest_paths_from_outside"
    undirected = undirected_graph(graph, who=who)
    entries = _valid_nodes(entry_nodes, 2, undirected.shape[0], "entry_nodes", who)
    lengths = np.asarray(entry_distances, dtype=np.float64)
    if lengths.shape != entries.shape:
        raise ValueError(
            f"The 'entry_distances' of {who} must have the shape of 'entry_nodes', "
            f"{entries.shape}. Got {lengths.shape} instead."
        )
    if not np.all(lengths >= 0):
        raise ValueError(
            f"The 'entry_distances' of {who} must be at least 0. Got "
            f"{lengths[~(lengths >= 0)][0]} instead."
        )
    return _from_entries(undirected, entries, lengths, dtype, n_jobs, who)


def undirected_graph(graph: sp.csr_array, *, who: str, tolerance: float = np.inf) -> sp.csr_array:
    """Take the shorter length of both directions of every edge."""
    if not sp.issparse(graph):
        raise TypeError(
            f"The 'graph' of {who} must be a sparse array, in which a stored zero is an edge and "
            f"what is not stored is none. Got {type(graph).__name__} instead."
        )
    if graph.ndim != 2 or graph.shape[0] != graph.shape[1]:
        raise ValueError(f"The 'graph' of {who} must be square. Got shape {graph.shape} instead.")
    forth: sp.csr_array = sp.csr_array(graph.astype(np.float64, copy=True))
    forth.sum_duplicates()
    if not np.all(forth.data >= 0):
        raise ValueError(
            f"The 'graph' of {who} must hold lengths of at least 0. Got "
            f"{forth.data[~(forth.data >= 0)][0]} instead."
        )
    back = sp.csr_array(forth.T)
    if np.array_equal(forth.indptr, back.indptr) and np.array_equal(forth.indices, back.indices):
        _check_directions(forth.data, back.data, tolerance, who)
        forth.data = np.minimum(forth.data, back.data)
        return forth
    # both directions of every edge, sorted so that the shorter of two stored lengths comes first
    n = forth.shape[0]
    rows = np.repeat(np.arange(n), np.diff(forth.indptr))
    rows, columns = np.append(rows, forth.indices), np.append(forth.indices, rows)
    lengths = np.append(forth.data, forth.data)
    order = np.lexsort((lengths, columns, rows))
    rows, columns, lengths = rows[order], columns[order], lengths[order]
    first = np.append(True, (np.diff(rows) != 0) | (np.diff(columns) != 0))
    second = np.flatnonzero(~first)
    _check_directions(lengths[second], lengths[second - 1], tolerance, who)
    starts = np.searchsorted(rows[first], np.arange(n + 1))
    return sp.csr_array((lengths[first], columns[first], starts), shape=(n, n))


def _check_directions(forth: FloatArray, back: FloatArray, tolerance: float, who: str) -> None:
    if tolerance == np.inf:
        return
    differ = np.flatnonzero(np.abs(forth - back) > tolerance * np.maximum(forth, back))
    if len(differ):
        raise ValueError(
            f"The 'graph' of {who} must be symmetric. Got an edge of length {forth[differ[0]]} in "
            f"one direction and {back[differ[0]]} in the other. Store the shorter of both "
            f"or their mean."
        )


def _from_entries(
    graph: sp.csr_array,
    entries: IntArray,
    lengths: FloatArray,
    dtype: npt.DTypeLike,
    n_jobs: int | None,
    who: str,
) -> FloatArray:
    dtype = _float_type(dtype, who)
    n = graph.shape[0]
    if n < _COMPILED_FROM:
        D = _between_all(graph)
        nearest = np.full((len(entries), n), np.inf)
        for nodes, steps in zip(entries.T, lengths.T, strict=True):
            np.minimum(nearest, D[nodes] + steps[:, None], out=nearest)
        return nearest.astype(dtype)
    out = np.full((len(entries), n), np.inf, dtype=dtype)
    if entries.size:
        Waves.through(graph, dtype, n_jobs).from_entries(entries, lengths, out)
    return out


def _between_all(graph: sp.csr_array) -> FloatArray:
    """Distances between all nodes of a small graph; both directions to the same bit."""
    alone = np.where(np.eye(graph.shape[0], dtype=bool), 0, np.inf)
    D = dijkstra(for_walks(graph)) if graph.nnz else alone
    return np.minimum(D, D.T)


def _float_type(dtype: npt.DTypeLike, who: str) -> np.dtype[Any]:
    found = np.dtype(dtype)
    if found not in (np.float32, np.float64):
        raise ValueError(f"The 'dtype' of {who} must be float32 or float64. Got {found} instead.")
    return found


def _valid_nodes(nodes: IntArray, ndim: int, n: int, name: str, who: str) -> IntArray:
    found = np.asarray(nodes)
    if found.size == 0 and found.dtype.kind == "f":  # np.array([]) is of floats
        found = found.astype(np.intp)
    if found.ndim != ndim or found.dtype.kind not in "iu":
        raise ValueError(
            f"The '{name}' of {who} must be an array of integers with {ndim} dimension(s). "
            f"Got {found.dtype} with shape {found.shape} instead."
        )
    if found.size and not (found.min() >= 0 and found.max() < n):
        raise ValueError(
            f"The '{name}' of {who} must be nodes of the graph, from 0 to {n - 1}. "
            f"Got {found.min()} to {found.max()} instead."
        )
    return found.astype(np.intp)
