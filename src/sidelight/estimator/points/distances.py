"""A table of distances, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from sidelight.core import FloatArray, IntArray
from sidelight.estimator.points.measured import Measured
from sidelight.estimator.points.protocol import all_distinct
from sidelight.estimator.points.remoteness import remoteness_by_distances
from sidelight.neighbors import (
    DistinctRows,
    Neighbors,
    check_distance_block,
    distance_blocks,
    find_distinct,
    find_nearest,
    find_within,
    join_pieces,
    recall_of,
    spread_landmarks,
)
from sidelight.neighbors.search import nearest_in_blocks
from sidelight.similarity import local_gram_from_distances


@dataclass(frozen=True)
class Distances(Measured):
    """A table of distances, and nothing else.

    Parameters
    ----------
    rows : ndarray of shape (n, n) or (m, n)
        The distances between the points, or from new points to them.
    who : str
        The estimator, for messages.
    """

    rows: FloatArray
    who: str
    metric: ClassVar[str] = "precomputed"

    @property
    def n(self) -> int:
        """How many."""
        return int(self.rows.shape[0])

    @property
    def bytes_of_new(self) -> float:
        """Its distances to all points."""
        return 8.0 * self.n

    def bare(self) -> Bare:
        """Their number."""
        return Bare(self.n, self.who)

    def distinct(self) -> DistinctRows:
        """Which rows are at distance zero."""
        return find_distinct(self.rows, self.metric)

    def take(self, rows: IntArray) -> Distances:
        """Some of the points, among themselves."""
        return replace(self, rows=self.rows[np.ix_(rows, rows)])

    def merged(self, distinct: DistinctRows) -> Distances:
        """One point for all rows at distance zero."""
        return self if len(distinct.rows) == self.n else self.take(distinct.rows)

    @classmethod
    def to_merged(cls, X: Any, distinct: DistinctRows, who: str) -> Distances:
        """The distances from new points to those that rows were merged to, of a checked block."""
        block = check_distance_block(X, len(distinct.inverse), who=who, name="X")
        return cls(block if all_distinct(distinct) else block[:, distinct.rows], who)

    def of_new(self, X: Any, distinct: DistinctRows) -> Distances:
        """The distances from new points to the merged ones."""
        return self.to_merged(X, distinct, self.who)

    def seen_from(self, points: IntArray, rows: IntArray) -> Distances:
        """The distances from some of the new points to some of the points."""
        return replace(self, rows=self.rows[rows][:, points])

    def nearest(self, k: int, of: Distances | None = None, *, method: str = "auto") -> Neighbors:
        """The k nearest points."""
        queries, k = (None, k) if of is None else (of.rows, min(k, self.n))
        return find_nearest(self.rows, k, queries, metric=self.metric, method=method, who=self.who)

    def recall(self, near: Neighbors) -> float:
        """The share of the nearest that a search has found."""
        return recall_of(near, self.rows, metric=self.metric, who=self.who)

    def within(self, radius: float, of: Distances | None = None) -> sp.csr_array:
        """The points within a radius."""
        queries = None if of is None else of.rows
        return find_within(self.rows, radius, queries, metric=self.metric, who=self.who)

    def lengths(self, left: IntArray, right: IntArray) -> FloatArray:
        """Look up listed pairs."""
        return np.asarray(self.rows[left, right], dtype=np.float64)

    def table(self, of: Distances | None = None) -> FloatArray:
        """All distances, in double precision."""
        return np.asarray(self.rows if of is None else of.rows, dtype=np.float64)

    def remoteness(self, counts: IntArray) -> FloatArray:
        """What stands for the squared distance from the mean."""
        blocks = distance_blocks(self.rows, None, self.metric, who=self.who)
        return remoteness_by_distances(blocks, counts)

    def block(self, rows: slice, columns: slice | IntArray) -> FloatArray:
        """A block of the table."""
        return self.rows[rows, columns]

    def connect(self, graph: sp.csr_array) -> tuple[sp.csr_array, IntArray]:
        """Join the pieces of a graph by the shortest edges that will do."""
        return join_pieces(graph, self.rows, metric=self.metric, who=self.who)

    def shortest_way(self, members: IntArray, goals: IntArray) -> tuple[int, int]:
        """The closest pair of a member and a goal."""
        block = self.rows[np.ix_(members, goals)]
        i, j = np.unravel_index(int(np.argmin(block)), block.shape)
        return int(members[i]), int(goals[j])

    def spread(self, n_landmarks: int) -> IntArray:
        """Points that stand for all."""
        return spread_landmarks(self.rows, n_landmarks, metric="precomputed")

    def grams(
        self, near: Neighbors, of: Distances | None = None, *, at: IntArray | None = None
    ) -> FloatArray:
        """½(d_j² + d_l² − d_jl²) of the neighbours j, l of a point."""
        spokes = self.rows if of is None else of.rows
        spokes = spokes if at is None else spokes[at]
        return local_gram_from_distances(self.rows, near.indices, spokes)


@dataclass(frozen=True)
class Bare:
    """Points of which the number is left: the distances to them come with the new ones.

    Parameters
    ----------
    n : int
        How many.
    who : str
        The estimator, for messages.
    """

    n: int
    who: str

    @property
    def bytes_of_new(self) -> float:
        """Its distances to all points."""
        return 8.0 * self.n

    def of_new(self, X: Any, distinct: DistinctRows) -> Distances:
        """The distances from new points to the merged ones."""
        return Distances.to_merged(X, distinct, self.who)

    def nearest(self, k: int, of: Distances, *, method: str = "auto") -> Neighbors:
        """The k nearest points of new ones."""
        whole = [(slice(0, of.n), of.table())]
        return Neighbors(*nearest_in_blocks(iter(whole), of.n, min(k, self.n)))

    def table(self, of: Distances) -> FloatArray:
        """The distances from every new point to all."""
        return of.table()

    def in_reach(self, of: Distances, k: int, radius: None) -> Neighbors:
        """The k nearest points of new ones; those within a radius are not looked for."""
        return self.nearest(k, of)
