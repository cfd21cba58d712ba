"""Rows that files name by a column of the data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from sidelight.core import FloatArray, IntArray, counted
from sidelight.io.table.columns import Columns
from sidelight.io.table.reading import Table, read_columns

POSITION = "a position"


def read_named_rows(
    path: Path, table: Table, column: str, n_rows: int, values: str = ""
) -> tuple[IntArray, FloatArray]:
    """Rows that a file names in its first columns, by a column of a table, and other columns.

    Names are compared as they are written, 7 and 7.0 alike.  A file of text need not have a row of
    names of its columns: its first row is one if it names no rows.
    """
    names = [as_name(value) for value in table.labels[column]]
    places: dict[str, int] = {}
    repeated = set()
    for place, name in enumerate(names):
        if name in places:
            repeated.add(name)
        places.setdefault(name, place)
    found = _columns_of(path, places, n_rows)
    n_columns, n_found = n_rows + (values != ""), len(found.values)
    numbers = found.values[n_rows:]
    enough = n_found >= n_columns if values == POSITION else n_found == n_columns
    if not enough or any(each.dtype.kind not in "fi" for each in numbers):
        wanted = "a name" if n_rows == 1 else "two names"
        least = "at least " if values == POSITION else ""
        texts = [
            f"{name!r} is text, such as {str(each[0])!r}"
            for name, each in zip(found.names[n_rows:], numbers, strict=True)
            if each.dtype.kind not in "fi"
        ]
        got = counted(n_found, "column") + (f", of which {'; '.join(texts)}" if texts else "")
        raise ValueError(
            f"{path.name} must have {least}{counted(n_columns, 'column')}: {wanted} of rows, as "
            f"the column {column!r} of {table.name} has them{values and ', and '}{values}"
            f"{' in numbers' * (values != '')}. Got {got}."
        )
    rows = np.empty((len(found.values[0]), n_rows), dtype=np.intp)
    for side, given in enumerate(found.values[:n_rows]):
        for line, value in enumerate(given):
            name = as_name(value)
            if name == "" or name not in places or name in repeated:
                what = "leaves a name out" if name == "" else f"names {name!r}"
                why = (
                    f"and more than one row of {table.name} has it"
                    if name in repeated
                    else f"which no row of {table.name} has"
                )
                raise ValueError(
                    f"{path.name} {what} in its row {line + 1}"
                    f"{f', {why} in the column {column!r}' if name else ''}. (Rows that were "
                    f"dropped for missing values are not there.)"
                )
            rows[line, side] = places[name]
    listed = np.column_stack(numbers) if numbers else np.empty((len(rows), 0))
    if np.isnan(listed).any():
        line = int(np.flatnonzero(np.isnan(listed).any(axis=1))[0])
        raise ValueError(
            f"{path.name} leaves a number out in its row {line + 1}. Fill it in, or leave the row "
            f"out."
        )
    return rows, listed


def names_of_rows(table: Table, column: str | None) -> Any:
    """What rows are called to whoever wrote a table: by a column, else counted from 1.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.io.table import Table
    >>> who, rows = np.array([7.0, 9.0]), np.array([0, 2])
    >>> table = Table(np.zeros((2, 1)), ("x",), {"who": who}, rows)
    >>> names_of_rows(table, "who"), names_of_rows(table, None)
    (['7', '9'], array([1, 3]))
    """
    return table.rows + 1 if column is None else [as_name(value) for value in table.labels[column]]


def as_name(value: Any) -> str:
    """Write a name: numbers without a decimal point that says nothing; nothing where it is missing.

    Examples
    --------
    >>> as_name(7.0), as_name(" anna "), as_name(float("nan"))
    ('7', 'anna', '')
    """
    if isinstance(value, (float, np.floating)):
        if np.isnan(value):
            return ""
        return str(int(value)) if value == np.round(value) else repr(float(value))
    return str(value).strip()


def _columns_of(path: Path, places: dict[str, int], n_rows: int) -> Columns:
    """The columns of a file, whose first row may name them."""
    found = read_columns(path, header=False)
    first = [as_name(values[0]) for values in found.values[:n_rows] if len(values)]
    named = [name in places for name in first]
    return found if any(named) or not named else read_columns(path, header=True)
