"""Names at points, placed so that none covers another."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core import FloatArray
from sidelight.plot.style import HAIRLINE, INK, SMALL_SIZE

#: Where a name may stand beside its point: right, left, above, below, then the corners.
_SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
#: How far from it, in typographic points; beyond the first a line leads there.
_GAPS = (4.0, 12.0, 22.0)

#: What a point takes around its place, in typographic points.
_POINT = 3.0
#: Of more points than a page has room for, so many are tried.
_MOST_TRIED = 300


def draw_names(ax: Any, Z: FloatArray, names: Any) -> int:
    """Write as many names as there is room for, and give their number.

    Points that stand alone come first, and are tried until so many were; a name covers no point
    and no other name.
    """
    from scipy.spatial import cKDTree

    figure = ax.figure
    figure.draw_without_rendering()
    per_point = figure.dpi / 72.0
    named = np.isfinite(Z).all(axis=1) & np.array([name is not None for name in names])
    rows = np.flatnonzero(named).tolist()
    places = ax.transData.transform(Z[rows])
    if not rows:
        return 0
    tree = cKDTree(places)
    order = _alone_first(tree)[:_MOST_TRIED]
    sizes = dict(zip(order, _sizes_of(ax, [str(names[rows[p]]) for p in order]), strict=True))
    page = ax.get_window_extent()
    limits = np.array([[page.x0, page.y0], [page.x1, page.y1]])
    taken = np.empty((0, 4))
    written = 0
    for place in order:
        found = _free_box(tree, place, sizes[place], taken, limits, per_point)
        if found is None:
            continue
        box, leads = found
        taken = np.vstack([taken, box])
        corner = ax.transData.inverted().transform(box[:2])
        if leads:
            edge = ax.transData.inverted().transform(np.clip(places[place], box[:2], box[2:]))
            ax.plot(*zip(Z[rows[place]], edge, strict=True), color=HAIRLINE, lw=0.6, zorder=1.5)
        ax.text(
            *corner, str(names[rows[place]]), fontsize=SMALL_SIZE, color=INK, va="bottom", zorder=5
        )
        written += 1
    return written


def _sizes_of(ax: Any, words: list[str]) -> FloatArray:
    """The width and height of each name on the page, in pixels."""
    renderer = ax.figure.canvas.get_renderer()
    probe = ax.text(0, 0, "", fontsize=SMALL_SIZE)
    sizes = np.empty((len(words), 2))
    for number, word in enumerate(words):
        probe.set_text(word)
        box = probe.get_window_extent(renderer)
        sizes[number] = box.width, box.height
    probe.remove()
    return sizes


def _alone_first(tree: Any) -> list[int]:
    """Points by the distance to their nearest, the farthest first; ties by their number."""
    if tree.n < 2:
        return list(range(tree.n))
    apart = np.asarray(tree.query(tree.data, 2)[0])[:, 1]
    return [int(place) for place in np.argsort(-np.round(apart, 6), kind="stable")]


def _free_box(
    tree: Any,
    place: int,
    size: FloatArray,
    taken: FloatArray,
    limits: FloatArray,
    per_point: float,
) -> tuple[FloatArray, bool] | None:
    """The first box beside a point that covers nothing: (left, bottom, right, top)."""
    for gap in _GAPS:
        for side in _SIDES:
            direction = np.array(side, dtype=float)
            middle = tree.data[place] + direction * (gap * per_point + size / 2)
            box = np.concatenate([middle - size / 2, middle + size / 2])
            inside = (box[:2] >= limits[0]).all() and (box[2:] <= limits[1]).all()
            half = size / 2 + _POINT * per_point
            if inside and not _covers(box, taken) and not _holds(tree, middle, half):
                return box, gap > _GAPS[0]
    return None


def _covers(box: FloatArray, taken: FloatArray) -> bool:
    return bool(((taken[:, :2] < box[2:]) & (taken[:, 2:] > box[:2])).all(axis=1).any())


def _holds(tree: Any, middle: FloatArray, half: FloatArray) -> bool:
    """Whether a point lies in the box about a middle."""
    near = tree.data[tree.query_ball_point(middle, float(np.linalg.norm(half)))]
    return bool((np.abs(near - middle) <= half).all(axis=1).any())
