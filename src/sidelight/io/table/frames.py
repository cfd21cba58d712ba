"""Frames of pandas, polars or pyarrow: the columns of numbers, the others set aside by name."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight.core import FloatArray
from sidelight.io.table.columns import listed, said_of_texts


def column_of_frame(frame: Any, column: str, *, who: str) -> tuple[list[Any], Any]:
    """Give the values of a column of a frame, and the frame without it.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"who": ["a", "b"], "x": [1, 2]})
    >>> names, rest = column_of_frame(frame, "who", who="embed")
    >>> names, rest.columns
    (['a', 'b'], ['x'])
    """
    import narwhals.stable.v1 as nw

    try:
        table = nw.from_native(frame, eager_only=True)
    except TypeError as error:
        raise ValueError(
            f"The 'names' argument of {who} names the column {column!r}, and X is no frame that "
            f"has columns. Got {type(frame).__name__}. Give one label per row."
        ) from error
    if column not in table.columns:
        raise ValueError(
            f"The 'names' argument of {who} names the column {column!r}, which X does not have. It "
            f"has {listed(list(map(str, table.columns)), 'column')}."
        )
    return list(table[column].to_list()), table.drop(column).to_native()


def columns_of_frame(frame: Any) -> dict[str, npt.NDArray[Any]]:
    """The columns of a frame as arrays: floats, dates, or objects.

    Examples
    --------
    >>> import polars as pl
    >>> columns_of_frame(pl.DataFrame({"a": [1, None], "b": ["x", "y"]}))
    {'a': array([ 1., nan]), 'b': array(['x', 'y'], dtype=object)}
    """
    import narwhals.stable.v1 as nw

    try:
        table = nw.from_native(frame, eager_only=True)
    except TypeError as error:
        raise ValueError(
            f"Columns of mixed kinds, and texts, come in a frame (pandas, polars, pyarrow). Got "
            f"{type(frame).__name__}."
        ) from error
    found: dict[str, npt.NDArray[Any]] = {}
    for name, column in named_columns(table).items():
        numbers = _floats(column, nw)
        if numbers is None and column.dtype.is_temporal():
            dates = np.asarray(column.to_numpy())
            found[str(name)] = dates if dates.dtype.kind in "mM" else dates.astype(object)
        else:
            words = np.array(column.to_list(), dtype=object) if numbers is None else numbers
            found[str(name)] = words
    return found


def named_columns(table: Any) -> dict[Any, Any]:
    """The columns of a narwhals frame by name; old versions let two of one name through."""
    twice = [repr(name) for name, count in Counter(table.columns).items() if count > 1]
    if twice:
        raise ValueError(
            f"The frame needs unique column names. Got more than one {', '.join(twice)}. Rename "
            f"them, or leave all but one out."
        )
    return dict(zip(table.columns, table.iter_columns(), strict=True))


def numbers_of_frame(frame: Any) -> tuple[Any, str]:
    """Give a frame of numbers alone, of the same library, and say what was set aside.

    A frame of numbers without gaps is given back as it is; where values may be missing (nullable
    integers) they become floats with NaN.  Without narwhals, and for what it cannot read (columns
    of one name, complex numbers), nothing is done: the estimator says what is wrong.
    """
    try:
        import narwhals.stable.v1 as nw
        from narwhals.exceptions import NarwhalsError
    except ImportError:
        return frame, ""
    try:
        table = nw.from_native(frame, eager_only=True)
        columns = named_columns(table)
    except (TypeError, NarwhalsError):
        return frame, ""
    if not columns or any(column.dtype == nw.Unknown for column in columns.values()):
        return frame, ""
    gaps = any(column.null_count() for column in columns.values())
    numbers = {name: found for name, c in columns.items() if (found := _floats(c, nw)) is not None}
    words = [str(name) for name in columns if name not in numbers]
    if not numbers:
        texts = {str(name): np.array(c.to_list(), dtype=object) for name, c in columns.items()}
        remedy = said_of_texts(texts) or "Give its numbers as numbers, not as text."
        raise ValueError(
            f"The frame has no column of numbers to work on. It has {listed(words, 'column')}. "
            f"{remedy}"
        )
    note = f"Set aside {listed(words, 'column')}: not numbers." if words else ""
    arrow = table.implementation.is_pyarrow()  # which scikit-learn does not read
    if not (words or gaps or arrow):
        return frame, note
    X = np.column_stack(list(numbers.values()))
    if arrow or not all(isinstance(name, str) for name in numbers):
        return X, note
    return nw.from_numpy(X, list(numbers), backend=table.implementation).to_native(), note


def _floats(column: Any, nw: Any) -> FloatArray | None:
    """A column as numbers, missing ones NaN; None if it holds something else."""
    if column.dtype.is_numeric() or column.dtype == nw.Boolean:
        return np.asarray(column.cast(nw.Float64).to_numpy(), dtype=np.float64)
    if column.dtype != nw.Object:
        return None
    try:
        return np.asarray(column.to_numpy(), dtype=np.float64)
    except (TypeError, ValueError):
        return None
