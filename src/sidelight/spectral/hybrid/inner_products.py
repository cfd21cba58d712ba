"""The distance side of a hybrid: inner products M = −½ J D² J, and what pulls at new points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
import scipy.sparse as sp

from sidelight.core import FloatArray, IntArray, is_sparse, require_memory
from sidelight.estimator import ByDistances, Neighborhood, Points, Reach, reach_of
from sidelight.mapping import Nystrom
from sidelight.neighbors import component_labels, symmetrise
from sidelight.similarity import Centring, geodesic_distances, kernel_from_distances
from sidelight.solvers.eigen import Operator
from sidelight.spectral.classical_mds import DistanceKernel
from sidelight.spectral.isomap import ByGeodesics, ByLandmarks, GeodesicKernel, LandmarkKernel

#: From this many points on, tables of distances are stored in single precision.
_SINGLE_PRECISION_FROM = 4000


class InnerProducts(Protocol):
    """M, and what it says of new points."""

    @property
    def apply(self) -> Operator:
        """Apply N^½ M N^½, N the multiplicities."""
        ...

    @property
    def precision(self) -> float:
        """Relative, of what ``apply`` gives."""
        ...

    @property
    def kernel(self) -> Any:
        """Gives M of all points, not yet centred."""
        ...

    def pull(self, places: FloatArray) -> Any:
        """The rule that gives Σ_j k̃(x, x_j) z_j of new points x."""
        ...


@dataclass(frozen=True)
class FromTable:
    """M from a table of distances.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        −½ D².
    centring : Centring
        Of K.
    kernel : callable
        Gives K again.
    rule : callable
        From a Nyström formula on K to the rule for new points.
    """

    K: FloatArray
    centring: Centring
    kernel: Any
    rule: Any

    @property
    def apply(self) -> Operator:
        """Centre and apply."""
        return self.centring.operator(self.K)

    @property
    def precision(self) -> float:
        """Of the table."""
        return 1e-12 if self.K.dtype == np.float64 else 1e-7

    def pull(self, places: FloatArray) -> Any:
        """Gower's formula, without the division by eigenvalues."""
        return self.rule(Nystrom(self.centring, places, np.ones(places.shape[1])))


@dataclass(frozen=True)
class FromCoordinates:
    """M = U Uᵀ from coordinates of few columns: nothing n × n is formed.

    Parameters
    ----------
    U : ndarray of shape (n, r)
        The coordinates, their weighted mean taken off.
    middle : ndarray of shape (r,)
        That mean.
    counts : ndarray of shape (n,)
        How often each point occurs.
    kernel : callable
        Gives the kernel of all points.
    coordinates : callable, optional
        From new points to their coordinates; by default those are the rows.
    """

    U: FloatArray
    middle: FloatArray
    counts: IntArray
    kernel: Any
    coordinates: Any = None
    precision: float = 1e-12

    @classmethod
    def of(cls, U: FloatArray, counts: IntArray, kernel: Any, coordinates: Any = None) -> Self:
        """Take off the mean of all rows, copies included."""
        U = np.asarray(U, dtype=np.float64)
        middle = np.average(U, axis=0, weights=counts)
        return cls(U - middle, middle, counts, kernel, coordinates)

    @property
    def apply(self) -> Operator:
        """Two thin products."""
        V = np.sqrt(self.counts)[:, None] * self.U
        return lambda block: np.asarray(V @ (V.T @ block))

    def pull(self, places: FloatArray) -> Any:
        """A linear function of the coordinates."""
        turn = self.U.T @ (self.counts[:, None] * places)
        return ByCoordinates(self.coordinates, self.middle, turn)


@dataclass(frozen=True)
class ByCoordinates:
    """Σ_j ⟨u(x) − m, u_j − m⟩ z_j = (u(x) − m)ᵀ T.

    Parameters
    ----------
    coordinates : callable, optional
        u of new points; by default their rows.
    middle : ndarray of shape (r,)
        m.
    turn : ndarray of shape (r, d)
        T.
    """

    coordinates: Any
    middle: FloatArray
    turn: FloatArray

    def __call__(self, new: Any) -> FloatArray:
        """Pull at new points."""
        u = new.rows if self.coordinates is None else self.coordinates(new)
        return np.asarray((u - self.middle) @ self.turn)


def inner_products(
    method: str, near: Neighborhood, points: Points, n_neighbors: int | str, n_landmarks: int | None
) -> InnerProducts:
    """M of the distances between points, or of those along the graph of their neighbours.

    ``points`` are those of the neighbourhood, compared by another metric where there is one.
    """
    if method == "mds":
        return _scaled(points, near)
    if points is near.points:
        reach, graph = near.reach, near.graph
    else:
        reach, graph = _own_graph(points, n_neighbors)
    if n_landmarks is not None and n_landmarks < near.n:
        return _from_landmarks(points, reach, graph, near.counts, n_landmarks)
    D = geodesic_distances(graph, dtype=_dtype(near.n), n_jobs=-1, who=near.who)
    K = kernel_from_distances(D, dtype=D.dtype, out=D)

    def rule(nystrom: Nystrom) -> ByGeodesics:
        return ByGeodesics(points, reach, graph, nystrom)

    return FromTable(K, Centring.of(K, near.counts), GeodesicKernel(graph, near.who), rule)


def _scaled(points: Any, near: Neighborhood) -> InnerProducts:
    """M of the distances themselves; Euclidean ones between short rows need no table."""
    kernel, n = DistanceKernel(points), near.n
    rows = points.vectors
    if rows is not None and not is_sparse(rows) and rows.shape[1] < n // 2:
        return FromCoordinates.of(rows, near.counts, kernel)
    dtype = _dtype(n)
    require_memory(
        n * n * (8 + np.dtype(dtype).itemsize),
        what=f"the {n} × {n} table of distances",
        who=near.who,
        instead="Fit a sample of the rows and transform() the others.",
    )
    K = kernel_from_distances(points.table(), dtype=dtype)
    return FromTable(K, Centring.of(K, near.counts), kernel, lambda f: ByDistances(f, points))


def _own_graph(points: Any, n_neighbors: int | str) -> tuple[Reach, sp.csr_array]:
    """The graph of neighbours by another metric, joined where it fell apart."""
    reach = reach_of(points, n_neighbors)
    graph = symmetrise(reach.among(points))
    return reach, points.connect(graph)[0] if component_labels(graph).any() else graph


def _from_landmarks(
    points: Any, reach: Reach, graph: sp.csr_array, counts: IntArray, n_landmarks: int
) -> InnerProducts:
    """M as the landmarks know it: K(·, L) K(L, L)⁺ K(L, ·).

    Dimensions of theirs that are no larger than the negative ones, which no points have, are noise.
    """
    landmarks = points.spread(n_landmarks)
    D = geodesic_distances(graph, landmarks, n_jobs=-1, who=points.who)
    kernel = LandmarkKernel(D, landmarks)
    whole = kernel.nystrom
    sound = whole.values > max(-float(whole.values.min()), 1e-9 * float(whole.values.max()))
    nystrom = Nystrom(whole.centring, whole.points[:, sound], whole.values[sound])
    U = nystrom(kernel_from_distances(D).T)
    return FromCoordinates.of(U, counts, kernel, ByLandmarks(points, reach, D, nystrom))


def _dtype(n: int) -> Any:
    return np.float32 if n >= _SINGLE_PRECISION_FROM else np.float64
