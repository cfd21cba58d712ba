"""Tables as arrays: npy, npz and parquet files."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight.core import MissingExtraError
from sidelight.io.finding import refuse_unless
from sidelight.io.table.columns import Columns, check_names


def read_npy(path: Path) -> Columns:
    """Read one array from an npy file."""
    refuse_unless(path, "a NumPy array (.npy)", "a NumPy array")
    try:
        array = np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise ValueError(
            f"{path.name} cannot be read: {error} An array of numbers is needed; files that would "
            "run code when opened (pickled objects) are never read."
        ) from error
    return _columns_of(array, path.name)


def read_npz(path: Path) -> Columns:
    """Read the only two-dimensional array of an npz file, or the one named X.

    One-dimensional arrays of the same length become further columns under their names.
    """
    refuse_unless(path, "a zip file (.npz, .xlsx or a sidelight model)", "an npz file")
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except (ValueError, zipfile.BadZipFile, EOFError) as error:
        raise ValueError(f"{path.name} cannot be read as an npz file: {error}") from error
    if {"format", "shape", "data"} <= arrays.keys():
        raise ValueError(
            f"{path.name} holds a sparse array. As a graph of distances it is taken by 'sidelight "
            f"embed --precomputed'; as data it must be dense: numpy.save of X.toarray()."
        )
    tables = [name for name, array in arrays.items() if np.ndim(array) == 2]
    name = "X" if "X" in tables else tables[0] if len(tables) == 1 else None
    if name is None:
        shapes = ", ".join(f"{key} {np.shape(array)}" for key, array in arrays.items())
        raise ValueError(
            f"{path.name} must hold one two-dimensional array, or one that is named X. "
            f"Got: {shapes}."
        )
    table = _columns_of(arrays.pop(name), path.name)
    n_rows = len(table.values[0])
    beside = {
        key: _plain(array, f"{path.name}, array {key!r}")
        for key, array in arrays.items()
        if array.shape == (n_rows,)
    }
    left = [key for key in arrays if key not in beside]
    notes = (
        (f"Used the array {name!r} of {path.name}; left out {', '.join(left)}.",) if left else ()
    )
    names = (*table.names, *beside)
    check_names(names, path.name)
    return Columns(names, (*table.values, *beside.values()), notes)


def read_parquet(path: Path) -> Columns:
    """Read a parquet file."""
    refuse_unless(path, "a Parquet file", "a Parquet file")
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtraError("pyarrow", "tables", "Reading a Parquet file") from None
    try:
        table = pq.read_table(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise ValueError(f"{path.name} cannot be read as a Parquet file: {error}") from error
    check_names(table.column_names, path.name)
    names, values, empty = [], [], []
    for name, column in zip(table.column_names, table.columns, strict=True):
        if column.null_count == len(column) and len(column):
            empty.append(name)
            continue
        names.append(name)
        values.append(_from_arrow(column, pa, f"{path.name}, column {name!r}"))
    notes = (f"Left out {', '.join(map(repr, empty))}: there is nothing in it.",) if empty else ()
    if not values or not len(values[0]):
        raise ValueError(f"{path.name} has no rows.")
    return Columns(tuple(names), tuple(values), notes)


def _from_arrow(column: Any, pa: Any, where: str) -> npt.NDArray[Any]:
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_boolean(kind):
        column, kind = column.cast(pa.int8()), pa.int8()
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        values = column.cast(pa.float64(), safe=False).to_numpy()
        return np.array(values, dtype=np.float64)
    if pa.types.is_nested(kind) or pa.types.is_binary(kind):
        raise ValueError(
            f"{where} holds {kind}, where a number or a text is needed. Write nested values as "
            "columns of their own."
        )
    texts = column.cast(pa.string()).to_pylist()
    return np.array(["" if text is None else text for text in texts], dtype=str)


def _columns_of(array: Any, who: str) -> Columns:
    if array.ndim != 2:
        raise ValueError(
            f"{who} must hold a two-dimensional array, one item per row. Got the shape "
            f"{array.shape}. Flatten each item: X.reshape(len(X), -1)."
        )
    if array.shape[0] == 0 or array.shape[1] == 0:
        raise ValueError(f"{who} holds no values: its shape is {array.shape}.")
    plain = _plain(array, who)
    names = tuple(f"column {place + 1}" for place in range(plain.shape[1]))
    return Columns(names, tuple(plain.T))


def _plain(array: npt.NDArray[Any], where: str) -> npt.NDArray[Any]:
    if array.dtype.kind in "biuf":
        return array.astype(np.float64)
    if array.dtype.kind == "U":
        return array
    raise ValueError(f"{where} holds {array.dtype}, where numbers or texts are needed.")
