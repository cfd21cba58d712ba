"""Compiled kernel: an order that grows by the point farthest from, or nearest to, those before."""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray, IntArray
from sidelight.core.compiler import njit


@njit(cache=True, nogil=True)
def grow_order(D: FloatArray, start: int, farthest: bool) -> IntArray:
    """Take point after point by the distance to the closest of those already taken."""
    n = len(D)
    order = np.empty(n, dtype=np.int64)
    taken = np.zeros(n, dtype=np.bool_)
    closest = np.full(n, np.inf, dtype=D.dtype)
    current = start
    for place in range(n):
        order[place] = current
        taken[current] = True
        following, best = -1, 0.0
        for i in range(n):
            if D[current, i] < closest[i]:
                closest[i] = D[current, i]
            if not taken[i]:
                better = closest[i] > best if farthest else closest[i] < best
                if following < 0 or better:
                    following, best = i, closest[i]
        current = following
    return order
