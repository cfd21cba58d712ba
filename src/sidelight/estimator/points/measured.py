"""What holds of all points any two of which have a distance; a graph answers otherwise."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from sidelight.core import BoolArray, FloatArray, IntArray
from sidelight.neighbors import Neighbors, each_row


class Measured:
    """Points any two of which have a distance."""

    @property
    def complete(self) -> bool:
        """Any two have a distance."""
        return True

    @property
    def quick(self) -> bool:
        """Distances cost little."""
        return True

    @property
    def features(self) -> Any:
        """None, but of rows."""
        return None

    @property
    def vectors(self) -> Any:
        """None, but of rows that are compared as such."""
        return None

    def require_all_pairs(self, refusal: str = "") -> None:
        """All are there."""

    def as_vectors(self) -> Self:
        """They are what they are."""
        return self

    def known_alone(self) -> Self:
        """All distances are known."""
        return self

    def as_new(self: Any, rows: IntArray) -> Any:
        """Some of the points as if they were new."""
        return self.of_new(self.rows[rows], each_row(self.n))

    def reaches(self: Any, points: IntArray) -> BoolArray:
        """Every new point has a distance to any of the points."""
        return np.ones(self.n, dtype=np.bool_)

    def along_paths(self: Any) -> FloatArray:
        """All distances."""
        return np.asarray(self.table())

    def in_reach(self: Any, of: Any, k: int | None, radius: float | None) -> Neighbors:
        """The k nearest points of every new one, or all within a radius and the nearest anyhow."""
        nearest: Neighbors = self.nearest(1 if k is None else k, of)
        if k is not None:
            return nearest
        within = self.within(radius, of)
        counts = np.diff(within.indptr)
        width = max(1, int(counts.max(initial=1)))
        indices = np.repeat(nearest.indices, width, axis=1)
        distances = np.full((of.n, width), np.inf)
        distances[:, 0] = nearest.distances[:, 0]  # a row with none in reach keeps its nearest
        rows = np.repeat(np.arange(of.n), counts)
        slots = np.arange(len(rows)) - np.repeat(within.indptr[:-1], counts)
        indices[rows, slots], distances[rows, slots] = within.indices, within.data
        one = np.flatnonzero(nearest.distances[:, 0] == 0)  # of the fitted ones, and comes first
        place = np.argmax(indices[one] == nearest.indices[one], axis=1)
        indices[one, place], indices[one, 0] = indices[one, 0], nearest.indices[one, 0]
        distances[one, place], distances[one, 0] = distances[one, 0], 0.0
        return Neighbors(indices, distances)
