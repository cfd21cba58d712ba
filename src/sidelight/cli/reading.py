"""Reading the data of a command, with its notes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sidelight.cli import console
from sidelight.io.table.reading import Table, read_table

# Names that people give to the column that holds the answer.
_ANSWERS = ("label", "labels", "class", "target", "species", "category", "cluster")


def read_data(
    path: Path,
    *,
    ignore: Sequence[str] = (),
    aside: Sequence[str] = (),
    missing: str = "error",
    header: bool | None = None,
    quiet: bool = False,
) -> Table:
    """Read a table for a command, and say what was done with it."""
    table = read_table(
        path,
        ignore=[name for name in ignore if name not in aside],
        aside=list(dict.fromkeys(aside)),
        missing=missing,
        header=header,
    )
    answers = [
        f"The column {name!r} is used as data. If it is the answer, leave it out with --ignore."
        for name in table.column_names
        if name.lower() in _ANSWERS
    ]
    console.notes([*table.notes, *answers], quiet=quiet)
    return table


def written_size(table: Table) -> str:
    """Write how large a table is."""
    rows, columns = table.X.shape
    return f"{rows:,} row{'s' * (rows != 1)} × {columns:,} column{'s' * (columns != 1)}"
