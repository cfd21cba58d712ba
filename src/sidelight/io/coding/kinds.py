"""What kind of values a column holds: numbers, dates, or words."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight.core import FloatArray
from sidelight.io.table import is_missing, lacks_word
from sidelight.side import days_since_1970, is_moment


def as_floats(values: npt.NDArray[Any]) -> tuple[str, FloatArray] | None:
    """A column as numbers or as days since 1970, missing ones NaN; None where it holds words.

    Examples
    --------
    >>> as_floats(np.array(["2026-01-01", "", "2026-01-03"], dtype=object))
    ('date', array([20454.,    nan, 20456.]))
    >>> as_floats(np.array([True, False]))
    ('number', array([1., 0.]))
    >>> as_floats(np.array(["red", "blue"])) is None
    True
    """
    if values.dtype.kind in "fiub":
        return "number", values.astype(np.float64)
    if values.dtype.kind in "mM":
        unit = values.astype(f"{values.dtype.kind}8[us]").astype(np.float64) / 86_400e6
        kind = "date" if values.dtype.kind == "M" else "number"
        return kind, np.where(np.isnat(values), np.nan, unit)
    found = values.tolist()
    told = [value for value in found if not is_gone(value)]
    if not told or all(isinstance(value, (bool, int, float, np.number)) for value in told):
        return "number", np.array([np.nan if is_gone(value) else float(value) for value in found])
    if all(is_moment(value) for value in told):
        try:
            days = [np.nan if is_gone(value) else days_since_1970(value) for value in found]
            return "date", np.array(days)
        except ValueError:  # the thirtieth of February
            return None
    return None


def as_words(values: npt.NDArray[Any]) -> list[str | None]:
    """A column as words, missing ones None; numbers as people write them."""
    return [
        None
        if (lacks_word(value) if isinstance(value, str) else is_gone(value))
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
        for value in values.tolist()
    ]


def is_gone(value: Any) -> bool:
    """Whether there is no value."""
    if isinstance(value, str):
        return is_missing(value)
    return value is None or (value == value) is not True
