"""What the rows of X are, for all that methods ask of them."""

from __future__ import annotations

from typing import Any, Protocol, Self

import scipy.sparse as sp

from sidelight.core import FloatArray, IntArray
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
    def compared(self) -> tuple[Any, Any]:
        """Rows and a metric, for functions that know no points."""
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
    def bytes_of_new(self) -> float:
        """The memory that a new row takes while its nearest points are looked for, about."""
        ...

    def bare(self) -> Any:
        """What is left of the points when new ones ask for their nearest alone."""
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

    def nearest(self, k: int, of: Self | None = None, *, method: str = "auto") -> Neighbors:
        """The k nearest points of every point, or of every new one; ties by index."""
        ...

    def recall(self, near: Neighbors) -> float:
        """The share of the nearest that a search has found, measured on a sample."""
        ...

    def within(self, radius: float, of: Self | None = None) -> sp.csr_array:
        """The points within a radius of every point, or of every new one."""
        ...

    def lengths(self, left: IntArray, right: IntArray) -> FloatArray:
        """The distances of listed pairs."""
        ...

    def table(self, of: Self | None = None) -> FloatArray:
        """All distances, (n, n), or from every new point to all, (m, n)."""
        ...

    def block(self, rows: slice, columns: slice | IntArray) -> FloatArray:
        """A block of the table of distances."""
        ...

    def connect(self, graph: sp.csr_array) -> tuple[sp.csr_array, IntArray]:
        """Join the pieces of a graph by the shortest edges that will do, and name those."""
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
