"""Parquet files: record batches straight into one array, whole or block by block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight.core import FloatArray, MissingExtraError, report
from sidelight.io.finding import refuse_unless
from sidelight.io.table import large
from sidelight.io.table.columns import Columns, check_names

# A column whose values differ by less than this part of their size needs its digits.
_NARROW = 1e-3


def read_parquet(path: Path, exactly: Sequence[str] = ()) -> Columns:
    """Read a parquet file; the numbers of a large one in single precision, but for some columns.

    Record batches are written into one array, so that no second table is ever in memory.
    """
    file = _opened(path)
    names = [name for name in file.schema_arrow.names if not _is_empty(file, name)]
    empty = [name for name in file.schema_arrow.names if name not in names]
    kinds = {name: file.schema_arrow.field(name).type for name in names}
    packed = [name for name in names if _holds_numbers(kinds[name]) and name not in exactly]
    n = file.metadata.num_rows
    single = 8.0 * n * len(packed) > large.LARGE_BYTES and not _narrow(file, packed)
    large.require_memory_for_table(n, len(packed), 4 if single else 8, who=path.name)
    table = np.empty((n, len(packed)), dtype=np.float32 if single else np.float64)
    others: dict[str, list[Any]] = {name: [] for name in names if name not in packed}
    start = 0
    for batch in _batches(file, names, path):
        stop = start + batch.num_rows
        for place, name in enumerate(packed):
            table[start:stop, place] = _numbers(batch.column(name))
        for name, pieces in others.items():
            pieces.append(_from_arrow(batch.column(name), f"{path.name}, column {name!r}"))
        start = stop
        report(f"reading {path.name}", stop, n)
    values = dict(zip(packed, table.T, strict=True))
    values |= {name: np.concatenate(pieces) for name, pieces in others.items()}
    notes = [f"Left out {', '.join(map(repr, empty))}: there is nothing in it."] if empty else []
    if single:
        notes.append(large.in_single_precision(table.size))
    return Columns(tuple(names), tuple(values[name] for name in names), tuple(notes), table=table)


def parquet_blocks(path: Path) -> Iterator[Columns]:
    """Read a parquet file block by block; whole numbers of which none is missing stay as such."""
    file = _opened(path)
    names = file.schema_arrow.names
    done = 0
    for batch in _batches(file, names, path):
        values = []
        for name in names:
            column = batch.column(name)
            whole = _is_integer(column.type) and not _nulls(file, name)
            found = column.to_numpy(zero_copy_only=False).astype(np.int64) if whole else None
            where = f"{path.name}, column {name!r}"
            values.append(_from_arrow(column, where) if found is None else found)
        yield Columns(tuple(names), tuple(values))
        done += batch.num_rows
        report(f"placing {path.name}", done, file.metadata.num_rows)


def _opened(path: Path) -> Any:
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
    if not file.metadata.num_rows or not file.schema_arrow.names:
        raise ValueError(f"{path.name} has no rows.")
    return file


def _batches(file: Any, names: Sequence[str], path: Path) -> Iterator[Any]:
    import pyarrow as pa

    try:
        yield from file.iter_batches(large.rows_in_a_block(len(names)), columns=list(names))
    except (pa.ArrowInvalid, OSError) as error:
        raise ValueError(f"{path.name} cannot be read as a Parquet file: {error}") from error


def _statistics(file: Any, name: str) -> list[Any]:
    """What the file itself says of a column, for each group of rows; nothing if it says little."""
    place = file.metadata.schema.names.index(name) if name in file.metadata.schema.names else None
    groups = range(file.metadata.num_row_groups)
    found = (
        []
        if place is None
        else [file.metadata.row_group(group).column(place).statistics for group in groups]
    )
    return [] if any(each is None for each in found) else found


def _nulls(file: Any, name: str) -> bool:
    """Whether a value of a column is missing, or may be."""
    found = _statistics(file, name)
    return not found or any(not each.has_null_count or each.null_count for each in found)


def _is_empty(file: Any, name: str) -> bool:
    found = _statistics(file, name)
    if found and all(each.has_null_count for each in found):
        return bool(sum(each.null_count for each in found) == file.metadata.num_rows)
    column = file.read([name]).column(0)
    return bool(column.null_count == len(column))


def _narrow(file: Any, names: Sequence[str]) -> bool:
    """Whether a column needs more digits than single precision has, or may."""
    for name in names:
        found = _statistics(file, name)
        if not found or not all(each.has_min_max for each in found):
            return True
        low = min(float(each.min) for each in found)
        high = max(float(each.max) for each in found)
        if low < high and high - low < _NARROW * max(abs(low), abs(high)):
            return True
    return False


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


def _from_arrow(column: Any, where: str) -> npt.NDArray[Any]:
    import pyarrow as pa

    kind = column.type
    if _holds_numbers(kind):
        return np.array(_numbers(column))
    if pa.types.is_dictionary(kind):
        column, kind = column.cast(kind.value_type), kind.value_type
    if pa.types.is_nested(kind) or pa.types.is_binary(kind):
        raise ValueError(
            f"{where} holds {kind}, where a number or a text is needed. Write nested values as "
            "columns of their own."
        )
    # each text once, and its number for every row: no object for each row
    coded = column.cast(pa.string()).fill_null("").dictionary_encode()
    texts = np.array(coded.dictionary.to_pylist() or [""], dtype=str)
    return np.asarray(texts[coded.indices.to_numpy(zero_copy_only=False)])
