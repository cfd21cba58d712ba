"""A sparse graph of neighbours: the lengths of its edges are known, and no other distance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NoReturn

import numpy as np
import scipy.sparse as sp

from sidelight.core import BoolArray, DisconnectedGraphError, FloatArray, IntArray, counted
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
    spread_landmarks,
)
from sidelight.similarity import geodesic_distances, local_gram_from_graph


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
    def complete(self) -> bool:
        """The distances of neighbours alone are known."""
        return False

    @property
    def quick(self) -> bool:
        """Those of other points are not there at all."""
        return False

    @property
    def features(self) -> None:
        """None are known."""
        return

    @property
    def vectors(self) -> None:
        """None are known."""
        return

    @property
    def bytes_of_new(self) -> float:
        """Its distances to all points."""
        return 8.0 * self.n

    def bare(self) -> Graph:
        """All edges."""
        return self

    def require_all_pairs(self, refusal: str = "") -> NoReturn:
        """Refuse: a graph holds the distances of neighbours alone."""
        raise ValueError(
            refusal
            or f"{self.who} needs the distances between all rows, and a sparse graph holds those "
            f"of neighbours alone. Take a method that starts from a graph, such as Isomap or "
            f"LaplacianEigenmaps, or give a dense table: the distances along the graph are "
            f"sidelight.similarity.geodesic.geodesic_distances(graph)."
        )

    def as_vectors(self) -> Graph:
        """A graph is none."""
        return self

    def known_alone(self) -> Graph:
        """The same, with no distances but those it holds."""
        return replace(self, along=False)

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

    def as_new(self, rows: IntArray) -> Graph:
        """Some of the points as if they were new, with the edges that they have."""
        return replace(self, rows=self.rows[rows])

    def seen_from(self, points: IntArray, rows: IntArray) -> Graph:
        """The edges from some of the new points to some of the points."""
        return replace(self, rows=self.rows[rows][:, points])

    def reaches(self, points: IntArray) -> BoolArray:
        """Which of the new points an edge joins to one of the points."""
        return np.asarray(np.diff(self.rows[:, points].indptr) > 0)

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

    def recall(self, near: Any) -> float:
        """All that are stored are found."""
        return 1.0

    def within(self, radius: float, of: Graph | None = None) -> sp.csr_array:
        """The stored neighbours within a radius."""
        queries = None if of is None else of.rows
        return find_within(self.rows, radius, queries, metric=self.metric, who=self.who)

    def in_reach(self, of: Graph, k: int | None, radius: float | None) -> Neighbors:
        """The stored neighbours of new points, the k nearest of them or those within a radius."""
        return Neighbors(*nearest_stored(of.rows, k, radius=np.inf if radius is None else radius))

    def lengths(self, left: IntArray, right: IntArray) -> FloatArray:
        """The distances of listed pairs, along the graph where it holds no edge."""
        lengths = self._known.between(left, right)
        unknown = np.isnan(lengths)
        lengths[unknown] = self._known.along(left[unknown], right[unknown])
        return lengths

    def table(self, of: Graph | None = None) -> FloatArray:
        """Refuse, as all are that need it."""
        self.require_all_pairs()

    def along_paths(self) -> FloatArray:
        """All distances along the graph."""
        return geodesic_distances(self.rows, who=self.who)

    def remoteness(self, counts: IntArray) -> FloatArray:
        """Refuse, as the table is: far points tell the mean."""
        return self.table()

    def block(self, rows: slice, columns: slice | IntArray) -> FloatArray:
        """Refuse, as the whole table is."""
        return self.table()

    def connect(self, graph: sp.csr_array) -> tuple[sp.csr_array, IntArray]:
        """Join the pieces of a graph by stored edges."""
        return join_pieces(graph, self.rows, metric=self.metric, who=self.who)

    def shortest_way(self, members: IntArray, goals: IntArray) -> tuple[int, int]:
        """The shortest edge, in either direction, between a member and a goal."""
        forth = sp.coo_array(self.rows[members][:, goals])
        back = sp.coo_array(self.rows[goals][:, members])
        one, other = np.append(forth.row, back.col), np.append(forth.col, back.row)
        if not len(one):
            raise DisconnectedGraphError(
                f"The graph given to {self.who} has no edge out of a set of "
                f"{counted(len(members), 'point')} with all neighbours within the set, and would "
                f"collapse. Give a graph with more edges."
            )
        shortest = int(np.argmin(np.append(forth.data, back.data)))
        return int(members[one[shortest]]), int(goals[other[shortest]])

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
