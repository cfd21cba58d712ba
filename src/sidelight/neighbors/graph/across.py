"""The nearest row of another piece: by trees, by products, by blocks of any metric, or nearly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
from scipy.spatial import cKDTree

from sidelight.core import Call, FloatArray, IntArray, Threads, report, row_blocks, shares
from sidelight.neighbors.checked_rows import Points
from sidelight.neighbors.metrics import Metric, distance_blocks, euclidean_rows, is_euclidean
from sidelight.neighbors.nearest import AFFORDABLE
from sidelight.neighbors.pair_distances import pair_distances
from sidelight.neighbors.search import (
    SMALL,
    cells_of,
    certain_within,
    exact_nearest,
    narrow,
    nearest_in_blocks,
    prefers_tree,
    rounding,
    scale_of,
)

#: Asks for the nearest row of another piece.  Given rows, the pieces of all rows, and the length of
#: the shortest edge that each piece is known to have: who that is and how far.  A row that is
#: certain to be farther from all of them may answer -1, and a distance that is too short.
SearchAcross: TypeAlias = Callable[[IntArray, IntArray, FloatArray], tuple[IntArray, FloatArray]]

_STAGE = "rows nearest across pieces"
_TILE = 2048
#: Rows of a cell where cells stand for their rows.
_CELL = 128
#: A lower bound is lowered by this share, for what float64 rounds.
_ROUNDING = 1e-12


def search_across(
    X: Points, metric: Metric, n_asked: int, *, threads: int, who: str
) -> tuple[SearchAcross, bool]:
    """Choose how to find the nearest row of another piece; and whether that is exact.

    Nearly the nearest will do where some rows would have to be compared with all at a cost beyond
    that of an exact search for neighbours.
    """
    if not is_euclidean(metric):
        return partial(_in_blocks, X, metric, who), True
    rows, _ = euclidean_rows(X, None, metric, who=who)
    if prefers_tree(rows):
        return partial(_by_trees, rows, threads), True
    if not isinstance(rows, np.ndarray) or rows.shape[0] <= SMALL:
        return partial(_by_table, rows), True
    # a symmetric table would serve both its rows and its columns
    if 2.0 * n_asked * rows.shape[0] * rows.shape[1] > AFFORDABLE:
        return NearCells.of(rows, threads), False
    return Products.of(rows, threads), True


def _in_blocks(
    X: Points, metric: Metric, who: str, asked: IntArray, labels: IntArray, shortest: FloatArray
) -> tuple[IntArray, FloatArray]:
    def forbid(block: slice, values: FloatArray) -> None:
        values[labels[asked[block], None] == labels] = np.inf
        report(_STAGE, block.stop, len(asked))

    blocks = distance_blocks(X, None, metric, who=who, rows=asked)
    indices, distances = nearest_in_blocks(blocks, len(asked), 1, forbid=forbid)
    return indices[:, 0], distances[:, 0]


def _by_table(
    X: Points, asked: IntArray, labels: IntArray, shortest: FloatArray | None = None
) -> tuple[IntArray, FloatArray]:
    def forbid(block: slice, values: FloatArray) -> None:
        values[labels[asked[block], None] == labels] = np.inf
        report(_STAGE, block.stop, len(asked))

    indices, distances = exact_nearest(X, X[asked], 1, forbid=forbid)
    return indices[:, 0], distances[:, 0]


def _by_trees(
    X: FloatArray, threads: int, asked: IntArray, labels: IntArray, shortest: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Find the nearest row with another label by two trees for each binary digit of the labels.

    Labels differ if and only if one of their digits does, so that a few trees serve any number
    of pieces.
    """
    nearest = np.full(len(asked), -1, dtype=np.intp)
    distances = np.full(len(asked), np.inf)
    rivals = np.full(len(asked), np.inf)  # how far the next nearest are, by the trees' distances
    n_digits = int(labels.max()).bit_length()
    for digit in range(n_digits):
        digits = (labels >> digit) & 1
        for value in (0, 1):
            members = np.flatnonzero(digits == value)
            places = np.flatnonzero(digits[asked] != value)
            if len(members) == 0 or len(places) == 0:
                continue
            answer = cKDTree(X[members]).query(X[asked[places]], k=[1, 2], workers=threads)
            reached, found = np.asarray(answer[0]), np.asarray(answer[1])
            candidates = members[found[:, 0]]
            length = pair_distances(X, X, asked[places], candidates)
            closer = (length < distances[places]) | (
                (length == distances[places]) & (candidates < nearest[places])
            )
            nearest[places[closer]] = candidates[closer]
            distances[places[closer]] = length[closer]
            rivals[places] = np.minimum(rivals[places], reached[:, 1])
        report(_STAGE, digit + 1, n_digits)
    known = shortest.copy()
    np.minimum.at(known, labels[asked], distances)
    tied = (rivals <= distances * (1 + _ROUNDING)) & (distances <= known[labels[asked]])
    _settle_ties(X, asked, labels, np.flatnonzero(tied), nearest, distances)
    return nearest, distances


def _settle_ties(
    X: FloatArray,
    asked: IntArray,
    labels: IntArray,
    tied: IntArray,
    nearest: IntArray,
    distances: FloatArray,
) -> None:
    """Take the first of the rows of other pieces that are equally far."""
    if len(tied) == 0:
        return
    tree = cKDTree(X)
    for block in row_blocks(len(tied), 1.0, budget=1000):
        places = tied[block]
        rows = asked[places]
        near = tree.query_ball_point(X[rows], distances[places] * (1 + _ROUNDING))
        left = np.repeat(np.arange(len(places)), [len(some) for some in near])
        right = np.concatenate([np.asarray(some, dtype=np.intp) for some in near])
        across = labels[rows[left]] != labels[right]
        left, right = left[across], right[across]
        length = pair_distances(X, X, rows[left], right)
        order = np.lexsort((right, length, left))
        first = order[np.unique(left[order], return_index=True)[1]]
        nearest[places], distances[places] = right[first], length[first]


@dataclass(frozen=True)
class Products:
    """Exact, by products of matrices in float32; in float64 where that could be the shortest edge.

    With pieces side by side a row leaves out one run of columns.  A row is searched again if the
    bound on rounding errors neither proves that the column found is the nearest, nor that its piece
    has a shorter edge (see ``certified_nearest``).

    Parameters
    ----------
    X : ndarray of shape (n, p)
        The rows,
    single : ndarray of shape (n, p)
        in float32, centred and scaled,
    norms : ndarray of shape (n,)
        and their squared lengths.
    scale : float
        What they were multiplied by.
    threads : int
        How many may scan.
    """

    X: FloatArray
    single: FloatArray
    norms: FloatArray
    scale: float
    threads: int

    @classmethod
    def of(cls, X: FloatArray, threads: int) -> Products:
        """Make the rows ready."""
        centre = X.mean(axis=0, dtype=np.float64)
        scale = scale_of(X, centre)
        return cls(X, *narrow(X, centre, scale), scale, threads)

    def __call__(
        self, asked: IntArray, labels: IntArray, shortest: FloatArray | None = None
    ) -> tuple[IntArray, FloatArray]:
        """Find the nearest rows, and bounds for rows that are no end of a shortest edge."""
        side_by_side = np.argsort(labels, kind="stable")
        runs = np.searchsorted(labels[side_by_side], np.arange(int(labels.max()) + 2))
        order = np.argsort(labels[asked], kind="stable")
        rows = asked[order]
        pieces = labels[rows]
        own = np.column_stack([runs[pieces], runs[pieces + 1]])
        found, columns = self._scan(rows, side_by_side, own)
        nearest = side_by_side[columns]
        distances = pair_distances(self.X, self.X, rows, nearest)
        lengths = np.sqrt(self.norms[rows])
        n_features = self.X.shape[1]
        certain = certain_within(distances * self.scale, lengths, found[:, 1], n_features)
        again = ~certain
        if shortest is not None:
            # s̃ ≥ m for all others implies d² ≥ m − E(‖x‖, √m)
            error = rounding(lengths, np.sqrt(np.maximum(found[:, 0], 0.0)), n_features)
            bounds = np.sqrt(np.maximum(found[:, 0] - error, 0.0)) * (1 - _ROUNDING) / self.scale
            known = shortest.copy()
            np.minimum.at(known, pieces, distances)
            again &= bounds <= known[pieces]
            nearest[~certain], distances[~certain] = -1, bounds[~certain]
        if again.any():
            nearest[again], distances[again] = _by_table(self.X, rows[again], labels)
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        return nearest[back], distances[back]

    def _scan(
        self, rows: IntArray, side_by_side: IntArray, own: IntArray
    ) -> tuple[FloatArray, IntArray]:
        """The least and second least squared distance of every row, and the column of the least."""
        from sidelight.neighbors.graph._across_compiled import scan_across

        found = np.full((len(rows), 2), np.inf, dtype=np.float32)
        names = np.zeros(len(rows), dtype=np.intp)
        left = self.single[rows]
        norms = self.norms.astype(np.float32)
        row_tiles = row_blocks(len(rows), 1.0, budget=_TILE)
        column_tiles = row_blocks(len(side_by_side), 1.0, budget=_TILE)
        memory = np.empty(_TILE * _TILE, dtype=np.float32)
        with Threads(self.threads) as pool:
            for done, columns in enumerate(column_tiles, start=1):
                here = side_by_side[columns]
                right = self.single[here]
                for block in row_tiles:
                    # all of them inside of one piece
                    inside = (own[block, 0] <= columns.start) & (own[block, 1] >= columns.stop)
                    if inside.all():
                        continue
                    height, width = block.stop - block.start, len(here)
                    tile = memory[: height * width].reshape(height, width)
                    np.matmul(left[block], right.T, out=tile)
                    given = (tile, norms[rows[block]], norms[here], own[block])
                    lists = (found[block], names[block], columns.start)
                    calls: list[Call] = [
                        (scan_across, (*given, *lists, share.start, share.stop))
                        for share in shares(height, self.threads)
                    ]
                    pool.run(calls)
                report(_STAGE, done, len(column_tiles))
        return found, names


@dataclass(frozen=True)
class NearCells:
    """Nearly the nearest: a row is looked for in the nearest cell of another piece.

    A cell of near rows that several pieces share is one for each.  Their means are compared as
    rows are, and then the rows of the two cells.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        The rows.
    order : ndarray of shape (n,)
        The rows, cell by cell.
    cell_of : ndarray of shape (n,)
        The cell of each, in that order.
    threads : int
        How many may scan.
    """

    X: FloatArray
    order: IntArray
    cell_of: IntArray
    threads: int

    @classmethod
    def of(cls, X: FloatArray, threads: int) -> NearCells:
        """Put the rows into cells."""
        with Threads(threads) as pool:
            cells = cells_of(X, _CELL, seed=0, pool=pool)
        return cls(X, cells.order, cells.cell_of, threads)

    def __call__(
        self, asked: IntArray, labels: IntArray, shortest: FloatArray
    ) -> tuple[IntArray, FloatArray]:
        """Find near rows of other pieces."""
        n_pieces = len(shortest)
        keys = self.cell_of.astype(np.int64) * n_pieces + labels[self.order]
        sorting = np.argsort(keys, kind="stable")
        order = self.order[sorting]
        cells, starts = np.unique(keys[sorting], return_index=True)
        starts = np.append(starts, len(order))
        centres = _means(self.X, order, starts)
        pieces = cells % n_pieces
        is_asked = np.zeros(len(order), dtype=np.bool_)
        is_asked[asked] = True
        asking = np.flatnonzero(np.add.reduceat(is_asked[order], starts[:-1]))
        if len(centres) > SMALL:
            there, _ = Products.of(centres, self.threads)(asking, pieces)
        else:
            there, _ = _by_table(centres, asking, pieces)
        nearest = np.full(len(order), -1, dtype=np.intp)
        distances = np.full(len(order), np.inf)
        for done, (here, other) in enumerate(zip(asking, there, strict=True), start=1):
            rows = order[starts[here] : starts[here + 1]]
            rows = rows[is_asked[rows]]
            others = np.sort(order[starts[other] : starts[other + 1]])
            found, lengths = exact_nearest(self.X[others], self.X[rows], 1)
            nearest[rows], distances[rows] = others[found[:, 0]], lengths[:, 0]
            report("rows of near cells across pieces", done, len(asking))
        return nearest[asked], distances[asked]


def _means(X: FloatArray, order: IntArray, starts: IntArray) -> FloatArray:
    """The means of runs of rows."""
    sums = np.empty((len(starts) - 1, X.shape[1]))
    for block in row_blocks(len(sums), 8.0 * _CELL * X.shape[1], budget=3.2e7):
        begin, end = starts[block.start], starts[block.stop]
        rows = X[order[begin:end]].astype(np.float64, copy=False)
        sums[block] = np.add.reduceat(rows, starts[block] - begin, axis=0)
    return np.asarray(sums / np.diff(starts)[:, None])
