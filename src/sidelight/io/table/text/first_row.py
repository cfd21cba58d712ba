"""The first row of a table of text: does it name the columns, and which?"""

from __future__ import annotations

from collections.abc import Sequence

from sidelight.io.table.columns import as_text, is_missing, is_number
from sidelight.io.table.text.marks import Marks


def has_names(rows: Sequence[Sequence[str]], separator: str) -> bool:
    """Tell whether the first row are names.

    It is when some word stands above a column of numbers, or when it holds words only.
    """

    def number(field: str) -> bool:
        return is_number(field) or (separator != "," and bool(Marks.of([field]).before_decimals))

    first, rest = rows[0], rows[1:]
    if any(number(field) and not is_missing(field) for field in first):
        for place, field in enumerate(first):
            if number(field) or is_missing(field):
                continue
            below = [row[place] for row in rest if not is_missing(row[place])]
            if below and all(number(value) for value in below):
                return True
        return False
    return any(not is_missing(field) for field in first)


def names_in(first: Sequence[str]) -> list[str]:
    """The names of columns, those that have none by their place."""
    names = (as_text(name.strip()) for name in first)
    return [name or f"column {place + 1}" for place, name in enumerate(names)]


def with_all_names(rows: Sequence[list[str]]) -> list[str]:
    """The first row, with no name for the row names that R writes without, or for what is empty."""
    first, rest = rows[0], rows[1:]
    width = len(first) + 1
    if not rest or width < 3 or any(map(is_number, first)) or {*map(len, rest)} != {width}:
        return first
    if all(is_missing(row[-1]) for row in rest):  # a separator at the end of every line
        return [*first, ""]
    begin = [row[0] for row in rest]
    are_names = not any(is_number(cell) and not cell.isdecimal() for cell in begin)
    return ["", *first] if are_names and len(set(begin)) == len(begin) else first


def lacks_first(first: Sequence[str]) -> bool:
    """Whether a first row names all columns but the first."""
    return not first[0].strip() and all(name.strip() for name in first[1:])
