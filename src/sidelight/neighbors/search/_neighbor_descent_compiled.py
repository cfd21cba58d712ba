"""Compiled loops of nearest-neighbour descent.

Every loop writes the lists of its own rows only, and a list keeps the smallest of all that it was
offered, by distance and then by index: the outcome depends neither on the order of the offers nor
on the number of threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core import BoolArray, FloatArray, IntArray
from sidelight.core.compiler import njit

_CHUNK = 128


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def _partial(a: FloatArray, b: FloatArray, begin: int, end: int) -> Any:  # pragma: no cover
    total = np.float32(0.0)
    for j in range(np.uint64(begin), np.uint64(end)):
        difference = a[j] - b[j]
        total += difference * difference
    return total


@njit(cache=True, nogil=True)
def _squared_distance(
    leading: FloatArray, rest: FloatArray, i: int, j: int, limit: float
) -> Any:  # pragma: no cover
    """Add up squares until they exceed the limit.

    The leading coordinates have an array of their own, small enough for the cache, and most pairs
    need no others.
    """
    total = _partial(leading[i], leading[j], 0, leading.shape[1])
    n_rest = rest.shape[1]
    begin = 0
    while total <= limit and begin < n_rest:
        end = min(begin + _CHUNK, n_rest)
        total += _partial(rest[i], rest[j], begin, end)
        begin = end
    return total


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
def offer_leaves(
    leading: FloatArray,
    rest: FloatArray,
    order: IntArray,
    starts: IntArray,
    first: int,
    last: int,
    distances: FloatArray,
    indices: IntArray,
    fresh: BoolArray,
) -> None:  # pragma: no cover
    """Offer to every row of leaves ``first`` to ``last`` the other rows of its leaf."""
    for leaf in range(first, last):
        for p in range(starts[leaf], starts[leaf + 1]):
            i = order[p]
            for q in range(starts[leaf], starts[leaf + 1]):
                j = order[q]
                if i != j:
                    limit = distances[i, -1]
                    d = _squared_distance(leading, rest, i, j, limit)
                    if d <= limit:
                        _offer(distances[i], indices[i], fresh[i], d, j)


@njit(cache=True, nogil=True)
def reverse_lists(
    distances: FloatArray,
    indices: IntArray,
    fresh: BoolArray,
    reverse_distances: FloatArray,
    reverse_indices: IntArray,
    reverse_fresh: BoolArray,
) -> None:  # pragma: no cover
    """List, for every row, the nearest of those that have it in their lists."""
    for i in range(indices.shape[0]):
        for p in range(indices.shape[1]):
            j = indices[i, p]
            if j >= 0:
                d = distances[i, p]
                if _offer(reverse_distances[j], reverse_indices[j], reverse_fresh[j], d, i):
                    for r in range(reverse_indices.shape[1]):
                        if reverse_indices[j, r] == i:
                            reverse_fresh[j, r] = fresh[i, p]
                            break


@njit(cache=True, nogil=True)
def improve(
    leading: FloatArray,
    rest: FloatArray,
    friends: IntArray,
    friends_fresh: BoolArray,
    start: int,
    stop: int,
    distances: FloatArray,
    indices: IntArray,
    fresh: BoolArray,
    seen: IntArray,
) -> int:  # pragma: no cover
    """Offer to rows ``start`` to ``stop`` the friends of their friends.

    A pair that met through two old friendships met in an earlier round.
    """
    n_changes = 0
    n_friends = friends.shape[1]
    for i in range(start, stop):
        seen[i] = i
        for p in range(indices.shape[1]):
            fresh[i, p] = False
            if indices[i, p] >= 0:
                seen[indices[i, p]] = i
        for p in range(n_friends):
            u = friends[i, p]
            if u < 0:
                continue
            for q in range(n_friends):
                v = friends[u, q]
                if v < 0 or seen[v] == i or not (friends_fresh[i, p] or friends_fresh[u, q]):
                    continue
                seen[v] = i
                limit = distances[i, -1]
                d = _squared_distance(leading, rest, i, v, limit)
                if d <= limit:
                    n_changes += _offer(distances[i], indices[i], fresh[i], d, v)
    return n_changes
