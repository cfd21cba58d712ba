"""The policy for graphs that fell apart: count the pieces, and join them where they are closest."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from sidelight.core import (
    DisconnectedGraphError,
    DisconnectedGraphWarning,
    FloatArray,
    IntArray,
    count_threads,
    counted,
    report,
    warn,
)
from sidelight.neighbors.checked_rows import Points
from sidelight.neighbors.edges import edge_matrix, with_edges
from sidelight.neighbors.given_graph import is_graph
from sidelight.neighbors.graph.across import SearchAcross, search_across
from sidelight.neighbors.metrics import (
    Metric,
    check_compared,
    check_metric,
    from_euclidean,
    is_euclidean,
)


def component_labels(graph: sp.csr_array) -> IntArray:
    """Number the connected pieces of a graph, the largest first.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> component_labels(sp.csr_array(([1.0], ([1], [2])), shape=(3, 3)))
    array([1, 0, 0])
    """
    labels = connected_components(graph, directed=False)[1]
    _, first, inverse, counts = np.unique(
        labels, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.lexsort((first, -counts))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return np.asarray(rank[inverse])


def connect_components(
    graph: sp.csr_array,
    X: Any,
    *,
    metric: Metric = "euclidean",
    n_jobs: int | None = None,
    who: str = "connect_components",
) -> tuple[sp.csr_array, IntArray]:
    """Join the pieces of a graph with the shortest edges that will do.

    The edges are a minimum spanning tree of the pieces, where two pieces are as far apart as
    their closest pair of rows.  It grows by Borůvka's rounds [1]_: every piece but the largest
    takes the shortest edge to a row outside of it, of equally long ones the first by the lesser
    and then the greater of its two rows.  Where very many rows fell into large pieces the
    edges are nearly the shortest, with a warning that says so.

    References
    ----------
    .. [1] J. Nešetřil, E. Milková and H. Nešetřilová, "Otakar Borůvka on minimum spanning tree
       problem", Discrete Mathematics 233, 2001.

    Examples
    --------
    >>> from sidelight.neighbors import connect_components, neighborhood_graph
    >>> X = [[0.0], [1.0], [5.0], [6.0]]
    >>> graph, edges = connect_components(neighborhood_graph(X, n_neighbors=1), X)
    >>> edges, graph[1, 2]
    (array([[1, 2]]), np.float64(4.0))
    """
    metric = check_metric(metric, who=who)
    rows = check_compared(X, metric=metric, who=who)[0]
    return join_pieces(graph, rows, metric=metric, n_jobs=n_jobs, who=who)


def join_pieces(
    graph: sp.csr_array, rows: Points, *, metric: Metric, n_jobs: int | None = None, who: str
) -> tuple[sp.csr_array, IntArray]:
    """Join the pieces of a graph between rows that were checked."""
    threads = count_threads(n_jobs, who=who)
    n_samples = rows.shape[0]
    if graph.shape != (n_samples, n_samples):
        raise ValueError(
            f"The 'graph' parameter of {who} must be of shape ({n_samples}, {n_samples}), as X has "
            f"{counted(n_samples, 'row')}. Got {graph.shape} instead."
        )
    labels = component_labels(graph)
    if not labels.any():
        return graph, np.empty((0, 2), dtype=np.intp)
    if is_graph(rows, metric):
        left, right, lengths = _shortest_of_given(labels, rows, who)
    else:
        n_asked = int(np.count_nonzero(labels))
        search, exact = search_across(rows, metric, n_asked, threads=threads, who=who)
        left, right, lengths = _spanning_edges(labels, search)
        if not exact:
            warn(
                f"The pieces of the graph of {who} are too large to compare all their rows: the "
                f"edges that join them are nearly, not certainly, the shortest.",
                DisconnectedGraphWarning,
            )
    if is_euclidean(metric):
        lengths = from_euclidean(lengths, metric)
    edges = np.column_stack([np.minimum(left, right), np.maximum(left, right)])
    edges = edges[np.lexsort((edges[:, 1], edges[:, 0]))]
    return with_edges(graph, left, right, lengths), edges


def _shortest_of_given(
    labels: IntArray, given: sp.csr_array, who: str
) -> tuple[IntArray, IntArray, FloatArray]:
    """Choose the shortest of given edges that join all pieces."""
    left = np.repeat(np.arange(len(labels)), np.diff(given.indptr))
    across = np.flatnonzero(labels[left] != labels[given.indices])
    across = across[np.argsort(given.data[across], kind="stable")]
    left, right, lengths = left[across], given.indices[across], given.data[across]
    n_pieces = int(labels.max()) + 1
    low = np.minimum(labels[left], labels[right])
    high = np.maximum(labels[left], labels[right])
    # the first edge between two pieces is the shortest; its place stands for its length
    pairs, first = np.unique(low * n_pieces + high, return_index=True)
    between = edge_matrix(*np.divmod(pairs, n_pieces), first + 1.0, (n_pieces, n_pieces))
    tree: sp.csr_array = minimum_spanning_tree(between)
    if tree.nnz < n_pieces - 1:
        raise DisconnectedGraphError(
            f"The graph given to {who} is in {n_pieces - tree.nnz} pieces, and to connect them "
            "takes distances that it does not hold. Add edges between the pieces, give a dense "
            "table of distances, or choose another on_disconnected: largest, separate."
        )
    chosen = np.sort(np.rint(tree.data - 1.0).astype(np.intp))
    return left[chosen], right[chosen], lengths[chosen]


def _spanning_edges(
    labels: IntArray, search: SearchAcross
) -> tuple[IntArray, IntArray, FloatArray]:
    """Join all pieces, round by round.

    Edges are in one order, by (length, lesser row, greater row), and so there is one minimum
    spanning tree.
    """
    n_samples, n_pieces = len(labels), int(labels.max()) + 1
    nearest = np.full(n_samples, -1, dtype=np.intp)
    # What is outside only shrinks as pieces merge, so that an old distance is a lower bound.
    distances = np.zeros(n_samples)
    edges: list[tuple[IntArray, IntArray, FloatArray]] = []
    while labels.any():
        outside = labels != 0
        stale = outside & ((nearest < 0) | (labels[nearest] == labels))
        shortest = np.full(labels.max() + 1, np.inf)
        settled = outside & ~stale
        np.minimum.at(shortest, labels[settled], distances[settled])
        asked = np.flatnonzero(stale & (distances <= shortest[labels]))
        if len(asked):
            nearest[asked], distances[asked] = search(asked, labels, shortest)
        known = np.flatnonzero(outside & (nearest >= 0))
        known = known[labels[nearest[known]] != labels[known]]
        chosen = known[_first_of_each(labels[known], known, nearest[known], distances[known])]
        labels, kept = _merge(labels, chosen, nearest[chosen])
        chosen = chosen[kept]
        edges.append((chosen, nearest[chosen], distances[chosen]))
        report("pieces joined", n_pieces - int(labels.max()), n_pieces)
    left, right, lengths = (np.concatenate(part) for part in zip(*edges, strict=True))
    return left, right, lengths


def _first_of_each(
    pieces: IntArray, left: IntArray, right: IntArray, lengths: FloatArray
) -> IntArray:
    """Choose the first edge of every piece in the order of all edges, and give them in it."""
    order = np.lexsort((np.maximum(left, right), np.minimum(left, right), lengths))
    first = np.unique(pieces[order], return_index=True)[1]
    return np.asarray(order[np.sort(first)])


def _merge(labels: IntArray, left: IntArray, right: IntArray) -> tuple[IntArray, IntArray]:
    """Merge pieces along edges, shortest first, leaving out those that would close a ring."""
    parent = list(range(int(labels.max()) + 1))

    def find(piece: int) -> int:
        while parent[piece] != piece:
            parent[piece] = parent[parent[piece]]
            piece = parent[piece]
        return piece

    kept = []
    for place, ends in enumerate(zip(labels[left].tolist(), labels[right].tolist(), strict=True)):
        one, other = find(ends[0]), find(ends[1])
        if one != other:
            # The largest piece has the smallest label and must keep it.
            parent[max(one, other)] = min(one, other)
            kept.append(place)
    roots = np.array([find(piece) for piece in range(len(parent))])
    merged = np.unique(roots, return_inverse=True)[1][labels]
    return merged, np.array(kept, dtype=np.intp)
