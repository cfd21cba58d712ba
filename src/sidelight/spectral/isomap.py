"""Isomap (section 1.6), exact and with landmarks."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sidelight.core.arrays import FloatArray, IntArray
from sidelight.core.parameters import OneOf, Whole
from sidelight.estimator.graph_based import GraphEmbedder, Neighborhood
from sidelight.mapping.nystrom import extend_by_kernel, kernel_coordinates
from sidelight.neighbors.landmarks import spread_landmarks
from sidelight.similarity.centring import Centring, kernel_from_distances
from sidelight.similarity.geodesic import geodesic_distances, geodesic_distances_of_new
from sidelight.solvers.eigen.eigenpairs import largest_eigenpairs

#: From this many points on, the table of geodesic distances is stored in float32.
_SINGLE_PRECISION_FROM = 2000


class Isomap(GraphEmbedder):
    """Isomap: classical scaling of distances along the manifold.

    Distances D between points are the lengths of the shortest paths in the graph of neighbours;
    K = −½ (I − 11ᵀ/n) D² (I − 11ᵀ/n) (eq. 1.9, corrected: squared distances); the map is given by
    the leading eigenvectors of K.  With ``n_landmarks`` only the landmarks are scaled, and all
    points are placed by their distances to them (de Silva and Tenenbaum).

    Parameters
    ----------
    n_components : int or "auto"
        Dimensions of the map, ``n_components_``; ``"auto"`` is the intrinsic dimension of X.
    n_neighbors : int or "auto"
        Neighbours of each point; ``"auto"`` is 10 (or all others of fewer points).
    radius : float, optional
        Join all points closer than this instead.
    n_landmarks : int, optional
        How many landmarks; by default every point is one.
    metric : str or callable
        Of neighbouring points; ``"precomputed"`` for a table of distances, or a sparse graph.
    neighbors : {"auto", "kd_tree", "blocked", "approximate"}
        How neighbours are searched.
    on_disconnected : {"connect", "error", "largest", "separate"}
        What to do when the graph falls apart.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map.
    eigenvalues_ : ndarray of shape (n_components,)
        Leading eigenvalues of K.
    components_ : ndarray of shape (n_samples,)
        The piece of the graph that each row was found in.
    landmarks_ : ndarray of shape (n_landmarks,)
        Rows that are landmarks, where there are any.

    References
    ----------
    J. B. Tenenbaum, V. de Silva and J. C. Langford (2000), "A global geometric framework for
    nonlinear dimensionality reduction".
    V. de Silva and J. B. Tenenbaum (2004), "Sparse multidimensional scaling using landmark points".

    Examples
    --------
    Points on a quarter of a circle are laid out by arc length.

    >>> import numpy as np
    >>> from sidelight import Isomap
    >>> angle = np.linspace(0, np.pi / 2, 50)
    >>> X = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> Z = Isomap(n_components=1, n_neighbors=2).fit_transform(X)
    >>> float(np.ptp(Z).round(3))
    1.571
    """

    _parameters: ClassVar[Any] = {
        **GraphEmbedder._graph_parameters,
        **GraphEmbedder._radius_parameter,
        "n_landmarks": (OneOf((None,)), Whole(2)),
    }

    def __init__(
        self,
        n_components: int | str = 2,
        *,
        n_neighbors: int | str = "auto",
        radius: float | None = None,
        n_landmarks: int | None = None,
        metric: Any = "euclidean",
        neighbors: str = "auto",
        on_disconnected: str = "connect",
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.n_landmarks = n_landmarks
        self.metric = metric
        self.neighbors = neighbors
        self.on_disconnected = on_disconnected

    def _embed(self, neighborhood: Neighborhood) -> FloatArray:
        self._graph = neighborhood.graph
        n = self._graph.shape[0]
        if self.n_landmarks is not None and self.n_landmarks < n:
            return self._embed_landmarks(neighborhood)
        D = self._geodesics()
        K = kernel_from_distances(D, dtype=D.dtype, out=D)
        self._centring = Centring.of(K, neighborhood.counts)
        points = self._scale(K)
        self._anchors: IntArray | None = None
        self._anchor_points = points
        return points

    def _embed_landmarks(self, neighborhood: Neighborhood) -> FloatArray:
        if self.n_landmarks is None or self.n_landmarks <= self.n_components_:
            raise ValueError(
                f"The 'n_landmarks' parameter of Isomap must be above n_components="
                f"{self.n_components_}. Got {self.n_landmarks} instead."
            )
        landmarks = spread_landmarks(neighborhood.points, self.n_landmarks, metric=self._metric)
        self.landmarks_ = self._distinct.rows[landmarks]
        D = geodesic_distances(self._graph, landmarks, n_jobs=-1, who=self._name)
        K = kernel_from_distances(D)
        between = K[:, landmarks]
        self._centring = Centring.of((between + between.T) / 2)
        self._anchor_points = self._scale((between + between.T) / 2)
        self._anchors, self._to_anchors = landmarks, D
        return self._extend(K.T)

    def _scale(self, K: FloatArray) -> FloatArray:
        """Classical scaling: the leading eigenvectors of the centred K."""
        tol = 1e-6 if K.dtype == np.float32 else 1e-9
        pairs = largest_eigenpairs(
            self._centring.operator(K), self.n_components_, n=len(K), tol=tol, who=self._name
        )
        self.eigenvalues_ = pairs.values
        counts = self._centring.multiplicities[:, None]
        return kernel_coordinates(pairs.values, pairs.vectors / np.sqrt(counts))

    def _extend(self, K: FloatArray) -> FloatArray:
        return extend_by_kernel(K, self._centring, self._anchor_points, self.eigenvalues_)

    def _place(self, X: Any) -> FloatArray:
        near = self._neighbors_of_new(X)
        D: FloatArray
        if self._anchors is None:
            D = geodesic_distances_of_new(
                self._graph, near.indices, near.distances, n_jobs=-1, who=self._name
            )
        else:  # new → neighbour → landmark
            through = near.distances[:, :, None] + self._to_anchors.T[near.indices]
            D = through.min(axis=1)
        return self._extend(kernel_from_distances(D))

    def _geodesics(self) -> FloatArray:
        single = self._graph.shape[0] >= _SINGLE_PRECISION_FROM
        dtype = np.float32 if single else np.float64
        return geodesic_distances(self._graph, dtype=dtype, n_jobs=-1, who=self._name)

    def kernel(self) -> FloatArray:
        """Compute K = −½ (I − 11ᵀ/n) D² (I − 11ᵀ/n) of the geodesic distances.

        With landmarks it is the kernel of the landmarks alone.

        Returns
        -------
        ndarray of shape (n_samples, n_samples)
            The kernel that Isomap is kernel PCA of.
        """
        check_is_fitted(self)
        self._kernel_of_one_piece()
        if self._anchors is not None:
            K = kernel_from_distances(self._to_anchors)[:, self._anchors]
            return self._centring.matrix((K + K.T) / 2)
        K = self._centring.matrix(kernel_from_distances(self._geodesics()))
        inverse: IntArray = self._distinct.inverse
        return K if len(inverse) == len(K) else np.asarray(K[np.ix_(inverse, inverse)])
