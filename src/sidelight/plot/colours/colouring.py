"""Which colour and which shape each point gets."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight.core import ArrayLike, FloatArray, IntArray, Real, counted
from sidelight.plot.colours.scale import Scale, scale_of
from sidelight.plot.colours.shortening import written_apart
from sidelight.plot.style import MARKERS, MISSING, OTHER, PALETTE, SINGLE
from sidelight.side import days_since_1970, is_moment

_MOST_LABELS = len(PALETTE) * len(MARKERS)
#: More different numbers with a fraction than these are values, not classes.
_MOST_FRACTIONS = 20


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
    scale : Scale or None
        How values become colours, where points are coloured by value.
    background : ndarray of shape (n_points,)
        Points drawn first: missing values and the rare labels taken together.
    """

    colours: FloatArray
    entry: IntArray
    key: tuple[KeyEntry, ...]
    scale: Scale | None
    background: npt.NDArray[np.bool_]

    def of(self, rows: npt.NDArray[Any]) -> Colouring:
        """The colouring of some points."""
        return replace(
            self,
            colours=self.colours[rows],
            entry=self.entry[rows],
            background=self.background[rows],
        )

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
        classes = _one_per_point(who, "labels", labels, n_points)
        return _by_value(classes, None) if _are_values(classes) else _by_label(classes)
    if isinstance(color, str):
        return _one_colour(who, n_points, color)
    if color is None:
        return _one_colour(who, n_points, SINGLE)
    values = _one_per_point(who, "color", color, n_points)
    days = _days(values)
    if days is not None:
        return _by_value(days, None, dates=True)
    if values.dtype.kind in "OUSb":
        try:
            numbers = None if values.dtype.kind == "b" else values.astype(float)
        except (TypeError, ValueError):
            numbers = None
        if numbers is None:
            return _by_label(values)
        values = numbers
    return _by_value(values.astype(float), period)


def _are_values(labels: npt.NDArray[Any]) -> bool:
    """Whether labels are no classes: fractions, nearly each of its own."""
    if labels.dtype.kind != "f":
        return False
    known = labels[np.isfinite(labels)]
    fractions = bool((known != np.round(known)).any())
    return fractions and len(np.unique(known)) > _MOST_FRACTIONS


def _is_values(color: ArrayLike | str | None) -> bool:
    return (
        color is not None and not isinstance(color, str) and np.asarray(color).dtype.kind in "fiu"
    )


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
        scale=None,
        background=np.zeros(n_points, dtype=bool),
    )


def _days(values: npt.NDArray[Any]) -> FloatArray | None:
    """Dates, also as ISO 8601 writes them, as days since 1970; None where values are none."""
    if values.dtype.kind in "OU" and (written := _written_days(values.tolist())) is not None:
        return written
    if values.dtype.kind == "O":
        told = [v for v in values.tolist() if v is not None and (v == v) is True]
        if not told or not all(isinstance(v, date) for v in told):
            return None
        values = np.array(
            [np.datetime64(v) if v is not None and (v == v) is True else None for v in values],
            dtype="datetime64[us]",
        )
    if values.dtype.kind != "M":
        return None
    seconds = values.astype("datetime64[us]").astype(np.float64) / 1e6
    return np.where(np.isnat(values), np.nan, seconds / 86_400)


def _written_days(values: list[Any]) -> FloatArray | None:
    """Dates that are written, as days since 1970, missing ones NaN; None where some are none."""
    told = [value for value in values if value is not None and value != ""]
    if not told or not all(isinstance(value, str) and is_moment(value) for value in told):
        return None
    try:
        days = [days_since_1970(value) if value else np.nan for value in values]
    except ValueError:  # the thirtieth of February
        return None
    return np.array(days)


def _by_value(values: FloatArray, period: float | None, *, dates: bool = False) -> Colouring:
    from matplotlib.colors import to_rgba

    known = np.isfinite(values)
    if known.any():
        scale = scale_of(values, period=period, dates=dates)
        shares = scale.shares(np.where(known, values, np.nan))
        colours = scale.colours(np.ma.masked_invalid(shares))
    else:
        scale, colours = None, np.tile(to_rgba(MISSING), (len(values), 1))
    key = () if known.all() else (KeyEntry("missing", MISSING),)
    return Colouring(
        colours=np.asarray(colours),
        entry=np.where(known, -1, 0),
        key=key,
        scale=scale,
        background=~known,
    )


def _by_label(labels: npt.NDArray[Any]) -> Colouring:
    from matplotlib.colors import to_rgba

    names, which, missing = _distinct(labels)
    counts = np.bincount(which[~missing], minlength=len(names))
    kept = np.arange(len(names))
    if len(names) > _MOST_LABELS:
        # the most frequent keep their colours, in the order of their names
        kept = np.sort(np.argsort(-counts, kind="stable")[: _MOST_LABELS - 1])
    written = written_apart([names[label] for label in kept])
    key = [
        KeyEntry(name, PALETTE[place % len(PALETTE)], MARKERS[place // len(PALETTE)])
        for place, name in enumerate(written)
    ]
    place_of = np.full(len(names), -1)
    place_of[kept] = np.arange(len(kept))
    entry = np.where(missing, -1, place_of[which])
    rare = (entry < 0) & ~missing
    if rare.any():
        entry[rare] = len(key)
        key.append(KeyEntry(counted(len(names) - len(kept), "other label"), OTHER))
    if missing.any():
        entry[missing] = len(key)
        key.append(KeyEntry("missing", MISSING))
    table = np.array([to_rgba(line.colour) for line in key]).reshape(-1, 4)
    return Colouring(
        colours=table[entry],
        entry=entry,
        key=tuple(key),
        scale=None,
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
    names = _written(distinct)
    if distinct.dtype.kind in "US":  # "class 2" before "class 10"
        order = sorted(range(len(names)), key=lambda place: _by_numbers(names[place]))
        rank = np.empty(len(order), dtype=np.intp)
        rank[order] = np.arange(len(order))
        names, which[~missing] = [names[place] for place in order], rank[which[~missing]]
    return names, which, missing


def _written(distinct: npt.NDArray[Any]) -> list[str]:
    """The names of labels: fractions with as few digits as tell them apart."""
    if distinct.dtype.kind == "f":
        for digits in range(4, 17):
            names = [f"{value:.{digits}g}" for value in distinct]
            if len(set(names)) == len(names):
                return names
    return [str(value) for value in distinct]


def _by_numbers(name: str) -> list[tuple[int, int, str]]:
    """What orders names as people do: the numbers in them by value."""
    parts = re.split(r"([0-9]+)", name)
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts if part]
