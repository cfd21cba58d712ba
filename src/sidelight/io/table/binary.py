"""Tables as arrays: npy and npz files."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight.core import rows_of_pixels, said_of_images
from sidelight.io.finding import refuse_unless
from sidelight.io.table import large
from sidelight.io.table.columns import Columns, check_names, pixel_names


def read_npy(path: Path) -> Columns:
    """Read one array from an npy file."""
    refuse_unless(path, "a NumPy array (.npy)", "a NumPy array")
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)  # looked at before it is taken
    except (ValueError, EOFError) as error:
        raise ValueError(
            f"{path.name} cannot be read: {error} An array of numbers is needed; files that would "
            "run code when opened (pickled objects) are never read."
        ) from error
    return _columns_of(array, path.name)


def read_npz(path: Path) -> Columns:
    """Read the only two-dimensional array of an npz file, its only images, or what is named X.

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
            f"{path.name} holds a sparse array, which is no table of columns. Read it with "
            f"scipy.sparse.load_npz; 'sidelight embed' takes it as it is."
        )
    tables = [name for name, array in arrays.items() if np.ndim(array) == 2]
    images = [name for name, array in arrays.items() if np.ndim(array) in (3, 4)]
    found = tables or images
    name = "X" if "X" in (*tables, *images) else found[0] if len(found) == 1 else None
    if name is None:
        shapes = ", ".join(f"{key} {np.shape(array)}" for key, array in arrays.items())
        raise ValueError(
            f"{path.name} must hold one two-dimensional array, or one of images, or one that is "
            f"named X. Got: {shapes}."
        )
    table = _columns_of(arrays.pop(name), path.name)
    n_rows = len(table.values[0])
    beside = {
        key: _plain(array, f"{path.name}, array {key!r}")
        for key, array in arrays.items()
        if array.shape == (n_rows,)
    }
    left = [key for key in arrays if key not in beside]
    notes = table.notes
    if left:
        notes = (*notes, f"Used the array {name!r} of {path.name}; left out {', '.join(left)}.")
    names = (*table.names, *beside)
    check_names(names, path.name)
    values = (*table.values, *beside.values())
    return replace(table, names=names, values=values, notes=notes)


def rows_of_array(array: Any, who: str) -> tuple[Any, tuple[str, ...], tuple[int, ...] | None]:
    """The rows of an array, what its columns are called, and the shape of images that rows are."""
    given = array.shape
    array, shape = rows_of_pixels(array, who=who)
    if array.ndim != 2:
        flat = "One number per row: X.reshape(-1, 1)."
        deep = "Flatten each item: X.reshape(len(X), -1)."
        raise ValueError(
            f"{who} must hold a two-dimensional array, one item per row, or images, (n, height, "
            f"width). Got the shape {given}. {flat if array.ndim < 2 else deep}"
        )
    if 0 in array.shape:
        raise ValueError(f"{who} holds no values: its shape is {given}.")
    if shape is not None:
        return array, pixel_names(shape), shape
    return array, tuple(f"column {place + 1}" for place in range(array.shape[1])), None


def _columns_of(array: Any, who: str) -> Columns:
    array, names, shape = rows_of_array(array, who)
    notes = () if shape is None else (said_of_images(shape),)
    if array.dtype.kind != "f" or 8.0 * array.size <= large.LARGE_BYTES:
        table = _plain(array, who)
    else:
        large.require_memory_for_table(array.shape[0], array.shape[1], 4, who=who)
        table = np.array(array, dtype=np.float32, order="C")
        notes = (*notes, large.in_single_precision(array.size))
    packed = table if table.dtype.kind == "f" else None
    return Columns(names, tuple(table.T), notes, table=packed, image_shape=shape)


def _plain(array: npt.NDArray[Any], where: str) -> npt.NDArray[Any]:
    if array.dtype.kind in "biuf":
        return array.astype(np.float64)
    if array.dtype.kind == "U":
        return array
    raise ValueError(f"{where} holds {array.dtype}, where numbers or texts are needed.")
