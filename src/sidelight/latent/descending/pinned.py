"""Points of which some are pinned: the map with the least objective that has rows where they go.

What a map says does not change when it is moved, turned, mirrored or scaled, and nobody knows the
unit that a method measures it in.  So anchors say where rows are in *some* coordinates: with p_i
the positions of the rows in A,

    min_Z E(Z)   such that   T(z_i) = p_i, i in A,

T a similarity, and the map is T(Z).  E does not feel a motion, which leaves the scale c of T: at it
the anchored rows are together as large as in the map without pins,

    Σ_{i in A} ‖c p_i − c p̄‖² = Σ_{i in A} ‖ẑ_i − ẑ̄‖²,   Ẑ = argmin E.

(To minimise E over c as well would let a few anchors that contradict the data shrink to a point,
with all other rows far outside.)  Anchored rows are where they go; the others descend.  One anchor
moves the map without pins, two turn and scale it, and from three on they bend it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from scipy.interpolate import RBFInterpolator

from sidelight.core import FloatArray, IntArray
from sidelight.latent.descending.starts import principal_turn
from sidelight.neighbors import DistinctRows
from sidelight.quality import procrustes
from sidelight.side import Anchors, name_rows
from sidelight.solvers import best_of
from sidelight.solvers.descent import Objective

#: A function of all points that gives its value and its gradient.
OfPoints: TypeAlias = Callable[[FloatArray], tuple[float, FloatArray]]
#: A start is bent by so many anchors around a row, at most.
_AROUND = 100


class Pins:
    """Points, some of them pinned, as one vector that a descent moves.

    Parameters
    ----------
    shape : tuple of int
        (n, d): points and dimensions.
    rows : ndarray of shape (m,)
        Those that are pinned; empty where all are free.
    positions : ndarray of shape (m, d)
        Where they go.
    unit : float
        The length of the method's own unit in a map of whose scale nothing is known.
    """

    def __init__(
        self,
        shape: tuple[int, int],
        rows: IntArray,
        positions: FloatArray,
        *,
        unit: float = 1.0,
    ) -> None:
        self.shape, self.rows, self.positions, self.unit = shape, rows, positions, unit
        self.free: IntArray = np.setdiff1d(np.arange(shape[0]), rows)
        self.middle = positions.mean(axis=0) if len(rows) else np.zeros(shape[1])
        self.body = positions - self.middle
        #: whether the anchors have a size; in one place they say nothing of the scale
        self.sized = bool(np.ptp(positions, axis=0).any()) if len(rows) else False

    @property
    def n_variables(self) -> int:
        """The length of the vector: the free points, and the logarithm of the scale."""
        return self.free.size * self.shape[1] + self.sized

    def points(self, x: FloatArray) -> FloatArray:
        """Read the points from a vector."""
        Z = np.empty(self.shape)
        Z[self.free] = x[: self.free.size * self.shape[1]].reshape(-1, self.shape[1])
        Z[self.rows] = np.exp(x[-1]) * self.body if self.sized else 0.0
        return Z

    def objective(self, function: OfPoints, times: float = 1.0) -> Objective:
        """Write a function of all points as one of the vector."""

        def of_vector(x: FloatArray) -> tuple[float, FloatArray]:
            value, gradient = function(self.points(x))
            slope = np.zeros(self.n_variables)
            slope[: self.free.size * self.shape[1]] = times * gradient[self.free].ravel()
            return times * value, slope

        return of_vector

    def start(self, plain: FloatArray, function: OfPoints | None = None) -> FloatArray:
        """Bring a map without pins to the anchors, and write it as a vector.

        It is moved, turned, mirrored and scaled onto them, and bent by what is missing if that
        lowers the function; without one, in any case.
        """
        middle = plain[self.rows].mean(axis=0) if len(self.rows) else 0.0
        if not self.sized:
            return np.asarray((plain - middle)[self.free].ravel())
        turned = (plain - middle) @ procrustes(plain[self.rows], self.positions).rotation
        whole, part = (float(np.sqrt(np.mean(Y**2))) for Y in (turned, turned[self.rows]))
        size = part if part > 1e-9 * whole else whole or 1.0  # rows in one place have no size
        scale = size / float(np.sqrt(np.mean(self.body**2)))
        bend = bending(turned[self.rows], scale * self.body - turned[self.rows], size)
        starts = [np.append(Y[self.free], np.log(scale)) for Y in (turned, turned + bend(turned))]
        if function is None:
            return starts[1]
        return best_of(starts, lambda x: float(function(self.points(x))[0]))

    def renumbered(self, place: IntArray) -> Pins:
        """The same of points in another order: point i is now at place[i]."""
        return Pins(self.shape, place[self.rows], self.positions, unit=self.unit)

    def settle(self, x: FloatArray, copies: IntArray | None = None) -> tuple[FloatArray, float]:
        """Read the map from a vector, in the coordinates of the anchors."""
        unit = float(np.exp(-x[-1])) if self.sized else self.unit
        whose: IntArray = np.arange(self.shape[0]) if copies is None else copies
        Z = unit * self.points(x)[whose]
        where = np.full(self.shape[0], -1)
        where[self.rows] = np.arange(len(self.rows))
        pinned = where[whose] >= 0
        if not self.sized:
            Z = principal_turn(Z)
            Z -= Z[pinned].mean(axis=0) if pinned.any() else 0.0
        Z += self.middle
        Z[pinned] = self.positions[where[whose[pinned]]]
        return Z, unit


def bending(at: FloatArray, moves: FloatArray, size: float) -> RBFInterpolator:
    """How far places move with some that do, in a map of this size: as those around them."""
    return RBFInterpolator(
        at,
        moves,
        neighbors=_AROUND if len(at) > _AROUND else None,
        smoothing=1e-6 * size,
        kernel="linear",
        degree=0,
    )


def pins_of(
    anchors: Anchors | None,
    distinct: DistinctRows,
    d: int,
    *,
    copies: bool,
    unit: float = 1.0,
    who: str,
) -> Pins:
    """Pin rows where anchors say; copies of a row go with it."""
    n = len(distinct.inverse) if copies else len(distinct.rows)
    if anchors is None:
        return Pins((n, d), np.empty(0, dtype=np.intp), np.empty((0, d)), unit=unit)
    points, first, which = np.unique(
        distinct.inverse[anchors.index], return_index=True, return_inverse=True
    )
    positions = anchors.positions[first]
    torn = np.any(positions[which] != anchors.positions, axis=1)
    if torn.any():
        one = int(np.flatnonzero(torn)[0])
        rows = [anchors.index[first[which[one]]], anchors.index[one]]
        raise ValueError(
            f"The Anchors given to {who} send the rows {name_rows(rows)} to different places, but "
            f"they are copies of each other. Give copies of a row one position."
        )
    if copies:
        place = np.full(len(distinct.rows), -1)
        place[points] = np.arange(len(points))
        points = np.flatnonzero(place[distinct.inverse] >= 0)
        positions = positions[place[distinct.inverse[points]]]
    pins = Pins((n, d), points, positions, unit=unit)
    if len(points) == n and not pins.sized:
        raise ValueError(
            f"The Anchors given to {who} send all {n} rows to one place, which leaves no map."
        )
    return pins
