"""Compiled loops over rows on a grid, whose products have no rounding."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sidelight.core import FloatArray, IntArray
from sidelight.core.compiler import njit
from sidelight.neighbors.search._lanes_compiled import squared_length, write_group_minima

#: Adding it and taking it away rounds to whole numbers what is smaller than 2²².
_ROUNDING = np.float32(1.5 * 2.0**23)
#: The norm of a row in units of its grid: below 2¹² by more than rounding can add.
_LONGEST = 4000.0
#: Rows with less of a squared norm are zero: float32 would not hold the unit of their products.
_VANISHING = np.float32(2.0**-120)
_TWO = np.float32(2.0)


@njit(cache=True, nogil=True)
def put_on_grid(
    rows: FloatArray,
    first: int,
    last: int,
    here: FloatArray,
    there: FloatArray,
    out: FloatArray,
    norms: FloatArray,
) -> None:  # pragma: no cover
    """Write ``rows[first:last] + (here − there)``, rounded to grids, and their squared norms.

    The grid of a row is a power of two, and the row's norm at most 4096 of it.  A product of two
    such rows is a whole number of units of which no partial sum exceeds 2²⁴, by the inequality of
    Cauchy and Schwarz: float32 holds it exactly, in whatever order it is added up.
    """
    n_columns = rows.shape[1]
    for i in range(first, last):
        target = out[i - first]
        for j in range(n_columns):
            target[j] = rows[i, j] + (here[j] - there[j])
        square = squared_length(out, i - first)
        if square < _VANISHING:
            target[:] = 0.0
        else:
            exponent = math.frexp(math.sqrt(square) / _LONGEST)[1]
            unit = np.float32(math.ldexp(1.0, exponent))
            per_unit = np.float32(math.ldexp(1.0, -exponent))
            for j in range(n_columns):
                target[j] = ((target[j] * per_unit + _ROUNDING) - _ROUNDING) * unit
        norms[i - first] = squared_length(out, i - first)


@njit(cache=True, nogil=True)
def nearest_columns(
    products: FloatArray, norms: FloatArray, nearest: IntArray
) -> None:  # pragma: no cover
    """Find for every row the column with the least ``norms − 2 products``, the first of equals."""
    for i in range(products.shape[0]):
        least = np.float32(np.inf)
        for j in range(products.shape[1]):
            value = norms[j] - _TWO * products[i, j]
            if value < least:
                least = value
                nearest[i] = j


@njit(cache=True, nogil=True)
def add_up(
    rows: FloatArray, groups: IntArray, sums: FloatArray, counts: IntArray
) -> None:  # pragma: no cover
    """Add up the rows of every group, in their order."""
    for i in range(rows.shape[0]):
        counts[groups[i]] += 1
        for j in range(rows.shape[1]):
            sums[groups[i], j] += np.float64(rows[i, j])


@njit(cache=True, nogil=True)
def smallest_columns(
    products: FloatArray, norms: FloatArray, names: IntArray, n_groups: int
) -> None:  # pragma: no cover
    """Find for row i the columns but i with the least ``norms − 2 products``, in no order.

    The c-th smallest of the minima of groups of columns is no less than the c-th smallest of all:
    few columns are below it, and they are in c groups.  Group g holds the columns g, g + n_groups,
    …, so that the minima of several groups are taken side by side.
    """
    n_listed = names.shape[1]
    n_kept = n_listed + 1  # one of them is the row itself
    n_columns = products.shape[1]
    whole = n_columns - n_columns % n_groups
    norms_table = norms.reshape(1, n_columns)
    minima_table = np.empty((1, n_groups), dtype=np.float32)
    minima = minima_table[0]
    sorted_out = np.empty(n_groups, dtype=np.float32)
    values = np.empty(n_columns, dtype=np.float32)
    columns = np.empty(n_columns, dtype=np.int32)
    for i in range(products.shape[0]):
        own = products[i]
        write_group_minima(products, i, norms_table, minima_table, whole)
        for j in range(whole, n_columns):
            minima[j - whole] = min(minima[j - whole], norms[j] - _TWO * own[j])
        sorted_out[:] = minima
        limit = _bring_forward(sorted_out, columns, n_groups, n_kept)
        count = 0
        for group in range(n_groups):
            if minima[group] <= limit:
                for j in range(group, n_columns, n_groups):
                    value = norms[j] - _TWO * own[j]
                    values[count] = value
                    columns[count] = j
                    count += value <= limit
        _bring_forward(values, columns, count, n_kept)
        found = 0
        for p in range(n_kept):
            if columns[p] != i and found < n_listed:
                names[i, found] = columns[p]
                found += 1


@njit(cache=True, nogil=True, inline="always")
def _bring_forward(
    values: FloatArray, names: IntArray, count: int, n_kept: int
) -> Any:  # pragma: no cover
    """Bring the smallest of the first ``count`` values to the front; the largest of these."""
    low, high = 0, count - 1
    while low < high:
        pivot = values[(low + high) >> 1]
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                names[i], names[j] = names[j], names[i]
                i += 1
                j -= 1
        if n_kept - 1 <= j:
            high = j
        elif n_kept - 1 >= i:
            low = i
        else:
            break
    largest = values[0]
    for p in range(1, n_kept):
        largest = max(largest, values[p])
    return largest
