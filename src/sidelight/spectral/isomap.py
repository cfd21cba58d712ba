"""Isomap (section 1.6), exact and with landmarks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from sidelight.core import FloatArray, IntArray, OneOf, Whole, row_blocks
from sidelight.estimator import (
    GRAPH_PARAMETERS,
    RADIUS_PARAMETER,
    GraphEmbedder,
    Map,
    Neighborhood,
    Reach,
    keep_matches,
)
from sidelight.mapping import Nystrom, kernel_coordinates, scale_kernel
from sidelight.similarity import (
    Centring,
    geodesic_distances,
    geodesic_distances_of_new,
    kernel_from_distances,
)

#: From this many points on, tables of geodesic distances are of float32.
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
        How many landmarks; by default, and where there are no more points, every point is one.
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
    pieces_ : ndarray of shape (n_samples,)
        The piece of the graph that each row was found in.
    neighbors_recall_ : float
        The share of the nearest neighbours that were found, measured on 1,000 rows where the search
        was not exact; 1 where it was.
    landmarks_ : ndarray of shape (n_landmarks,)
        Rows that are landmarks; without ``n_landmarks`` every distinct row.

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

    _judges_front: ClassVar[bool] = True
    _parameters: ClassVar[Any] = {
        **GRAPH_PARAMETERS,
        **RADIUS_PARAMETER,
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

    def _map_of(self, near: Neighborhood) -> Map:
        if self.n_landmarks is not None and self.n_landmarks < near.n:
            return self._map_of_landmarks(near, self.n_landmarks)
        D = _geodesics(near.graph, who=self._name)
        K = kernel_from_distances(D, dtype=D.dtype, out=D)
        centring = Centring.of(K, near.counts)
        pairs, places = scale_kernel(K, centring, self.n_components_, who=self._name)
        nystrom = Nystrom(centring, places, pairs.values)
        return Map(
            places,
            ByGeodesics(near.points, near.reach, near.graph, nystrom),
            {"eigenvalues_": pairs.values, "landmarks_": near.rows},
            GeodesicKernel(near.graph, self._name),
        )

    def _map_of_landmarks(self, near: Neighborhood, n_landmarks: int) -> Map:
        if n_landmarks <= self.n_components_:
            raise ValueError(
                f"The 'n_landmarks' parameter of Isomap must be above n_components="
                f"{self.n_components_}. Got {n_landmarks} instead."
            )
        landmarks = near.points.spread(n_landmarks)
        D = _geodesics(near.graph, landmarks, who=self._name)
        between = _symmetric(kernel_from_distances(D[:, landmarks]))
        centring = Centring.of(between)
        pairs, places = scale_kernel(between, centring, self.n_components_, who=self._name)
        nystrom = Nystrom(centring, places, pairs.values)
        return Map(
            _placed(D, nystrom),
            ByLandmarks(near.points, near.reach, D, nystrom),
            {"eigenvalues_": pairs.values, "landmarks_": near.rows[landmarks]},
            LandmarkKernel(D, landmarks),
        )


@dataclass(frozen=True)
class ByGeodesics:
    """A new point is placed by its distances along the graph to all points.

    Parameters
    ----------
    among : Points
        The distinct points.
    reach : Reach
        Which of them a new point is joined to.
    graph : csr_array
        The graph between them.
    nystrom : Nystrom
        Of the kernel of geodesic distances.
    """

    among: Any
    reach: Reach
    graph: sp.csr_array
    nystrom: Nystrom

    def __call__(self, new: Any) -> FloatArray:
        """Place new points."""
        near = self.reach.of_new(self.among, new)
        D = geodesic_distances_of_new(
            self.graph, near.indices, near.distances, n_jobs=-1, who=self.among.who
        )
        return keep_matches(self.nystrom(kernel_from_distances(D)), near, self.nystrom.points)


@dataclass(frozen=True)
class ByLandmarks:
    """A new point is placed by its distances to the landmarks, through its neighbours.

    Parameters
    ----------
    among : Points
        The distinct points.
    reach : Reach
        Which of them a new point is joined to.
    to_landmarks : ndarray of shape (n_landmarks, n)
        Geodesic distances.
    nystrom : Nystrom
        Of the kernel of the landmarks.
    """

    among: Any
    reach: Reach
    to_landmarks: FloatArray
    nystrom: Nystrom

    def __call__(self, new: Any) -> FloatArray:
        """Place new points."""
        near = self.reach.of_new(self.among, new)
        through = near.distances[:, :, None] + self.to_landmarks.T[near.indices]
        D: FloatArray = through.min(axis=1)
        return self.nystrom(kernel_from_distances(D))


@dataclass(frozen=True)
class GeodesicKernel:
    """−½ D², D the distances along a graph.

    Parameters
    ----------
    graph : csr_array
        The graph.
    who : str
        The estimator, for messages.
    """

    graph: sp.csr_array
    who: str

    def __call__(self) -> FloatArray:
        """Compute it for the distinct points, not centred."""
        return kernel_from_distances(_geodesics(self.graph, who=self.who))


@dataclass(frozen=True)
class LandmarkKernel:
    """What the kernel of the landmarks says of all points: K(·, L) K(L, L)⁺ K(L, ·).

    Parameters
    ----------
    to_landmarks : ndarray of shape (n_landmarks, n)
        Geodesic distances.
    landmarks : ndarray of shape (n_landmarks,)
        Which points are landmarks.
    """

    to_landmarks: FloatArray
    landmarks: IntArray

    @cached_property
    def nystrom(self) -> Nystrom:
        """All that the landmarks know: places in as many dimensions as there are landmarks."""
        between = _symmetric(kernel_from_distances(self.to_landmarks[:, self.landmarks]))
        centring = Centring.of(between)
        values, vectors = np.linalg.eigh(centring.matrix(between))
        return Nystrom(centring, kernel_coordinates(values, vectors), values)

    def __call__(self) -> FloatArray:
        """Compute it for the distinct points."""
        Z = self.nystrom(kernel_from_distances(self.to_landmarks).T)
        return np.asarray(Z @ Z.T)


def _placed(D: FloatArray, nystrom: Nystrom) -> FloatArray:
    """The places of all points by their distances to landmarks, some points at a time."""
    blocks = row_blocks(D.shape[1], 8.0 * len(D))
    return np.vstack([nystrom(kernel_from_distances(D[:, block]).T) for block in blocks])


def _geodesics(graph: sp.csr_array, sources: IntArray | None = None, *, who: str) -> FloatArray:
    dtype = np.float32 if graph.shape[0] >= _SINGLE_PRECISION_FROM else np.float64
    return geodesic_distances(graph, sources, dtype=dtype, n_jobs=-1, who=who)


def _symmetric(K: FloatArray) -> FloatArray:
    return np.asarray((K + K.T) / 2)
