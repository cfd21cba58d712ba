"""Which given distances cannot all be true, by name."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import dijkstra

from sidelight.core import FloatArray, IntArray, for_walks
from sidelight.side.rows import name_rows

#: A distance may exceed a detour by this fraction of itself: rounding is no contradiction.
TOLERANCE = 1e-6

#: Edges relaxed at most, in all: about five seconds.  Beyond, the longest distances are examined.
LARGEST_SEARCH = 2e8


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A given distance that is longer than a detour by given distances, or given twice.

    Parameters
    ----------
    pair : tuple of int
        The two rows.
    value : float
        Their given distance.
    path : tuple of int
        The rows of the detour, from one end to the other; the pair itself if it was given twice.
    lengths : tuple of float
        The given distances along the detour.

    Examples
    --------
    >>> print(Contradiction((3, 7), 9.0, (3, 5, 7), (2.0, 4.0)))
    d(3, 7) = 9 > d(3, 5) + d(5, 7) = 2 + 4
    """

    pair: tuple[int, int]
    value: float
    path: tuple[int, ...]
    lengths: tuple[float, ...]

    @property
    def excess(self) -> float:
        """How much longer the distance is than the detour.

        Returns
        -------
        float
            The difference.
        """
        return self.value - sum(self.lengths)

    def __str__(self) -> str:
        given = f"d{name_rows([self.pair])}"
        if len(self.path) == 2:
            return f"{given} is given as {self.lengths[0]:g} and as {self.value:g}"
        steps = zip(self.path, self.path[1:], strict=False)
        legs = " + ".join(f"d{name_rows([step])}" for step in steps)
        sums = " + ".join(f"{length:g}" for length in self.lengths)
        return f"{given} = {self.value:g} > {legs} = {sums}"


def find_contradictions(pairs: IntArray, values: FloatArray) -> tuple[Contradiction, ...]:
    """Find the given distances that exceed a path of given distances, worst first.

    In a metric no distance is longer than a detour, so d_ij may not exceed the shortest path from
    i to j in the graph of the given pairs.

    Examples
    --------
    >>> import numpy as np
    >>> pairs = np.array([[0, 1], [0, 2], [1, 2]])
    >>> print(find_contradictions(pairs, np.array([1.0, 9.0, 2.0]))[0])
    d(0, 2) = 9 > d(0, 1) + d(1, 2) = 1 + 2
    """
    rows, ends = np.unique(pairs, return_inverse=True)
    ends = ends.reshape(-1, 2)
    order = np.lexsort((values, ends[:, 1], ends[:, 0]))
    ends, values = ends[order], values[order]
    first = np.ones(len(ends), dtype=bool)
    first[1:] = np.any(ends[1:] != ends[:-1], axis=1)
    shortest = np.flatnonzero(first)[np.cumsum(first) - 1]  # the smallest value of the same pair
    found = [
        _named(rows, ends[edge], values[edge], ends[edge], (float(values[shortest[edge]]),))
        for edge in np.flatnonzero(_exceeds(values, values[shortest]))
    ]
    found += _detours(rows, ends[first], values[first])
    return tuple(sorted(found, key=lambda contradiction: -contradiction.excess))


def _detours(rows: IntArray, ends: IntArray, values: FloatArray) -> list[Contradiction]:
    n = len(rows)
    graph = for_walks(sp.csr_array((values, (ends[:, 0], ends[:, 1])), shape=(n, n)))
    n_sources = max(1, int(LARGEST_SEARCH // max(len(ends), 1)))
    longest_first = np.argsort(-values, kind="stable")
    sources = ends[longest_first, 0]
    sources = sources[np.sort(np.unique(sources, return_index=True)[1])][:n_sources]
    found = []
    for block in np.array_split(sources, max(1, len(sources) * n // 4_000_000)):
        limit = float(values.max())
        lengths, before = dijkstra(
            graph, directed=False, indices=block, return_predecessors=True, limit=limit
        )
        place = np.full(n, -1)
        place[block] = np.arange(len(block))
        here = np.flatnonzero(place[ends[:, 0]] >= 0)
        reached = lengths[place[ends[here, 0]], ends[here, 1]]
        for edge in here[_exceeds(values[here], reached)]:
            source = place[ends[edge, 0]]
            path = [int(ends[edge, 1])]
            while path[-1] != ends[edge, 0]:
                path.append(int(before[source, path[-1]]))
            path.reverse()
            steps = tuple(np.diff(lengths[source, path]).tolist())
            found.append(_named(rows, ends[edge], values[edge], np.array(path), steps))
    return found


def _exceeds(values: FloatArray, others: FloatArray) -> FloatArray:
    return np.asarray(values - others > TOLERANCE * values)


def _named(
    rows: IntArray, ends: IntArray, value: float, path: IntArray, lengths: tuple[float, ...]
) -> Contradiction:
    i, j = rows[ends].tolist()
    return Contradiction((i, j), float(value), tuple(rows[path].tolist()), lengths)
