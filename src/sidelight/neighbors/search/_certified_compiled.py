"""Compiled scans of tiles of inner products for the smallest distances of rows and columns."""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray, IntArray
from sidelight.core.compiler import njit

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


_TWO = np.float32(2.0)


@njit(cache=True, nogil=True, inline="always")
def any_below(
    products: FloatArray, offsets: FloatArray, limit: float, begin: int, end: int
) -> bool:  # pragma: no cover
    """Tell whether any of ``offsets − 2 products`` is below a limit.

    Unsigned indices and a 32-bit flag are what lets the compiler use vector registers here.
    """
    hit = np.int32(0)
    for j in range(np.uint64(begin), np.uint64(end)):
        hit = np.int32(hit | np.int32(offsets[j] - _TWO * products[j] < limit))
    return bool(hit != 0)


@njit(cache=True, nogil=True)
def scan_rows(
    tile: FloatArray,
    row_norms: FloatArray,
    column_norms: FloatArray,
    heaps: FloatArray,
    names: IntArray,
    first_column: int,
    skipped: int,
    start: int,
    stop: int,
) -> None:  # pragma: no cover
    """Offer the columns of a tile to the heaps of rows ``start`` to ``stop``."""
    n_columns = tile.shape[1]
    for i in range(start, stop):
        products = tile[i]
        limit = heaps[i, 0] - row_norms[i]
        for begin in range(0, n_columns, _STRIDE):
            end = min(begin + _STRIDE, n_columns)
            if not any_below(products, column_norms, limit, begin, end):
                continue
            for j in range(begin, end):
                value = column_norms[j] - _TWO * products[j]
                if value < limit and j != i + skipped:
                    _replace_root(heaps[i], names[i], value + row_norms[i], first_column + j)
                    limit = heaps[i, 0] - row_norms[i]


@njit(cache=True, nogil=True)
def scan_columns(
    tile: FloatArray,
    row_norms: FloatArray,
    column_norms: FloatArray,
    heaps: FloatArray,
    names: IntArray,
    first_row: int,
    start: int,
    stop: int,
) -> None:  # pragma: no cover
    """Offer the rows of a tile to the heaps of columns ``start`` to ``stop``."""
    # Minus what a product, doubled, must exceed when the row's norm is added.
    excess = column_norms - heaps[:, 0]
    for i in range(tile.shape[0]):
        products = tile[i]
        norm = row_norms[i]
        for begin in range(start, stop, _STRIDE):
            end = min(begin + _STRIDE, stop)
            if not any_below(products, excess, -norm, begin, end):
                continue
            for j in range(begin, end):
                value = norm + (column_norms[j] - _TWO * products[j])
                if value < heaps[j, 0]:
                    _replace_root(heaps[j], names[j], value, first_row + i)
                    excess[j] = column_norms[j] - heaps[j, 0]
