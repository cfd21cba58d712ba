"""Which distances between the places of a walk are bounded, and by how much."""

from __future__ import annotations

import warnings

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from sidelight.core import DisconnectedGraphError, DisconnectedGraphWarning, FloatArray, IntArray
from sidelight.neighbors import edge_matrix
from sidelight.neighbors.graph import action_neighbors
from sidelight.solvers import first_least, ranks_to_rounding
from sidelight.unfolding.actions.places import Places

Bounds = tuple[IntArray, FloatArray]


def step_bounds(
    D: FloatArray,
    places: Places,
    transitions: IntArray,
    kinds: IntArray,
    *,
    from_data: bool = False,
) -> Bounds:
    """Bound the steps alone."""
    squares: FloatArray = np.ones(len(transitions))
    if from_data:
        squares = D[transitions[:, 0], transitions[:, 1]] ** 2
        mean = np.bincount(kinds, weights=squares) / np.bincount(kinds)
        squares = squares / np.where(mean > 0, mean, 1.0)[kinds]
    return _between_places(places, transitions, squares)


def neighbor_bounds(
    D: FloatArray, places: Places, transitions: IntArray, *, window: int = 1
) -> Bounds:
    """Bound action neighbours and common neighbours by their distances in the data (table 4.1)."""
    rows = action_neighbors(D, transitions, window=window)
    return _between_places(places, rows, D[rows[:, 0], rows[:, 1]] ** 2)


def join_pieces(
    D: FloatArray,
    places: Places,
    edges: IntArray,
    *,
    unit: float,
    on_disconnected: str,
    who: str,
) -> Bounds:
    """Join walks that share no place at their nearest frames, or refuse."""
    n = places.n_places
    graph = sp.csr_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n))
    count, pieces = connected_components(graph, directed=False)
    if count == 1:
        return np.empty((0, 2), dtype=np.intp), np.empty(0)
    found = f"The walks given to {who} fell into {count} pieces that share no place"
    if on_disconnected == "error":
        raise DisconnectedGraphError(
            f"{found}. Raise merge, give walks that meet, or use on_disconnected='connect'."
        )
    warnings.warn(
        f"{found}; they were joined at their nearest frames, so that how they lie to one another "
        f"means little beyond what their actions have in common. Raise merge, or give walks that "
        f"meet.",
        DisconnectedGraphWarning,
        stacklevel=3,
    )
    of_row = pieces[places.nodes]
    order = np.argsort(of_row, kind="stable")
    starts = np.searchsorted(of_row[order], np.arange(count))
    ordered = D[np.ix_(order, order)]
    between = np.minimum.reduceat(np.minimum.reduceat(ordered, starts, 0), starts, 1)
    # their order stands for their lengths: what is below 1e-8 would be no edge
    left, right = np.triu_indices(count, 1)
    place = np.empty(len(left))
    place[np.argsort(ranks_to_rounding(between[left, right]), kind="stable")] = np.arange(len(left))
    tree = minimum_spanning_tree(edge_matrix(left, right, place + 1, (count, count)))
    from_piece, to_piece = sp.coo_array(tree).coords
    joins = []
    for a, b in zip(from_piece, to_piece, strict=True):
        mine, yours = np.flatnonzero(of_row == a), np.flatnonzero(of_row == b)
        nearest = int(first_least(D[np.ix_(mine, yours)].ravel()))
        at = np.unravel_index(nearest, (len(mine), len(yours)))
        joins.append((places.nodes[mine[at[0]]], places.nodes[yours[at[1]]]))
    return np.asarray(joins, dtype=np.intp), np.asarray((between[from_piece, to_piece] / unit) ** 2)


def _between_places(places: Places, rows: IntArray, squares: FloatArray) -> Bounds:
    edges = places.nodes[rows]
    moved = edges[:, 0] != edges[:, 1]
    return edges[moved], squares[moved]
