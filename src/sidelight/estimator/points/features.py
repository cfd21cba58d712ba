"""Rows of features, compared by a metric."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from sidelight.core import FloatArray, IntArray, is_sparse
from sidelight.estimator.points.measured import Measured
from sidelight.estimator.points.remoteness import remoteness_by_distances, remoteness_of_vectors
from sidelight.neighbors import (
    DistinctRows,
    Metric,
    Neighbors,
    distance_blocks,
    find_distinct,
    find_nearest,
    find_within,
    join_pieces,
    recall_of,
    spread_landmarks,
)
from sidelight.neighbors.graph import lengths_of_pairs
from sidelight.similarity import local_gram_from_features

#: Distances below this share of the largest may be those of equal rows, rounded.
_ROUNDING = 1e-7
#: Numbers that are kept of a new row beside its features, about: thirty neighbours, their products.
_BESIDE = 2000


@dataclass(frozen=True)
class Features(Measured):
    """Rows of features, compared by a metric.

    Parameters
    ----------
    rows : array or sparse array of shape (n, p)
        The features.
    metric : str or callable
        A checked metric.
    who : str
        The estimator, for messages.
    """

    rows: Any
    metric: Metric
    who: str

    @classmethod
    def of(cls, X: Any, metric: Metric, who: str) -> Features:
        """Checked rows, stored as searches take them."""
        return cls(sp.csr_array(X) if is_sparse(X) else np.ascontiguousarray(X), metric, who)

    @property
    def n(self) -> int:
        """How many."""
        return int(self.rows.shape[0])

    @property
    def euclidean(self) -> bool:
        """Whether the distances are those of Euclidean geometry."""
        return isinstance(self.metric, str) and self.metric == "euclidean"

    @property
    def features(self) -> Any:
        """All rows are."""
        return self.rows

    @property
    def vectors(self) -> Any:
        """The rows, if they are compared as such."""
        return self.rows if self.euclidean else None

    @property
    def bytes_of_new(self) -> float:
        """Its features, and its neighbours with what is made of them: the search has blocks."""
        return 8.0 * float(self.rows.shape[1] + _BESIDE)

    def bare(self) -> Features:
        """All rows."""
        return self

    def as_vectors(self) -> Features:
        """The rows, compared by Euclidean distance."""
        return replace(self, metric="euclidean")

    def distinct(self) -> DistinctRows:
        """Which rows are the same."""
        return find_distinct(self.rows, self.metric)

    def take(self, rows: IntArray) -> Features:
        """Some of the rows."""
        return replace(self, rows=self.rows[rows])

    def merged(self, distinct: DistinctRows) -> Features:
        """The distinct rows."""
        return self if len(distinct.rows) == self.n else self.take(distinct.rows)

    def of_new(self, X: Any, distinct: DistinctRows) -> Features:
        """New rows, sparse where the points are."""
        if is_sparse(X) != is_sparse(self.rows):
            X = X.toarray() if is_sparse(X) else sp.csr_array(X)
        return Features.of(X, self.metric, self.who)

    def seen_from(self, points: IntArray, rows: IntArray) -> Features:
        """Some of the rows, which are the same from everywhere."""
        return self.take(rows)

    def nearest(self, k: int, of: Features | None = None, *, method: str = "auto") -> Neighbors:
        """The k nearest rows; a new row that is one of them is at distance zero from it."""
        how: Any = {"metric": self.metric, "method": method, "who": self.who}
        if of is None:
            return find_nearest(self.rows, k, None, **how)
        if self.euclidean:
            return find_nearest(self.rows, min(k, self.n), of.rows, **how)
        # two, to see whether there is one row alone at no distance
        near = find_nearest(self.rows, min(max(k, 2), self.n), of.rows, **how)
        near = self._own_first(self._exact(near, of.rows), of.rows)
        return Neighbors(near.indices[:, :k], near.distances[:, :k])

    def recall(self, near: Neighbors) -> float:
        """The share of the nearest that a search has found."""
        return recall_of(near, self.rows, metric=self.metric, who=self.who)

    def within(self, radius: float, of: Features | None = None) -> sp.csr_array:
        """The rows within a radius."""
        queries = None if of is None else of.rows
        return find_within(self.rows, radius, queries, metric=self.metric, who=self.who)

    def lengths(self, left: IntArray, right: IntArray) -> FloatArray:
        """The distances of listed pairs."""
        pairs = np.column_stack([left, right])
        return lengths_of_pairs(self.rows, pairs, metric=self.metric, who=self.who)

    def table(self, of: Features | None = None) -> FloatArray:
        """All distances, in double precision; of Euclidean rows relative to their mean."""
        rows, queries = self.rows, self.rows if of is None else of.rows
        if self.euclidean and not is_sparse(rows):
            # products of numbers far from zero would lose what differs between rows
            middle = rows.mean(axis=0, dtype=np.float64)
            rows, queries = rows - middle, queries - middle
        return self._distances(rows, queries)

    def remoteness(self, counts: IntArray) -> FloatArray:
        """‖x_i − x̄‖², or what stands for it where rows are compared otherwise."""
        if self.euclidean:
            return remoteness_of_vectors(self.rows, counts)
        blocks = distance_blocks(self.rows, None, self.metric, who=self.who)
        return remoteness_by_distances(blocks, counts)

    def block(self, rows: slice, columns: slice | IntArray) -> FloatArray:
        """A block of the table of distances."""
        return self._distances(self.rows[columns], self.rows[rows])

    def _distances(self, rows: Any, queries: Any) -> FloatArray:
        blocks = distance_blocks(rows, queries, self.metric, who=self.who)
        return np.vstack([np.asarray(D, dtype=np.float64) for _, D in blocks])

    def connect(self, graph: sp.csr_array) -> tuple[sp.csr_array, IntArray]:
        """Join the pieces of a graph by the shortest edges that will do."""
        return join_pieces(graph, self.rows, metric=self.metric, who=self.who)

    def shortest_way(self, members: IntArray, goals: IntArray) -> tuple[int, int]:
        """The closest pair of a member and a goal."""
        near = self.take(goals).nearest(1, self.take(members))
        row = int(np.argmin(near.distances[:, 0]))
        return int(members[row]), int(goals[near.indices[row, 0]])

    def spread(self, n_landmarks: int) -> IntArray:
        """Rows that stand for all."""
        return spread_landmarks(self.rows, n_landmarks, metric=self.metric)

    def grams(
        self, near: Neighbors, of: Features | None = None, *, at: IntArray | None = None
    ) -> FloatArray:
        """⟨x_j − x, x_l − x⟩ of the neighbours j, l of x."""
        centres = self.rows if of is None else of.rows
        centres = centres if at is None else centres[at]
        return local_gram_from_features(self.rows, near.indices, centres)

    def _own_first(self, near: Neighbors, queries: Any) -> Neighbors:
        """Of several rows at no distance, between which the metric sees none, the row itself."""
        asked = np.flatnonzero((near.distances == 0).sum(axis=1) > 1)
        if not len(asked):
            return near
        together = [self.rows, queries[asked]]
        rows = sp.csr_array(sp.vstack(together)) if is_sparse(self.rows) else np.vstack(together)
        distinct = find_distinct(rows, "euclidean")
        own = distinct.rows[distinct.inverse[self.n :]]
        asked, own = asked[own < self.n], own[own < self.n]
        indices = near.indices.copy()
        there = indices[asked] == own[:, None]
        # where it is not among them, all of them are at no distance, and the last gives way
        place = np.where(there.any(axis=1), there.argmax(axis=1), indices.shape[1] - 1)
        indices[asked, place] = indices[asked, 0]
        indices[asked, 0] = own
        return Neighbors(indices, near.distances)

    def _exact(self, near: Neighbors, queries: Any) -> Neighbors:
        """Some metrics leave rounding between equal rows, where there is no distance at all."""
        indices, distances = near.indices, near.distances.copy()
        suspects = distances <= _ROUNDING * max(float(distances.max(initial=0.0)), 0.0)
        row, column = np.nonzero(suspects & (distances != 0))
        here, there = queries[row], self.rows[indices[row, column]]
        if is_sparse(there):
            here, there = here.toarray(), there.toarray()
        same = (here == there).all(axis=1)
        distances[row[same], column[same]] = 0.0
        order = np.argsort(distances, axis=1, kind="stable")
        return Neighbors(
            np.take_along_axis(indices, order, axis=1),
            np.take_along_axis(distances, order, axis=1),
        )
