"""Points and commas in numbers: which stand before decimals, and which between thousands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sidelight.core import FloatArray
from sidelight.io.table.columns import COMMA_NUMBER, is_missing, is_number

# Thousands apart, by what the decimals follow.
_GROUPED = {
    ".": re.compile(r"\s*[+-]?(\d+|[1-9]\d{0,2}(,\d{3})+)(\.\d*)?\s*", re.ASCII),
    ",": re.compile(r"\s*[+-]?(\d+|[1-9]\d{0,2}(\.\d{3})+)(,\d*)?\s*", re.ASCII),
}
_OTHER = {".": ",", ",": "."}


@dataclass(frozen=True)
class Marks:
    """What the marks in a column of numbers may be.

    Parameters
    ----------
    before_decimals : frozenset of {".", ","}
        Those that may stand before decimals, for all cells; none in a column of text.
    written : frozenset of {".", ","}
        Those that there are.
    """

    before_decimals: frozenset[str]
    written: frozenset[str]

    @classmethod
    def of(cls, fields: Sequence[str]) -> Marks:
        """Look at a column, or at a part of one.

        Examples
        --------
        >>> [sorted(Marks.of([cell]).before_decimals) for cell in ("3.5", "3,5", "1,005", "x")]
        [['.'], [','], [',', '.'], []]
        """
        possible = [
            mark for mark in _OTHER if all(_may_be(mark, f) or is_missing(f) for f in fields)
        ]
        numbers = "".join(f for f in fields if not is_missing(f)) if possible else ""
        return cls(frozenset(possible), frozenset(mark for mark in _OTHER if mark in numbers))

    def __and__(self, other: Marks) -> Marks:
        """Of two parts of one column."""
        return Marks(self.before_decimals & other.before_decimals, self.written | other.written)

    def sure(self, separator: str) -> str | None:
        """The mark before decimals where no other reading is possible.

        Between commas a lone comma in a cell may be anything: a list, a place.
        """
        if len(self.before_decimals) != 1 or not self.written:
            return None
        (mark,) = self.before_decimals
        return None if mark == separator and "." not in self.written else mark


def decided(columns: Sequence[Marks], separator: str) -> list[str | None]:
    """The mark before decimals in each column; None where numbers are read as Python has them.

    A column in which 1.005 and 1,005 may mean two things is read as the others of its file, where
    these are of one mind.

    Examples
    --------
    >>> decided([Marks.of(["1.005", "12"]), Marks.of(["3,5", "0,25"])], ";")
    [',', ',']
    >>> decided([Marks.of(["1.005", "12"]), Marks.of(["7", "8"])], ";")
    [None, None]
    """
    sure = [column.sure(separator) for column in columns]
    minds = set(filter(None, sure))
    mind = minds.pop() if len(minds) == 1 else None
    return [
        own or (_by_others(column, mind, separator) if len(column.before_decimals) > 1 else None)
        for column, own in zip(columns, sure, strict=True)
    ]


def read_marked(fields: Sequence[str], mark: str) -> FloatArray | None:
    """Read numbers with a mark before decimals, the other one between thousands.

    Examples
    --------
    >>> read_marked(["1,005.5", "12", "NA"], "."), read_marked(["1.005,5", "3"], ",")
    (array([1005.5,   12. ,    nan]), array([1005.5,    3. ]))
    >>> read_marked(["1.005,5", "12"], ".") is None
    True
    """
    plain = []
    for field in fields:
        if is_missing(field):
            plain.append("nan")
        elif _may_be(mark, field):
            plain.append(field.replace(_OTHER[mark], "").replace(mark, "."))
        else:
            return None
    return np.array(plain, dtype=np.float64)


def _by_others(column: Marks, mind: str | None, separator: str) -> str | None:
    if not column.written or mind:
        return mind if column.written else None
    return "," if separator != "," and column.written == {","} else None


def _may_be(mark: str, field: str) -> bool:
    """Whether a cell is a number with a mark before its decimals."""
    plain = is_number(field) if mark == "." else COMMA_NUMBER.fullmatch(field) is not None
    return plain or _GROUPED[mark].fullmatch(field) is not None
