"""What separates the columns of a table of text."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from itertools import islice

from sidelight.io.table.columns import is_missing, is_number

NAMES_OF_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "spaces"}
# Those of tables in which there is none of the others: they stand in words, too.
_IN_WORDS = ("|", " ")
# Enough lines to tell.
_LINES_LOOKED_AT = 50
_SPACES = re.compile(r'"[^"]*"|[ \t]+')


def separator_of(text: str) -> str:
    """Take the separator that cuts the first lines into the most columns, all alike if possible.

    Examples
    --------
    >>> separator_of("a;b\\n1,5;2\\n"), separator_of("1.0 2.0\\n3.0 4.0\\n")
    (';', ' ')
    """
    start = list(islice(io.StringIO(text, newline=""), _LINES_LOOKED_AT))
    best, found = (False, 1), ","
    for separator in NAMES_OF_SEPARATORS:
        if separator in _IN_WORDS:
            continue
        widths = {len(row) for row in csv.reader(start, delimiter=separator) if row}
        rank = (len(widths) == 1 and widths != {1}, max(widths))
        if rank > best:
            best, found = rank, separator
    if best[1] > 1:
        return found
    spaced = single_spaced("".join(start)).splitlines(keepends=True)
    for separator, lines in zip(_IN_WORDS, (start, spaced), strict=True):
        if _cuts_numbers_apart([row for row in csv.reader(lines, delimiter=separator) if row]):
            return separator
    return found


def single_spaced(text: str) -> str:
    """One space between values, none around them.

    Examples
    --------
    >>> single_spaced(' 1   2\\n"a  b" 3 \\n')
    '1 2\\n"a  b" 3\\n'
    """
    lines = (line.strip() for line in text.splitlines())
    return "".join(_SPACES.sub(_one_of, line) + "\n" for line in lines)


def _one_of(found: re.Match[str]) -> str:
    return found[0] if found[0][0] == '"' else " "


def _cuts_numbers_apart(rows: Sequence[Sequence[str]]) -> bool:
    """Whether all rows are as wide, and a column below the first row holds numbers."""
    widths = {len(row) for row in rows[1:]}
    if len(rows) < 2 or len(widths) != 1 or len(rows[0]) not in (width := max(widths), width - 1):
        return False
    if width < 2 or (len(rows[0]) < width and width < 3):
        return False
    columns = zip(*rows[1:], strict=True)
    return any(
        all(is_number(cell) or is_missing(cell) for cell in column) and any(map(is_number, column))
        for column in columns
    )
