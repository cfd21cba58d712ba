"""Rows of features, compared by a distance that forgives transformations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from sidelight.core import FloatArray, IntArray, as_dense, evenly_spaced, require_memory
from sidelight.estimator.points.distances import Distances
from sidelight.estimator.points.features import Features
from sidelight.estimator.points.measured import Measured
from sidelight.neighbors import (
    DistinctRows,
    Neighbors,
    connect_components,
    distinct_rows,
    nearest_neighbors,
    with_edges,
)
from sidelight.transforms import Measure
from sidelight.transforms.distances import along_steps, along_steps_of_new

#: Up to so many rows all distances are computed, and neighbours are exact.
WHOLE = 2_000
#: Beyond, k neighbours are looked for among so many × k that are near in Euclidean distance, but
#: no fewer than ``_LEAST``, and among the first neighbours of the first that were found.  Of 4,000
#: digits up to affine motions 0.97 of 10 and 0.91 of 60 neighbours are found so; more rounds of the
#: second kind cost more than they find.
_CANDIDATES, _LEAST, _STEPS_ON = 3, 100, 6
#: Pairs whose distances say how much is forgiven.
_SHOWN = 500


@dataclass(frozen=True)
class Invariant(Measured):
    """Rows of features that stay what they are under a transformation.

    Parameters
    ----------
    rows : ndarray of shape (n, p)
        The features.
    measure : InvariantDistance or LearnedDistance
        What is forgiven, and how.
    who : str
        The estimator, for messages.
    paths : ndarray of shape (n, n), optional
        The reconstruction distances along paths through the rows of X.
    """

    rows: FloatArray
    measure: Measure
    who: str
    paths: FloatArray | None = None

    @classmethod
    def of(cls, X: Any, measure: Measure, *, who: str) -> Invariant:
        """The rows of X, with the paths between them where they are what distances are."""
        points = cls(as_dense(X), measure, who)
        if measure.kind != "reconstruction":
            return points
        points._require_table(points.n, n_tables=2)
        return replace(points, paths=along_steps(measure.table(points.frames)))

    @property
    def metric(self) -> Measure:
        """By which they are compared."""
        return self.measure

    @property
    def n(self) -> int:
        """How many."""
        return len(self.rows)

    @cached_property
    def frames(self) -> Any:
        """The rows with what the measure asks of each."""
        return self.measure.frames(self.rows, who=self.who)

    @cached_property
    def _all_pairs(self) -> Distances:
        """The table of all distances, as points."""
        self._require_table(self.n)
        D = self.measure.table(self.frames) if self.paths is None else self.paths
        return Distances(D, self.who)

    @property
    def _is_whole(self) -> bool:
        """Whether the table of all distances is there, or soon made."""
        return self.paths is not None or self.n <= WHOLE or "_all_pairs" in vars(self)

    @property
    def _seen(self) -> Distances | Features:
        """All distances; of many rows what is seen of them, by Euclidean distance."""
        if self._is_whole:
            return self._all_pairs
        return Features(self.frames.rows, "euclidean", self.who)

    @property
    def quick(self) -> bool:
        """Every distance is a problem of its own."""
        return False

    @property
    def features(self) -> FloatArray:
        """All rows are."""
        return self.rows

    @property
    def bytes_of_new(self) -> float:
        """Its distances to all points."""
        return 8.0 * self.n

    def bare(self) -> Invariant:
        """All rows."""
        return self

    def distinct(self) -> DistinctRows:
        """Which rows are the same."""
        return distinct_rows(self.rows, metric="euclidean", who=self.who)

    def take(self, rows: IntArray) -> Invariant:
        """Some of the rows; what is known of them is kept."""
        paths = None if self.paths is None else self.paths[np.ix_(rows, rows)]
        some = replace(self, rows=self.rows[rows], paths=paths)
        if "frames" in vars(self):
            vars(some)["frames"] = self.frames.take(rows)
        if "_all_pairs" in vars(self):
            vars(some)["_all_pairs"] = self._all_pairs.take(rows)
        return some

    def merged(self, distinct: DistinctRows) -> Invariant:
        """The distinct rows."""
        return self if len(distinct.rows) == self.n else self.take(distinct.rows)

    def of_new(self, X: Any, distinct: DistinctRows) -> Invariant:
        """New rows, seen in the same way."""
        new = Invariant(as_dense(X), self.measure, self.who)
        vars(new)["frames"] = self.measure.frames(new.rows, who=self.who, new=True)
        return new

    def seen_from(self, points: IntArray, rows: IntArray) -> Invariant:
        """Some of the rows, which are the same from everywhere."""
        return self.take(rows)

    def nearest(self, k: int, of: Invariant | None = None, *, method: str = "auto") -> Neighbors:
        """The k nearest rows: of many, among candidates that are near in Euclidean distance."""
        if method != "auto":
            raise ValueError(
                f"The 'neighbors' parameter of {self.who} has no effect with an Invariance, whose "
                f"own distance is searched by. Got {method!r}. Leave it at its default, 'auto'."
            )
        k = k if of is None else min(k, self.n)
        if of is not None and self._is_whole:
            return self._all_pairs.nearest(k, Distances(self.table(of), self.who))
        if self._is_whole:
            return self._all_pairs.nearest(k)
        found = self._ranked(self._candidates(k, of), k, of)
        # neighbours of neighbours: what a transformation has moved far apart
        steps = found.indices[:, :_STEPS_ON]
        further = self._neighbors_of(steps, found if of is None else None)
        return self._ranked(np.hstack([found.indices, further]), k, of, found)

    def _neighbors_of(self, steps: IntArray, among: Neighbors | None) -> IntArray:
        """The nearest of every row that is named, as found so far, or looked for."""
        if among is None:
            named, at = np.unique(steps, return_inverse=True)
            some = self.take(named)
            among = self._ranked(self._candidates(_STEPS_ON, some), _STEPS_ON + 1, some)
            steps = at.reshape(steps.shape)
        return among.indices[steps, :_STEPS_ON].reshape(len(steps), -1)

    def _candidates(self, k: int, of: Invariant | None = None) -> IntArray:
        count = min(max(_LEAST, _CANDIDATES * k), self.n - (of is None))
        queries = None if of is None else of.frames.rows
        rows = self.frames.rows
        return nearest_neighbors(rows, count, queries=queries, who=self.who).indices

    def _ranked(
        self, lists: IntArray, k: int, of: Invariant | None = None, known: Neighbors | None = None
    ) -> Neighbors:
        """The k nearest of the candidates, ties by index; the first of them may be known."""
        frames, done = (self if of is None else of).frames, 0
        D = np.empty(lists.shape)
        if known is not None:
            done = known.indices.shape[1]
            D[:, :done] = known.distances
        D[:, done:] = self.measure.among(frames, self.frames, lists[:, done:])
        if of is None:
            D[lists == np.arange(self.n)[:, None]] = np.inf
        by_index = np.argsort(lists, axis=1, kind="stable")
        lists = np.take_along_axis(lists, by_index, axis=1)
        D = np.take_along_axis(D, by_index, axis=1)
        D[:, 1:][lists[:, 1:] == lists[:, :-1]] = np.inf  # named twice
        order = np.argsort(D, axis=1, kind="stable")[:, :k]
        indices = np.take_along_axis(lists, order, axis=1)
        return Neighbors(indices, np.take_along_axis(D, order, axis=1), exact=False)

    def recall(self, near: Neighbors) -> float:
        """The share of the nearest that was found, of some rows."""
        if near.exact:
            return 1.0
        some = evenly_spaced(self.n, _SHOWN)
        D = self.measure.table(self.frames.take(some), self.frames)
        D[np.arange(len(some)), some] = np.inf
        k = near.indices.shape[1]
        farthest = np.partition(D, k - 1, axis=1)[:, k - 1 : k] * (1.0 + 1e-6)
        return float(np.mean(near.distances[some] <= farthest))

    def within(self, radius: float, of: Invariant | None = None) -> sp.csr_array:
        """The rows within a radius."""
        return self._all_pairs.within(radius, None if of is None else self._to_all(of))

    def lengths(self, left: IntArray, right: IntArray) -> FloatArray:
        """The distances of listed pairs."""
        if self._is_whole:
            return self._all_pairs.lengths(left, right)
        return self.measure.of_pairs(self.frames, left, right)

    def table(self, of: Invariant | None = None) -> FloatArray:
        """All distances."""
        if of is None:
            return self._all_pairs.rows
        self._require_table(of.n)
        D = self.measure.table(of.frames, self.frames)
        return D if self.paths is None else along_steps_of_new(D, self.paths)

    def remoteness(self, counts: IntArray) -> FloatArray:
        """What stands for the squared distance from the mean, by all distances."""
        return self._all_pairs.remoteness(counts)

    def block(self, rows: slice, columns: slice | IntArray) -> FloatArray:
        """A block of the table."""
        if self._is_whole:
            return self._all_pairs.block(rows, columns)
        return self.measure.table(self.frames.take(rows), self.frames.take(columns))

    def connect(self, graph: sp.csr_array) -> tuple[sp.csr_array, IntArray]:
        """Join the pieces of a graph by the shortest edges; of many rows, those so seen."""
        if self._is_whole:
            return self._all_pairs.connect(graph)
        _, joins = connect_components(graph, self.frames.rows, metric="euclidean", who=self.who)
        i, j = joins.T
        return with_edges(graph, i, j, self.lengths(i, j)), joins

    def shortest_way(self, members: IntArray, goals: IntArray) -> tuple[int, int]:
        """The closest pair of a member and a goal."""
        return self._seen.shortest_way(members, goals)

    def spread(self, n_landmarks: int) -> IntArray:
        """Rows that stand for all."""
        return self._seen.spread(n_landmarks)

    def grams(
        self, near: Neighbors, of: Invariant | None = None, *, at: IntArray | None = None
    ) -> FloatArray:
        """½(d_j² + d_l² − d_jl²) of the neighbours j, l of a row."""
        named = near.indices
        m, k = named.shape
        if of is None:
            here = np.arange(self.n) if at is None else at
            spokes = self.lengths(np.repeat(here, k), named.ravel()).reshape(m, k)
        else:
            spokes = near.distances
        left, right = np.repeat(named, k, axis=1).ravel(), np.tile(named, (1, k)).ravel()
        apart = self.lengths(left, right).reshape(m, k, k)
        squares = spokes**2
        return np.asarray((squares[:, :, None] + squares[:, None, :] - apart**2) / 2)

    def said(self) -> str:
        """What was forgiven, in words."""
        kind = self.measure.kind
        done = f"compared by the {kind} distance, which forgives {self.measure.forgiven}"
        if kind == "correction":
            return done
        left = evenly_spaced(self.n, _SHOWN)
        right = np.roll(left, len(left) // 2)
        plain = np.linalg.norm(self.rows[left] - self.rows[right], axis=1)
        some = plain > 0
        shares = self.lengths(left[some], right[some]) / plain[some]
        if not len(shares):
            return done
        return f"{done}: rows are {np.median(shares):.2f} of their Euclidean distance apart"

    def _to_all(self, of: Invariant) -> Distances:
        return Distances(self.table(of), self.who)

    def _require_table(self, n_rows: int, n_tables: int = 1) -> None:
        require_memory(
            8.0 * n_tables * n_rows * self.n,
            what=f"the {n_rows} × {self.n} table of distances that forgive a transformation",
            who=self.who,
            instead="Fit a sample of the rows and transform() the others.",
        )
