"""What to do about missing numbers: nothing is filled in or left out unless the user says so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight.core import BoolArray, FloatArray, counted, listed

PYTHON_REMEDY = "Choose what to do: missing='drop-rows', 'drop-columns' or 'mean', or 'keep' them."
POLICIES = ("error", "drop-rows", "drop-columns", "mean", "keep")


def settle_missing(
    X: FloatArray,
    names: tuple[str, ...],
    policy: str,
    who: str,
    remedy: str = PYTHON_REMEDY,
    first_row: int = 0,
    row_names: Sequence[Any] | npt.NDArray[Any] | None = None,
    coded_from: Sequence[str] = (),
) -> tuple[FloatArray, BoolArray, BoolArray, str]:
    """Apply a policy to the missing values of a table; ``remedy`` is what an error advises.

    Errors count rows from one, and name them where they have names.  Of several columns that are
    ``coded_from`` one of the table a cell that is missing is one.
    """
    if policy not in POLICIES:
        raise ValueError(
            f"The 'missing' argument of read_table must be one of {', '.join(POLICIES)}. "
            f"Got {policy!r} instead."
        )
    gone = np.isnan(X)
    rows: BoolArray = np.ones(X.shape[0], dtype=bool)
    columns: BoolArray = np.ones(X.shape[1], dtype=bool)
    holed_rows, holed_columns = np.asarray(gone.any(axis=1)), np.asarray(gone.any(axis=0))
    if not gone.any() or policy == "keep":
        return X, rows, columns, ""
    holes = dict(zip(coded_from or names, gone.T, strict=True))
    concerned = [name for name, cells in holes.items() if cells.any()]
    n_holes = sum(int(cells.sum()) for cells in holes.values())
    count, where = counted(n_holes, "missing value"), listed(concerned, "column")
    if policy == "error":
        first = int(np.argmax(holed_rows))
        complete = int((~holed_rows).sum())
        named = "" if row_names is None else f", named {_plain(row_names[first])!r}"
        raise ValueError(
            f"{who} has {count} in {where}; the first is in row {first_row + first + 1}{named}. "
            f"{complete:,} of {counted(len(X), 'row')} are complete. {remedy}"
        )
    if policy == "mean":
        empty = [names[column] for column in np.flatnonzero(gone.all(axis=0))]
        if empty:
            raise ValueError(
                f"{who}: {listed(empty, 'column')} {'has' if len(empty) == 1 else 'have'} no value "
                f"at all, and so no mean. Leave them out, or settle what is missing with "
                f"'drop-columns'."
            )
        filled = np.where(gone, np.nanmean(X, axis=0, dtype=np.float64).astype(X.dtype), X)
        return filled, rows, columns, f"Filled in {count} in {where} with the column's mean."
    if policy == "drop-rows":
        rows = ~holed_rows
        if not rows.any():
            raise ValueError(f"{who}: every row has a missing value, in {where}. None is left.")
        return X, rows, columns, f"Left out {counted(int((~rows).sum()), 'row')} with {count}."
    columns = ~holed_columns
    if not columns.any():
        raise ValueError(f"{who}: every column of numbers has a missing value. None is left.")
    return X, rows, columns, f"Left out {where}, with {count}."


def _plain(name: Any) -> Any:
    return name.item() if isinstance(name, np.generic) else name
