"""Tables out: maps and decoded items as csv, tsv, parquet, npy or npz files."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from sidelight.core import MissingExtraError
from sidelight.io.atomic import replacing
from sidelight.io.table.columns import no_formula

_Columns = Mapping[str, npt.NDArray[Any]]


def write_table(path: str | Path, columns: Mapping[str, Any]) -> Path:
    """Write named columns to a file; an existing one is replaced only when all went well.

    Numbers are written so that reading them gives the same numbers to the bit.  In csv and tsv
    files a text that a spreadsheet would run as a formula (it begins with ``= + - @`` and is no
    number) gets an apostrophe in front, which :func:`read_table` takes away again.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sidelight.io import write_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = write_table(Path(folder) / "map.csv", {"x": [0.1, 2.0], "town": ["Ash", "Elm"]})
    ...     file.read_text().splitlines()
    ['x,town', '0.1,Ash', '2.0,Elm']
    """
    target = Path(path).expanduser()
    writer = table_writer(target)
    arrays = {name: np.asarray(values) for name, values in columns.items()}
    lengths = {name: len(values) for name, values in arrays.items()}
    if not arrays or len(set(lengths.values())) > 1:
        raise ValueError(
            f"The 'columns' argument of write_table must hold columns of one length. Got {lengths}."
        )
    with replacing(target) as file:
        writer(file, arrays)
    return target


def table_writer(path: Path) -> Callable[[IO[bytes], _Columns], None]:
    """Choose the format by the file's ending, so that a wrong one is known before any work."""
    ending = path.suffix.lower()
    if ending not in _WRITERS:
        raise ValueError(
            f"A table cannot be written to {path.name}: its ending must be one of "
            f"{', '.join(_WRITERS)}. Got {ending or '(none)'!r}."
        )
    if ending == ".parquet":
        _require_pyarrow()
    return _WRITERS[ending]


def _write_text(file: IO[bytes], columns: _Columns, separator: str) -> None:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow([no_formula(str(name)) for name in columns])
    writer.writerows(zip(*map(_cells, columns.values()), strict=True))
    text.detach()


def _cells(values: npt.NDArray[Any]) -> list[Any]:
    # tolist gives Python's numbers, which are written in as few digits as name them exactly
    cells: list[Any] = values.tolist()
    if values.dtype.kind in "biuf":
        return cells
    return [no_formula(cell) if isinstance(cell, str) else cell for cell in cells]


def _write_csv(file: IO[bytes], columns: _Columns) -> None:
    _write_text(file, columns, ",")


def _write_tsv(file: IO[bytes], columns: _Columns) -> None:
    _write_text(file, columns, "\t")


def _write_parquet(file: IO[bytes], columns: _Columns) -> None:
    _require_pyarrow()
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({name: pa.array(values) for name, values in columns.items()}), file)


def _write_npy(file: IO[bytes], columns: _Columns) -> None:
    texts = [name for name, values in columns.items() if values.dtype.kind not in "biuf"]
    if texts:
        raise ValueError(
            f"An npy file holds numbers, and {', '.join(map(repr, texts))} is text. Write a csv, "
            "parquet or npz file."
        )
    np.lib.format.write_array(file, np.column_stack(list(columns.values())), allow_pickle=False)


def _write_npz(file: IO[bytes], columns: _Columns) -> None:
    numbers = [values for values in columns.values() if values.dtype.kind in "biuf"]
    texts = {name: values for name, values in columns.items() if values.dtype.kind == "U"}
    if "X" in texts or not numbers:
        raise ValueError("An npz file holds the numbers as X: there must be some, and no text X.")
    np.savez(file, allow_pickle=False, X=np.column_stack(numbers), **texts)


def _require_pyarrow() -> None:
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise MissingExtraError("pyarrow", "tables", "Writing a Parquet file") from None


_WRITERS: dict[str, Callable[[IO[bytes], _Columns], None]] = {
    ".csv": _write_csv,
    ".tsv": _write_tsv,
    ".parquet": _write_parquet,
    ".npy": _write_npy,
    ".npz": _write_npz,
}
