"""Looking up distances where only those along the edges of a graph are known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import dijkstra

from sidelight.core import FloatArray, IntArray, for_walks, row_blocks
from sidelight.neighbors.edges import symmetric_graph
from sidelight.solvers.paths import shortest_paths_from


@dataclass(frozen=True)
class KnownDistances:
    """The distances that a neighbourhood graph holds.

    Parameters
    ----------
    graph : csr_array of shape (n, n)
        Symmetric, the lengths of the edges.
    codes : ndarray of shape (n_entries,)
        n·i + j of every entry, ascending.
    """

    graph: sp.csr_array
    codes: IntArray

    @classmethod
    def of(cls, graph: sp.csr_array) -> KnownDistances:
        """Prepare a graph for being asked."""
        n = graph.shape[0]
        rows = np.repeat(np.arange(n), np.diff(graph.indptr))
        both = symmetric_graph(rows, graph.indices, graph.data, n)
        rows = np.repeat(np.arange(n, dtype=np.int64), np.diff(both.indptr))
        return cls(both, rows * n + both.indices)

    def between(self, left: IntArray, right: IntArray) -> FloatArray:
        """Look up the distances of pairs.

        Examples
        --------
        >>> import numpy as np, scipy.sparse as sp
        >>> known = KnownDistances.of(sp.csr_array(np.diag([1.0, 2.0], 1)))
        >>> known.between(np.array([1, 0, 2]), np.array([0, 2, 2]))
        array([ 1., nan,  0.])
        """
        wanted = left.astype(np.int64) * self.graph.shape[0] + right
        place = np.minimum(np.searchsorted(self.codes, wanted), len(self.codes) - 1)
        found = np.where(self.codes[place] == wanted, self.graph.data[place], np.nan)
        return np.where(np.equal(left, right), 0.0, found)

    def along(self, left: IntArray, right: IntArray, *, limit: float = np.inf) -> FloatArray:
        """Measure pairs along the graph.

        Examples
        --------
        >>> import numpy as np, scipy.sparse as sp
        >>> known = KnownDistances.of(sp.csr_array(np.diag([1.0, 2.0], 1)))
        >>> known.along(np.array([0]), np.array([2]))
        array([3.])
        """
        sources, place = np.unique(left, return_inverse=True)
        lengths = np.empty(len(left))
        graph = for_walks(self.graph)
        for block in row_blocks(len(sources), 16.0 * self.graph.shape[0]):
            D = dijkstra(graph, indices=sources[block], limit=limit)
            here = np.flatnonzero((place >= block.start) & (place < block.stop))
            lengths[here] = D[place[here] - block.start, right[here]]
        return lengths

    def among(self, rows: IntArray) -> FloatArray:
        """Measure some rows along the graph, each to each.

        Examples
        --------
        >>> import numpy as np, scipy.sparse as sp
        >>> known = KnownDistances.of(sp.csr_array(np.diag([1.0, 2.0], 1)))
        >>> known.among(np.array([0, 2])).tolist()
        [[0.0, 3.0], [3.0, 0.0]]
        """
        table = np.empty((len(rows), len(rows)), dtype=np.float32)
        for block in row_blocks(len(rows), 4.0 * self.graph.shape[0], budget=1e8):
            table[block] = shortest_paths_from(self.graph, rows[block], dtype=np.float32)[:, rows]
        return table
