"""Estimators that start from a neighbourhood graph: points in, neighbours, a map of them."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from sidelight.core import COMPONENTS, FUNCTION, Matching, OneOf, Real, Whole
from sidelight.estimator.base import Embedder
from sidelight.estimator.listening import Told
from sidelight.estimator.map import Map
from sidelight.estimator.neighborhood import POLICIES, Neighborhood, neighborhood_of
from sidelight.estimator.pieces import map_of_neighborhood

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

    Pieces of a graph are neighbourhoods too, so that each has a map by the same function.
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
            measured in, unless the estimator has a better place for it; an Invariance is
            the distance between rows, and the finished map is brought to anchors.
        items : array of shape (n_samples, n_items_features), optional
            The items behind precomputed distances, for ``inverse_transform``.

        Returns
        -------
        Self
            The fitted estimator.
        """
        told = self._hear(X, side, items)
        return self._adopt(told, self._map_of_neighborhood(self._neighborhood(told)))

    def _neighborhood(self, told: Told) -> Neighborhood:
        return neighborhood_of(
            told.points,
            n_components=self.n_components_,
            n_neighbors=self.n_neighbors,
            radius=getattr(self, "radius", None),
            method=self.neighbors,
            on_disconnected=self.on_disconnected,
            mutual=self._mutual,
        )

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
