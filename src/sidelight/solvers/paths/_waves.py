"""Shortest paths from many sources, batch by batch: which sources go together, and in threads.

Batches of sources are solved at once, one source per lane of a vector (64 lanes in single
precision, 32 in double), by correcting labels until no edge can lower any.  It is fast if nearly
every node is visited once, which takes an order of the nodes that suits all sources of a batch:

1. A first batch of landmarks, spread over the graph, is swept to and fro in breadth-first order
   from the rim.
2. Distances to the landmarks are coordinates of the nodes; a k-d tree on their principal axes
   puts sources that lie close together into one batch.
3. The wave of such a batch arrives about in breadth-first order from its sources.  Nodes are
   visited in that order, with repeated passes over a short window of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from sidelight.core import FloatArray, IntArray, Threads, count_threads, evenly_spaced, report

_SPARSE = 5
"""Sources that are fewer than one node in so many lie too far apart for compact batches."""

_BATCHES_PER_CALL = 8
"""Batches between two reports of progress, or two chances to interrupt, at most."""

_PRINCIPAL_AXES = 8
"""Axes that the k-d tree splits; curved manifolds bend the coordinates into more than their own."""


@dataclass(frozen=True)
class Waves:
    """A graph ready for the compiled kernels.

    Nodes are relabelled in breadth-first order from the rim, so that neighbours lie close together
    in memory; ``label[i]`` is the new number of node i and ``node[label]`` the old one.
    """

    indptr: IntArray
    indices: IntArray
    weights: FloatArray
    label: IntArray
    node: IntArray
    n_lanes: int
    n_threads: int

    @classmethod
    def through(cls, graph: sp.csr_array, dtype: np.dtype[Any], n_jobs: int | None) -> Waves:
        """Prepare a symmetric graph for arithmetic in ``dtype``."""
        from sidelight.solvers.paths._compiled import ROW_BYTES, breadth_first_order

        n = graph.shape[0]
        indptr, indices = graph.indptr.astype(np.int64), graph.indices.astype(np.int32)
        label, node = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
        # what is found last from anywhere lies on the rim
        breadth_first_order(indptr, indices, 0, node, label)
        breadth_first_order(indptr, indices, int(node[-1]), node, label)
        degrees = np.diff(indptr)[node]
        starts = np.append(0, np.cumsum(degrees))
        edges = np.repeat(indptr[node] - starts[:-1], degrees) + np.arange(starts[-1])
        return cls(
            indptr=starts,
            indices=label[indices[edges]],
            weights=graph.data[edges].astype(dtype),
            label=label,
            node=node,
            n_lanes=ROW_BYTES // dtype.itemsize,
            n_threads=count_threads(n_jobs, who="shortest paths"),
        )

    def from_every_node(self, out: FloatArray) -> None:
        """Fill the symmetric table of distances between all nodes."""
        from sidelight.solvers.paths._compiled import BLOCK, symmetrise

        nodes = np.arange(len(out))[:, None]
        self.from_entries(nodes, np.zeros(nodes.shape, dtype=out.dtype), out)
        n_blocks = -(-len(out) // BLOCK)
        with Threads(self.n_threads) as threads:
            threads.run([(symmetrise, (out, first, first + 1)) for first in range(n_blocks)])

    def from_entries(self, entries: IntArray, lengths: FloatArray, out: FloatArray) -> None:
        """Fill one row of distances per source, joined to the graph by its entries."""
        door = entries[np.arange(len(out)), lengths.argmin(axis=1)]
        compact = len(out) * _SPARSE >= len(self.node)
        if compact:
            rows = _compact_order(self._distances_to_landmarks()[:, door].T, self.n_lanes)
        else:
            rows = np.argsort(self.label[door], kind="stable")

        def advance(n_done: int) -> None:
            report("shortest paths", n_done, len(out))

        self._solve(entries, lengths, rows, compact, out, advance)

    def _distances_to_landmarks(self) -> FloatArray:
        """Distances from one batch of nodes, spread evenly over the breadth-first order."""
        n = len(self.node)
        landmarks = self.node[evenly_spaced(n, self.n_lanes)]
        entries = landmarks[:, None].astype(np.intp)
        out = np.empty((len(landmarks), n), dtype=self.weights.dtype)
        lengths = np.zeros(entries.shape, dtype=out.dtype)
        self._solve(entries, lengths, np.arange(len(out)), False, out)
        return out

    def _solve(
        self,
        entries: IntArray,
        lengths: FloatArray,
        rows: IntArray,
        compact: bool,
        out: FloatArray,
        advance: Callable[[int], None] | None = None,
    ) -> None:
        """Fill the rows of ``out`` in batches of successive ``rows``."""
        from sidelight.solvers.paths._compiled import solve_batches

        graph = (self.indptr, self.indices, self.weights, self.label)
        sources = (entries, lengths.astype(out.dtype), rows, compact)
        n_batches = -(-len(rows) // self.n_lanes)
        # few batches in a large graph are shared among the threads, too
        per_call = max(1, min(_BATCHES_PER_CALL, n_batches // (4 * self.n_threads)))
        calls = []
        for first in range(0, n_batches, per_call):
            last = min(first + per_call, n_batches)
            calls.append((solve_batches, (*graph, *sources, first, last, out)))

        def advance_by_calls(n_done: int) -> None:
            if advance is not None:
                advance(min(n_done * per_call * self.n_lanes, len(rows)))

        with Threads(self.n_threads) as threads:
            threads.run(calls, advance_by_calls)


def _compact_order(coordinates: FloatArray, leaf: int) -> IntArray:
    """Order rows by a k-d tree on their principal axes, whose leaves hold ``leaf`` rows."""
    finite = np.isfinite(coordinates)
    longest = coordinates.max(where=finite, initial=0)
    points = np.where(finite, coordinates / (longest or 1), 2)  # a unit that cannot overflow
    points = points - points.mean(axis=0)
    _, axes = np.linalg.eigh(points.T @ points)
    points = points @ axes[:, -_PRINCIPAL_AXES:]
    leaves = []
    pending = [np.arange(len(points))]
    while pending:
        rows = pending.pop()
        if len(rows) <= leaf:
            leaves.append(rows)
            continue
        middle = (len(rows) // leaf + 1) // 2 * leaf
        cell = points[rows]
        widest = (cell.max(axis=0) - cell.min(axis=0)).argmax()
        rows = rows[np.argpartition(cell[:, widest], middle - 1)]
        pending += [rows[middle:], rows[:middle]]
    return np.concatenate(leaves)
