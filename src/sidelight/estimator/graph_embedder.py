"""Estimators that start from a neighbourhood graph: points in, neighbours, a map of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, ClassVar, Self

from sidelight.core import (
    COMPONENTS,
    FUNCTION,
    DisconnectedGraphError,
    DisconnectedGraphWarning,
    Matching,
    OneOf,
    Real,
    Whole,
)
from sidelight.estimator.base import Embedder
from sidelight.estimator.in_order import NO_NEARER, nearer_in
from sidelight.estimator.listening import Told, hear_checked, learns_in_front
from sidelight.estimator.map import Map
from sidelight.estimator.neighborhood import POLICIES, Neighborhood, neighborhood_of
from sidelight.estimator.pieces import map_of_neighborhood
from sidelight.estimator.territory import NO_GAIN, map_in_territories
from sidelight.registry import entry_of

GRAPH_PARAMETERS: dict[str, Any] = {
    "n_components": COMPONENTS,
    "n_neighbors": (OneOf(("auto",)), Whole(1)),
    "metric": (Matching(lambda v: isinstance(v, str), "the name of a metric"), FUNCTION),
    "neighbors": (OneOf(("auto", "kd_tree", "blocked", "approximate")),),
    "on_disconnected": (OneOf(POLICIES),),
}
RADIUS_PARAMETER: dict[str, Any] = {"radius": (OneOf((None,)), Real(0, open_below=True))}


class GraphEmbedder(Embedder):
    """A method that makes a map of a neighbourhood: ``_map_of(near)``, on connected points.

    Pieces of a graph are neighbourhoods too, so that each has a map by the same function.  Pairs
    and a Sequence act in the graph, by ``fit``: a method that does not listen so is an
    :class:`~sidelight.estimator.base.Embedder` with :func:`neighborhood_asked`.
    """

    #: Whether either of two points may choose the other as its neighbour.
    _mutual: ClassVar[bool] = True

    n_neighbors: int | str
    metric: Any
    neighbors: str
    on_disconnected: str

    def fit(self, X: Any, y: Any = None, *, side: Any = None, items: Any = None) -> Self:
        """Fit the map.

        Parameters
        ----------
        X : array or sparse array of shape (n_samples, n_features)
            The data; with ``metric="precomputed"`` the distances (n_samples, n_samples).  A sparse
            array of distances is a graph: what is stored in row i are the neighbours of row i, a
            stored zero is a copy of it, and ``n_neighbors="auto"`` takes them all.
        y : object
            Ignored.
        side : side information or list of it, optional
            What is known: taken out of the features, or learned as a metric that all distances are
            measured in, unless the estimator has a better place for it, such as its graph; an
            Invariance is the distance between rows, and the finished map is brought to anchors.
        items : array of shape (n_samples, n_items_features), optional
            The items behind precomputed distances, for ``inverse_transform``.

        Returns
        -------
        Self
            The fitted estimator.
        """
        given = self._check(X, side, items)
        told = hear_checked(self, given, inside=self._in_graph)
        in_front = cache(lambda: hear_checked(self, given, already=told.learned))
        told_all, near, found = self._listen(told, in_front)

        def without() -> tuple[Told, Map]:
            told_less, _, plain = self._listen(told, in_front, order=False)
            return told_less, plain

        return self._adopt(*told_of_order(self, told_all, near, found, without))

    def _listen(
        self, told: Told, in_front: Callable[[], Told], *, order: bool = True
    ) -> tuple[Told, Neighborhood, Map]:
        """The map with pairs in its graph, where that does it good; else with them in front."""
        near = self._neighborhood(told if order else without_order(told))
        if "Pairs" in told.known and "Pairs" in self._in_graph:
            heard = self._map_in_territories(near, told.known["Pairs"])
            if heard is not None:
                found, change = heard
                return told.heard_in_graph("Pairs", change), near, found
            if not learns_in_front(self.metric, told.known):
                told = told.heard_in_graph("Pairs", NO_GAIN)
            else:
                told = in_front()
                near = self._neighborhood(told if order else without_order(told))
        return told, near, self._map_of_neighborhood(near)

    @property
    def _in_graph(self) -> tuple[str, ...]:
        """The kinds that act in the graph, where that does the map good."""
        entry = entry_of(type(self))
        return () if entry is None else entry.in_graph

    def _map_in_territories(self, near: Neighborhood, pairs: Any) -> tuple[Map, str] | None:
        return map_in_territories(
            near, pairs, self._map_of_neighborhood, self.on_disconnected, mutual=self._mutual
        )

    def _neighborhood(self, told: Told) -> Neighborhood:
        return neighborhood_asked(self, told, mutual=self._mutual)

    def _map_of_neighborhood(self, near: Neighborhood) -> Map:
        return map_of_neighborhood(near, self._map_of, self.n_components_, self.on_disconnected)

    def _map_of(self, near: Neighborhood) -> Map:
        """The method itself."""
        raise NotImplementedError

    def kernel(self) -> Any:
        """Compute the kernel that the map comes from: inner products of all rows, centred.

        Returns
        -------
        ndarray of shape (n_samples, n_samples)
            Symmetric, its rows sum to zero.
        """
        return self._kernel()


def neighborhood_asked(estimator: Any, told: Told, *, mutual: bool = True) -> Neighborhood:
    """The neighbours that the parameters of an estimator ask for."""
    return neighborhood_of(
        told.points,
        n_components=estimator.n_components_,
        n_neighbors=estimator.n_neighbors,
        radius=getattr(estimator, "radius", None),
        method=estimator.neighbors,
        on_disconnected=estimator.on_disconnected,
        mutual=mutual,
        sequence=told.known.get("Sequence"),
    )


def told_of_order(
    estimator: Any,
    told: Told,
    near: Neighborhood,
    found: Map,
    without: Callable[[], tuple[Told, Map]],
) -> tuple[Told, Map]:
    """What became of a Sequence: the map that was told of it, or the one without where it is worse.

    The map is the judge: adjacent rows must be nearer in it.  Where only the order holds the graph
    together there is no other.
    """
    if "Sequence" not in told.known:
        return told, found
    told = told.heard_in_graph("Sequence", near.order.said)
    if not len(near.order.pairs):
        return told, found
    left = vars(estimator).pop("_unfinished", None)  # what only judges leaves nothing to go on with
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DisconnectedGraphWarning)
            told_less, plain = without()
    except DisconnectedGraphError:
        return told, found
    finally:
        vars(estimator).pop("_unfinished", None)
        if left is not None:
            estimator._unfinished = left
    if nearer_in(found, plain, near.order, near.distinct.rows):
        return told, found
    return told_less.heard_in_graph("Sequence", NO_NEARER), plain


def without_order(told: Told) -> Told:
    """The same, as if nothing were known of an order."""
    known = {kind: value for kind, value in told.known.items() if kind != "Sequence"}
    return replace(told, known=known)
