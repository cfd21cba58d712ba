"""Compiled scans of tiles of inner products for the smallest distances of rows and columns."""

from __future__ import annotations

import numpy as np
from numba import njit

from sidelight.arrays import FloatArray, IntArray

# Long enough to be tested a vector register at a time, short enough that few tests succeed.
_STRIDE = 64


@njit(cache=True, nogil=True, inline="always")
def _replace_root(
    heap: FloatArray, names: IntArray, value: float, name: int
) -> None:  # pragma: no cover
    """Put a smaller value in the place of a max-heap's largest."""
    size = heap.shape[0]
    place = 0
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= value:
            break
        heap[place] = heap[child]
        names[place] = names[child]
        place = child
    heap[place] = value
    names[place] = name


@njit(cache=True, nogil=True)
def scan_rows(
    tile: FloatArray,
    row_norms: FloatArray,
    column_norms: FloatArray,
    first_column: int,
    skipped: int,
    start: int,
    stop: int,
    heaps: FloatArray,
    names: IntArray,
) -> None:  # pragma: no cover
    """Offer the columns of a tile to the heaps of rows ``start`` to ``stop``.

    Row ``i`` is not offered column ``i + skipped``: itself.
    """
    n_columns = tile.shape[1]
    for i in range(start, stop):
        heap = heaps[i]
        limit = heap[0] - row_norms[i]
        for begin in range(0, n_columns, _STRIDE):
            end = min(begin + _STRIDE, n_columns)
            hits = np.int32(0)
            for j in range(begin, end):
                hits += np.int32(column_norms[j] - np.float32(2.0) * tile[i, j] < limit)
            if hits > 0:
                for j in range(begin, end):
                    value = column_norms[j] - np.float32(2.0) * tile[i, j]
                    if value < limit and j != i + skipped:
                        _replace_root(heap, names[i], value + row_norms[i], first_column + j)
                        limit = heap[0] - row_norms[i]


@njit(cache=True, nogil=True)
def scan_columns(
    tile: FloatArray,
    row_norms: FloatArray,
    column_norms: FloatArray,
    first_row: int,
    start: int,
    stop: int,
    heaps: FloatArray,
    names: IntArray,
) -> None:  # pragma: no cover
    """Offer the rows of a tile to the heaps of columns ``start`` to ``stop``."""
    limits = np.empty(stop - start, dtype=np.float32)
    for j in range(start, stop):
        limits[j - start] = heaps[j, 0] - column_norms[j]
    for i in range(tile.shape[0]):
        norm = row_norms[i]
        for begin in range(start, stop, _STRIDE):
            end = min(begin + _STRIDE, stop)
            hits = np.int32(0)
            for j in range(begin, end):
                hits += np.int32(norm - np.float32(2.0) * tile[i, j] < limits[j - start])
            if hits > 0:
                for j in range(begin, end):
                    value = norm - np.float32(2.0) * tile[i, j]
                    if value < limits[j - start]:
                        _replace_root(heaps[j], names[j], value + column_norms[j], first_row + i)
                        limits[j - start] = heaps[j, 0] - column_norms[j]
