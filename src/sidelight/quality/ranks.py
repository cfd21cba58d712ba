"""Who is whose k-th neighbour, in the data and in the map, a block of rows at a time.

Every rank-based measure follows from one table: ``coranks[i, ρ − 1]`` is the rank in the map of the
point whose rank is ρ in the data, both seen from point i.

Distances are rounded to nine digits, and equal distances are ranked by index.  Without that
rounding, points that are tied in exact arithmetic would be ranked by the noise of the last digits,
differently in the data and in a rotated copy of it.  The rounded distance and the index share one
64-bit integer, so that a plain sort of integers (vectorised in numpy, unlike a stable argsort)
yields the order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from sidelight.core import FloatArray, IntArray, random_generator, report

_LAST = np.uint64(0xFFFFFFFFFFFFFFFF)
# Of the 52 bits of a fraction; an index that needs more takes more.
_ROUNDED_BITS = 20


class Rows(Protocol):
    """Rows of an n × n table of distances, on demand."""

    @property
    def n_samples(self) -> int:
        """How many points there are."""
        ...

    def rows(self, index: IntArray) -> FloatArray:
        """The distances from some points to all."""
        ...

    def blocks(self, index: IntArray) -> list[IntArray]:
        """Cut points into blocks that are worked on one by one."""
        ...


@dataclass(frozen=True)
class RankedBlock:
    """What is known of a block of points.

    Parameters
    ----------
    rows : ndarray of shape (m,)
        The points.
    data_distances, map_distances : ndarray of shape (m, n)
        Their distances to all points.
    map_order : ndarray of shape (m, n)
        All points by their distance in the map; the point itself comes last.
    coranks : ndarray of shape (m, n - 1)
        Ranks in the map, in the order of the data.
    """

    rows: IntArray
    data_distances: FloatArray
    map_distances: FloatArray
    map_order: IntArray
    coranks: IntArray


def neighbor_order(distances: FloatArray, rows: IntArray) -> IntArray:
    """Order all points by their distance from some.

    Examples
    --------
    >>> import numpy as np
    >>> neighbor_order(np.array([[0.0, 2.0, 1.0, 2.0]]), np.array([0]))
    array([[2, 1, 3, 0]])
    """
    keys, bits = _sortable_keys(distances)
    keys[np.arange(rows.size), rows] = _LAST
    keys.sort(axis=1)
    keys &= np.uint64((1 << bits) - 1)
    order = keys.view(np.int64)
    order[:, -1] = rows
    return order


def average_ranks(values: FloatArray) -> FloatArray:
    """Rank a list of distances, equal ones sharing their mean rank.

    Examples
    --------
    >>> import numpy as np
    >>> average_ranks(np.array([3.0, 1.0, 3.0, 7.0]))
    array([1.5, 0. , 1.5, 3. ])
    """
    keys, bits = _sortable_keys(values)
    keys.sort()
    order = (keys & np.uint64((1 << bits) - 1)).view(np.int64)
    keys >>= np.uint64(bits)
    starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    ends = np.append(starts[1:], values.size)
    ranks = np.empty(values.size)
    ranks[order] = np.repeat((starts + ends - 1) / 2.0, ends - starts)
    return ranks


def _sortable_keys(distances: FloatArray) -> tuple[npt.NDArray[np.uint64], int]:
    """Pack each distance, rounded, with its place along the last axis in the low bits."""
    n = distances.shape[-1]
    bits = max(_ROUNDED_BITS, (n - 1).bit_length())
    # non-negative floats are ordered as their bit patterns are
    keys = distances.view(np.uint64) + np.uint64(1 << (bits - 1))
    keys &= ~np.uint64((1 << bits) - 1)
    keys |= np.arange(n, dtype=np.uint64)
    return keys, bits


def ranked_blocks(data: Rows, mapped: Rows, rows: IntArray, *, stage: str) -> Iterator[RankedBlock]:
    """Rank all points from some of them, in the data and in the map."""
    n = data.n_samples
    done = 0
    for block in data.blocks(rows):
        data_distances, map_distances = data.rows(block), mapped.rows(block)
        data_order = neighbor_order(data_distances, block)
        map_order = neighbor_order(map_distances, block)
        offsets = np.arange(block.size)[:, None] * n
        ranks = np.empty(block.size * n, dtype=np.int32)
        ranks[map_order + offsets] = np.arange(1, n + 1, dtype=np.int32)
        coranks = ranks.take(data_order[:, :-1] + offsets)
        yield RankedBlock(block, data_distances, map_distances, map_order, coranks)
        done += block.size
        report(stage, done, rows.size)


def draw_rows(n_samples: int, max_samples: int | None, random_state: Any) -> IntArray:
    """Draw the points from which the neighbourhoods are looked at."""
    if max_samples is None or n_samples <= max_samples:
        return np.arange(n_samples)
    drawn = random_generator(random_state).choice(n_samples, max_samples, replace=False)
    return np.sort(drawn)
