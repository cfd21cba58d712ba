"""Large tables: in single precision, and refused before they are read where they do not fit."""

from __future__ import annotations

from sidelight.core import format_bytes, require_memory

#: A table of more bytes in double precision is read in single: maps need no more digits.
LARGE_BYTES = 2.0**28
#: Work on a block of rows stays within a few times as much.
BLOCK_BYTES = 2.0**25


def in_single_precision(n_values: int) -> str:
    """Say that a table was read in single precision."""
    return f"Read in single precision: in double it would take {format_bytes(8.0 * n_values)}."


def require_memory_for_table(n_rows: int, n_columns: int, itemsize: int, *, who: str) -> None:
    """Refuse a table that would not fit beside the work on it, before it is read."""
    require_memory(
        2.0 * n_rows * n_columns * itemsize,  # the table, and the copy that a model keeps
        what=f"a table of {n_rows:,} rows × {n_columns:,} columns",
        who=f"Reading {who}",
        instead="Embed a part of its rows, and place all of them in blocks: 'sidelight transform'; "
        "or leave columns out with --ignore.",
    )


def rows_in_a_block(n_columns: int) -> int:
    """How many rows are worked on at a time.

    Examples
    --------
    >>> rows_in_a_block(50)
    83886
    """
    return max(1, int(BLOCK_BYTES // (8 * max(n_columns, 1))))
