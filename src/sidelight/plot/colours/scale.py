"""From values to shares of a colour map, so that most values can be told apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import FloatArray
from sidelight.plot.style import periodic_map, value_map

#: A tail is heavy where all values reach over so many times the span of nine tenths of them.
_HEAVY = 8.0
#: Or, of positive values, where half of them are below this part of the greatest.
_LOW = 0.02
#: Where a heavy tail is cut off, in percent from either end.
_CUT = 1.0
_MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True)
class Scale:
    """How values become colours.

    Parameters
    ----------
    limits : tuple of float
        The values with the first and with the last colour.
    kind : str
        ``"linear"``, ``"log"``, ``"periodic"`` (the last colour is the first) or ``"dates"``
        (values are days since 1970).
    extend : str
        At which end there are values beyond the limits: ``"neither"``, ``"min"``, ``"max"``,
        ``"both"``.
    """

    limits: tuple[float, float]
    kind: str = "linear"
    extend: str = "neither"

    @property
    def colours(self) -> Any:
        """The colour map."""
        return periodic_map() if self.kind == "periodic" else value_map()

    def shares(self, values: FloatArray) -> FloatArray:
        """Where values lie between the limits, from 0 to 1; NaN for what is missing."""
        low, high = self.limits
        if self.kind == "periodic":
            return np.asarray(values / high % 1)
        if low == high:
            return np.where(np.isnan(values), np.nan, 0.5)
        if self.kind == "log":
            values, low, high = np.log(values), np.log(low), np.log(high)
        return np.asarray(np.clip((values - low) / (high - low), 0.0, 1.0))

    def written(self) -> tuple[str, ...]:
        """Values of the first colour, the middle one and the last; a sign if some go beyond."""
        low, high = self.limits
        if self.kind == "dates":
            return tuple(written_date(day, high - low) for day in (low, (low + high) / 2, high))
        middle = np.sqrt(low * high) if self.kind == "log" else (low + high) / 2
        if low == high:
            return (f"{low:.4g}".replace("-", _MINUS),)
        least, between, greatest = (f"{v:.4g}".replace("-", _MINUS) for v in (low, middle, high))
        return (
            f"≤ {least}" if self.extend in ("min", "both") else least,
            between,
            f"≥ {greatest}" if self.extend in ("max", "both") else greatest,
        )


def written_date(day: float, span: float) -> str:
    """A day since 1970 as it is written, as finely as the span of all asks for.

    Examples
    --------
    >>> written_date(18262.5, 1000), written_date(18262.5, 30), written_date(18262.5, 1)
    ('2020-01', '2020-01-01', '2020-01-01 12:00')
    """
    written = str(np.datetime64(round(86_400 * day), "s")).replace("T", " ")
    return written[:7] if span > 700 else written[:10] if span >= 4 else written[:16]


def scale_of(values: FloatArray, *, period: float | None = None, dates: bool = False) -> Scale:
    """Choose a scale: a logarithm for positive values with a heavy tail, ends cut for others.

    Examples
    --------
    >>> import numpy as np
    >>> scale_of(np.arange(5.0))
    Scale(limits=(0.0, 4.0), kind='linear', extend='neither')
    >>> scale_of(np.exp(np.arange(-9.0, 10.0))).kind
    'log'
    >>> scale_of(np.append(np.linspace(-1, 1, 999), 500.0)).extend
    'max'
    """
    if period is not None:
        return Scale((0.0, float(period)), "periodic")
    known = values[np.isfinite(values)] + 0.0  # no negative zero
    low, high = float(known.min()), float(known.max())
    if dates:
        return Scale((low, high), "dates")
    percent = [_CUT, 5.0, 50.0, 95.0, 100.0 - _CUT]
    first, early, middle, late, last = np.percentile(known, percent)
    span = late - early
    is_heavy = 0 < span < (high - low) / _HEAVY
    if low > 0 and (is_heavy or middle < _LOW * high):
        return Scale((low, high), "log")
    if not is_heavy:
        return Scale((low, high))
    ends = low < early - 2 * span, high > late + 2 * span
    limits = float(first) if ends[0] else low, float(last) if ends[1] else high
    return Scale(limits, extend=("neither", "max", "min", "both")[2 * ends[0] + ends[1]])
