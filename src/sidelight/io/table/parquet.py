"""Parquet files: record batches straight into one array, whole or block by block.

A folder of them is one table, in the order of their names, as other programs write large ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight.core import FloatArray, MissingExtraError, listed, report, said_of_empty
from sidelight.io.finding import refuse_unless
from sidelight.io.table import large
from sidelight.io.table.columns import Columns, check_names

#: What Parquet files end in.
PARQUET = (".parquet", ".pq")
# A column whose values differ by less than this part of their size needs its digits.
_NARROW = 1e-3


def read_parquet(path: Path, exactly: Sequence[str] = ()) -> Columns:
    """Read a parquet file; the numbers of a large one in single precision, but for some columns.

    Record batches are written into one array, so that no second table is ever in memory.
    """
    parts = _opened(path)
    schema = parts[0].schema_arrow
    names = [name for name in schema.names if not _is_empty(parts, name)]
    empty = [name for name in schema.names if name not in names]
    beside = {*exactly, *_index(parts[0])}
    packed = [
        name
        for name in names
        if name not in beside and all(_holds_numbers(_kind(part, name)) for part in parts)
    ]
    n = _n_rows(parts)
    single = 8.0 * n * len(packed) > large.LARGE_BYTES and not _narrow(parts, packed)
    large.require_memory_for_table(n, len(packed), 4 if single else 8, who=path.name)
    table = np.empty((n, len(packed)), dtype=np.float32 if single else np.float64)
    others: dict[str, list[Any]] = {name: [] for name in names if name not in packed}
    start = 0
    for batch in _batches(parts, names, path):
        stop = start + batch.num_rows
        for place, name in enumerate(packed):
            table[start:stop, place] = _numbers(batch.column(name))
        for name, pieces in others.items():
            column = _like_others(batch.column(name), parts, name)
            pieces.append(_from_arrow(column))
        start = stop
        report(f"reading {path.name}", stop, n)
    values = dict(zip(packed, table.T, strict=True))
    values |= {name: np.concatenate(pieces) for name, pieces in others.items()}
    notes = [said_of_empty(empty)] if empty else []
    if single:
        notes.append(large.in_single_precision(table.size))
    index = tuple(name for name in _index(parts[0]) if name in names)
    found = tuple(values[name] for name in names)
    return Columns(tuple(names), found, tuple(notes), table=table, index=index)


def parquet_blocks(path: Path) -> Iterator[Columns]:
    """Read a parquet file block by block; whole numbers of which none is missing stay as such."""
    parts = _opened(path)
    names, n = parts[0].schema_arrow.names, _n_rows(parts)
    done = 0
    for batch in _batches(parts, names, path):
        values = []
        for name in names:
            column = batch.column(name)
            whole = _is_integer(column.type) and not _nulls(parts, name)
            found = column.to_numpy(zero_copy_only=False).astype(np.int64) if whole else None
            values.append(_from_arrow(column) if found is None else found)
        yield Columns(tuple(names), tuple(values), index=_index(parts[0]))
        done += batch.num_rows
        report(f"placing {path.name}", done, n)


def parts_of(path: Path) -> list[Path]:
    """The files that are one table: those of a folder that holds no other, by name; or the file."""
    if not path.is_dir():
        return [path]
    return sorted(
        (file for file in path.iterdir() if _is_part(file)),
        key=lambda file: file.name,
    )


def _is_part(file: Path) -> bool:
    return file.suffix.lower() in PARQUET and not file.name.startswith(".") and file.is_file()


def _opened(path: Path) -> list[Any]:
    """The files of a table, opened; all of them with the columns of the first."""
    files = parts_of(path)
    opened = [_opened_file(file) for file in files]
    names = opened[0].schema_arrow.names
    for file, part in zip(files, opened, strict=True):
        if sorted(part.schema_arrow.names) != sorted(names):
            other = sorted(set(part.schema_arrow.names) ^ set(names))
            raise ValueError(
                f"The files of {path.name} are no one table: {file.name} has other columns than "
                f"{files[0].name} ({listed(other, 'column')}). Give one of them, or write them "
                f"with the same columns."
            )
        for name in names:
            _require_one_kind(name, (files[0], opened[0]), (file, part), path.name)
    if not _n_rows(opened) or not names:
        raise ValueError(f"{path.name} has no rows.")
    return opened


def _require_one_kind(
    name: str, first: tuple[Path, Any], other: tuple[Path, Any], who: str
) -> None:
    """Refuse numbers in one file and text in another; nothing at all goes with both."""
    kinds = {file.name: _kind(part, name) for file, part in (first, other)}
    if len({_holds_numbers(kind) for kind in kinds.values() if not _is_null(kind)}) > 1:
        said = " and ".join(f"{kind} in {file}" for file, kind in kinds.items())
        raise ValueError(
            f"The files of {who} are no one table: the column {name!r} is {said}. Write it as one "
            f"kind in all of them."
        )


def _opened_file(path: Path) -> Any:
    refuse_unless(path, "a Parquet file", "a Parquet file")
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtraError("pyarrow", "tables", "Reading a Parquet file") from None
    try:
        file = pq.ParquetFile(path)  # not mapped: what was read would stay
    except (pa.ArrowInvalid, OSError) as error:
        raise ValueError(f"{path.name} cannot be read as a Parquet file: {error}") from error
    check_names(file.schema_arrow.names, path.name)
    return file


def _index(part: Any) -> tuple[str, ...]:
    """The columns that were the index of the frame of pandas that was written."""
    told = part.schema_arrow.pandas_metadata or {}
    named = [each for each in told.get("index_columns", ()) if isinstance(each, str)]
    return tuple(name for name in named if name in part.schema_arrow.names)


def _n_rows(parts: Sequence[Any]) -> int:
    return sum(int(part.metadata.num_rows) for part in parts)


def _kind(part: Any, name: str) -> Any:
    return part.schema_arrow.field(name).type


def _batches(parts: Sequence[Any], names: Sequence[str], path: Path) -> Iterator[Any]:
    import pyarrow as pa

    try:
        for part in parts:
            yield from part.iter_batches(large.rows_in_a_block(len(names)), columns=list(names))
    except (pa.ArrowInvalid, OSError) as error:
        raise ValueError(f"{path.name} cannot be read as a Parquet file: {error}") from error


def _statistics(parts: Sequence[Any], name: str) -> list[Any]:
    """What files themselves say of a column, for each group of rows; nothing if they say little."""
    found = [each for part in parts for each in _statistics_in(part, name)]
    return [] if any(each is None for each in found) else found


def _statistics_in(part: Any, name: str) -> list[Any]:
    if name not in part.metadata.schema.names:
        return [None]
    place = part.metadata.schema.names.index(name)
    groups = range(part.metadata.num_row_groups)
    return [part.metadata.row_group(group).column(place).statistics for group in groups]


def _nulls(parts: Sequence[Any], name: str) -> bool:
    """Whether a value of a column is missing, or may be."""
    found = _statistics(parts, name)
    return not found or any(not each.has_null_count or each.null_count for each in found)


def _is_empty(parts: Sequence[Any], name: str) -> bool:
    found = _statistics(parts, name)
    if found and all(each.has_null_count for each in found):
        return bool(sum(each.null_count for each in found) == _n_rows(parts))
    columns = (part.read([name]).column(0) for part in parts)
    return all(column.null_count == len(column) for column in columns)


def _narrow(parts: Sequence[Any], names: Sequence[str]) -> bool:
    """Whether a column needs more digits than single precision has, or may."""
    for name in names:
        found = _statistics(parts, name)
        if not found or not all(each.has_min_max for each in found):
            return True
        low = min(float(each.min) for each in found)
        high = max(float(each.max) for each in found)
        if low < high and high - low < _NARROW * max(abs(low), abs(high)):
            return True
    return False


def _is_null(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_null(kind))


def _like_others(column: Any, parts: Sequence[Any], name: str) -> Any:
    """A column with nothing in it, as text where other files have text."""
    import pyarrow as pa

    text = any(not _holds_numbers(_kind(part, name)) for part in parts)
    return column.cast(pa.string()) if text and _is_null(column.type) else column


def _is_integer(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(kind))


def _holds_numbers(kind: Any) -> bool:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    checks = (
        pa.types.is_boolean, pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal,
        pa.types.is_null,
    )  # fmt: skip
    return any(check(kind) for check in checks)


def _numbers(column: Any) -> FloatArray:
    """A column of numbers in double precision, missing ones NaN."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    cast = column.cast(pa.float64(), safe=False)
    return np.asarray(cast.to_numpy(zero_copy_only=False), dtype=np.float64)


def _from_arrow(column: Any) -> npt.NDArray[Any]:
    import pyarrow as pa

    kind = column.type
    if _holds_numbers(kind):
        return np.array(_numbers(column))
    if pa.types.is_dictionary(kind):
        column, kind = column.cast(kind.value_type), kind.value_type
    if pa.types.is_nested(kind) or pa.types.is_binary(kind):  # which no column of numbers is
        return np.array(["" if value is None else str(value) for value in column.to_pylist()])
    # each text once, and its number for every row: no object for each row
    coded = column.cast(pa.string()).fill_null("").dictionary_encode()
    texts = np.array(coded.dictionary.to_pylist() or [""], dtype=str)
    return np.asarray(texts[coded.indices.to_numpy(zero_copy_only=False)])
