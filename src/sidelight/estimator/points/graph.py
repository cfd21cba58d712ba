"""A sparse graph of neighbours: the lengths of its edges are known, and no other distance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from sidelight.core import FloatArray, IntArray
from sidelight.estimator.points.protocol import all_distinct
from sidelight.neighbors import (
    DistinctRows,
    KnownDistances,
    Neighbors,
    check_graph_block,
    edge_matrix,
    find_distinct,
    find_nearest,
    find_within,
    join_pieces,
    merge_copies,
    nearest_stored,
    recall_of,
    spread_landmarks,
)
from sidelight.neighbors.graph import lengths_of_pairs
from sidelight.similarity import local_gram_from_graph


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

    @property
    def compared(self) -> tuple[Any, Any]:
        """The rows and their metric."""
        return self.rows, self.metric

    @property
    def bytes_of_new(self) -> float:
        """Its distances to all points."""
        return 8.0 * self.n

    def bare(self) -> Graph:
        """All edges."""
        return self

    def distinct(self) -> DistinctRows:
        """Which rows an edge of length zero joins."""
        return find_distinct(self.rows, self.metric)

    def take(self, rows: IntArray) -> Graph:
        """Some of the points, and the edges among them."""
        return replace(self, rows=sp.csr_array(self.rows[rows][:, rows]))

    def merged(self, distinct: DistinctRows) -> Graph:
        """One vertex for all rows at the same place, with the edges of all of them."""
        if all_distinct(distinct):
            return self
        return replace(self, rows=merge_copies(self.rows, distinct.inverse, len(distinct.rows)))

    def of_new(self, X: Any, distinct: DistinctRows) -> Graph:
        """The edges from new points to the merged ones."""
        block = check_graph_block(X, len(distinct.inverse), who=self.who)
        if not all_distinct(distinct):
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
        return find_nearest(self.rows, k, metric=self.metric, method=method, who=self.who)

    def recall(self, near: Neighbors) -> float:
        """The share of the nearest that a search has found."""
        return recall_of(near, self.rows, metric=self.metric, who=self.who)

    def within(self, radius: float, of: Graph | None = None) -> sp.csr_array:
        """The stored neighbours within a radius."""
        queries = None if of is None else of.rows
        return find_within(self.rows, radius, queries, metric=self.metric, who=self.who)

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
        return join_pieces(graph, self.rows, metric=self.metric, who=self.who)

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
