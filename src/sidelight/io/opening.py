"""What has rows, wherever it lies: a table, a sparse array, a folder of pictures or of Parquet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sidelight.io.images import pictures_in, read_images
from sidelight.io.table import ENDINGS, Table, holds_graph, read_graph, read_table, require_table


def holds_pictures(path: str | Path) -> bool:
    """Whether a folder is read as pictures: it holds some, or no table that could be meant."""
    folder = Path(path).expanduser()
    if not folder.is_dir():
        return False
    return bool(pictures_in(folder)) or not any(
        file.suffix.lower() in ENDINGS for file in folder.iterdir()
    )


def open_rows(
    path: str | Path, *, aside: Sequence[str] = (), graph: bool = False, **how: Any
) -> tuple[Table, tuple[int, ...] | None]:
    """Read rows, and the shape that they have as pictures.

    A sparse array is read as it is: its columns have no names where it is a ``graph`` of
    distances.  ``how`` is of :func:`sidelight.io.read_table`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "towns.csv"
    ...     _ = file.write_text("town,east,north\\nAsh,1,2\\nElm,3,4\\n")
    ...     table, shape = open_rows(file)
    >>> table.column_names, shape
    (('east', 'north'), None)
    """
    if holds_pictures(path):
        table = read_images(path)[0].set_aside(aside)
        return table, table.pictured
    found = require_table(path)
    if not holds_graph(found):
        table = read_table(found, aside=list(dict.fromkeys(aside)), **how)
        return table, table.pictured
    table = read_graph(found).set_aside(aside)
    columns = () if graph else tuple(f"column {i + 1}" for i in range(table.X.shape[1]))
    return replace(table, column_names=columns), None
