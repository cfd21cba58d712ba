"""New rows into an old map: files read, placed and written block by block."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from sidelight.cli.maps import map_columns
from sidelight.cli.preparation import Preparation
from sidelight.cli.reading import TEXT_REMEDY
from sidelight.core import counted, is_sparse, listed, report
from sidelight.estimator import placed_by
from sidelight.io import read_images, require_file
from sidelight.io.coding import read_for, settled
from sidelight.io.table import (
    ENDINGS,
    Table,
    comes_in_blocks,
    condition_of_column,
    holds_graph,
    read_graph,
    shape_in,
    table_blocks,
    table_writer,
    writing_blocks,
)
from sidelight.scale import in_order

#: So many faults of a folder are told in full.
_TOLD = 3
_REMEDY = "Fill them in, or leave these rows out with --missing drop-rows."


@dataclass(frozen=True)
class Placing:
    """A model, and how rows are prepared for it.

    Parameters
    ----------
    model : estimator
        Fitted.
    preparation : Preparation
        Which columns, and how they are scaled.
    missing : str
        What is done about missing numbers.
    header : bool or None
        Whether the first row of a text names the columns.
    """

    model: Any
    preparation: Preparation
    missing: str
    header: bool | None


@dataclass(frozen=True)
class Placed:
    """What became of a file.

    Parameters
    ----------
    file : Path
        Read.
    n_rows : int
        Placed.
    notes : tuple of str
        What was done with the file that its owner should know.
    """

    file: Path
    n_rows: int
    notes: tuple[str, ...]


def place_file(files: tuple[Path, Path], placing: Placing, client: Any = None) -> Placed:
    """Read a file, place its rows, and write them to another."""
    file, output = files
    n_rows, notes = 0, tuple[str, ...]()
    # a parquet file has one kind of number in a column: that of the first block would be too narrow
    as_read = output.suffix.lower() in (".parquet", ".pq") and comes_in_blocks(file)
    names = list(placing.model.get_feature_names_out())
    first: dict[str, Any] = {}
    with writing_blocks(output) as write, closing(_blocks(file, placing)) as blocks:
        for table, Z in in_order(client, place_block, blocks, placing):
            columns = map_columns(Z, names, table, as_read=as_read)
            if not first:
                notes, first = (*table.notes, *table.warnings), columns
            write({name: columns[name] for name in first})
            n_rows += len(Z)
    return Placed(file, n_rows, notes)


def place_block(table: Table, placing: Placing) -> tuple[Table, Any]:
    """Prepare the rows of a block and place them."""
    X = placing.preparation.apply(table)
    factors = placing.preparation.factors
    try:
        side = [condition_of_column(table, column, period) for column, period in factors]
        return table, placed_by(placing.model, X, side)
    except ValueError as error:
        rows = f"rows {table.rows[0] + 1:,} to {table.rows[-1] + 1:,}"
        raise ValueError(f"{table.name}, {rows}: {error}") from error


def files_in(folder: Path, output: Path) -> list[tuple[Path, Path]]:
    """The tables of a folder, and where the places of each go: under the same name."""
    if output.exists() and not output.is_dir():
        raise NotADirectoryError(f"{output} is a file. The places of a folder go into a folder.")
    if output.exists() and output.samefile(folder):
        raise ValueError(f"{output} would be written over. Give the output another folder.")
    found = sorted(
        path
        for path in folder.iterdir()
        if path.is_file() and path.suffix.lower() in ENDINGS and not path.name.startswith(".")
    )
    if not found:
        raise ValueError(f"{folder} holds no table. Tables end in {', '.join(ENDINGS)}.")
    for path in found:
        table_writer(output / path.name)
    return [(path, output / path.name) for path in found]


def place_folder(
    files: list[tuple[Path, Path]], placing: Placing, client: Any = None
) -> Iterator[Placed]:
    """Place the tables of a folder, a file at a time for each worker.

    One that cannot be placed is no reason to leave the others: it is told in the end.
    """
    faults = dict[str, str]()
    for done, placed in enumerate(in_order(client, _placed_or_fault, files, placing), 1):
        report("files", done, len(files))
        if isinstance(placed, Placed):
            yield placed
        else:
            faults[files[done - 1][0].name] = placed
    if faults:
        raise ValueError(_of_faults(faults, files))


def _placed_or_fault(files: tuple[Path, Path], placing: Placing) -> Placed | str:
    """What became of a file, or what its owner can put right."""
    try:
        return place_file(files, placing)
    except (ValueError, OSError, MemoryError) as error:
        told, name = str(error) or type(error).__name__, files[0].name
        return told if name in told else f"{name}: {told}"


def _of_faults(faults: dict[str, str], files: list[tuple[Path, Path]]) -> str:
    """All that is wrong, of the first few tables in their own words."""
    told = list(faults.values())
    if len(files) == 1:
        return told[0]
    where = files[0][1].parent
    others = f" (the others are in {where})" if len(told) < len(files) else ""
    further = [f"Nor could {counted(len(told) - _TOLD, 'more', 'more')}."]
    count = f"{counted(len(told), 'table')} of {len(files)} could not be placed{others}."
    return " ".join([count, *told[:_TOLD], *(further if len(told) > _TOLD else [])])


def _blocks(file: Path, placing: Placing) -> Generator[Table, None, None]:
    """The blocks of a file as the model takes them: its columns, the rest beside them."""
    if file.expanduser().is_dir():
        yield _for_the_model(read_images(file)[0], placing)
        return
    if placing.preparation.coder is not None:  # words are few beside numbers: read whole
        coder = placing.preparation.coder
        table = read_for(coder, require_file(file), header=placing.header)
        if is_sparse(table.X):
            yield settled(table, coder, placing.missing, remedy=_REMEDY, of_texts=TEXT_REMEDY)
        else:
            yield _for_the_model(table, placing)
        return
    if holds_graph(file):
        yield read_graph(file)
        return
    unused = placing.preparation.unused
    for number, table in enumerate(table_blocks(file, header=placing.header, aside=unused)):
        try:
            yield _for_the_model(table, placing)
        except ValueError as error:
            if not number:
                raise
            rows = f"rows {table.rows[0] + 1:,} to {table.rows[-1] + 1:,}"
            raise ValueError(f"{table.name}, {rows}: {error}") from error


def _require_size(table: Table, preparation: Preparation) -> None:
    """Refuse images that are not as large as those of the model: a part of them would do for it."""
    shape, columns = table.image_shape, preparation.columns
    if shape is None:
        return
    fitted = shape_in(columns)
    strange = not any(name.startswith("pixel ") for name in columns)
    if shape != fitted if fitted else strange and prod(shape) != len(columns):
        written = [" × ".join(map(str, each)) for each in (shape, fitted or (len(columns),))]
        raise ValueError(
            f"The images of {table.name} have {written[0]} numbers each, and the model was fitted "
            f"on {'images' if fitted else 'rows'} of {written[1]}. Bring them to the size of those."
        )


def _for_the_model(table: Table, placing: Placing) -> Table:
    preparation = placing.preparation
    _require_size(table, preparation)
    absent = [name for name in preparation.conditions if name not in table.labels]
    if absent:
        raise ValueError(
            f"{table.name} lacks the column {absent[0]!r} of the factor that the model takes out "
            f"of rows. Give its name with --condition-column."
        )
    numbers = [
        name
        for name, values in table.labels.items()
        if values.dtype.kind in "fi" and name not in preparation.conditions
    ]
    notes = [f"Not used by the model: {listed(numbers, 'column')}."] if numbers else []
    if not set(table.column_names) & set(preparation.columns) and preparation.by_place(table):
        notes.append(
            f"Columns are taken by their place, for {table.name} and the model have no names in "
            f"common: {listed(table.column_names, 'column')} for "
            f"{listed(preparation.columns, 'column')}."
        )
    # what is missing in columns that the model does not use is no reason to refuse a row
    return table.settled(placing.missing, remedy=_REMEDY).with_notes(notes)
