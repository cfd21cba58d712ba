"""Estimators that see a row as a mixture of its neighbours, and place new rows so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from sidelight.core.arrays import FloatArray, IntArray
from sidelight.estimator.graph_based import GraphEmbedder
from sidelight.neighbors.graph.known_distances import KnownDistances
from sidelight.similarity.barycentre import (
    local_gram_from_distances,
    local_gram_from_features,
    local_gram_from_graph,
    solve_barycentres,
)


class BarycentricEmbedder(GraphEmbedder):
    """The common part of the estimators whose new rows are barycentres of their neighbours.

    A subclass keeps ``_places``, where the points are.
    """

    #: Whether distances between neighbours that a graph does not hold are measured along it.
    _measures_along: ClassVar[bool] = True

    _places: FloatArray

    @property
    def _reg(self) -> float:
        """Added to the local Gram matrices of new rows, relative to their trace."""
        return 1e-3

    def _weights_of(self, G: FloatArray) -> FloatArray:
        """The weights of neighbours, from their Gram matrices."""
        return solve_barycentres(G, reg=self._reg)

    def _gram_of_points(self) -> Callable[[IntArray, IntArray], FloatArray]:
        """The local Gram matrices of points, as a function of points and their neighbours."""
        known = self._known_distances()

        def gram(items: IntArray, indices: IntArray) -> FloatArray:
            if known is not None:
                return self._gram_along(known, indices, known.between(items[:, None], indices))
            return self._gram_between(self._points[items], indices)

        return gram

    def _gram_between(self, X: Any, indices: IntArray) -> FloatArray:
        """The Gram matrices of neighbours seen from rows, or from rows of distances."""
        if self._precomputed:
            return local_gram_from_distances(self._points, indices, X)
        return local_gram_from_features(self._points, indices, X)

    def _gram_along(
        self, known: KnownDistances, indices: IntArray, spokes: FloatArray
    ) -> FloatArray:
        """The same, where only the distances along the edges of a graph are known."""
        return local_gram_from_graph(
            known, indices, spokes, along=self._measures_along, who=self._name
        )

    def _known_distances(self) -> KnownDistances | None:
        return KnownDistances.of(self._points) if self._from_graph else None

    def _place(self, X: Any) -> FloatArray:
        near, known = self._neighbors_of_new(X), self._known_distances()
        counts = np.isfinite(near.distances).sum(axis=1)
        places = np.empty((X.shape[0], self._places.shape[1]))
        for k in np.unique(counts):
            rows = np.flatnonzero(counts == k)
            indices, spokes = near.indices[rows, :k], near.distances[rows, :k]
            if known is not None:
                G = self._gram_along(known, indices, spokes)
            else:
                G = self._gram_between(X[rows], indices)
            w = self._weights_of(G)
            places[rows] = np.einsum("ij,ijp->ip", w, self._places[indices])
        return self._keep_matches(places, near, self._places)
