"""Estimators that start from a neighbourhood graph, and what they do when it falls apart."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from sidelight.arrays import FloatArray, IntArray
from sidelight.base import Embedder, place_in_blocks
from sidelight.errors import DisconnectedGraphError, DisconnectedGraphWarning
from sidelight.informed import MetricInformed
from sidelight.neighbors import (
    DistinctRows,
    Neighbors,
    component_labels,
    connect_components,
    distinct_rows,
    nearest_neighbors,
    neighborhood_graph,
    radius_neighbors,
    symmetrise,
)
from sidelight.neighbors.metrics import check_metric
from sidelight.parameters import FUNCTION, Matching, OneOf, Real, Whole
from sidelight.registry import entry_for

POLICIES = ("connect", "error", "largest", "separate")
#: Fourth powers of larger numbers overflow, and those of the inverse vanish.
_LARGEST = 1e70


@dataclass(frozen=True)
class Neighborhood:
    """The distinct points, the graph between them, and the pieces it was found in.

    Parameters
    ----------
    points : array or sparse array
        The distinct rows (or the table of distances between them).
    counts : ndarray of shape (n_points,)
        How often each point occurs.
    graph : sparse array of shape (n_points, n_points)
        Symmetric, distances on the edges; joined already where the policy is to connect.
    pieces : ndarray of shape (n_points,)
        The piece of each point before any were joined.
    neighbors : Neighbors or None
        The k nearest of each point, where the graph was made from them.
    joins : ndarray of shape (n_joins, 2)
        The edges that joined the pieces.
    """

    points: Any
    counts: IntArray
    graph: sp.csr_array
    pieces: IntArray
    neighbors: Neighbors | None
    joins: IntArray

    @property
    def apart(self) -> bool:
        """Whether the graph is still in pieces.

        Returns
        -------
        bool
            True where the policy is to embed pieces.
        """
        return bool(component_labels(self.graph).any())


class GraphEmbedder(MetricInformed, Embedder):
    """The common part of the estimators that work on a neighbourhood graph.

    A subclass gives ``_embed(neighborhood)``, the method itself on connected distinct points, and
    ``_place(X)``, its extension to new rows.
    """

    _graph_parameters: ClassVar[Any] = {
        "n_components": (Whole(1),),
        "n_neighbors": (OneOf(("auto",)), Whole(1)),
        "metric": (Matching(lambda v: isinstance(v, str), "the name of a metric"), FUNCTION),
        "neighbors": (OneOf(("auto", "kd_tree", "blocked", "approximate")),),
        "on_disconnected": (OneOf(POLICIES),),
    }
    #: What a fit to the pieces of a graph takes over from the largest of them.
    _of_the_largest: ClassVar[tuple[str, ...]] = ()
    _radius_parameter: ClassVar[Any] = {"radius": (OneOf((None,)), Real(0, open_below=True))}

    n_components: int
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
            The data; with ``metric="precomputed"`` the distances (n_samples, n_samples).
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
        self._distinct = distinct_rows(X, metric=self._metric, who=self._name)
        neighborhood = self._neighborhood(X, self._distinct)
        self.components_ = neighborhood.pieces[self._distinct.inverse]
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
            New rows; with precomputed distances the block (n_samples, n_training).

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Their places.
        """
        X = self._in_learned_metric(self._check_new(X))
        if hasattr(self, "_parts"):
            return self._place_in_pieces(X)
        if self._precomputed:
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

    def _graph_of(self, near: Neighbors) -> sp.csr_array:
        """The graph that the method works on: by default either of two points may choose."""
        return symmetrise(near)

    def _resolve_neighbors(self, n_points: int) -> int | None:
        """k, or None where a radius is used; ``"auto"`` is 10, or all others of fewer points."""
        if self.radius is not None:
            if self.n_neighbors != "auto":
                raise ValueError(
                    f"{self._name} takes 'n_neighbors' or 'radius', not both. Got n_neighbors="
                    f"{self.n_neighbors!r} and radius={self.radius!r}. Leave one out."
                )
            return None
        if self.n_neighbors == "auto":
            return min(10, n_points - 1)
        k = int(self.n_neighbors)
        if k >= n_points:
            raise ValueError(
                f"The 'n_neighbors' parameter of {self._name} must be an int in "
                f"[1, n_samples), and there are {n_points} distinct rows. Got {k} instead. "
                f"Use at most {n_points - 1}, or 'auto'."
            )
        return k

    def _neighborhood(self, X: Any, distinct: DistinctRows) -> Neighborhood:
        points = X if len(distinct.rows) == X.shape[0] else X[distinct.rows]
        if self._precomputed and points is not X:
            points = points[:, distinct.rows]
        n = points.shape[0]
        if n <= self.n_components:
            remedy = "Ask for fewer components" if n > 1 else "Rows must differ to be mapped"
            raise ValueError(
                f"{self._name} needs more distinct rows than components, n_components="
                f"{self.n_components}. Got {n} distinct {'rows' if n > 1 else 'row'} in "
                f"{X.shape[0]} (n_samples={X.shape[0]}). {remedy}."
            )
        self._k = self._resolve_neighbors(n)
        near = None
        if self._k is not None:
            near = nearest_neighbors(
                points, self._k, metric=self._metric, method=self.neighbors, who=self._name
            )
            graph = self._graph_of(near)
        else:
            graph = neighborhood_graph(
                points, radius=self.radius, metric=self._metric, who=self._name
            )
        pieces = component_labels(graph)
        joins: IntArray = np.empty((0, 2), dtype=np.intp)
        if pieces.any():
            graph, joins = self._apply_policy(graph, pieces, points)
        return Neighborhood(points, distinct.counts, graph, pieces, near, joins)

    def _apply_policy(
        self, graph: sp.csr_array, pieces: IntArray, points: Any
    ) -> tuple[sp.csr_array, IntArray]:
        sizes = np.bincount(pieces)
        shown = ", ".join(str(size) for size in sizes[:5]) + (", …" if len(sizes) > 5 else "")
        found = (
            f"The neighbourhood graph of {self._name} fell into {len(sizes)} pieces "
            f"(of {shown} points)"
        )
        wider = f"n_neighbors={self._k}" if self._k else f"radius={self.radius}"
        advice = f"Raise {wider}, or choose another on_disconnected: {', '.join(POLICIES)}."
        if self.on_disconnected == "error":
            raise DisconnectedGraphError(f"{found}. {advice}")
        joins: IntArray = np.empty((0, 2), dtype=np.intp)
        if self.on_disconnected == "connect":
            graph, joins = connect_components(graph, points, metric=self._metric, who=self._name)
            edges = "edge" if len(joins) == 1 else f"{len(joins)} edges"
            done = f"they were joined by the shortest {edges} that will do"
        elif self.on_disconnected == "largest":
            done = "the map is that of the largest, and the other points are placed as new ones"
        else:
            done = "each was embedded on its own, and the maps lie side by side"
        warnings.warn(f"{found}; {done}. {advice}", DisconnectedGraphWarning, stacklevel=5)
        return graph, joins

    def _fit_pieces(self, X: Any) -> None:
        """Embed the largest piece, or every piece, with an estimator of its own."""
        self._training = X
        last = 0 if self.on_disconnected == "largest" else int(self.components_.max())
        self._parts, self._offsets = [], np.zeros((last + 1, self.n_components))
        self._rows = [np.flatnonzero(self.components_ == piece) for piece in range(last + 1)]
        self.embedding_ = np.zeros((X.shape[0], self.n_components))
        right_edge = 0.0
        for piece, rows in enumerate(self._rows):
            part = self._part_for(X[np.ix_(rows, rows)] if self._precomputed else X[rows])
            self._parts.append(part)
            if piece > 0:
                gap = 0.15 * float(np.ptp(self.embedding_[self._rows[0], 0]))
                self._offsets[piece, 0] = right_edge + gap - part.embedding_[:, 0].min()
            self.embedding_[rows] = part.embedding_ + self._offsets[piece]
            right_edge = float(self.embedding_[rows, 0].max())
        if self.on_disconnected == "largest":
            others = np.flatnonzero(self.components_ != 0)
            self.embedding_[others] = self._place_in_pieces(X[others])
        self.eigenvalues_ = self._parts[0].eigenvalues_
        for name in self._of_the_largest:
            if hasattr(self._parts[0], name):  # a piece of a few points is only scaled
                setattr(self, name, getattr(self._parts[0], name))

    def _part_for(self, X: Any) -> Any:
        n_distinct = len(distinct_rows(X, metric=self._metric, who=self._name).rows)
        if n_distinct <= self.n_components + 1:  # too few points for neighbours: their distances
            part = entry_for("ClassicalMDS").load()(self.n_components, metric=self.metric)
            if X.shape[0] == 1:
                X = np.zeros((2, 2)) if self._precomputed else sp.vstack([X, X]).toarray()
            return part.fit(X)
        part = clone(self).set_params(on_disconnected="error")
        if part.n_neighbors != "auto":
            part.n_neighbors = min(int(part.n_neighbors), n_distinct - 1)
        return part.fit(X, side=self._known_within(self._rows[len(self._parts)]))

    def _known_within(self, rows: IntArray) -> Any:
        """What is known beyond the learned metric about the rows of one piece."""
        return None

    def _place_in_pieces(self, X: Any) -> FloatArray:
        """Place each row with the estimator of the piece that its nearest training row is in."""
        places = np.empty((X.shape[0], self.n_components))
        home = self._nearest_piece(X)
        for piece, part in enumerate(self._parts):
            rows = np.flatnonzero(home == piece)
            if len(rows):
                block = X[rows][:, self._rows[piece]] if self._precomputed else X[rows]
                places[rows] = part.transform(block) + self._offsets[piece]
        return places

    def _nearest_piece(self, X: Any) -> IntArray:
        if self.on_disconnected == "largest":
            return np.zeros(X.shape[0], dtype=np.intp)
        if self._precomputed:
            nearest = np.argmin(X, axis=1)
        else:
            near = nearest_neighbors(self._training, 1, queries=X, metric=self._metric)
            nearest = near.indices[:, 0]
        return np.asarray(self.components_[nearest])

    def _neighbors_of_new(self, X: Any) -> Neighbors:
        """The neighbours of new rows among the points; unused places are infinitely far."""
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

    def _kernel_of_one_piece(self) -> None:
        if hasattr(self, "_parts"):
            raise ValueError(
                f"{self._name} embedded the pieces of a graph one by one, so there is no one "
                f"kernel of all rows. Use on_disconnected='connect'."
            )
