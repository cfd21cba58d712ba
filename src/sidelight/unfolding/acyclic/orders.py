"""Orders of the points, and the neighbours of each among those that come before it."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from sidelight.core import FloatArray, IntArray, comparable, require_memory
from sidelight.neighbors import Metric, Neighbors, distance_blocks, find_nearest
from sidelight.solvers.paths import shortest_paths_from

#: The ways to order points.
FAMILIES = ("principal", "outward", "spread", "nearest")
#: Up to so many points the orders that need a table of all distances are tried.
_TABLE_POINTS = 3000
#: How many times more neighbours are looked up than are used: some of them come later.
_MORE = 4


def candidate_orders(
    points: Any,
    graph: sp.csr_array,
    coordinate: FloatArray,
    remoteness: FloatArray,
    metric: Metric,
    *,
    family: str = "auto",
    who: str = "candidate_orders",
) -> dict[str, IntArray]:
    """Make a handful of orders in which each point follows points like it.

    - ``principal``: along the first principal coordinate, up and down;
    - ``outward``: by the length of the shortest path over the graph from a root, which is one of
      the ends of that coordinate or the middle;
    - ``spread``: from a root, the point farthest from all before it comes next, so that the first
      few already show the whole;
    - ``nearest``: from a root, the point nearest to any before it comes next, that is the one of
      least conditional variance given a single parent.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.neighbors import neighborhood_graph
    >>> X = np.array([[0.0], [1.0], [3.0], [7.0]])
    >>> graph, x = neighborhood_graph(X, n_neighbors=2), X[:, 0]
    >>> orders = candidate_orders(X, graph, x, abs(x - 2.75), "euclidean")
    >>> orders["spread from the low end"], orders["outward from the middle"]
    (array([0, 3, 2, 1]), array([2, 1, 0, 3]))
    """
    n = len(coordinate)
    coordinate, remoteness = comparable(coordinate), comparable(remoteness)
    roots = {
        "the low end": int(np.argmin(coordinate)),
        "the high end": int(np.argmax(coordinate)),
        "the middle": int(np.argmin(remoteness)),
    }
    found: dict[str, IntArray] = {}
    if family in ("auto", "principal"):
        found["principal, upwards"] = np.argsort(coordinate, kind="stable")
        found["principal, downwards"] = np.argsort(-coordinate, kind="stable")
    if family in ("auto", "outward"):
        lengths = shortest_paths_from(graph, np.array(list(roots.values())))
        for name, along in zip(roots, lengths, strict=True):
            found[f"outward from {name}"] = np.argsort(along, kind="stable")
    if family in ("spread", "nearest") or (family == "auto" and n <= _TABLE_POINTS):
        from sidelight.unfolding.acyclic._orders_compiled import grow_order

        require_memory(
            16.0 * n * n,
            what=f"the {n} × {n} table of distances that order={family!r} grows by",
            who=who,
            instead="Use order='principal' or 'outward'.",
        )
        blocks = distance_blocks(points, None, metric, who=who)
        D = comparable(np.vstack([block for _, block in blocks]))
        for kind in ("spread", "nearest"):
            if family in ("auto", kind):
                for name, root in roots.items():
                    order = grow_order(D, root, kind == "spread")
                    found[f"{kind} from {name}"] = order.astype(np.intp)
    return found


def near_lists(points: Any, k: int, metric: Metric, method: str, *, who: str) -> Neighbors:
    """Look up enough neighbours of each point for any order."""
    wanted = min(_MORE * k, points.shape[0] - 1)
    return find_nearest(points, wanted, metric=metric, method=method, who=who)


def earlier_neighbors(
    points: Any,
    order: IntArray,
    k: int,
    near: Neighbors,
    metric: Metric,
    *,
    adjacent: IntArray | None = None,
    who: str,
) -> sp.csr_array:
    """Find the k nearest of the points that come before each one, and those adjacent to it.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [3.0], [7.0]])
    >>> near = near_lists(X, 1, "euclidean", "auto", who="")
    >>> earlier_neighbors(X, np.array([3, 0, 2, 1]), 1, near, "euclidean", who="").indices
    array([3, 0, 0])
    >>> told = np.array([[1, 2]])
    >>> order = np.array([3, 0, 2, 1])
    >>> earlier_neighbors(X, order, 1, near, "euclidean", adjacent=told, who="").indices
    array([3, 0, 0, 2])
    """
    n = len(order)
    rank = np.empty(n, dtype=np.intp)
    rank[order] = np.arange(n)
    items = order[1:]
    wanted = np.minimum(rank[items], k)
    lists = near.indices[items]
    before = rank[lists] < rank[items][:, None]
    chosen = before & (np.cumsum(before, axis=1) <= k)
    found = chosen.sum(axis=1)
    rows, columns = np.nonzero(chosen)
    parents = [lists[rows, columns]]
    places = [rows]
    short = np.flatnonzero(found < wanted)
    if len(short):
        full = found[places[0]] == wanted[places[0]]
        parents[0], places[0] = parents[0][full], places[0][full]
        for block, distances in distance_blocks(points, None, metric, who=who, rows=items[short]):
            some = short[block]
            late = rank[None, :] >= rank[items[some]][:, None]
            masked = np.where(late, np.inf, comparable(distances))
            width = min(k, n - 1)
            nearest = np.argsort(masked, axis=1, kind="stable")[:, :width]
            real = np.isfinite(np.take_along_axis(masked, nearest, axis=1))
            parents.append(nearest[real])
            places.append(np.repeat(some, real.sum(axis=1)))
    if adjacent is not None:
        later = np.where(rank[adjacent[:, 0]] > rank[adjacent[:, 1]], 0, 1)
        pair = np.arange(len(adjacent))
        places.append(rank[adjacent[pair, later]] - 1)
        parents.append(adjacent[pair, 1 - later])
    ends = (np.concatenate(places), np.concatenate(parents))
    pattern = sp.csr_array((np.ones(len(ends[0])), ends), shape=(n - 1, n))
    pattern.sum_duplicates()  # a neighbour may be adjacent
    pattern.data[:] = 1.0
    return pattern
