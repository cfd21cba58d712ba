"""Names at points and of classes, placed so that none covers another."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core import FloatArray
from sidelight.plot.colours import Colouring
from sidelight.plot.style import FAINT, INK, SMALL_SIZE, TEXT_SIZE

#: Where a name may stand beside its point: right, left, above, below, then the corners.
_SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
#: How far from its edge, in typographic points; beyond the first a line leads there.
_GAPS = (1.5, 9.0, 19.0, 31.0)
_LEAD = {"arrowstyle": "-", "color": FAINT, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 0}
#: Of more points than a page has room for, so many are tried.
_MOST_TRIED = 300
#: Of the points of a class, so many are tried for its label.
_MEMBERS_TRIED = 400
#: The frame around a label; where no point of the class is free, how far from the first it stands.
_PAD, _BESIDE = 0.25, (12.0, 24.0, 36.0, 50.0, 70.0)


def draw_names(ax: Any, Z: FloatArray, names: Any, radius: float) -> int:
    """Write as many names as there is room for beside points of a radius, and give their number.

    Points that stand alone come first, and are tried until so many were; a name covers no point
    and no other name, and keeps its distance from its point when the figure is resized.
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
        found = _free_box(tree, place, sizes[place], taken, limits, per_point, radius)
        if found is None:
            continue
        box, side, leads = found
        taken = np.vstack([taken, box])
        # held by the side that faces the point: letters of other widths grow away from it
        held = (box[:2] + box[2:]) / 2 - np.array(side) * (box[2:] - box[:2]) / 2
        ax.annotate(
            str(names[rows[place]]),
            Z[rows[place]],
            xytext=(held - places[place]) / per_point,
            textcoords="offset points",
            arrowprops={**_LEAD, "relpos": _nearest_side(box, places[place])} if leads else None,
            fontsize=SMALL_SIZE,
            color=INK,
            ha=("center", "left", "right")[side[0]],
            va=("center", "bottom", "top")[side[1]],
            zorder=5,
            parse_math=False,
        )
        written += 1
    return written


def _sizes_of(ax: Any, words: list[str]) -> FloatArray:
    """The width and height of each name on the page, in pixels."""
    renderer = ax.figure.canvas.get_renderer()
    probe = ax.text(0, 0, "", fontsize=SMALL_SIZE, parse_math=False)
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
    radius: float,
) -> tuple[FloatArray, tuple[int, int], bool] | None:
    """The first box (left, bottom, right, top) beside a point that covers nothing, and its side."""
    for gap in _GAPS:
        for side in _SIDES:
            direction = np.array(side, dtype=float)
            middle = tree.data[place] + direction * ((radius + gap) * per_point + size / 2)
            box = np.concatenate([middle - size / 2, middle + size / 2])
            inside = (box[:2] >= limits[0]).all() and (box[2:] <= limits[1]).all()
            half = size / 2 + (radius + 1.0) * per_point
            if inside and not _covers(box, taken) and not _holds(tree, middle, half):
                return box, side, gap > _GAPS[0]
    return None


def _nearest_side(box: FloatArray, place: FloatArray) -> tuple[float, float]:
    """The point of a box nearest to a place, as shares of its width and height."""
    across, up = (np.clip(place, box[:2], box[2:]) - box[:2]) / (box[2:] - box[:2])
    return float(across), float(up)


def _covers(box: FloatArray, taken: FloatArray) -> bool:
    return bool(((taken[:, :2] < box[2:]) & (taken[:, 2:] > box[:2])).all(axis=1).any())


def _holds(tree: Any, middle: FloatArray, half: FloatArray) -> bool:
    """Whether a point lies in the box about a middle."""
    near = tree.data[tree.query_ball_point(middle, float(np.linalg.norm(half)))]
    return bool((np.abs(near - middle) <= half).all(axis=1).any())


def write_labels(ax: Any, Z: FloatArray, colouring: Colouring) -> None:
    """Write each label at a point near the median of its class, or beside, where there is room.

    Large classes come first; what is missing and what was taken together has no place of its own.
    """
    from matplotlib.text import Text

    figure = ax.figure
    figure.draw_without_rendering()
    renderer = figure.canvas.get_renderer()
    taken = np.empty((0, 4))
    counts = np.bincount(colouring.entry[colouring.entry >= 0], minlength=len(colouring.key))
    placed = np.isfinite(Z).all(axis=1) & ~colouring.background
    for place in np.argsort(-counts, kind="stable").tolist():
        line, members = colouring.key[place], Z[(colouring.entry == place) & placed]
        if not len(members):
            continue
        inmost = np.abs(members - np.median(members, axis=0)).sum(axis=1)
        members = members[np.argsort(inmost, kind="stable")][:_MEMBERS_TRIED]
        label = ax.annotate(
            line.name,
            members[0],
            ha="center",
            va="center",
            fontsize=TEXT_SIZE,
            color=INK,
            bbox={
                "boxstyle": f"round,pad={_PAD}",
                "facecolor": "white",
                "alpha": 0.85,
                "edgecolor": line.colour,
                "linewidth": 1.2,
            },
            arrowprops={**_LEAD, "color": line.colour, "linewidth": 1.0},
            zorder=4,
            parse_math=False,
        )
        letters = Text.get_window_extent(label, renderer)
        frame = 2 * (_PAD * TEXT_SIZE + 1.5) * figure.dpi / 72.0
        size = np.array([letters.width, letters.height]) + frame
        middle = _free_middle(ax, members, size, taken)
        taken = np.vstack([taken, np.concatenate([middle - size / 2, middle + size / 2])])
        label.xyann = tuple(ax.transData.inverted().transform(middle))


def _free_middle(ax: Any, members: FloatArray, size: FloatArray, taken: FloatArray) -> FloatArray:
    """Where a label of a size covers no other: at a member, around the first, or else on it."""
    places = ax.transData.transform(members)
    page = ax.get_window_extent()
    per_point = ax.figure.dpi / 72.0
    around = [
        places[0] + np.array(side) * (gap * per_point + size / 2)
        for gap in _BESIDE
        for side in _SIDES
    ]
    for middle in [*places, *around]:
        box = np.concatenate([middle - size / 2, middle + size / 2])
        inside = page.x0 <= box[0] and page.y0 <= box[1] and box[2] <= page.x1 and box[3] <= page.y1
        if inside and not _covers(box, taken):
            return np.asarray(middle)
    return np.asarray(places[0])
