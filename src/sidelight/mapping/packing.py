"""Rectangles on a page: none covers another, and the page is little wider than high."""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray, IntArray

#: A page is wanted so much wider than high, as a ratio of whole numbers.
_WIDE, _HIGH = 5, 4
#: So many widths of the page are tried, and fewer where there are many rectangles.
_WIDTHS, _TRIED = 40, 8_000
#: Sizes are rounded up to this part of the first: no last bit of a side decides what goes where.
_CELLS, _ROUNDING = 400, 1e-6


def lay_out(sizes: FloatArray, gap: float) -> FloatArray:
    """Corners (left, bottom) of rectangles of these sizes, a gap apart, the first at the origin.

    Sides and gap are taken in whole cells of a grid, so that the layout is the same for sizes
    that differ in their last bits.

    Examples
    --------
    >>> lay_out(np.full((4, 2), 10.0), 2.0)
    array([[ 0.,  0.],
           [12.,  0.],
           [ 0., 12.],
           [12., 12.]])
    """
    cell = float(np.max(sizes[0]) or np.max(sizes) or 1.0) / _CELLS
    cells = np.ceil((sizes + gap) / cell - _ROUNDING).astype(np.int64)
    return np.asarray(cell * pack(np.maximum(cells, 1)), dtype=np.float64)


def pack(sizes: IntArray) -> IntArray:
    """Corners of rectangles on the page that is least: min max(W / wide, H / high).

    The first is laid at the corner, then the highest first, each as low as it goes, then as far
    left; of equal pages the narrowest is taken.

    Examples
    --------
    >>> pack(np.array([[4, 4], [1, 1], [2, 4], [1, 3]])).tolist()
    [[0, 0], [6, 3], [4, 0], [6, 0]]
    """
    order = np.concatenate([[0], 1 + np.argsort(-sizes[1:, 1], kind="stable")])
    widths = np.unique(np.maximum(np.cumsum(sizes[order, 0]), sizes[:, 0].max()))
    # many leave few holes: a page of their area will do
    ideal = np.sqrt(sizes.prod(axis=1).sum() * _WIDE / _HIGH)
    tried = int(np.clip(_TRIED // len(sizes), 3, _WIDTHS))
    near = np.argsort(np.abs(widths - ideal), kind="stable")[:tried]
    best, least = sizes, np.inf
    for width in widths[np.sort(near)]:
        corners = _lowest_first(sizes, order, int(width))
        page = (corners + sizes).max(axis=0)
        if max(_HIGH * page[0], _WIDE * page[1]) < least:
            best, least = corners, max(_HIGH * page[0], _WIDE * page[1])
    return best


def _lowest_first(sizes: IntArray, order: IntArray, width: int) -> IntArray:
    """Lay rectangles on a page of one width, on the skyline of those that lie there already."""
    corners = np.zeros_like(sizes)
    skyline = [(0, 0)]  # where a step begins, and its height
    for place in order.tolist():
        wide, high = sizes[place].tolist()
        base, left = min(
            (_height(skyline, first, x + wide), x)
            for first, (x, _) in enumerate(skyline)
            if x + wide <= width
        )
        corners[place] = left, base
        right = left + wide
        beyond = next(y for x, y in reversed(skyline) if x <= right)
        steps = [(x, y) for x, y in skyline if x < left or x > right]
        steps += [(left, base + high)] + ([(right, beyond)] if right < width else [])
        steps.sort()
        skyline = [s for p, s in enumerate(steps) if p == 0 or s[1] != steps[p - 1][1]]
    return corners


def _height(skyline: list[tuple[int, int]], first: int, right: int) -> int:
    """The greatest height of a skyline from one of its steps to the right."""
    greatest = skyline[first][1]
    for x, y in skyline[first + 1 :]:
        if x >= right:
            break
        greatest = max(greatest, y)
    return greatest
