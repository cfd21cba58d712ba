"""The distinct points, the graph between them, and the pieces it was found in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from sidelight.core import (
    BoolArray,
    DisconnectedGraphError,
    DisconnectedGraphWarning,
    FloatArray,
    IntArray,
    warn,
)
from sidelight.estimator.in_order import NOTHING_IN_ORDER, InOrder, in_order, with_adjacent
from sidelight.estimator.points import Points
from sidelight.neighbors import (
    DistinctRows,
    Neighbors,
    arrows_to,
    component_labels,
    symmetric_graph,
    symmetrise,
    with_edges,
)

POLICIES = ("connect", "error", "largest", "separate")
#: Below this share of the nearest neighbours a graph is no longer that of the nearest.
_TOO_FEW = 0.8
_NONE: IntArray = np.empty((0, 2), dtype=np.intp)


@dataclass(frozen=True)
class Reach:
    """Who counts as a neighbour: the k nearest, all within a radius, or all that a graph stores.

    Parameters
    ----------
    k : int, optional
        How many.
    radius : float, optional
        How far.
    """

    k: int | None = None
    radius: float | None = None

    def refuse_search(self, method: str, *, who: str) -> None:
        """Refuse a way of searching for the nearest where none is searched for."""
        if self.k is None and method != "auto":
            why = "a graph whose edges are all taken" if self.radius is None else "radius="
            raise ValueError(
                f"The 'neighbors' parameter of {who} has no effect with {why}"
                f"{self.radius or ''}: it says how the nearest n_neighbors are found. Got "
                f"{method!r}. Leave it at its default, 'auto'."
            )

    def among(self, points: Points, *, method: str = "auto") -> Neighbors:
        """The neighbours of all points, where each has as many."""
        assert self.k is not None
        return points.nearest(self.k, method=method)

    def of_new(self, points: Points, new: Any) -> Neighbors:
        """The neighbours of new points; unused places are infinitely far."""
        return points.in_reach(new, self.k, self.radius)

    @property
    def wider(self) -> str:
        """What to do where neighbours are too few."""
        if self.k:
            return f"Raise n_neighbors={self.k}"
        return f"Raise radius={self.radius}" if self.radius else "Give a graph with more edges"


@dataclass(frozen=True)
class Neighborhood:
    """Who is whose neighbour.

    Parameters
    ----------
    points : Points
        The distinct points.
    distinct : DistinctRows
        Which rows of X they are, and how often each occurs.
    reach : Reach
        Who counts as a neighbour, among new rows too.
    graph : csr_array of shape (n_points, n_points)
        Symmetric, distances on the edges; joined already where the policy is to connect.
    arrows : csr_array of shape (n_points, n_points)
        The neighbours of each point, row by row: being one need not be mutual.
    rows : ndarray of shape (n_points,)
        The row of X where each point first occurs, in pieces of a neighbourhood too.
    pieces : ndarray of shape (n_points,)
        The piece of each point before any were joined, the largest 0.
    joins : ndarray of shape (n_joins, 2)
        The edges that joined the pieces.
    members : ndarray of shape (n_rows,)
        The rows of X that this is about, copies included.
    ties : ndarray of shape (n_ties, 2)
        Points in different pieces that something else than an edge holds together.
    recall : float
        The share of the nearest neighbours that were found.
    order : InOrder
        The points that follow one another, and are neighbours for it.
    """

    points: Any
    distinct: DistinctRows
    reach: Reach
    graph: sp.csr_array
    arrows: sp.csr_array
    rows: IntArray
    pieces: IntArray
    joins: IntArray
    members: IntArray
    ties: IntArray
    recall: float = 1.0
    order: InOrder = NOTHING_IN_ORDER

    @property
    def n(self) -> int:
        """How many points."""
        return int(self.points.n)

    @property
    def counts(self) -> IntArray:
        """How often each point occurs."""
        return self.distinct.counts

    @property
    def who(self) -> str:
        """The estimator."""
        return str(self.points.who)

    @property
    def apart(self) -> bool:
        """Whether the graph is still in pieces."""
        return bool(component_labels(_tied(self.graph, self.ties)).any())

    def take(self, points: IntArray) -> Neighborhood:
        """Some of the points, and what joins them."""
        at_home = np.isin(self.distinct.inverse, points)
        number = np.full(self.n, -1, dtype=np.intp)
        number[points] = np.arange(len(points))
        rank = np.cumsum(at_home) - 1  # of the rows of X that are left
        distinct = DistinctRows(
            rows=rank[self.distinct.rows[points]],
            inverse=number[self.distinct.inverse[at_home]],
            counts=self.counts[points],
        )
        return replace(
            self,
            points=self.points.take(points),
            distinct=distinct,
            graph=sp.csr_array(self.graph[points][:, points]),
            arrows=sp.csr_array(self.arrows[points][:, points]),
            rows=self.rows[points],
            pieces=np.zeros(len(points), dtype=np.intp),
            joins=_NONE,
            members=self.members[at_home],
            ties=_NONE,
            order=self.order.among(number),
        )

    def of_new(self, new: Points) -> Neighbors:
        """The neighbours of new points among these."""
        return self.reach.of_new(self.points, new)


def neighborhood_of(
    points: Points,
    *,
    n_components: int,
    n_neighbors: int | str = "auto",
    radius: float | None = None,
    method: str = "auto",
    on_disconnected: str = "connect",
    mutual: bool = True,
    ties: IntArray = _NONE,
    sequence: Any = None,
) -> Neighborhood:
    """Find the neighbours of the distinct points, and apply the policy where the graph fell apart.

    ``mutual`` graphs join two points where either chose the other; else the arrows of the choice
    are the graph.  ``ties`` are rows that something else than an edge holds together.  Points that
    follow one another in a ``sequence`` are neighbours too.
    """
    distinct = points.distinct()
    merged = points.merged(distinct)
    check_enough(distinct, n_components, who=points.who)
    reach = reach_of(merged, n_neighbors, radius)
    reach.refuse_search(method, who=points.who)
    recall = 1.0
    if reach.k is not None:
        near = merged.nearest(reach.k, method=method)
        if not near.exact:
            recall = share_found(merged, near)
        arrows = arrows_to(near)
        graph = symmetrise(near) if mutual else arrows
    else:
        arrows = merged.rows if radius is None else merged.within(radius)
        rows = np.repeat(np.arange(merged.n), np.diff(arrows.indptr))
        graph = symmetric_graph(rows, arrows.indices, arrows.data, merged.n)
        arrows = arrows if radius is None else graph
    order = in_order(sequence, merged, distinct)
    lengths = merged.lengths(*order.pairs.T) if len(order.pairs) else np.empty(0)
    graph, arrows = with_adjacent(graph, arrows, order.pairs, lengths)
    held = distinct.inverse[ties]
    found = held_together(merged, distinct, reach, graph, arrows, on_disconnected, held)
    return replace(found, recall=recall, order=order)


def share_found(points: Points, near: Any) -> float:
    """Measure the share of the nearest neighbours that a search found, and warn where it is low."""
    share = points.recall(near)
    if share < _TOO_FEW:
        warn(
            f"{points.who} works with about {100 * share:.0f} % of the nearest neighbours of the "
            f"rows, measured on a sample: in so many dimensions the search for nearly all of them "
            f"misses the others. Give neighbors='blocked' to find all, which takes longer, or "
            f"reduce the columns with PCA first."
        )
    return share


def reach_of(points: Points, n_neighbors: int | str, radius: float | None = None) -> Reach:
    """Resolve ``n_neighbors``: ``"auto"`` is 10, all others of fewer points, or what is stored."""
    who, n = points.who, points.n
    if radius is not None:
        if n_neighbors != "auto":
            raise ValueError(
                f"{who} takes 'n_neighbors' or 'radius', not both. Got n_neighbors="
                f"{n_neighbors!r} and radius={radius!r}. Leave one out."
            )
        return Reach(radius=radius)
    if n_neighbors == "auto":
        return Reach(min(10, n - 1)) if points.complete else Reach()
    if int(n_neighbors) >= n:
        raise ValueError(
            f"The 'n_neighbors' parameter of {who} must be an int in [1, n_samples), and there "
            f"are {n} distinct rows. Got {n_neighbors} instead. Use at most {n - 1}, or 'auto'."
        )
    return Reach(int(n_neighbors))


def check_enough(distinct: DistinctRows, n_components: int, *, who: str) -> None:
    """Refuse fewer distinct points than a map of so many dimensions needs."""
    n, n_rows = len(distinct.rows), len(distinct.inverse)
    if n <= n_components:
        remedy = "Ask for fewer components" if n > 1 else "Rows must differ to be mapped"
        raise ValueError(
            f"{who} needs more distinct rows than components, n_components={n_components}. Got "
            f"{n} distinct {'rows' if n > 1 else 'row'} in {n_rows} (n_samples={n_rows}). "
            f"{remedy}."
        )


def held_together(
    points: Points,
    distinct: DistinctRows,
    reach: Reach,
    graph: sp.csr_array,
    arrows: sp.csr_array,
    on_disconnected: str,
    ties: IntArray = _NONE,
) -> Neighborhood:
    """Number the pieces that the graph was found in, and apply the policy to them.

    Pieces that ties hold together need not be joined; a policy that leaves pieces apart does so
    where ties do not hold all of them.
    """
    pieces, joins = component_labels(graph), _NONE
    ties = np.unique(np.sort(ties[pieces[ties[:, 0]] != pieces[ties[:, 1]]], axis=1), axis=0)
    left = component_labels(_tied(graph, ties))
    if left.any() and on_disconnected != "connect":
        left, ties = pieces, _NONE
    if left.any():
        found, advice = _what_fell_apart(points, left, reach)
        if on_disconnected == "error":
            raise DisconnectedGraphError(f"{found}. {advice}")
        if on_disconnected == "connect":
            joined, joins = points.connect(_tied(graph, ties))
            graph = _with_edges(graph, joins, joined)
            edges = "edge" if len(joins) == 1 else f"{len(joins)} edges"
            done = f"they were joined by the shortest {edges} that will do"
        elif on_disconnected == "largest":
            done = "the map is that of the largest, and the other points are placed as new ones"
            done += "" if points.complete else ", or at NaN if no edge leads to it"
        else:
            done = "each was embedded on its own, and the maps lie side by side"
        warn(f"{found}; {done}. {advice}", DisconnectedGraphWarning)
    members = np.arange(len(distinct.inverse))
    return Neighborhood(
        points, distinct, reach, graph, arrows, distinct.rows, pieces, joins, members, ties
    )


def _tied(graph: sp.csr_array, ties: IntArray) -> sp.csr_array:
    """The graph with an edge where there is a tie, for those who ask what hangs together."""
    if not len(ties):
        return graph
    half = sp.csr_array((np.ones(len(ties)), (ties[:, 0], ties[:, 1])), shape=graph.shape)
    return sp.csr_array(graph + half + half.T)


def _with_edges(graph: sp.csr_array, edges: IntArray, lengths: sp.csr_array) -> sp.csr_array:
    """The graph with further edges, as long as they are in another."""
    i, j = edges.T
    return with_edges(graph, i, j, np.asarray(lengths[i, j]).ravel())


def _what_fell_apart(points: Points, pieces: IntArray, reach: Reach) -> tuple[str, str]:
    sizes = np.bincount(pieces)
    shown = ", ".join(str(size) for size in sizes[:5]) + (", …" if len(sizes) > 5 else "")
    found = (
        f"The neighbourhood graph of {points.who} fell into {len(sizes)} pieces (of {shown} points)"
    )
    return found, f"{reach.wider}, or choose another on_disconnected: {', '.join(POLICIES)}."


def matches(near: Neighbors) -> tuple[BoolArray, IntArray]:
    """Which new points are training points, at distance zero, and which ones they are."""
    closest = np.argmin(near.distances, axis=1)
    rows = np.arange(len(closest))
    return near.distances[rows, closest] == 0, near.indices[rows, closest]


def keep_matches(places: FloatArray, near: Neighbors, known: FloatArray) -> FloatArray:
    """Put new points that are training points where they already are."""
    match, which = matches(near)
    places[match] = known[which[match]]
    return places
