"""Rows put together into cells of near ones: a tree of partitions, each like k-means.

Every row is kept as what it differs by from the centre of its cell, in float32: near rows are told
apart however far from zero, or from other rows, they are.  Nothing here depends on the processor:
rows go to the nearest of rounded centres by products that are exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import FloatArray, IntArray, Threads, report, row_blocks
from sidelight.neighbors.search.products import on_grid

#: Parts of one partition, and rows of the sample that its centres are found from, for each.
_PARTS = 64
_SAMPLED = 32
_LLOYD_ROUNDS = 4
#: Rows are padded with zeros to a multiple of the lanes in which their squares are added.
_LANES = 8


@dataclass(frozen=True)
class Cells:
    """Rows in the order of their cells.

    Parameters
    ----------
    order : ndarray of shape (n_rows,)
        Where each row stood.
    starts : ndarray of shape (n_cells + 1,)
        Where the rows of each cell begin.
    centres : float32 ndarray of shape (n_cells, width)
        Their means, less the mean of all rows.
    rows : float32 ndarray of shape (n_rows, width)
        Each less the centre of its cell.
    cell_of : ndarray of shape (n_rows,)
        The cell of each row.
    """

    order: IntArray
    starts: IntArray
    centres: FloatArray
    rows: FloatArray
    cell_of: IntArray


def cells_of(X: FloatArray, size: int, *, seed: Any, pool: Threads) -> Cells:
    """Cut the rows into cells of about so many; none has more than twice as many."""
    mean = X.mean(axis=0, dtype=np.float64)
    scale = _scale(X, mean)
    groups: list[IntArray] = [np.arange(X.shape[0], dtype=np.int32)]
    level = 0
    while any(len(group) > 2 * size for group in groups):
        calls = [
            (_split, (X, mean, scale, group, size, (seed, level, number)))
            for number, group in enumerate(groups)
        ]
        groups = [part for parts in pool.run(calls) for part in parts]
        level += 1
        report("cells of near rows", len(groups))
    return _gathered(X, mean, scale, groups)


def _scale(X: FloatArray, mean: FloatArray) -> float:
    """Find the power of two that brings the largest centred entry to one."""
    largest = max(
        float(np.abs(X[block] - mean).max())
        for block in row_blocks(X.shape[0], 8.0 * X.shape[1], budget=4e6)
    )
    return float(np.ldexp(1.0, -int(np.frexp(largest)[1])))


def _split(
    X: FloatArray, mean: FloatArray, scale: float, group: IntArray, size: int, seed: Any
) -> list[IntArray]:
    """Cut a group that is too large into parts, by the nearest of some centres."""
    if len(group) <= 2 * size:
        return [group]
    n_parts = min(_PARTS, max(2, round(len(group) / size)))
    generator = np.random.default_rng(seed)
    some = generator.choice(len(group), min(len(group), _SAMPLED * n_parts), replace=False)
    sample = X[group[some]] - mean
    here = sample.mean(axis=0)
    centres = _centres(_padded((sample - here) * scale), n_parts)
    nearest = np.empty(len(group), dtype=np.int32)
    for block in row_blocks(len(group), 12.0 * X.shape[1], budget=4e6):
        rows = _padded((X[group[block]] - mean - here) * scale)
        nearest[block] = _nearest_centres(rows, centres)
    order = np.argsort(nearest, kind="stable")
    ends = np.cumsum(np.bincount(nearest, minlength=n_parts))
    parts = [part for part in np.split(group[order], ends[:-1]) if len(part)]
    # Rows that cannot be told apart are cut by number.
    return parts if len(parts) > 1 else np.array_split(group, n_parts)


def _centres(sample: FloatArray, n_centres: int) -> FloatArray:
    """Find centres by a few of Lloyd's rounds from the first rows of a sample."""
    from sidelight.neighbors.search.products._grid_compiled import add_up

    centres = sample[:n_centres].copy()
    for _ in range(_LLOYD_ROUNDS):
        sums, counts = np.zeros(centres.shape), np.zeros(n_centres, dtype=np.intp)
        add_up(sample, _nearest_centres(sample, centres), sums, counts)
        used = counts > 0
        centres[used] = sums[used] / counts[used, None]
    return centres


def _nearest_centres(rows: FloatArray, centres: FloatArray) -> IntArray:
    from sidelight.neighbors.search.products._grid_compiled import nearest_columns

    (left, _), (right, norms) = on_grid(rows), on_grid(centres)
    nearest = np.zeros(len(rows), dtype=np.int32)
    nearest_columns(left @ right.T, norms, nearest)
    return nearest


def _padded(rows: FloatArray) -> FloatArray:
    padded = np.zeros((len(rows), width_of(rows)), dtype=np.float32)
    padded[:, : rows.shape[1]] = rows
    return padded


def width_of(X: FloatArray) -> int:
    """Count the columns of padded rows."""
    return int(-(-X.shape[1] // _LANES) * _LANES)


def _gathered(X: FloatArray, mean: FloatArray, scale: float, groups: list[IntArray]) -> Cells:
    sizes = np.array([len(group) for group in groups])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    centres = np.zeros((len(groups), width_of(X)), dtype=np.float32)
    rows = np.zeros((X.shape[0], width_of(X)), dtype=np.float32)
    for cell, group in enumerate(groups):
        own = (X[group] - mean) * scale
        centre = own.mean(axis=0).astype(np.float32)
        centres[cell, : X.shape[1]] = centre
        rows[starts[cell] : starts[cell + 1], : X.shape[1]] = own - centre
    cell_of = np.repeat(np.arange(len(groups), dtype=np.int32), sizes)
    return Cells(np.concatenate(groups), starts, centres, rows, cell_of)
