"""Maps in tables: which columns are coordinates, and which row of the data each row is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight.core import FloatArray, IntArray, counted, listed
from sidelight.io.table import Table, read_table
from sidelight.registry import MAPS

#: The column that says which row of the data a row of a map is, counted from 1.
ROW = "row"


def map_columns(
    Z: FloatArray,
    names: Sequence[str],
    table: Table,
    *,
    beside: Mapping[str, npt.NDArray[Any]] | None = None,
    as_read: bool = False,
) -> dict[str, npt.NDArray[Any]]:
    """Put a map into columns, with the rows, what is to stand beside it and what was set aside.

    Whole numbers are written as such, unless they are to be ``as_read``.
    """
    columns: dict[str, npt.NDArray[Any]] = {ROW: table.rows + 1}
    columns.update(zip(names, Z.T, strict=True))
    columns.update(beside or {})
    for name, values in table.labels.items():
        columns[name if name not in columns else f"{name} (data)"] = (
            values if as_read else _as_written(values)
        )
    return columns


def coordinates(
    table: Table,
    asked: Sequence[str] = (),
    expected: Sequence[str] = (),
    remedy: str = "Name them with --columns.",
) -> tuple[FloatArray, str]:
    """Find the coordinates in a table that holds a map, and say which were taken for them.

    ``remedy`` is what an error advises.
    """
    if asked:
        return table.select(asked), ""
    if expected and all(name in table.column_names for name in expected):
        return table.select(expected), ""
    stems = "|".join(entry.name.lower() for entry in MAPS)
    by_name = [name for name in table.column_names if re.fullmatch(rf"({stems})\d+", name)]
    rest = [name for name in table.column_names if name != ROW]
    found = by_name or rest
    if not found or (expected and len(found) != len(expected)):
        needed = f"{len(expected)} coordinates" if expected else "coordinates"
        raise ValueError(
            f"{table.name} should hold {needed} of a map. It has "
            f"{listed(table.column_names, 'column', 12)}. {remedy}"
        )
    guessed = found is rest or bool(expected)
    note = f"Took {listed(found, 'column')} for the coordinates of the map." if guessed else ""
    return table.select(found), note


def rows_of(map_table: Table, data: Table) -> IntArray:
    """Tell which row of the data each row of a map is."""
    if ROW in map_table.column_names:
        wanted = map_table.select([ROW])[:, 0].astype(np.intp) - 1
        place = np.searchsorted(data.rows, wanted).clip(0, len(data.rows) - 1)
        if not np.array_equal(data.rows[place], wanted):
            raise ValueError(
                f"{map_table.name} is a map of rows that {data.name} does not have. Is it a map of "
                "another table?"
            )
        return np.asarray(place)
    if len(map_table.rows) != len(data.rows):
        raise ValueError(
            f"{map_table.name} has {counted(len(map_table.rows), 'row')} and {data.name} has "
            f"{len(data.rows):,}. A map has one row per row of the data, or a column {ROW!r} that "
            "says which row each one is."
        )
    return np.arange(len(data.rows))


def read_places(path: Path, data: Table) -> tuple[FloatArray, str]:
    """The places that another map has for the rows of the data, NaN where it has none."""
    drawn = read_table(path, remedy="Leave rows without a place out of the map.")
    Z, note = coordinates(
        drawn,
        remedy="Give a map as 'embed --output' writes it, or a table of its coordinates alone.",
    )
    places = np.full((len(data.rows), Z.shape[1]), np.nan)
    if ROW not in drawn.column_names:
        places[rows_of(drawn, data)] = Z
        return places, note
    wanted = drawn.select([ROW])[:, 0].astype(np.intp) - 1
    there = np.searchsorted(data.rows, wanted).clip(0, len(data.rows) - 1)
    same = data.rows[there] == wanted
    if not same.any():
        raise ValueError(f"{path.name} is a map of rows of which {data.name} has none.")
    places[there[same]] = Z[same]
    return places, note


def _as_written(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Whole numbers without a decimal point: labels come out as they went in."""
    whole = values.dtype.kind == "f" and bool(np.all(values == np.round(values)))
    return values.astype(np.int64) if whole and np.abs(values).max(initial=0) < 2**53 else values
