"""Compiled scans of tiles of inner products for the nearest row of another piece."""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray, IntArray
from sidelight.core.compiler import njit
from sidelight.neighbors.search._certified_compiled import any_below

# Long enough to be tested a vector register at a time, short enough that few tests succeed.
_STRIDE = 64
_TWO = np.float32(2.0)


@njit(cache=True, nogil=True)
def scan_across(
    tile: FloatArray,
    row_norms: FloatArray,
    column_norms: FloatArray,
    own: IntArray,
    found: FloatArray,
    names: IntArray,
    first_column: int,
    start: int,
    stop: int,
) -> None:  # pragma: no cover
    """Offer the columns of a tile to rows ``start`` to ``stop``, but for those of their own piece.

    ``own[i]`` are the first and the last but one column of row i's piece, among all columns;
    ``found[i]`` the least and the second least squared distance so far, ``names[i]`` the column of
    the least.
    """
    n_columns = tile.shape[1]
    for i in range(start, stop):
        products = tile[i]
        first = min(max(own[i, 0] - first_column, 0), n_columns)
        last = min(max(own[i, 1] - first_column, first), n_columns)
        for side in range(2):
            left = 0 if side == 0 else last
            right = first if side == 0 else n_columns
            limit = found[i, 1] - row_norms[i]
            for begin in range(left, right, _STRIDE):
                end = min(begin + _STRIDE, right)
                if not any_below(products, column_norms, limit, begin, end):
                    continue
                for j in range(begin, end):
                    value = column_norms[j] - _TWO * products[j] + row_norms[i]
                    if value < found[i, 0]:
                        found[i, 1] = found[i, 0]
                        found[i, 0] = value
                        names[i] = first_column + j
                    elif value < found[i, 1]:
                        found[i, 1] = value
                limit = found[i, 1] - row_norms[i]
