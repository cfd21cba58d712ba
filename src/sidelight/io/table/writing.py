"""Tables out: maps and decoded items as csv, tsv, parquet, npy or npz files."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight.core import MissingExtraError
from sidelight.io.atomic import replacing
from sidelight.io.table.columns import no_formula

_Columns: TypeAlias = Mapping[str, npt.NDArray[Any]]
_Writer: TypeAlias = Callable[[IO[bytes]], AbstractContextManager[Callable[[_Columns], None]]]


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
    arrays = {name: np.asarray(values) for name, values in columns.items()}
    lengths = {name: len(values) for name, values in arrays.items()}
    if not arrays or len(set(lengths.values())) > 1:
        raise ValueError(
            f"The 'columns' argument of write_table must hold columns of one length. Got {lengths}."
        )
    with writing_blocks(target) as write:
        write(arrays)
    return target


@contextmanager
def writing_blocks(path: Path) -> Iterator[Callable[[_Columns], None]]:
    """Write a table block by block; it takes its place when the last block is written.

    Blocks have the same columns, of one kind each.  Those of npy and npz files, which begin with
    their length, are kept until then.
    """
    target = path.expanduser()
    opened = table_writer(target)
    with replacing(target) as file, opened(file) as write:
        yield write


def table_writer(path: Path) -> _Writer:
    """Choose the format by the file's ending, so that a wrong one is known before any work."""
    ending = path.suffix.lower()
    if ending not in _WRITERS:
        raise ValueError(
            f"A table cannot be written to {path.name}: its ending must be one of "
            f"{', '.join(_WRITERS)}. Got {ending or '(none)'!r}."
        )
    if _WRITERS[ending] is _parquet:
        _require_pyarrow()
    return _WRITERS[ending]


@contextmanager
def _text(file: IO[bytes], separator: str) -> Iterator[Callable[[_Columns], None]]:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    names: list[str] = []

    def write(columns: _Columns) -> None:
        if not names:
            names.extend(columns)
            writer.writerow([no_formula(str(name)) for name in names])
        writer.writerows(zip(*(_cells(columns[name]) for name in names), strict=True))

    yield write
    text.detach()


def _cells(values: npt.NDArray[Any]) -> list[Any]:
    # tolist gives Python's numbers, which are written in as few digits as name them exactly
    cells: list[Any] = values.tolist()
    if values.dtype.kind in "biuf":
        return cells
    return [no_formula(cell) if isinstance(cell, str) else cell for cell in cells]


@contextmanager
def _parquet(file: IO[bytes]) -> Iterator[Callable[[_Columns], None]]:
    _require_pyarrow()
    import pyarrow as pa
    import pyarrow.parquet as pq

    with ExitStack() as stack:
        opened: list[Any] = []

        def write(columns: _Columns) -> None:
            table = pa.table({name: pa.array(values) for name, values in columns.items()})
            if not opened:
                opened.append(stack.enter_context(pq.ParquetWriter(file, table.schema)))
            for found, first in zip(table.schema, opened[0].schema, strict=True):
                if found != first:
                    raise ValueError(
                        f"The column {first.name!r} holds {found.type} in one block of rows and "
                        f"{first.type} in the first. Write a csv file, which takes both."
                    )
            opened[0].write_table(table)

        yield write


@contextmanager
def _kept(
    file: IO[bytes], finish: Callable[[IO[bytes], _Columns], None]
) -> Iterator[Callable[[_Columns], None]]:
    """Blocks put together, and then written."""
    blocks: list[_Columns] = []
    yield blocks.append
    if len(blocks) == 1:
        finish(file, blocks[0])
    else:
        finish(file, {name: np.concatenate([b[name] for b in blocks]) for name in blocks[0]})


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


_WRITERS: dict[str, _Writer] = {
    ".csv": partial(_text, separator=","),
    ".tsv": partial(_text, separator="\t"),
    ".parquet": _parquet,
    ".pq": _parquet,
    ".npy": partial(_kept, finish=_write_npy),
    ".npz": partial(_kept, finish=_write_npz),
}
