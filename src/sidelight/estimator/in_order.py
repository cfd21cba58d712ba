"""Rows that follow one another: which points are adjacent, if their order shows in the data.

The order is judged by the data alone: adjacent rows must be nearer to one another than rows that
are drawn at random, by four standard errors.  An order that is shuffled is not, and nothing is made
of it.  Of a graph method the map is the judge besides: where adjacent rows are no nearer in the one
that was told of their order than in the one that was not, nothing is made of it, either.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from sidelight.core import FloatArray, IntArray
from sidelight.estimator.points import Points
from sidelight.neighbors import DistinctRows, edge_matrix


@dataclass(frozen=True)
class OrderSettings:
    """When an order is believed; experiments/informed/rows_in_order.py shows true and shuffled.

    Parameters
    ----------
    surely : float
        Standard errors by which adjacent rows must be nearer than others.
    few : int
        With fewer adjacent pairs nothing is said.
    against : int
        Random pairs that each adjacent pair is compared with.
    """

    surely: float = 4.0
    few: int = 8
    against: int = 10


@dataclass(frozen=True)
class InOrder:
    """Adjacent points, and what became of the Sequence that says so.

    Parameters
    ----------
    pairs : ndarray of shape (m, 2)
        Points that follow one another, each pair once; none where the order does not show.
    said : str
        In words.
    """

    pairs: IntArray
    said: str

    def among(self, number: IntArray) -> InOrder:
        """The same of some of the points, which have other numbers now, and the others none, −1."""
        pairs = number[self.pairs]
        return InOrder(pairs[np.all(pairs >= 0, axis=1)], self.said)


NOTHING_IN_ORDER = InOrder(np.empty((0, 2), dtype=np.intp), "")


#: What is said where the map is left as it is.
NO_NEARER = "not used: adjacent rows are no nearer in the map with it"


def in_order(
    sequence: Any,
    points: Points,
    distinct: DistinctRows,
    *,
    settings: OrderSettings | None = None,
) -> InOrder:
    """Find the distinct points that follow one another, where the data show that they do.

    ``points`` are the distinct ones.
    """
    settings = settings or OrderSettings()
    if sequence is None:
        return NOTHING_IN_ORDER
    points.require_all_pairs(
        f"{points.who} cannot listen to a Sequence where a sparse graph is given: how far apart "
        f"adjacent rows are is known of stored edges alone. Add them to the graph."
    )
    ends = distinct.inverse[sequence.adjacent(len(distinct.inverse))]
    pairs = np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1), axis=0)
    m, n = len(pairs), points.n
    if m < settings.few:
        return InOrder(
            NOTHING_IN_ORDER.pairs, f"not used: {m} adjacent pairs of different rows are too few"
        )
    rng = np.random.default_rng(0)
    left = rng.integers(0, n, settings.against * m)
    right = (left + rng.integers(1, n, len(left))) % n
    apart, others = points.lengths(*pairs.T), points.lengths(left, right)
    spread = float(others.std())
    sure = (float(others.mean()) - float(apart.mean())) * np.sqrt(m) / spread if spread else 0.0
    share = float(apart.mean() / others.mean()) if others.any() else 1.0
    if sure <= settings.surely:
        return InOrder(
            NOTHING_IN_ORDER.pairs,
            f"not used: adjacent rows are no nearer than others ({share:.0%} of their distance)",
        )
    return InOrder(pairs, f"{m} adjacent pairs, at {share:.0%} of the distance of others")


def rows_in_order(sequence: Any, points: Points) -> InOrder:
    """Find the rows that follow one another, copies included, where the data show that they do."""
    if sequence is None:
        return NOTHING_IN_ORDER
    distinct = points.distinct()
    found = in_order(sequence, points.merged(distinct), distinct)
    return replace(found, pairs=sequence.adjacent(points.n)) if len(found.pairs) else found


def nearer_in(found: Any, plain: Any, order: InOrder, rows: IntArray) -> bool:
    """Say whether adjacent points are nearer in a map that was told so than in one that was not.

    ``rows`` are those of the distinct points.
    """
    here, there = (_ratio(each.points[rows], order.pairs) for each in (found, plain))
    return here < there or not np.isfinite(there)


def _ratio(Z: FloatArray, pairs: IntArray) -> float:
    """The mean square of adjacent points' distances, relative to that of any two."""
    moves, away = Z[pairs[:, 0]] - Z[pairs[:, 1]], Z - Z.mean(axis=0)
    spread = float(np.einsum("ij,ij->", away, away)) / len(Z)
    return float(np.einsum("ij,ij->", moves, moves)) / len(pairs) / (2 * spread or 1.0)


def with_adjacent(
    graph: sp.csr_array, arrows: sp.csr_array, pairs: IntArray, lengths: FloatArray
) -> tuple[sp.csr_array, sp.csr_array]:
    """Let adjacent points be neighbours: edges of a symmetric graph, and arrows both ways.

    Examples
    --------
    >>> import numpy as np
    >>> line = edge_matrix(np.array([0, 1]), np.array([1, 0]), np.array([2.0, 2.0]), (3, 3))
    >>> both = with_adjacent(line, line, np.array([[0, 1], [1, 2]]), np.array([2.0, 5.0]))
    >>> [each.toarray().tolist()[1] for each in both]
    [[2.0, 0.0, 5.0], [2.0, 0.0, 5.0]]
    """
    if not len(pairs):
        return graph, arrows
    return _joined(graph, pairs, lengths), _joined(arrows, pairs, lengths)


def _joined(graph: sp.csr_array, pairs: IntArray, lengths: FloatArray) -> sp.csr_array:
    n = graph.shape[0]
    rows = np.concatenate(
        [np.repeat(np.arange(n), np.diff(graph.indptr)), pairs[:, 0], pairs[:, 1]]
    )
    columns = np.concatenate([graph.indices, pairs[:, 1], pairs[:, 0]]).astype(np.int64)
    values = np.concatenate([graph.data, lengths, lengths])
    first = np.unique(rows * n + columns, return_index=True)[1]  # what is there already stays
    return edge_matrix(rows[first], columns[first], values[first], (n, n))
