"""By what rows are in order: numbers, or dates and times that nobody can misread."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np

from sidelight.core import FloatArray
from sidelight.side.rows.reading import frozen, is_missing_label, read_array, read_numbers

_ISO = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?)?")
_DAY = timedelta(days=1)


def read_order(given: Any, *, what: str) -> FloatArray:
    """Read numbers, dates or times by which rows are in order, missing ones NaN."""
    array = read_array(given, what, "(m,)")
    if array.dtype.kind in "mM" and array.ndim == 1:
        moments = array.view(np.int64)
        known = ~np.isnat(array)
        # counted from the first: since 1970 doubles do not tell nanoseconds apart
        first = moments[known].min(initial=np.iinfo(np.int64).max)
        return np.asarray(frozen(np.where(known, (moments - first).astype(np.float64), np.nan)))
    if array.dtype.kind in "UO" and array.ndim == 1:
        array = _read_moments(array.tolist(), what)
    return read_numbers(array, what=what)


def _read_moments(values: list[Any], what: str) -> Any:
    """Dates, times and spans of time in days; what holds anything else as it came."""
    known = [value for value in values if not is_missing_label(value)]
    spans = bool(known) and all(isinstance(value, timedelta) for value in known)
    if not known or not (spans or all(map(is_moment, known))):
        strange = next((value for value in known if isinstance(value, str)), None)
        if strange is not None:
            raise ValueError(
                f"{what} must hold real numbers, or dates and times as 2026-01-31 or 2026-01-31 "
                f"12:30. Got {strange!r}."
            )
        return np.asarray(values)
    try:
        if not spans and len(set(map(_has_zone, known))) > 1:
            raise ValueError(
                f"{what} must hold times with a zone or times without one, not both, as their "
                f"order is not known. Give all of them in one zone."
            )
        days = _days_of if spans else days_since_1970
        return np.array([np.nan if is_missing_label(value) else days(value) for value in values])
    except (ValueError, OverflowError) as error:
        if str(error).startswith(what):
            raise
        raise ValueError(f"{what} must hold dates that there are. {error}") from error


def is_moment(value: Any) -> bool:
    """Whether a value is a date, a time of a day, or a text that is one as ISO 8601 has it.

    Examples
    --------
    >>> is_moment("2026-01-03"), is_moment("2026-01-03 12:30Z"), is_moment("03/01/2026")
    (True, True, False)
    """
    if isinstance(value, str):
        return _ISO.fullmatch(value.strip()) is not None
    return isinstance(value, date)


def _has_zone(value: Any) -> bool:
    """Whether a moment says in which zone it is."""
    moment = datetime.fromisoformat(value.strip()) if isinstance(value, str) else value
    return getattr(moment, "tzinfo", None) is not None


def days_since_1970(value: Any) -> float:
    """A moment as days since 1970, in UTC where it says no zone.

    Examples
    --------
    >>> days_since_1970("1970-01-02 12:00")
    1.5
    """
    if isinstance(value, str):
        value = datetime.fromisoformat(value.strip())
    if isinstance(value, datetime):
        moment = value if value.tzinfo is not None else value.replace(tzinfo=UTC)
        return float(moment.timestamp() / 86_400)
    return float(value.toordinal() - date(1970, 1, 1).toordinal())


def _days_of(span: timedelta) -> float:
    """A span of time in days."""
    return span / _DAY
