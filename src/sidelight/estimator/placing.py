"""How new points are placed: rules that several methods share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sidelight.core import FloatArray, row_blocks
from sidelight.estimator.neighborhood import Reach, keep_matches
from sidelight.mapping import Nystrom
from sidelight.neighbors import DistinctRows, Neighbors
from sidelight.similarity import kernel_from_distances, solve_barycentres, solve_convex_barycentres


@dataclass(frozen=True)
class OfRows:
    """New rows, as they come, on their way to the places of points.

    Parameters
    ----------
    points : Points
        The distinct points.
    distinct : DistinctRows
        Which rows of X they are.
    rule : callable
        From new points to places.
    """

    points: Any
    distinct: DistinctRows
    rule: Callable[[Any], FloatArray]

    def __call__(self, X: Any) -> FloatArray:
        """Place rows, each by itself, a block at a time: their table with the points is small.

        Rules that ask for a few neighbours of a row alone have no such table.
        """
        few = getattr(self.rule, "by_neighbors", False)
        kept = self.points.bytes_of_new if few else 8.0 * self.points.n
        blocks = row_blocks(X.shape[0], kept, budget=2e8)
        return np.vstack([self.rule(self.points.of_new(X[b], self.distinct)) for b in blocks])


@dataclass(frozen=True)
class ByDistances:
    """Gower's formula: the Nyström formula on k = −½ d².

    Parameters
    ----------
    nystrom : Nystrom
        Of the kernel −½ D².
    among : Points
        The points that distances are measured to.
    """

    nystrom: Nystrom
    among: Any

    def __call__(self, new: Any) -> FloatArray:
        """Place new points by their distances to all points."""
        return self.nystrom(kernel_from_distances(self.among.table(new)))


@dataclass(frozen=True)
class Barycentric:
    """A new point is the same mixture of its neighbours in the map as in the data.

    Parameters
    ----------
    among : Points
        The distinct points.
    reach : Reach
        Which of them are neighbours.
    places : ndarray of shape (n, d)
        Where they are.
    reg : float
        Added to the local Gram matrices, relative to their trace.
    convex : bool
        Whether weights may not be negative.
    """

    among: Any
    reach: Reach
    places: FloatArray
    reg: float = 1e-3
    convex: bool = False
    by_neighbors: ClassVar[bool] = True

    def __call__(self, new: Any) -> FloatArray:
        """Place new points, each by its own neighbours; a training point where it is."""
        places, _, near = self.held(new)
        return keep_matches(places, near, self.places)

    def held(self, new: Any) -> tuple[FloatArray, FloatArray, Neighbors]:
        """The barycentre of every new point, how strongly it holds it (alike), the neighbours."""
        near = self.reach.of_new(self.among, new)
        solve = solve_convex_barycentres if self.convex else solve_barycentres
        counts = np.isfinite(near.distances).sum(axis=1)
        places = np.empty((new.n, self.places.shape[1]))
        for k in np.unique(counts):
            rows = np.flatnonzero(counts == k)
            some = Neighbors(near.indices[rows, :k], near.distances[rows, :k])
            w = solve(self.among.grams(some, new, at=rows), reg=self.reg)
            places[rows] = np.einsum("ij,ijp->ip", w, self.places[some.indices])
        return places, np.ones((new.n, 1)), near
