"""Tables as text: values between separators, as people really write them."""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from mmap import ACCESS_READ, mmap
from pathlib import Path

import numpy as np

from sidelight.core import FloatArray, counted, listed, report, require_memory, said_of_empty
from sidelight.io.finding import refuse_unless
from sidelight.io.table.columns import (
    Columns,
    as_text,
    check_names,
    is_missing,
    is_number,
    parse_column,
)
from sidelight.io.table.text.first_row import has_names, lacks_first, names_in, with_all_names
from sidelight.io.table.text.marks import Marks, decided, read_marked
from sidelight.io.table.text.separators import NAMES_OF_SEPARATORS, separator_of, single_spaced

_NO_NAMES = "The first row holds numbers, no names: columns are called 'column 1', 'column 2' …."
_REMEDY = "Every row needs as many; quote values that hold the separator."
_REMEDY_ABOVE = "Leave out what stands above the row of names, as titles and comments do."
# What a file holds in which commas, or points, may stand between thousands: where the separator is
# no comma, and where it is one and the commas are quoted.
_POINTS = rb"\d\.\d{3}\.\d"
_DOUBTFUL = (
    re.compile(rb"\d,|" + _POINTS),
    re.compile(rb'"\s*[+-]?\d[\d.]*,|' + _POINTS),
)
# The text, its decoded copy and the numbers, for each byte of a file.
_BYTES_PER_BYTE = 4.0


def read_delimited(
    path: Path, *, separator: str | None = None, header: bool | None = None
) -> Columns:
    """Read a table of text."""
    refuse_unless(path, "text", "a table of text")
    require_memory(
        _BYTES_PER_BYTE * path.stat().st_size,
        what="a table of text",
        who=f"Reading {path.name}",
        instead="Save it as parquet, which takes less.",
    )
    text = _decoded(path)
    _admit_long_fields(text)
    if separator is None:
        separator = "\t" if path.suffix.lower() == ".tsv" else separator_of(text)
    return _columns_in(text, separator, header, path.name)


def delimited_blocks(path: Path, n_bytes: int, *, header: bool | None = None) -> Iterator[Columns]:
    """Read a table of text block by block; a column with nothing in it is one of missing numbers.

    What separates the columns, and whether the first row names them, is told from the first block;
    what commas in numbers mean, from all.
    """
    refuse_unless(path, "text", "a table of text")
    separator, first, done = None, "", 0
    marks: list[str | None] | None = None
    for text in _pieces(path, n_bytes):
        _admit_long_fields(text)
        if separator is None:
            separator = "\t" if path.suffix.lower() == ".tsv" else separator_of(text)
            marks = _marks_of(path, n_bytes, separator, header)
            start = _columns_in(text, separator, header, path.name, marks=marks, keep_empty=True)
            header = _NO_NAMES not in start.notes
            rows = _whole_rows(io.StringIO(text, newline=""))
            first = next(row for row in rows if row.strip()) if header else ""
            yield start
        else:
            rest = first + text
            yield _columns_in(rest, separator, header, path.name, marks=marks, keep_empty=True)
        done += len(text)
        report(f"placing {path.name}", done, max(done, path.stat().st_size))


def _marks_of(
    path: Path, n_bytes: int, separator: str, header: bool | None
) -> list[str | None] | None:
    """What stands before decimals in each column of a whole file, where more than one mark may."""
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        if _DOUBTFUL[separator == ","].search(content) is None:
            return None
    found: list[Marks] = []
    for number, text in enumerate(_pieces(path, n_bytes)):
        try:
            text = single_spaced(text) if separator == " " else text
            rows = _split(text, separator, path.name)
            if number == 0 and header is not False:
                rows[0] = with_all_names(rows)
                rows = rows[header or has_names(rows, separator) :]
            part = [Marks.of(column) for column in zip(*rows, strict=True)]
            found = [a & b for a, b in zip(found or part, part or found, strict=True)]
        except ValueError:  # whoever reads these rows says what is wrong with them
            return None
    return decided(found, separator)


def _pieces(path: Path, n_bytes: int) -> Iterator[str]:
    """Whole rows of a file, in pieces of about so many bytes."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows, size = [], 0
        try:
            for row in _whole_rows(file):
                rows.append(row)
                size += len(row)
                if size >= n_bytes:
                    yield "".join(rows)
                    rows, size = [], 0
        except UnicodeDecodeError:
            _decoded(path)  # which says where
            raise
        if "".join(rows).strip():
            yield "".join(rows)


def _whole_rows(lines: Iterable[str]) -> Iterator[str]:
    """Lines, those of one row together: a quotation may hold the end of a line."""
    row = ""
    for line in lines:
        row += line
        if row.count('"') % 2 == 0:
            yield row
            row = ""
    if row:
        yield row


def _columns_in(
    text: str,
    separator: str,
    header: bool | None,
    who: str,
    *,
    marks: Sequence[str | None] | None = None,
    keep_empty: bool = False,
) -> Columns:
    """The columns of a text, or of a part of one whose ``marks`` before decimals are known."""
    text = single_spaced(text) if separator == " " else text
    numbers = None if "," in (marks or ()) else _numbers_only(text, separator, header)
    if numbers is not None:
        check_names(numbers.names, who)
        return numbers
    rows = _split(text, separator, who)
    if header is not False:
        rows[0] = with_all_names(rows)
    _check_widths(rows, text, who, separator)
    if header is None:
        header = has_names(rows, separator)
    names = names_in(rows[0] if header else [""] * len(rows[0]))
    check_names(names, who)
    body = rows[1:] if header else rows
    if not body:
        raise ValueError(f"{who} has the names of columns, but no rows.")
    columns = _typed(names, body, separator, marks, header=header, keep_empty=keep_empty)
    lacks = header and columns.names[0] == names[0] and lacks_first(rows[0])
    return replace(columns, first_lacks_name=lacks)


def _admit_long_fields(text: str) -> None:
    # the csv module refuses fields of more than 131,072 characters, also a line that is one field
    # by another separator; the limit is the process's own, so it is only ever raised
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))


def _decoded(path: Path) -> str:
    content = path.read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise ValueError(
            f"{path.name} is not in UTF-8: line {line} has the byte 0x{content[error.start]:02x}. "
            "Save it as UTF-8 (in a spreadsheet: 'CSV UTF-8')."
        ) from None
    if not text.strip():
        raise ValueError(f"{path.name} is empty: there is nothing in it.")
    if "\0" in text:
        raise ValueError(f"{path.name} is not a table of text: it holds null characters.")
    return text


def _numbers_only(text: str, separator: str, header: bool | None) -> Columns | None:
    """Read a table with nothing in it but numbers, ten times as fast; None for any other."""
    source = io.StringIO(text, newline="")
    try:
        first = next(row for row in csv.reader(source, delimiter=separator, strict=True) if row)
    except csv.Error:
        return None
    are_numbers = [is_number(field) for field in first]
    named = not all(are_numbers) if header is None else header
    if any(is_missing(field) for field in first) or not (named or all(are_numbers)):
        return None
    if not named:
        source.seek(0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that there may be no rows
            body = np.loadtxt(source, delimiter=separator, comments=None, quotechar='"', ndmin=2)
    except ValueError:
        return None
    if body.shape[1] != len(first) or len(body) == 0 or np.isnan(body).all(axis=0).any():
        return None
    names = names_in(first if named else [""] * len(first))
    notes = () if named else (_NO_NAMES,)
    lacks = named and lacks_first(first)
    return Columns(tuple(names), tuple(body.T), notes, first_lacks_name=lacks)


def _split(text: str, separator: str, who: str) -> list[list[str]]:
    """Cut the text into rows; empty lines are passed over."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        return [row for row in reader if len(row) > 1 or (row and row[0].strip())]
    except csv.Error as error:
        line = _starts(text, separator)[-1]
        raise ValueError(
            f"{who} cannot be read as a table from line {line} on: {error}. Look for a quotation "
            "mark that is not closed."
        ) from error


def _starts(text: str, separator: str) -> list[int]:
    """The line that each row starts in, up to one that cannot be read."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    lines, line = [], 1
    with suppress(csv.Error):
        for row in reader:
            if len(row) > 1 or (row and row[0].strip()):
                lines.append(line)
            line = reader.line_num + 1
    return [*lines, line]


def _check_widths(rows: Sequence[Sequence[str]], text: str, who: str, separator: str) -> None:
    width = len(rows[0])
    wrong = [i for i, row in enumerate(rows) if len(row) != width]
    if wrong:
        i = wrong[0]
        more = f" So it is in {counted(len(wrong) - 1, 'further row')}." if len(wrong) > 1 else ""
        line = _starts(text, separator)[i]
        raise ValueError(
            f"{who}, line {line}: {counted(len(rows[i]), 'value')} where the first row has {width} "
            f"(separated by {NAMES_OF_SEPARATORS.get(separator, repr(separator))}).{more} "
            f"{_REMEDY_ABOVE if width == 1 else _REMEDY}"
        )


def _typed(
    names: list[str],
    body: list[list[str]],
    separator: str,
    marks: Sequence[str | None] | None,
    *,
    header: bool,
    keep_empty: bool,
) -> Columns:
    columns = list(zip(*body, strict=True))
    plain = [parse_column(fields) for fields in columns]
    if marks is None:
        marks = _marks_in(columns, plain, separator)
    kept, values, notes = [], [], []
    empty, with_comma, grouped = [], [], []
    for name, fields, numbers, mark in zip(names, columns, plain, marks, strict=True):
        if not keep_empty and all(is_missing(field) for field in fields):
            empty.append(name)
            continue
        if mark == "," or (mark == "." and numbers is None):
            numbers = read_marked(fields, mark)
            if numbers is not None:
                written = Marks.of(fields).written
                grouped += [name] * bool(written - {mark})
                with_comma += [name] * (written == {","} == {mark})
        kept.append(name)
        texts = None if numbers is not None else [as_text(field) for field in fields]
        values.append(np.array(texts) if numbers is None else numbers)
    if not header:
        notes.append(_NO_NAMES)
    if empty:
        notes.append(said_of_empty(empty))
    if with_comma:
        notes.append(f"Read 3,5 as three and a half in {listed(with_comma, 'column')}.")
    if grouped:
        notes.append(f"Read marks between thousands as such in {listed(grouped, 'column')}.")
    return Columns(tuple(kept), tuple(values), tuple(notes))


def _marks_in(
    columns: Sequence[Sequence[str]], plain: Sequence[FloatArray | None], separator: str
) -> list[str | None]:
    """What stands before decimals in each column, where not all numbers are ``plain``."""
    pairs = list(zip(columns, plain, strict=True))
    found = [Marks.of(fields) if numbers is None else None for fields, numbers in pairs]
    if not any(each.before_decimals for each in found if each is not None):
        return [None] * len(columns)
    return decided(
        [each or Marks.of(fields) for each, fields in zip(found, columns, strict=True)], separator
    )
