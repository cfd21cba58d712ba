"""Which rows are looked at where all are too many: evenly spaced, or farthest first."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sidelight.core.arrays import FloatArray, IntArray

#: Distances that differ by less than this share of the largest are equal.
_AS_FAR = 1e-9


def evenly_spaced(n: int, most: int) -> IntArray:
    """At most so many of n rows, evenly from the first to the last.

    Examples
    --------
    >>> evenly_spaced(10, 4), evenly_spaced(3, 4)
    (array([0, 3, 6, 9]), array([0, 1, 2]))
    """
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.intp))


def first_farthest(distances: FloatArray) -> int:
    """The first of those that are farthest, to rounding: products differ in their last bits.

    Examples
    --------
    >>> first_farthest(np.array([0.1, 0.3, 0.1 + 0.2]))
    1
    """
    return int(np.argmax(distances >= (1 - _AS_FAR) * distances.max()))


def farthest_first(
    distances_from: Callable[[int], FloatArray], first: int, n_points: int
) -> IntArray:
    """Choose points so that each is the one farthest from those before it, the first if several.

    ``distances_from(i)`` are the distances of all points from point i.  They are fewer where all
    others are at the places of those chosen.

    Examples
    --------
    >>> line = np.array([0.0, 1.0, 2.0, 9.0, 10.0])
    >>> farthest_first(lambda i: abs(line - line[i]), 0, 3)
    array([0, 4, 2])
    >>> farthest_first(lambda i: abs(line[:2] - line[i]), 0, 3)
    array([0, 1])
    """
    chosen = np.full(n_points, first, dtype=np.intp)
    nearest = np.array(distances_from(first))
    for step in range(1, n_points):
        if not nearest.max() > 0:
            return chosen[:step]
        chosen[step] = first_farthest(nearest)
        np.minimum(nearest, distances_from(int(chosen[step])), out=nearest)
    return chosen
