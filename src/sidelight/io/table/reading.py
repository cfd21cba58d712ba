"""A table from a file: the numbers to work on, and everything else set aside by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight.core import FloatArray, IntArray, listed
from sidelight.io.finding import require_file
from sidelight.io.table.binary import read_npy, read_npz
from sidelight.io.table.columns import Columns, almost_numbers, said_of_texts
from sidelight.io.table.missing import PYTHON_REMEDY, settle_missing
from sidelight.io.table.parquet import PARQUET, parts_of, read_parquet
from sidelight.io.table.text import read_delimited

_BINARY: dict[str, Callable[[Path], Columns]] = {".npy": read_npy, ".npz": read_npz}
_TEXT = (".csv", ".tsv", ".txt")
_NAMES_ROWS = (
    "Set aside the first column, which has no name and another word in every row. To call rows so, "
    "in pictures and in tables of pairs: names='column 1', --name-column 'column 1'."
)
#: What spreadsheets end in, which are read as what they export.
_SHEETS = (".xlsx", ".xls", ".xlsm", ".ods")
#: What pictures end in, one of which is no table.
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".webp")
#: What compressed files end in.
_PACKED = (".gz", ".zip", ".bz2", ".xz", ".zst", ".7z")
#: What tables end in.
ENDINGS = (*_TEXT, *_BINARY, *PARQUET)


@dataclass(frozen=True, eq=False)
class Table:
    """The numbers of a table, and what stands beside them.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
        The columns of numbers.
    column_names : tuple of str
        Their names.
    labels : dict of str to ndarray of shape (n_rows,)
        The columns set aside: those of text, and those of numbers that were asked for.
    rows : ndarray of shape (n_rows,)
        The place of each row in the file, counted from 0.
    notes : tuple of str
        What was done with the file that its owner should know.
    name : str
        The file's name.
    warnings : tuple of str
        What is probably not meant.
    image_shape : tuple of int, optional
        The shape of the images that the file holds.
    """

    X: FloatArray
    column_names: tuple[str, ...]
    labels: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)
    rows: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    notes: tuple[str, ...] = ()
    name: str = "table"
    warnings: tuple[str, ...] = ()
    image_shape: tuple[int, ...] | None = None

    @property
    def pictured(self) -> tuple[int, ...] | None:
        """The shape of the images that the rows of X are; None where pixels were left out."""
        whole = self.X.shape[1] == prod(self.image_shape or ())
        return self.image_shape if whole else None

    def select(self, names: Sequence[str]) -> FloatArray:
        """Give columns of numbers by name, in the order asked for."""
        absent = [name for name in names if name not in self.column_names]
        if absent:
            raise ValueError(
                f"{self.name} lacks {listed(absent, 'column')}. It has "
                f"{listed(self.column_names, 'column', 12)}."
            )
        if tuple(names) == self.column_names:
            return self.X  # which may be all of the memory that there is
        return self.X[:, [self.column_names.index(name) for name in names]]

    def set_aside(self, names: Sequence[str]) -> Table:
        """Take columns of numbers out of the data, and keep them beside it."""
        check_known(names, [*self.column_names, *self.labels], self.name)
        moved = [name for name in self.column_names if name in names]
        if not moved:
            return self
        left = [name for name in self.column_names if name not in names]
        labels = {**self.labels, **dict(zip(moved, self.select(moved).T, strict=True))}
        if not left:
            raise ValueError(_no_numbers(self.name, labels, ()))
        return replace(self, X=self.select(left), column_names=tuple(left), labels=labels)

    def with_notes(self, notes: Sequence[str]) -> Table:
        """The same table with more to say about it."""
        return replace(self, notes=(*self.notes, *notes)) if notes else self

    def within(self, rows: npt.NDArray[Any]) -> Table:
        """Some of the rows."""
        return replace(
            self,
            X=self.X[rows],
            labels={name: values[rows] for name, values in self.labels.items()},
            rows=self.rows[rows],
        )

    def settled(
        self,
        missing: str,
        remedy: str = PYTHON_REMEDY,
        name_column: str | None = None,
        coded_from: Sequence[str] = (),
    ) -> Table:
        """Deal with the missing numbers of the data; ``remedy`` is what an error advises.

        ``name_column`` was set aside, and has the names of rows for it; ``coded_from`` are the
        columns that those of the data were made of.
        """
        start = int(self.rows[0]) if len(self.rows) else 0
        X, rows, kept, note = settle_missing(
            self.X,
            self.column_names,
            missing,
            self.name,
            remedy,
            start,
            row_names=None if name_column is None else self.labels[name_column],
            coded_from=coded_from,
        )
        if not note:
            return self
        names = tuple(np.array(self.column_names, dtype=object)[kept])
        whole = replace(self, X=np.ascontiguousarray(X[:, kept]), column_names=names)
        return (whole if rows.all() else whole.within(rows)).with_notes([note])


def read_table(
    path: str | Path,
    *,
    ignore: Sequence[str] = (),
    aside: Sequence[str] = (),
    missing: str = "error",
    header: bool | None = None,
    separator: str | None = None,
    remedy: str = PYTHON_REMEDY,
    name_column: str | None = None,
) -> Table:
    """Read a table of numbers from a csv, tsv, npy, npz or parquet file, or a folder of parquet.

    Columns of text are set aside with a note, never dropped in silence.  In text files the
    separator (comma, semicolon, tab, bar, spaces), the decimal comma and the row of names are found
    out; empty fields, NA, NaN and null are missing values.  A first column without a name that
    numbers the rows is no data; ``name_column`` is set aside and names rows in errors.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sidelight.io import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "towns.csv"
    ...     _ = file.write_text("town;east;north\\nAsh;1,5;2\\nElm;3;4\\n")
    ...     table = read_table(file)
    >>> table.X.tolist(), table.column_names, table.labels["town"].tolist()
    ([[1.5, 2.0], [3.0, 4.0]], ('east', 'north'), ['Ash', 'Elm'])
    """
    found = require_table(path)
    columns = _read(found, header, separator, exactly=[*ignore, *aside])
    beside = aside if name_column is None or name_column in aside else [*aside, name_column]
    table = table_of(columns, found.name, ignore=ignore, aside=beside)
    return table.settled(missing, remedy, name_column)


def read_columns(path: str | Path, *, header: bool | None = None) -> Columns:
    """Read the columns of a table as they stand in the file."""
    return _read(require_table(path), header, None)


def require_table(path: str | Path) -> Path:
    """Find the file of a table, or a folder of Parquet files that are one."""
    return Path(path).expanduser() if is_one_table(path) else require_file(path)


def is_one_table(path: str | Path) -> bool:
    """Whether a folder is one table: it holds Parquet files, and no other tables."""
    folder = Path(path).expanduser()
    if not folder.is_dir() or not parts_of(folder):
        return False
    return all(file.suffix.lower() in PARQUET for file in folder.iterdir() if _is_table(file))


def _is_table(file: Path) -> bool:
    hidden = file.name.startswith(".")
    return file.suffix.lower() in ENDINGS and not hidden and file.is_file()


def table_of(
    columns: Columns,
    who: str,
    *,
    ignore: Sequence[str] = (),
    aside: Sequence[str] = (),
    first_row: int = 0,
) -> Table:
    """Sort columns into the numbers to work on and what stands beside them."""
    notes = list(columns.notes)
    check_known([*ignore, *aside], columns.names, who)
    numbers: dict[str, FloatArray] = {}
    labels: dict[str, npt.NDArray[Any]] = {}
    words, warnings, beside_images = [], [], []
    n_pixels = prod(columns.image_shape or (len(columns.names),))
    for place, (name, values) in enumerate(zip(columns.names, columns.values, strict=True)):
        if name in ignore:
            continue
        if name in columns.index:
            labels[name] = values
            continue
        if values.dtype.kind not in "fi":
            labels[name] = values
            if name in aside:
                continue
            cells = almost_numbers(values.tolist(), first_row) if values.dtype.kind == "U" else ""
            if cells:
                warnings.append(
                    f"Set aside the column {name!r} as text: {cells}. Write numbers, 1005.5, or "
                    "leave cells without one empty, or ignore the column."
                )
            elif place == 0 and _names_rows(values, columns):
                notes.append(_NAMES_ROWS)
            else:
                words.append(name)
        elif place == 0 and (said := said_of_row_numbers(values, columns, first_row)):
            notes.append(said)
            if name in aside or not _counts(values, first_row):
                labels[name] = values
        elif place >= n_pixels:
            labels[name] = values
            beside_images += [name] * (name not in aside)
        else:
            numbers[name] = values
    index = [name for name in columns.index if name in labels and name not in aside]
    if index:
        notes.append(f"Set aside {listed(index, 'column')}: the index of the frame, no data.")
    if words:
        notes.append(f"Set aside {listed(words, 'column')}: text, not numbers.")
    if beside_images:
        notes.append(f"Set aside {listed(beside_images, 'column')}: no pixels of the images.")
    if not numbers:
        raise ValueError(" ".join([_no_numbers(who, labels, ignore), *warnings]))
    beside = {name: numbers.pop(name) for name in aside if name in numbers}
    if not numbers:
        raise ValueError(_no_numbers(who, {**labels, **beside}, ignore))
    packed = columns.table
    if packed is None or packed.shape[1] != len(numbers):
        packed = np.column_stack(list(numbers.values()))
    _check_finite(packed, tuple(numbers), who, first_row)
    rows = np.arange(first_row, first_row + len(packed))
    beside = {**labels, **beside}
    told = tuple(notes), who, tuple(warnings), columns.image_shape
    return Table(packed, tuple(numbers), beside, rows, *told)


def _read(
    path: Path, header: bool | None, separator: str | None, exactly: Sequence[str] = ()
) -> Columns:
    ending = path.suffix.lower()
    if ending in PARQUET or path.is_dir():
        return read_parquet(path, exactly)
    if ending in _BINARY:
        return _BINARY[ending](path)
    if ending in _TEXT:
        return read_delimited(path, separator=separator, header=header)
    known = ", ".join(ENDINGS)
    remedy = "Rename the file, or save it as one of these."
    if ending in _PACKED:
        remedy = "Unpack it first."
    if ending in _PICTURES:
        remedy = "Pictures are rows: give the folder that they are in."
    if ending in _SHEETS:
        remedy = "Save the sheet as one of these, in the spreadsheet as 'CSV UTF-8'."
    raise ValueError(
        f"{path.name} has the ending {ending or '(none)'!r}, and tables end in {known}. {remedy}"
    )


def check_known(asked: Sequence[str], names: Sequence[str], who: str) -> None:
    """Refuse names of columns that a table does not have."""
    for name in asked:
        if name not in names:
            near = get_close_matches(name, names, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise ValueError(
                f"{who} has no column {name!r}.{hint} It has {listed(names, 'column', 12)}."
            )


def said_of_row_numbers(values: FloatArray, columns: Columns, first_row: int = 0) -> str:
    """What is said of a first column that names rows by numbers; nothing where it is data."""
    if not columns.first_lacks_name or len(values) < 3:
        return ""
    if _counts(values, first_row):
        return "Took the first column, which has no name and counts, for row numbers."
    if (values < 0).any() or (values != np.round(values)).any():
        return ""
    if len(np.unique(values)) < len(values):
        return ""
    return (
        "Took the first column, which has no name and another whole number in every row, for row "
        "numbers. If it is data, give it a name."
    )


def _names_rows(values: npt.NDArray[Any], columns: Columns) -> bool:
    """Whether a first column names rows by words."""
    distinct = set(values.tolist())
    return columns.first_lacks_name and len(distinct) == len(values) > 2 and "" not in distinct


def _counts(values: FloatArray, first_row: int) -> bool:
    """Whether a column counts the rows of a file, from 0 or from 1."""
    start = values[0]
    counting = np.arange(start, start + len(values))
    return start - first_row in (0.0, 1.0) and bool(np.array_equal(values, counting))


def _check_finite(X: FloatArray, names: tuple[str, ...], who: str, first_row: int = 0) -> None:
    infinite = np.isinf(X)
    if infinite.any():
        row, column = np.argwhere(infinite)[0]
        raise ValueError(
            f"{who} has an infinite value in row {first_row + row + 1}, column {names[column]!r} "
            f"({int(infinite.sum())} in all). Put a finite number there, leave the cell empty, as "
            f"a missing value, or take the column out of the file; embed, score and compare leave "
            f"it out with --ignore."
        )


def _no_numbers(who: str, labels: Mapping[str, Any], ignore: Sequence[str]) -> str:
    beside = f" It has {listed(list(labels), 'column')}, set aside." if labels else ""
    left = f" Left out: {listed(list(ignore), 'column')}." if ignore else ""
    remedy = said_of_texts(labels) or (
        "Numbers are written like 3.5; columns are separated by commas, semicolons, tabs, spaces "
        "or bars."
    )
    return f"{who} has no column of numbers to work on.{beside}{left} {remedy}"
