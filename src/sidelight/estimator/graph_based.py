"""Estimators that start from a neighbourhood graph, and what they do when it falls apart."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from sidelight.core.arrays import FloatArray, IntArray
from sidelight.core.errors import DisconnectedGraphError, DisconnectedGraphWarning
from sidelight.core.parameters import COMPONENTS, FUNCTION, Matching, OneOf, Real, Whole
from sidelight.estimator.base import Embedder, place_in_blocks
from sidelight.estimator.listening import MetricInformed
from sidelight.estimator.pieces import Piecewise
from sidelight.neighbors import (
    DistinctRows,
    Neighbors,
    arrows_to,
    component_labels,
    connect_components,
    distinct_rows,
    nearest_neighbors,
    neighborhood_graph,
    radius_neighbors,
    symmetrise,
)
from sidelight.neighbors.graph.edges import symmetric_graph
from sidelight.neighbors.graph.given import (
    check_graph,
    check_graph_block,
    is_graph,
    merge_copies,
    nearest_stored,
)
from sidelight.neighbors.metrics import check_metric

POLICIES = ("connect", "error", "largest", "separate")
#: Fourth powers of larger numbers overflow, and those of the inverse vanish.
_LARGEST = 1e70


@dataclass(frozen=True)
class Neighborhood:
    """The distinct points, the graph between them, and the pieces it was found in.

    Parameters
    ----------
    points : array or sparse array
        The distinct rows (or the table of distances between them, or the graph that was given).
    counts : ndarray of shape (n_points,)
        How often each point occurs.
    graph : sparse array of shape (n_points, n_points)
        Symmetric, distances on the edges; joined already where the policy is to connect.
    arrows : sparse array of shape (n_points, n_points)
        The neighbours of each point, row by row: being one need not be mutual.
    pieces : ndarray of shape (n_points,)
        The piece of each point before any were joined.
    joins : ndarray of shape (n_joins, 2)
        The edges that joined the pieces.
    """

    points: Any
    counts: IntArray
    graph: sp.csr_array
    arrows: sp.csr_array
    pieces: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    joins: IntArray = field(default_factory=lambda: np.empty((0, 2), dtype=np.intp))

    @property
    def apart(self) -> bool:
        """Whether the graph is still in pieces.

        Returns
        -------
        bool
            True where the policy is to embed pieces.
        """
        return bool(component_labels(self.graph).any())


class GraphEmbedder(Piecewise, MetricInformed, Embedder):
    """The common part of the estimators that work on a neighbourhood graph.

    A subclass gives ``_embed(neighborhood)``, the method itself on connected distinct points, and
    ``_place(X)``, its extension to new rows.
    """

    _graph_parameters: ClassVar[Any] = {
        "n_components": COMPONENTS,
        "n_neighbors": (OneOf(("auto",)), Whole(1)),
        "metric": (Matching(lambda v: isinstance(v, str), "the name of a metric"), FUNCTION),
        "neighbors": (OneOf(("auto", "kd_tree", "blocked", "approximate")),),
        "on_disconnected": (OneOf(POLICIES),),
    }
    #: Whether the distances along the edges of a graph are enough.
    _takes_graph: ClassVar[bool] = True
    _radius_parameter: ClassVar[Any] = {"radius": (OneOf((None,)), Real(0, open_below=True))}

    n_components: int | str
    n_neighbors: int | str
    metric: Any
    neighbors: str
    on_disconnected: str
    radius: float | None = None

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
        side : Pairs, Attributes, Distances or a list of them, optional
            What is known: learned as a metric that all distances are measured in, unless the
            estimator has a better place for it.
        items : array of shape (n_samples, n_items_features), optional
            The items behind precomputed distances, for ``inverse_transform``.

        Returns
        -------
        Self
            The fitted estimator.
        """
        given = self._precomputed
        X, known = self._check_input(X, side, pairwise='metric="precomputed"' if given else "")
        self._metric = check_metric(self.metric, who=self._name)
        self._items = self._check_items(items, X.shape[0]) if given else X
        X = self._learn_metrics(X, known)
        if is_graph(X, self._metric):
            X = self._check_graph(X)
        self._distinct = distinct_rows(X, metric=self._metric, who=self._name)
        neighborhood = self._neighborhood(X, self._distinct)
        self.pieces_ = neighborhood.pieces[self._distinct.inverse]
        self.__dict__.pop("_parts", None)
        if neighborhood.apart:
            self._fit_pieces(X)
        else:
            self._points = neighborhood.points
            self.embedding_ = self._embed(neighborhood)[self._distinct.inverse]
        return self

    def transform(self, X: Any) -> FloatArray:
        """Place new rows in the map; each row's place depends on that row alone.

        Parameters
        ----------
        X : array or sparse array of shape (n_samples, n_features)
            New rows; with precomputed distances the block (n_samples, n_training), sparse after a
            fit to a sparse graph.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Their places.
        """
        X = self._in_learned_metric(self._check_new(X))
        if self._from_graph:
            X = check_graph_block(X, self.n_features_in_, who=self._name)
        if hasattr(self, "_parts"):
            return self._place_in_pieces(X)
        if self._from_graph:
            inverse = self._distinct.inverse
            X = merge_copies(X, inverse, len(self._distinct.rows), rows=False)
        elif self._precomputed:
            X = X[:, self._distinct.rows]
        return place_in_blocks(self._place, X, self._points.shape[0])

    def _check_input(self, X: Any, side: Any, **options: Any) -> tuple[Any, dict[str, Any]]:
        X, known = super()._check_input(X, side, **options)
        largest = float(abs(X).max())
        if largest > _LARGEST or 0 < largest < 1 / _LARGEST:
            raise ValueError(
                f"{self._name} cannot use X: its entries must be between {1 / _LARGEST:g} and "
                f"{_LARGEST:g} in size, or squared distances are lost. The largest is "
                f"{largest:.3g}. Measure in other units: X / {largest:.1g}."
            )
        return X, known

    def _embed(self, neighborhood: Neighborhood) -> FloatArray:
        raise NotImplementedError

    def _place(self, X: Any) -> FloatArray:
        raise NotImplementedError

    @property
    def _precomputed(self) -> bool:
        return isinstance(self.metric, str) and self.metric == "precomputed"

    @property
    def _from_graph(self) -> bool:
        """Whether a sparse graph was given, and nothing is known but the lengths of its edges."""
        training = self._training if hasattr(self, "_parts") else self._points
        return is_graph(training, self._metric)

    def _check_graph(self, X: Any) -> sp.csr_array:
        if not self._takes_graph:
            raise ValueError(
                f"{self._name} needs the distances between all rows, and a sparse graph holds "
                f"those of neighbours alone. Give a dense table, or take a method that starts from "
                f"a graph: Isomap, LaplacianEigenmaps, SemidefiniteEmbedding, "
                f"MaximumEntropyUnfolding."
            )
        return check_graph(X, who=self._name)

    def _graph_of(self, near: Neighbors) -> sp.csr_array:
        """The graph that the method works on: by default either of two points may choose."""
        return symmetrise(near)

    def _resolve_neighbors(self, points: Any) -> int | None:
        """k, or None for all within the radius, or all that a graph gives.

        ``"auto"`` is 10, or all others of fewer points.
        """
        n_points = points.shape[0]
        if self.radius is not None:
            if self.n_neighbors != "auto":
                raise ValueError(
                    f"{self._name} takes 'n_neighbors' or 'radius', not both. Got n_neighbors="
                    f"{self.n_neighbors!r} and radius={self.radius!r}. Leave one out."
                )
            return None
        if self.n_neighbors == "auto":
            return None if is_graph(points, self._metric) else min(10, n_points - 1)
        k = int(self.n_neighbors)
        if k >= n_points:
            raise ValueError(
                f"The 'n_neighbors' parameter of {self._name} must be an int in "
                f"[1, n_samples), and there are {n_points} distinct rows. Got {k} instead. "
                f"Use at most {n_points - 1}, or 'auto'."
            )
        return k

    def _distinct_points(self, X: Any, distinct: DistinctRows) -> Any:
        """The distinct rows, or what is known of the distances between them."""
        if len(distinct.rows) == X.shape[0]:
            return X
        if is_graph(X, self._metric):
            return merge_copies(X, distinct.inverse, len(distinct.rows))
        points = X[distinct.rows]
        return points[:, distinct.rows] if self._precomputed else points

    def _neighborhood(self, X: Any, distinct: DistinctRows) -> Neighborhood:
        points = self._distinct_points(X, distinct)
        n = points.shape[0]
        if n <= self.n_components_:
            remedy = "Ask for fewer components" if n > 1 else "Rows must differ to be mapped"
            raise ValueError(
                f"{self._name} needs more distinct rows than components, n_components="
                f"{self.n_components_}. Got {n} distinct {'rows' if n > 1 else 'row'} in "
                f"{X.shape[0]} (n_samples={X.shape[0]}). {remedy}."
            )
        self._k = self._resolve_neighbors(points)
        if self._k is not None:
            near = nearest_neighbors(
                points, self._k, metric=self._metric, method=self.neighbors, who=self._name
            )
            graph, arrows = self._graph_of(near), arrows_to(near)
        elif self.radius is not None:
            graph = neighborhood_graph(
                points, radius=self.radius, metric=self._metric, who=self._name
            )
            arrows = graph
        else:
            arrows = points
            rows = np.repeat(np.arange(n), np.diff(points.indptr))
            graph = symmetric_graph(rows, points.indices, points.data, n)
        return self._held_together(Neighborhood(points, distinct.counts, graph, arrows))

    def _held_together(self, found: Neighborhood) -> Neighborhood:
        """Number the pieces that the graph was found in, and apply the policy to them."""
        pieces = component_labels(found.graph)
        graph, joins = found.graph, found.joins
        if pieces.any():
            graph, joins = self._apply_policy(graph, pieces, found.points)
        return replace(found, graph=graph, pieces=pieces, joins=joins)

    def _apply_policy(
        self, graph: sp.csr_array, pieces: IntArray, points: Any
    ) -> tuple[sp.csr_array, IntArray]:
        sizes = np.bincount(pieces)
        shown = ", ".join(str(size) for size in sizes[:5]) + (", …" if len(sizes) > 5 else "")
        found = (
            f"The neighbourhood graph of {self._name} fell into {len(sizes)} pieces "
            f"(of {shown} points)"
        )
        given = is_graph(points, self._metric)
        wider = "Give a graph with more edges"
        if self._k or self.radius is not None:
            wider = f"Raise {f'n_neighbors={self._k}' if self._k else f'radius={self.radius}'}"
        advice = f"{wider}, or choose another on_disconnected: {', '.join(POLICIES)}."
        if self.on_disconnected == "error":
            raise DisconnectedGraphError(f"{found}. {advice}")
        joins: IntArray = np.empty((0, 2), dtype=np.intp)
        if self.on_disconnected == "connect":
            graph, joins = connect_components(graph, points, metric=self._metric, who=self._name)
            edges = "edge" if len(joins) == 1 else f"{len(joins)} edges"
            done = f"they were joined by the shortest {edges} that will do"
        elif self.on_disconnected == "largest":
            done = "the map is that of the largest, and the other points are placed as new ones"
            done += ", or at NaN if no edge leads to it" if given else ""
        else:
            done = "each was embedded on its own, and the maps lie side by side"
        warnings.warn(f"{found}; {done}. {advice}", DisconnectedGraphWarning, stacklevel=6)
        return graph, joins

    def _neighbors_of_new(self, X: Any) -> Neighbors:
        """The neighbours of new rows among the points; unused places are infinitely far."""
        if self._from_graph:
            reach = np.inf if self.radius is None else self.radius
            return Neighbors(*nearest_stored(X, self._k, radius=reach))
        if self._k is not None:
            k = min(self._k, self._points.shape[0])
            return nearest_neighbors(
                self._points, k, queries=X, metric=self._metric, who=self._name
            )
        assert self.radius is not None
        within = radius_neighbors(
            self._points,
            self.radius,
            queries=X,
            metric=self._metric,
            who=self._name,
        )
        nearest = nearest_neighbors(self._points, 1, queries=X, metric=self._metric)
        counts = np.diff(within.indptr)
        k = max(1, int(counts.max(initial=1)))
        indices = np.repeat(nearest.indices, k, axis=1)
        distances = np.full((X.shape[0], k), np.inf)
        distances[:, 0] = nearest.distances[:, 0]  # a row with none in reach keeps its nearest
        rows = np.repeat(np.arange(X.shape[0]), counts)
        slots = np.arange(len(rows)) - np.repeat(within.indptr[:-1], counts)
        indices[rows, slots], distances[rows, slots] = within.indices, within.data
        return Neighbors(indices, distances)

    def _keep_matches(self, places: FloatArray, near: Neighbors, points: FloatArray) -> FloatArray:
        """Put rows that are training rows where they already are."""
        closest = np.argmin(near.distances, axis=1)
        rows = np.arange(len(closest))
        match = near.distances[rows, closest] == 0
        places[match] = points[near.indices[rows, closest][match]]
        return places
