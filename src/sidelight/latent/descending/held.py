"""Anchored rows held while the others descend, in a method that makes its map without them first.

As in :mod:`~sidelight.latent.descending.pinned` anchors say where rows are in some coordinates.
Here the map without anchors, Ẑ, is made as ever, and the positions are brought to it by the best
similarity, together as large as its rows:

    min_Z E(Z)   such that   z_i = c Q p_i + t, i in A,

(c, Q, t) the similarity of p_i onto ẑ_i.  What a method says of its map it says of this one, in its
own coordinates, and the similarity back makes the anchors exact.  Where Ẑ has its rows there
already nothing is held: one anchor moves a map, two turn and scale it.  Nor is anything held that
Ẑ contradicts: of 16 draws of digits six shuffled anchors, held, cost a map of kernel information
0.034 of the rows that their five nearest tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import FloatArray, IntArray
from sidelight.estimator import Thread, Unfinished, as_well_in_any_order, best_similarity
from sidelight.latent.descending.pinned import Pins, bending
from sidelight.solvers import best_of
from sidelight.solvers.descent import Descent, Objective, minimise

#: Rows nearer than this part of their extent to where anchors go are there.
_THERE = 1e-9
#: Places are rounded to this part of their extent: the coordinates that anchors are given in do not
#: show in the last bits, which a long descent would make more of.
_ROUNDED = 2.0**-36


@dataclass(frozen=True)
class Held:
    """Points of a map that do not move.

    Parameters
    ----------
    rows : ndarray of shape (m,)
        Which.
    before : ndarray of shape (m, d)
        Where they are in the map without anchors.
    places : ndarray of shape (m, d)
        Where they are held, in its coordinates.
    """

    rows: IntArray
    before: FloatArray
    places: FloatArray

    @classmethod
    def of(cls, pins: Pins, plain: FloatArray) -> Held | None:
        """Hold anchored rows of a map, unless a similarity brings it to the anchors.

        Nor are they held where the map agrees with them as well in any other order: shuffled ones
        would wreck it, and brought there behind each moves alone.
        """
        own = plain[pins.rows]
        size, whole = (float(np.sqrt(np.mean((Z - Z.mean(axis=0)) ** 2))) for Z in (own, plain))
        if not pins.sized or size <= _THERE * whole:  # nothing says how large they should be
            return None
        places = best_similarity(pins.positions, own, as_large=True)(pins.positions)
        there = np.abs(places - own).max() <= _THERE * size
        if there or as_well_in_any_order(own, pins.positions):
            return None
        unit = _ROUNDED * size
        return cls(pins.rows, own, np.round(places / unit) * unit)

    @property
    def entries(self) -> IntArray:
        """Where they are in a vector that begins with the points."""
        d = self.places.shape[1]
        return np.asarray((d * self.rows[:, None] + np.arange(d)).ravel())

    def put(self, x: FloatArray) -> FloatArray:
        """A vector that begins with the points, the held ones where they are held."""
        x = x.copy()
        x[self.entries] = self.places.ravel()
        return x

    def bent(self, Z: FloatArray) -> FloatArray:
        """Places moved as held points near them are."""
        size = float(np.sqrt(np.mean((self.before - self.before.mean(axis=0)) ** 2)))
        return np.asarray(Z + bending(self.before, self.places - self.before, size)(Z))

    def best(self, objective: Objective, vectors: Iterable[FloatArray]) -> FloatArray:
        """The lowest of some vectors, the held points where they are held."""
        return best_of([self.put(x) for x in vectors], lambda x: float(objective(x)[0]))

    def renumbered(self, place: IntArray) -> Held:
        """The same of points in another order: point i is now at place[i]."""
        return Held(place[self.rows], self.before, self.places)

    def hold(self, objective: Objective) -> Objective:
        """A function of a vector that begins with the points, flat where they are held."""
        entries = self.entries

        def held(x: FloatArray) -> tuple[float, FloatArray]:
            value, slope = objective(x)
            slope[entries] = 0.0
            return value, slope

        return held


def descend_held(
    plain: Objective,
    begin: Callable[[], FloatArray],
    anchored: Objective,
    hold: Callable[[FloatArray], Held | None],
    starts: Callable[[FloatArray, Held], Iterable[FloatArray]],
    thread: Thread,
    *,
    stage: str,
    **options: Any,
) -> tuple[Descent, bool, Unfinished | None]:
    """Descend without anchors, and again with their rows held; say whether they were.

    ``hold`` reads what is held of the vector that the first descent came to, and ``starts`` where
    the second may begin.  A fit that was left in the second goes on there; one that was interrupted
    in the first holds nothing yet.
    """
    left, where = thread.where or (None, None)
    first = None
    if where is None:
        first = minimise(
            plain, begin() if left is None else left, stage=f"{stage} without anchors", **options
        )
        left = first.x
    assert left is not None
    held = None if first is not None and first.interrupted else hold(left)
    if held is None:
        assert first is not None  # what was held once is held again
        return first, False, thread.left_at(None if first.converged else (left, None))
    objective = held.hold(anchored)
    if where is None:
        where = held.best(objective, starts(left, held))
    found = minimise(objective, where, stage=stage, **options)
    return found, True, thread.left_at(None if found.converged else (left, found.x))
