"""What the rows of X are, for all that methods ask of them."""

from __future__ import annotations

from typing import Any, Protocol, Self

import scipy.sparse as sp

from sidelight.core import BoolArray, FloatArray, IntArray
from sidelight.neighbors import DistinctRows, Neighbors


class Points(Protocol):
    """The rows of X, or new rows that are seen beside them."""

    @property
    def rows(self) -> Any:
        """As they were given."""
        ...

    @property
    def metric(self) -> Any:
        """By which they are compared."""
        ...

    @property
    def who(self) -> str:
        """The estimator, for messages."""
        ...

    @property
    def n(self) -> int:
        """How many."""
        ...

    @property
    def complete(self) -> bool:
        """Whether any two have a distance; a graph holds those of neighbours alone."""
        ...

    @property
    def quick(self) -> bool:
        """Whether the distances of all points to thousands of them are soon there."""
        ...

    @property
    def features(self) -> Any:
        """The rows where they are feature vectors, however they are compared; else None."""
        ...

    @property
    def vectors(self) -> Any:
        """The rows where distances are the Euclidean ones between them; else None."""
        ...

    @property
    def bytes_of_new(self) -> float:
        """The memory that a new row takes while its nearest points are looked for, about."""
        ...

    def bare(self) -> Any:
        """What is left of the points when new ones ask for their nearest alone."""
        ...

    def require_all_pairs(self, refusal: str = "") -> None:
        """Refuse, in these words, points that are not complete."""
        ...

    def as_vectors(self) -> Self:
        """The same, compared by Euclidean distance where they are feature vectors."""
        ...

    def known_alone(self) -> Self:
        """The same, whose distances are not guessed along a graph where it holds none."""
        ...

    def distinct(self) -> DistinctRows:
        """Which rows are at the same place."""
        ...

    def take(self, rows: IntArray) -> Self:
        """Some of the rows, among themselves."""
        ...

    def merged(self, distinct: DistinctRows) -> Self:
        """One point for all rows at the same place."""
        ...

    def of_new(self, X: Any, distinct: DistinctRows) -> Self:
        """New rows, as they are seen from the merged points."""
        ...

    def as_new(self, rows: IntArray) -> Self:
        """Some of the points as if they were new."""
        ...

    def seen_from(self, points: IntArray, rows: IntArray) -> Self:
        """Some of these new rows, as they are seen from some of the points alone."""
        ...

    def reaches(self, points: IntArray) -> BoolArray:
        """Which of these new rows have a known distance to one of the points."""
        ...

    def nearest(self, k: int, of: Self | None = None, *, method: str = "auto") -> Neighbors:
        """The k nearest points of every point, or of every new one; ties by index."""
        ...

    def recall(self, near: Neighbors) -> float:
        """The share of the nearest that a search has found, measured on a sample."""
        ...

    def within(self, radius: float, of: Self | None = None) -> sp.csr_array:
        """The points within a radius of every point, or of every new one."""
        ...

    def in_reach(self, of: Self, k: int | None, radius: float | None) -> Neighbors:
        """The neighbours of new points, as points have them; unused places are infinitely far."""
        ...

    def lengths(self, left: IntArray, right: IntArray) -> FloatArray:
        """The distances of listed pairs."""
        ...

    def table(self, of: Self | None = None) -> FloatArray:
        """All distances, (n, n), or from every new point to all, (m, n)."""
        ...

    def along_paths(self) -> FloatArray:
        """All distances, along the graph where it holds no others."""
        ...

    def remoteness(self, counts: IntArray) -> FloatArray:
        """The squared distance of every point from the mean of all, so often as each occurs."""
        ...

    def block(self, rows: slice, columns: slice | IntArray) -> FloatArray:
        """A block of the table of distances."""
        ...

    def connect(self, graph: sp.csr_array) -> tuple[sp.csr_array, IntArray]:
        """Join the pieces of a graph by the shortest edges that will do, and name those."""
        ...

    def shortest_way(self, members: IntArray, goals: IntArray) -> tuple[int, int]:
        """The closest pair of a member and a goal."""
        ...

    def spread(self, n_landmarks: int) -> IntArray:
        """Points that stand for all."""
        ...

    def grams(
        self, near: Neighbors, of: Self | None = None, *, at: IntArray | None = None
    ) -> FloatArray:
        """The inner products of neighbours, seen from the point (or new point) they are of."""
        ...


def all_distinct(distinct: DistinctRows) -> bool:
    """Whether no row is at the place of another."""
    return len(distinct.rows) == len(distinct.inverse)
