"""Which colour each point gets, and the key that explains it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight.core import ArrayLike, FloatArray, IntArray, Real
from sidelight.plot.style import (
    FAINT,
    INK,
    MARKERS,
    MISSING,
    OTHER,
    PALETTE,
    SINGLE,
    SMALL_SIZE,
    name_power,
    periodic_map,
    style_legend,
    value_map,
)

_MOST_LABELS = len(PALETTE) * len(MARKERS)
_LONGEST_NAME = 30


@dataclass(frozen=True)
class KeyEntry:
    """One line of a legend.

    Parameters
    ----------
    name : str
        The label as it is written.
    colour : str
        Its colour, as a hexadecimal code.
    marker : str
        The shape of its points.
    """

    name: str
    colour: str
    marker: str = "o"


@dataclass(frozen=True, eq=False)
class Colouring:
    """The colour and the shape of every point.

    Parameters
    ----------
    colours : ndarray of shape (n_points, 4)
        Red, green, blue and opacity of each point.
    entry : ndarray of shape (n_points,)
        The index of each point's line in the legend; −1 for none.
    key : tuple of KeyEntry
        The lines of the legend.
    limits : tuple of float or None
        The least and the greatest value, where points are coloured by value.
    background : ndarray of shape (n_points,)
        Points drawn first: missing values and the rare labels taken together.
    periodic : bool
        Whether the greatest value is the least one again.
    """

    colours: FloatArray
    entry: IntArray
    key: tuple[KeyEntry, ...]
    limits: tuple[float, float] | None
    background: npt.NDArray[np.bool_]
    periodic: bool = False

    def markers(self) -> npt.NDArray[Any]:
        """The shape of each point."""
        shapes = np.array([entry.marker for entry in self.key] + [MARKERS[0]])
        chosen: npt.NDArray[Any] = shapes[self.entry]
        return chosen


def choose_colours(
    who: str,
    n_points: int,
    color: ArrayLike | str | None,
    labels: ArrayLike | None,
    *,
    period: float | None = None,
) -> Colouring:
    """Turn values or labels into colours."""
    if color is not None and labels is not None:
        raise ValueError(
            f"Give {who} either 'color' (values) or 'labels' (classes), not both: a point has one "
            "colour."
        )
    if period is not None and not (Real(0, open_below=True).admits(period) and _is_values(color)):
        raise ValueError(
            f"The 'period' parameter of {who} must be a number above zero, given with numbers as "
            f"'color'. Got {period!r}."
        )
    if labels is not None:
        return _by_label(_one_per_point(who, "labels", labels, n_points))
    if isinstance(color, str):
        return _one_colour(who, n_points, color)
    if color is None:
        return _one_colour(who, n_points, SINGLE)
    values = _one_per_point(who, "color", color, n_points)
    if values.dtype.kind in "OUSb":
        try:
            numbers = None if values.dtype.kind == "b" else values.astype(float)
        except (TypeError, ValueError):
            numbers = None
        if numbers is None:
            return _by_label(values)
        values = numbers
    return _by_value(values.astype(float), period)


def key_width(colouring: Colouring) -> float:
    """Estimate the room that the key takes beside the axes."""
    if colouring.limits is not None:
        return 0.9
    if not colouring.key:
        return 0.0
    return 0.5 + 0.08 * max(len(line.name) for line in colouring.key)


def draw_key(holder: Any, colouring: Colouring, axes: Any, *, title: str | None = None) -> None:
    """Draw the colour bar or the legend, outside the axes."""
    if colouring.limits is not None:
        _draw_bar(holder, colouring, axes, title)
    if not colouring.key:
        return
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], linestyle="", marker=e.marker, markersize=6, color=e.colour, label=e.name)
        for e in colouring.key
    ]
    options: dict[str, Any] = {"handletextpad": 0.3, "borderaxespad": 0.3, "title": title}
    if colouring.limits is not None:
        # only the line for missing values: under the axes, since the bar is at the side
        options |= {"loc": "upper right", "bbox_to_anchor": (1.0, -0.06), "title": None}
    elif isinstance(holder, Figure):
        options |= {"loc": "outside right upper"}
    else:
        options |= {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0)}
    if isinstance(holder, Figure) and colouring.limits is not None:
        options |= {"loc": "outside lower right", "bbox_to_anchor": None}
    legend = holder.legend(handles=handles, alignment="left", **options)
    style_legend(legend)


def _is_values(color: ArrayLike | str | None) -> bool:
    return (
        color is not None and not isinstance(color, str) and np.asarray(color).dtype.kind in "fiu"
    )


def _draw_bar(holder: Any, colouring: Colouring, axes: Any, title: str | None) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure
    from matplotlib.ticker import LinearLocator, MaxNLocator

    assert colouring.limits is not None
    figure = holder if isinstance(holder, Figure) else holder.figure
    colours = periodic_map() if colouring.periodic else value_map()
    mappable = ScalarMappable(Normalize(*colouring.limits), colours)
    bar = figure.colorbar(mappable, ax=axes, shrink=0.6, aspect=24, pad=0.02)
    bar.outline.set_visible(False)
    # quarters of the period, both ends with them
    bar.locator = LinearLocator(5) if colouring.periodic else MaxNLocator(5)
    name_power(bar.ax.yaxis, max(map(abs, colouring.limits)))
    bar.ax.tick_params(labelsize=SMALL_SIZE, labelcolor=FAINT, color=FAINT, length=2.5, width=0.6)
    if title:
        bar.ax.set_title(title, fontsize=SMALL_SIZE, color=INK, loc="left")


def _one_per_point(who: str, name: str, given: ArrayLike, n_points: int) -> npt.NDArray[Any]:
    values = np.asarray(given)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.shape != (n_points,):
        raise ValueError(
            f"The {name!r} parameter of {who} must have one entry per point, shape ({n_points},). "
            f"Got shape {values.shape} instead."
        )
    return values


def _one_colour(who: str, n_points: int, colour: str) -> Colouring:
    from matplotlib.colors import is_color_like, to_rgba

    if not is_color_like(colour):
        raise ValueError(
            f"The 'color' parameter of {who} must be one value per point or the name of a colour. "
            f"Got {colour!r} instead."
        )
    return Colouring(
        colours=np.tile(to_rgba(colour), (n_points, 1)),
        entry=np.full(n_points, -1),
        key=(),
        limits=None,
        background=np.zeros(n_points, dtype=bool),
    )


def _by_value(values: FloatArray, period: float | None) -> Colouring:
    from matplotlib.colors import Normalize, to_rgba

    known = np.isfinite(values)
    if not known.any():
        limits = None
        colours = np.tile(to_rgba(MISSING), (len(values), 1))
    elif period is not None:
        limits = (0.0, float(period))
        turns = np.where(known, values, np.nan) / period
        colours = periodic_map()(np.ma.masked_invalid(turns % 1))
    else:
        limits = (float(values[known].min()), float(values[known].max()))
        spread = values if limits[0] < limits[1] else np.where(known, 0.5, np.nan)
        norm = Normalize(*limits) if limits[0] < limits[1] else Normalize(0.0, 1.0)
        colours = value_map()(np.ma.masked_invalid(norm(np.where(known, spread, np.nan))))
    key = () if known.all() else (KeyEntry("missing", MISSING),)
    return Colouring(
        colours=np.asarray(colours),
        entry=np.where(known, -1, 0),
        key=key,
        limits=limits,
        background=~known,
        periodic=period is not None,
    )


def _by_label(labels: npt.NDArray[Any]) -> Colouring:
    from matplotlib.colors import to_rgba

    names, which, missing = _distinct(labels)
    counts = np.bincount(which[~missing], minlength=len(names))
    kept = np.arange(len(names))
    if len(names) > _MOST_LABELS:
        # the most frequent keep their colours, in the order of their names
        kept = np.sort(np.argsort(-counts, kind="stable")[: _MOST_LABELS - 1])
    key = [
        KeyEntry(
            _shorten(names[label]),
            PALETTE[place % len(PALETTE)],
            MARKERS[place // len(PALETTE)],
        )
        for place, label in enumerate(kept)
    ]
    place_of = np.full(len(names), -1)
    place_of[kept] = np.arange(len(kept))
    entry = np.where(missing, -1, place_of[which])
    rare = (entry < 0) & ~missing
    if rare.any():
        entry[rare] = len(key)
        key.append(KeyEntry(f"{len(names) - len(kept)} other labels", OTHER))
    if missing.any():
        entry[missing] = len(key)
        key.append(KeyEntry("missing", MISSING))
    table = np.array([to_rgba(line.colour) for line in key]).reshape(-1, 4)
    return Colouring(
        colours=table[entry],
        entry=entry,
        key=tuple(key),
        limits=None,
        background=rare | missing,
    )


def _distinct(
    labels: npt.NDArray[Any],
) -> tuple[list[str], IntArray, npt.NDArray[np.bool_]]:
    """Number the distinct labels, in their order, and find the missing ones (None, NaN)."""
    if labels.dtype.kind == "f":
        missing = np.isnan(labels)
    elif labels.dtype.kind == "O":
        missing = np.array([v is None or (v == v) is not True for v in labels.tolist()], dtype=bool)
    else:
        missing = np.zeros(len(labels), dtype=bool)
    which = np.zeros(len(labels), dtype=np.intp)
    known = labels[~missing]
    if known.dtype.kind == "O":
        known = known.astype(str)
    if known.dtype.kind == "f" and (known == np.round(known)).all():
        known = known.astype(np.int64)
    distinct, which[~missing] = np.unique(known, return_inverse=True)
    return [str(value) for value in distinct], which, missing


def _shorten(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1].rstrip() + "…"
