"""Compiled loops of a tree of boxes: how it grows, and what it does to groups of places.

Points are in the order of the Z-order curve, so that every box holds a run of them.  Sums are
added up in one order, without contraction, so that they have the same bits everywhere.
"""

from __future__ import annotations

import numpy as np

from sidelight.core.compiler import njit
from sidelight.latent.neighbor_embedding._tail_compiled import tail

#: Places that walk through the tree together.
GROUP = 64


@njit(cache=True, nogil=True)
def grow(codes, d, n_leaf, first, last):  # type: ignore[no-untyped-def]
    """Set the runs of points in the boxes, each before those inside it; how many there are.

    A box whose points are in one of its parts is not written; a leaf has few points, or equal
    codes.
    """
    n_boxes, n_open = 0, 1
    open_first, open_last = np.empty(len(codes), np.int64), np.empty(len(codes), np.int64)
    open_first[0], open_last[0] = 0, len(codes)
    while n_open > 0:
        n_open -= 1
        begin, end = open_first[n_open], open_last[n_open]
        first[n_boxes], last[n_boxes] = begin, end
        n_boxes += 1
        differ = codes[begin] ^ codes[end - 1]
        if end - begin <= n_leaf or differ == 0:
            continue
        shift = 0
        while differ >> np.uint64(shift + d) != 0:
            shift += d
        # the last part first: the one on top is opened next
        stop = end
        for i in range(end - 1, begin - 1, -1):
            if i == begin or codes[i - 1] >> np.uint64(shift) != codes[i] >> np.uint64(shift):
                open_first[n_open], open_last[n_open] = i, stop
                n_open += 1
                stop = i
    return n_boxes


@njit(cache=True, nogil=True)
def weigh(Y, first, last, middles, sides, beyond):  # type: ignore[no-untyped-def]
    """Set the mean of the points in every box, its largest side, and the next box outside it."""
    n_boxes, n = len(first), len(Y)
    begins_at = np.empty(n + 1, dtype=np.int64)
    begins_at[n] = n_boxes
    for box in range(n_boxes - 1, -1, -1):
        begin, end = first[box], last[box]
        beyond[box] = begins_at[end]
        begins_at[begin] = box
        sides[box] = 0.0
        for axis in range(Y.shape[1]):
            sum_, low, high = 0.0, np.inf, -np.inf
            for i in range(begin, end):
                sum_ += Y[i, axis]
                low, high = min(low, Y[i, axis]), max(high, Y[i, axis])
            middles[box, axis] = sum_ / (end - begin)
            sides[box] = max(sides[box], high - low)


@njit(cache=True, nogil=True, inline="always")
def _meet(x, n, place, mass, dof, gap, s, phi, slope):  # type: ignore[no-untyped-def]
    """Add what a mass at a place does to a group."""
    d = len(place)
    for i in range(n):
        s[i] = 0.0
    for axis in range(d):
        for i in range(n):
            gap[axis, i] = x[axis, i] - place[axis]
            s[i] += gap[axis, i] * gap[axis, i]
    if dof == 1.0:
        for i in range(n):
            v = 1.0 / (1.0 + s[i])
            phi[i] += mass * v
            s[i] = mass * v * v
    else:
        for i in range(n):
            v = mass * tail(s[i], dof)
            phi[i] += v
            s[i] = v / (1.0 + s[i] / dof)
    for axis in range(d):
        for i in range(n):
            slope[axis, i] += s[i] * gap[axis, i]


@njit(cache=True, nogil=True)
def push_by_tree(A, n_together, Y, boxes, opening, dof, start, stop, values, slopes):  # type: ignore[no-untyped-def]
    """Set φ and ∇φ at the places ``start : stop``, so many of which walk together.

    A box that is seen under a small angle from all of them is one mass, others are opened.
    """
    first, last, middles, sides, beyond = boxes
    d = Y.shape[1]
    x, gap, slope = np.zeros((d, GROUP)), np.zeros((d, GROUP)), np.zeros((d, GROUP))
    s, phi = np.zeros(GROUP), np.zeros(GROUP)
    low, high = np.empty(d), np.empty(d)
    for left in range(start, stop, n_together):
        width = min(n_together, stop - left)
        phi[:], slope[:] = 0.0, 0.0
        for axis in range(d):
            low[axis], high[axis] = np.inf, -np.inf
            for i in range(width):
                y = A[left + i, axis]
                x[axis, i] = y
                low[axis], high[axis] = min(low[axis], y), max(high[axis], y)
        box = 0
        while box < len(first):
            far = 0.0
            for axis in range(d):
                middle = middles[box, axis]
                away = max(low[axis] - middle, middle - high[axis])
                far += away * away if away > 0.0 else 0.0
            if sides[box] * sides[box] <= opening * opening * far:
                mass = float(last[box] - first[box])
                _meet(x, width, middles[box], mass, dof, gap, s, phi, slope)
                box = beyond[box]
            elif beyond[box] == box + 1:  # a leaf
                for j in range(first[box], last[box]):
                    _meet(x, width, Y[j], 1.0, dof, gap, s, phi, slope)
                box += 1
            else:
                box += 1
        for i in range(width):
            values[left + i] = phi[i]
            for axis in range(d):
                slopes[left + i, axis] = -2.0 * slope[axis, i]
