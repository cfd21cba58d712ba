"""A table from a file, block by block: what is in memory does not grow with the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from sidelight.core import report
from sidelight.io.finding import require_file
from sidelight.io.table import large
from sidelight.io.table.binary import read_npy, rows_of_array
from sidelight.io.table.columns import Columns
from sidelight.io.table.parquet import parquet_blocks
from sidelight.io.table.reading import Table, read_table, table_of
from sidelight.io.table.text import delimited_blocks


def table_blocks(
    path: str | Path,
    *,
    header: bool | None = None,
    aside: Callable[[Sequence[str]], Sequence[str]] = lambda names: (),
) -> Iterator[Table]:
    """Read a table block by block, each as :func:`read_table` gives the whole, with NaN kept.

    A file that is no larger than one block, and an npz file, come in one.  The rows of a block have
    the numbers that they have in the file.  ``aside`` says which columns of numbers are not to be
    worked on; they stay as they were read.
    """
    found = require_file(path)
    if not comes_in_blocks(found):
        table = read_table(found, missing="keep", header=header)
        yield table.set_aside(aside(table.column_names))
        return
    start = 0
    for columns in _columns(found, header):
        pairs = zip(columns.names, columns.values, strict=True)
        numbers = [name for name, values in pairs if values.dtype.kind in "fi"]
        table = table_of(columns, found.name, aside=aside(numbers), first_row=start)
        yield table
        start += len(table.X)


def comes_in_blocks(path: Path) -> bool:
    """Whether a file is read in more than one piece."""
    return path.suffix.lower() != ".npz" and path.stat().st_size > large.BLOCK_BYTES


def _columns(path: Path, header: bool | None) -> Iterator[Columns]:
    ending = path.suffix.lower()
    if ending in (".parquet", ".pq"):
        return parquet_blocks(path)
    if ending == ".npy":
        return _array_blocks(path)
    return delimited_blocks(path, int(large.BLOCK_BYTES), header=header)


def _array_blocks(path: Path) -> Iterator[Columns]:
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
        usable = array.ndim in (2, 3, 4) and array.dtype.kind in "biuf" and array.size > 0
    except (ValueError, EOFError):
        usable = False
    if not usable:
        yield read_npy(path)  # which says what is wrong
        return
    _, names, shape = rows_of_array(array[:1], path.name)
    step = large.rows_in_a_block(len(names))
    for start in range(0, len(array), step):
        # opened anew each time, so that pages that were read are given back
        rows = np.load(path, mmap_mode="r", allow_pickle=False)[start : start + step]
        block = np.array(rows, dtype=np.float64).reshape(len(rows), len(names))
        del rows
        yield Columns(names, tuple(block.T), table=block, image_shape=shape)
        report(f"placing {path.name}", min(start + step, len(array)), len(array))
