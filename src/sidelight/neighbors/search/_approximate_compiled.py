"""Compiled loops of the nearly exact search.

Every loop writes the lists of its own rows only, and a list keeps the smallest of all that it was
offered, by distance and then by index: the outcome depends neither on the order of the offers nor
on the number of threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core import BoolArray, FloatArray, IntArray
from sidelight.core.compiler import njit
from sidelight.core.compiler._lanes_compiled import LANES
from sidelight.neighbors.search._lanes_compiled import (
    squared_gap,
    squared_gap_across,
    squared_gap_wide,
)


@njit(cache=True, nogil=True, inline="always")
def _gap(
    rows: FloatArray, centres: FloatArray, cell_of: IntArray, i: int, j: int
) -> Any:  # pragma: no cover
    if cell_of[i] == cell_of[j]:
        return squared_gap(rows, i, j)
    return squared_gap_across(rows, i, j, centres, cell_of[i], cell_of[j])


@njit(cache=True, nogil=True)
def _offer(
    distances: FloatArray, indices: IntArray, fresh: BoolArray, distance: float, index: int
) -> int:  # pragma: no cover
    """Insert a candidate into an ascending list if it is near enough and not there yet."""
    last = distances.shape[0] - 1
    if distance > distances[last] or (distance == distances[last] and index >= indices[last]):
        return 0
    place = last
    while place > 0 and (
        distance < distances[place - 1]
        or (distance == distances[place - 1] and index < indices[place - 1])
    ):
        place -= 1
    # The same pair has the same distance wherever it comes from, and so the same place.
    if place > 0 and indices[place - 1] == index:
        return 0
    for p in range(last, place, -1):
        distances[p] = distances[p - 1]
        indices[p] = indices[p - 1]
        fresh[p] = fresh[p - 1]
    distances[place] = distance
    indices[place] = index
    fresh[place] = True
    return 1


@njit(cache=True, nogil=True)
def begin_lists(
    rows: FloatArray,
    centres: FloatArray,
    cell_of: IntArray,
    first: int,
    names: IntArray,
    gathered: IntArray,
    distances: FloatArray,
    indices: IntArray,
    fresh: BoolArray,
) -> None:  # pragma: no cover
    """Begin the lists of the rows from ``first`` on with what was found among gathered rows."""
    for i in range(names.shape[0]):
        row = first + i
        for p in range(names.shape[1]):
            other = gathered[names[i, p]]
            gap = _gap(rows, centres, cell_of, row, other)
            _offer(distances[row], indices[row], fresh[row], gap, other)


@njit(cache=True, nogil=True)
def befriend(
    indices: IntArray, fresh: BoolArray, friends: IntArray, n_own: int
) -> None:  # pragma: no cover
    """List, for every row, its nearest and some of those whose nearest it is.

    A friend is written as twice its index, plus one if the friendship is fresh.  Those come first
    in whose lists the row stands first.
    """
    n_rows, n_friends = friends.shape
    counts = np.full(n_rows, n_own, dtype=np.int32)
    for i in range(n_rows):
        for p in range(n_own):
            friends[i, p] = 2 * indices[i, p] + fresh[i, p]
        for p in range(n_own, n_friends):
            friends[i, p] = -1
    for p in range(n_own):
        for i in range(n_rows):
            j = indices[i, p]
            if counts[j] == n_friends:
                continue
            known = False
            for q in range(n_own):
                known |= indices[j, q] == i
            if not known:
                friends[j, counts[j]] = 2 * i + fresh[i, p]
                counts[j] += 1


@njit(cache=True, nogil=True)
def improve(
    rows: FloatArray,
    centres: FloatArray,
    cell_of: IntArray,
    friends: IntArray,
    start: int,
    stop: int,
    distances: FloatArray,
    indices: IntArray,
    fresh: BoolArray,
) -> int:  # pragma: no cover
    """Offer to rows ``start`` to ``stop`` the friends of their friends; how many were taken.

    A pair that met through two old friendships met in an earlier round.
    """
    n_changes = 0
    n_friends = friends.shape[1]
    seen = np.full(indices.shape[0], -1, dtype=np.int32)
    for i in range(start, stop):
        seen[i] = i
        for p in range(indices.shape[1]):
            fresh[i, p] = False
            seen[indices[i, p]] = i
        for p in range(n_friends):
            if friends[i, p] < 0:
                break
            u, u_fresh = friends[i, p] >> 1, friends[i, p] & 1
            for q in range(n_friends):
                if friends[u, q] < 0:
                    break
                v, v_fresh = friends[u, q] >> 1, friends[u, q] & 1
                if seen[v] != i and (u_fresh or v_fresh):
                    seen[v] = i
                    gap = _gap(rows, centres, cell_of, i, v)
                    if gap <= distances[i, -1]:
                        n_changes += _offer(distances[i], indices[i], fresh[i], gap, v)
    return n_changes


@njit(cache=True, nogil=True)
def write_nearest(
    X: FloatArray,
    order: IntArray,
    lists: IntArray,
    start: int,
    stop: int,
    indices: IntArray,
    distances: FloatArray,
) -> None:  # pragma: no cover
    """Write the nearest of the candidates of rows ``start`` to ``stop``, where the rows stood.

    Distances are computed in float64; ties go by index.
    """
    n_columns = X.shape[1]
    whole = n_columns - n_columns % LANES
    names = np.empty(lists.shape[1], dtype=np.int64)
    squares = np.empty(lists.shape[1], dtype=np.float64)
    for i in range(start, stop):
        row = order[i]
        for p in range(lists.shape[1]):
            other = order[lists[i, p]]
            square = squared_gap_wide(X, row, other, whole)
            for j in range(whole, n_columns):
                gap = np.float64(X[row, j]) - np.float64(X[other, j])
                square += gap * gap
            place = p
            while place > 0 and (
                square < squares[place - 1]
                or (square == squares[place - 1] and other < names[place - 1])
            ):
                squares[place] = squares[place - 1]
                names[place] = names[place - 1]
                place -= 1
            squares[place] = square
            names[place] = other
        for p in range(indices.shape[1]):
            indices[row, p] = names[p]
            distances[row, p] = np.sqrt(squares[p])
