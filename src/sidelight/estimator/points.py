"""What the rows of X are: feature vectors, a table of distances, or a graph of neighbours.

Three members with the same verbs, so that no method asks which it was given.  What a member
cannot do it says itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Protocol, Self

import numpy as np
import scipy.sparse as sp

from sidelight.core import FloatArray, IntArray, is_sparse
from sidelight.neighbors import (
    DistinctRows,
    KnownDistances,
    Metric,
    Neighbors,
    check_distance_block,
    check_distances,
    check_graph,
    check_graph_block,
    check_metric,
    connect_components,
    distance_blocks,
    distinct_rows,
    edge_matrix,
    merge_copies,
    nearest_neighbors,
    nearest_stored,
    radius_neighbors,
    spread_landmarks,
)
from sidelight.neighbors.graph import lengths_of_pairs
from sidelight.similarity import (
    local_gram_from_distances,
    local_gram_from_features,
    local_gram_from_graph,
)

#: Distances below this share of the largest may be those of equal rows, rounded.
_ROUNDING = 1e-7


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


def points_of(X: Any, metric: Any, *, who: str) -> Features | Distances | Graph:
    """Read X as its metric says: rows of features, a table of distances, or a sparse graph."""
    known = check_metric(metric, who=who)
    if known != "precomputed":
        return Features(X, known, who)
    if is_sparse(X):
        return Graph(check_graph(X, who=who), who)
    return Distances(check_distances(X, who=who), who)


@dataclass(frozen=True)
class Features:
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

    @property
    def n(self) -> int:
        """How many."""
        return int(self.rows.shape[0])

    @property
    def euclidean(self) -> bool:
        """Whether the distances are those of Euclidean geometry."""
        return isinstance(self.metric, str) and self.metric == "euclidean"

    def distinct(self) -> DistinctRows:
        """Which rows are the same."""
        return distinct_rows(self.rows, metric=self.metric, who=self.who)

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
        return replace(self, rows=X)

    def nearest(self, k: int, of: Features | None = None, *, method: str = "auto") -> Neighbors:
        """The k nearest rows; a new row that is one of them is at distance zero from it."""
        queries = None if of is None else of.rows
        k = k if of is None else min(k, self.n)
        near = nearest_neighbors(
            self.rows, k, queries=queries, metric=self.metric, method=method, who=self.who
        )
        return near if of is None or self.euclidean else self._exact(near, of.rows)

    def within(self, radius: float, of: Features | None = None) -> sp.csr_array:
        """The rows within a radius."""
        queries = None if of is None else of.rows
        return radius_neighbors(
            self.rows, radius, queries=queries, metric=self.metric, who=self.who
        )

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

    def block(self, rows: slice, columns: slice | IntArray) -> FloatArray:
        """A block of the table of distances."""
        return self._distances(self.rows[columns], self.rows[rows])

    def _distances(self, rows: Any, queries: Any) -> FloatArray:
        blocks = distance_blocks(rows, queries, self.metric, who=self.who)
        return np.vstack([np.asarray(D, dtype=np.float64) for _, D in blocks])

    def connect(self, graph: sp.csr_array) -> tuple[sp.csr_array, IntArray]:
        """Join the pieces of a graph by the shortest edges that will do."""
        return connect_components(graph, self.rows, metric=self.metric, who=self.who)

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


@dataclass(frozen=True)
class Distances:
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

    def distinct(self) -> DistinctRows:
        """Which rows are at distance zero."""
        return distinct_rows(self.rows, metric="precomputed", who=self.who)

    def take(self, rows: IntArray) -> Distances:
        """Some of the points, among themselves."""
        return replace(self, rows=self.rows[np.ix_(rows, rows)])

    def merged(self, distinct: DistinctRows) -> Distances:
        """One point for all rows at distance zero."""
        return self if len(distinct.rows) == self.n else self.take(distinct.rows)

    def of_new(self, X: Any, distinct: DistinctRows) -> Distances:
        """The distances from new points to the merged ones."""
        block = check_distance_block(X, len(distinct.inverse), who=self.who, name="X")
        return replace(self, rows=block if _all(distinct) else block[:, distinct.rows])

    def nearest(self, k: int, of: Distances | None = None, *, method: str = "auto") -> Neighbors:
        """The k nearest points."""
        queries, k = (None, k) if of is None else (of.rows, min(k, self.n))
        return nearest_neighbors(
            self.rows, k, queries=queries, metric="precomputed", method=method, who=self.who
        )

    def within(self, radius: float, of: Distances | None = None) -> sp.csr_array:
        """The points within a radius."""
        queries = None if of is None else of.rows
        return radius_neighbors(
            self.rows, radius, queries=queries, metric="precomputed", who=self.who
        )

    def lengths(self, left: IntArray, right: IntArray) -> FloatArray:
        """Look up listed pairs."""
        return np.asarray(self.rows[left, right], dtype=np.float64)

    def table(self, of: Distances | None = None) -> FloatArray:
        """All distances, in double precision."""
        return np.asarray(self.rows if of is None else of.rows, dtype=np.float64)

    def block(self, rows: slice, columns: slice | IntArray) -> FloatArray:
        """A block of the table."""
        return self.rows[rows, columns]

    def connect(self, graph: sp.csr_array) -> tuple[sp.csr_array, IntArray]:
        """Join the pieces of a graph by the shortest edges that will do."""
        return connect_components(graph, self.rows, metric="precomputed", who=self.who)

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
class Graph:
    """A sparse graph: the lengths of its edges are known, and no other distance.

    Parameters
    ----------
    rows : csr_array of shape (n, n) or (m, n)
        The neighbours of every point, row by row, or those of new points.
    who : str
        The estimator, for messages.
    along : bool
        Whether a distance that the graph does not hold may be measured along it.
    """

    rows: sp.csr_array
    who: str
    along: bool = True
    metric: ClassVar[str] = "precomputed"

    @property
    def n(self) -> int:
        """How many."""
        return int(self.rows.shape[0])

    @cached_property
    def _known(self) -> KnownDistances:
        return KnownDistances.of(self.rows)

    def distinct(self) -> DistinctRows:
        """Which rows an edge of length zero joins."""
        return distinct_rows(self.rows, metric="precomputed", who=self.who)

    def take(self, rows: IntArray) -> Graph:
        """Some of the points, and the edges among them."""
        return replace(self, rows=sp.csr_array(self.rows[rows][:, rows]))

    def merged(self, distinct: DistinctRows) -> Graph:
        """One vertex for all rows at the same place, with the edges of all of them."""
        if _all(distinct):
            return self
        return replace(self, rows=merge_copies(self.rows, distinct.inverse, len(distinct.rows)))

    def of_new(self, X: Any, distinct: DistinctRows) -> Graph:
        """The edges from new points to the merged ones."""
        block = check_graph_block(X, len(distinct.inverse), who=self.who)
        if not _all(distinct):
            block = merge_copies(block, distinct.inverse, len(distinct.rows), rows=False)
        return replace(self, rows=self._recognised(block))

    def _recognised(self, block: sp.csr_array) -> sp.csr_array:
        """Join new points that have the very edges of one of these to it, at no distance.

        A graph holds no distance of a row to itself, and a training row that comes again is one.
        """
        marks = np.random.default_rng(0).standard_normal(block.shape[1])
        known, asked = self.rows @ marks, block @ marks  # equal edges give the same number
        values, first, counts = np.unique(known, return_index=True, return_counts=True)
        at = np.minimum(np.searchsorted(values, asked), len(values) - 1)
        new = np.flatnonzero((values[at] == asked) & (counts[at] == 1))
        it = first[at[new]]
        off = sp.csr_array(abs(block[new] - self.rows[it])).sum(axis=1)
        same = (off == 0) & (np.diff(block.indptr)[new] == np.diff(self.rows.indptr)[it])
        new, it = new[same], it[same]
        if not len(new):
            return block
        rows = np.concatenate([np.repeat(np.arange(block.shape[0]), np.diff(block.indptr)), new])
        columns = np.concatenate([block.indices, it])
        lengths = np.concatenate([block.data, np.zeros(len(new))])
        return edge_matrix(rows, columns, lengths, block.shape)

    def nearest(self, k: int, of: Graph | None = None, *, method: str = "auto") -> Neighbors:
        """The k nearest of the stored neighbours."""
        if of is not None:
            return Neighbors(*nearest_stored(of.rows, k))
        return nearest_neighbors(self.rows, k, metric="precomputed", method=method, who=self.who)

    def within(self, radius: float, of: Graph | None = None) -> sp.csr_array:
        """The stored neighbours within a radius."""
        queries = None if of is None else of.rows
        return radius_neighbors(
            self.rows, radius, queries=queries, metric="precomputed", who=self.who
        )

    def lengths(self, left: IntArray, right: IntArray) -> FloatArray:
        """The distances of listed pairs, along the graph where it holds no edge."""
        pairs = np.column_stack([left, right])
        return lengths_of_pairs(self.rows, pairs, metric="precomputed", who=self.who)

    def table(self, of: Graph | None = None) -> FloatArray:
        """Refuse: a graph holds the distances of neighbours alone."""
        raise ValueError(
            f"{self.who} needs the distances between all rows, and a sparse graph holds those of "
            f"neighbours alone. Take a method that starts from a graph, such as Isomap or "
            f"LaplacianEigenmaps, or give a dense table: the distances along the graph are "
            f"sidelight.similarity.geodesic.geodesic_distances(graph)."
        )

    def block(self, rows: slice, columns: slice | IntArray) -> FloatArray:
        """Refuse, as the whole table is."""
        return self.table()

    def connect(self, graph: sp.csr_array) -> tuple[sp.csr_array, IntArray]:
        """Join the pieces of a graph by stored edges."""
        return connect_components(graph, self.rows, metric="precomputed", who=self.who)

    def spread(self, n_landmarks: int) -> IntArray:
        """Points that stand for all."""
        return spread_landmarks(self.rows, n_landmarks, metric="precomputed")

    def grams(
        self, near: Neighbors, of: Graph | None = None, *, at: IntArray | None = None
    ) -> FloatArray:
        """½(d_j² + d_l² − d_jl²) from the edges that are stored, and along them where it may be."""
        known, spokes = self._known, near.distances
        if of is None:
            here = np.arange(self.n) if at is None else at
            spokes = known.between(here[:, None], near.indices)
        return local_gram_from_graph(known, near.indices, spokes, along=self.along, who=self.who)


def _all(distinct: DistinctRows) -> bool:
    return len(distinct.rows) == len(distinct.inverse)
