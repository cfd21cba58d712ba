"""Frames of pandas, polars or pyarrow: the columns of numbers, the others set aside by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight.core import counted, floats_of, listed, named_columns, numbers_of_frame
from sidelight.io.table.columns import almost_numbers, said_of_texts


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
        numbers = floats_of(column, written=False)
        if numbers is None and column.dtype.is_temporal():
            dates = np.asarray(column.to_numpy())
            found[str(name)] = dates if dates.dtype.kind in "mM" else dates.astype(object)
        else:
            words = np.array(column.to_list(), dtype=object) if numbers is None else numbers
            found[str(name)] = words
    return found


def read_frame(frame: Any) -> tuple[Any, tuple[str, ...], tuple[str, ...]]:
    """Give a frame of numbers alone, what was done for it, and what is probably not meant.

    Examples
    --------
    >>> import polars as pl
    >>> X, notes, doubts = read_frame(pl.DataFrame({"a": [1, 2], "b": ["x", "y"], "c": [2, None]}))
    >>> X.columns, notes, doubts
    (['a', 'c'], ("Set aside the column 'b': not numbers.",), ())
    """
    found = numbers_of_frame(frame)
    if found.X is not None and hasattr(type(found.X), "column_names"):  # of pyarrow
        found = replace(found, X=np.asarray(found.X, dtype=np.float64))
    if not (found.words or found.empty or found.written):
        return found.X, (), ()
    texts = {name: _texts_of(frame, name) for name in found.words}
    cells = {name: almost_numbers(v, 0) if v else "" for name, v in texts.items()}
    doubts = _doubts({name: said for name, said in cells.items() if said})
    if found.X is None:
        held = {name: np.array(values, dtype=object) for name, values in texts.items()}
        names = [*found.words, *found.empty]
        as_numbers = "Give its numbers as numbers, not as text."
        remedy = said_of_texts(held) or (as_numbers if found.words else found.left_out)
        said = f"The frame has no column of numbers to work on. It has {listed(names, 'column')}."
        raise ValueError(" ".join([said, remedy, *doubts]))
    words = tuple(name for name in found.words if not cells[name])
    notes = [replace(found, words=words).left_out]
    if found.written:
        notes.append(f"Read the text in {listed(found.written, 'column')} as numbers.")
    return found.X, tuple(filter(None, notes)), doubts


def _doubts(cells: Mapping[str, str]) -> tuple[str, ...]:
    """What is said of columns of text of which nearly all cells are numbers: of the first."""
    if not cells:
        return ()
    name, said = next(iter(cells.items()))
    others = len(cells) - 1
    more = f" So it is in {counted(others, 'further column')}." if others else ""
    remedy = "Make numbers of them first, or leave the column out."
    return (f"Set aside the column {name!r} as text: {said}.{more} {remedy}",)


def _texts_of(frame: Any, name: str) -> list[str]:
    """The cells of a column as they would stand in a file; of lists and dates none."""
    import narwhals.stable.v1 as nw

    table = nw.from_native(frame, eager_only=True)
    called = {str(each): column for each, column in named_columns(table).items()}
    values = called[name].to_list()
    plain = all(value is None or isinstance(value, (str, int, float)) for value in values)
    return ["" if value is None else str(value) for value in values] if plain else []
