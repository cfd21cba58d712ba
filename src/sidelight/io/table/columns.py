"""What every reader of tables gives: named columns, each of numbers or of text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight.core import FloatArray, counted

#: What people write where a value is missing (in any case).
MISSING_WORDS = frozenset({
    "", "na", "n/a", "n.a.", "<na>", "#na", "#n/a", "null", "none", "missing", "n.d.", "?",
    "-", "--", "–", "—", ".", "..", "…",
    # not a number, as languages and spreadsheets write it
    "nan", "-nan", "+nan", "nan(ind)", "-nan(ind)", "1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan",
    "#num!", "#div/0!", "#value!", "#ref!", "#name?", "#null!",
})  # fmt: skip
# Of these, what may be a word of its own where others are words: "none" of a kind, "-" beside "+".
_WORDS = frozenset({"none", "-", "--", "–", "—", ".", "..", "…"})
# What a cell begins with that a spreadsheet takes for a formula.
_FORMULAS = "=+-@\t\r"
# Python also takes 1_000 and the digits of other scripts; a table does not mean them.
_NUMBER = re.compile(
    r"\s*[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|inf(inity)?)\s*", re.I
)
# What people write beside a number, which then is none.
_UNIT = re.compile(r"\s*[€$£¥%]\s*")
_WITH_MARKS = re.compile(r"[+-]?\d[\d.,]*")
#: A number with a comma before its decimals.
COMMA_NUMBER = re.compile(r"\s*[+-]?\d+(,\d+)?([eE][+-]?\d+)?\s*", re.ASCII)

#: Of a column of numbers no more than this share of the cells are none.
_FEW = 0.1
# So many cells tell whether a column may be one of numbers, or of texts.
_LOOKED_AT = 200
#: Texts have so many words each, and more than this share of them are said once.
_WORDS_EACH, _DIFFERENT = 4, 0.5


@dataclass(frozen=True, eq=False)
class Columns:
    """A table as it stands in the file.

    Parameters
    ----------
    names : tuple of str
        One per column.
    values : tuple of ndarray of shape (n_rows,)
        Floats (missing: NaN) or texts.
    notes : tuple of str
        What the reader did that the user should know.
    table : ndarray of shape (n_rows, n_numbers), optional
        The columns of numbers that are to be worked on in one array, in their order, where the
        reader has them so.
    image_shape : tuple of int, optional
        The shape of the images whose pixels the first columns are.
    index : tuple of str
        The columns that name rows, as whoever wrote the file has it.
    first_lacks_name : bool
        Whether all others have names: so pandas and R write what rows are called.
    """

    names: tuple[str, ...]
    values: tuple[npt.NDArray[Any], ...]
    notes: tuple[str, ...] = ()
    table: FloatArray | None = None
    image_shape: tuple[int, ...] | None = None
    index: tuple[str, ...] = ()
    first_lacks_name: bool = False


def pixel_names(image_shape: tuple[int, ...]) -> tuple[str, ...]:
    """What the columns of images are called.

    Examples
    --------
    >>> pixel_names((1, 2))
    ('pixel 0, 0', 'pixel 0, 1')
    """
    return tuple("pixel " + ", ".join(map(str, place)) for place in np.ndindex(*image_shape))


def shape_in(names: Sequence[str]) -> tuple[int, ...] | None:
    """The shape of the images whose pixels columns are, all of them; None of any others.

    Examples
    --------
    >>> shape_in(pixel_names((2, 3))), shape_in(["pixel 0, 0", "age"])
    ((2, 3), None)
    """
    last = names[-1].removeprefix("pixel ").split(", ") if names else [""]
    shape = tuple(int(place) + 1 for place in last if place.isdecimal())
    return shape if tuple(names) == pixel_names(shape) else None


def no_formula(text: str) -> str:
    """Write a text so that a spreadsheet shows it, where it would run it as a formula.

    What begins with ``= + - @`` or a control character and is no number gets an apostrophe in
    front, which spreadsheets do not show and :func:`as_text` takes away again.

    Examples
    --------
    >>> [no_formula(text) for text in ("=1+1", "-3.5", "-", "Ash")]
    ["'=1+1", '-3.5', '-', 'Ash']
    """
    harmless = len(text) < 2 or text[0] not in _FORMULAS or is_number(text)
    return text if harmless else f"'{text}"


def as_text(field: str) -> str:
    """Take away the apostrophe that :func:`no_formula` put in front.

    Examples
    --------
    >>> as_text("'=1+1"), as_text("'t Hart")
    ('=1+1', "'t Hart")
    """
    return field[1:] if len(field) > 2 and field[0] == "'" and field[1] in _FORMULAS else field


def is_missing(field: str) -> bool:
    """Tell whether a field says that there is no value."""
    return field.strip().lower() in MISSING_WORDS


def lacks_word(field: str) -> bool:
    """Tell whether a field among words says that there is none.

    Examples
    --------
    >>> [lacks_word(field) for field in ("", "NA", "none", "-")]
    [True, True, False, False]
    """
    return is_missing(field) and field.strip().lower() not in _WORDS


def with_gaps(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Words with None where there is none; numbers as they are."""
    if values.dtype.kind not in "US":
        return values
    gone = np.array([lacks_word(value) for value in values.tolist()], dtype=bool)
    told = values.astype(object) if gone.any() else values
    told[gone] = None
    return told


def is_number(field: str) -> bool:
    """Tell whether a field is a number, with a decimal point."""
    return field.isascii() and _NUMBER.fullmatch(field) is not None


def parse_column(fields: Sequence[str]) -> FloatArray | None:
    """Read a column of numbers as Python writes them.

    Examples
    --------
    >>> parse_column(["1", " 2.5", "NA"])
    array([1. , 2.5, nan])
    >>> parse_column(["1", "two"]) is None
    True
    """
    everything = "".join(fields)
    # Python's own reading is then the table's, and many times as fast
    plain = everything.isascii() and "_" not in everything
    if plain:
        with suppress(ValueError):
            return np.fromiter(map(float, fields), np.float64, len(fields))
    numbers = ["nan" if is_missing(field) else field for field in fields]
    if plain:
        with suppress(ValueError):
            return np.fromiter(map(float, numbers), np.float64, len(numbers))
        return None
    if any(field != "nan" and not is_number(field) for field in numbers):
        return None
    return np.array(numbers, dtype=np.float64)


def almost_numbers(fields: Sequence[str], first_row: int) -> str:
    """Say which cell of a column of text is in the way, where nearly all of them are numbers.

    Examples
    --------
    >>> almost_numbers([*"123456789", "high"], 0)
    "1 of its 10 cells is no number, 'high' in row 10"
    >>> almost_numbers(["low", "1", "high"], 0)
    ''
    """
    # a column of words is told by its beginning
    start = fields[:_LOOKED_AT]
    told = (is_number(f) or _with_comma(f) or _with_unit(f) for f in start)
    if sum(told) * 2 < len(start):
        return ""
    odd = [i for i, field in enumerate(fields) if not (is_number(field) or is_missing(field))]
    marked = _with_unit if odd and _with_unit(fields[odd[0]]) else _with_comma
    commas = [i for i in odd if marked(fields[i])]
    others = [i for i in odd if not marked(fields[i])]
    if not odd:
        return ""
    few, one, many = _FEW * len(fields), "no number", "no numbers"
    if len(odd) > few:
        if len(others) > few:
            return ""
        if others:
            odd = others
        else:
            one = "a number with a comma, which may stand before decimals or between thousands"
            if marked is _with_unit:
                one = "a number with a unit"
            odd, many = commas, one.replace("a number", "numbers")
    first = f"{fields[odd[0]].strip()!r} in row {first_row + odd[0] + 1:,}"
    cells = counted(len(fields), "cell")
    if len(odd) == 1:
        return f"1 of its {cells} is {one}, {first}"
    return f"{len(odd):,} of its {cells} are {many}, the first {first}"


def said_of_texts(columns: Mapping[str, npt.NDArray[Any]]) -> str:
    """Say how rows are compared by a column of texts; nothing where there is none.

    Texts have several words each, where names have one or two, and differ, where the answers to a
    question do not.

    Examples
    --------
    >>> letters = np.array(["the ship is at sea", "bread is made of flour", "sea salt on bread"])
    >>> said_of_texts({"from": np.array(["Ann Lee", "Bo", "Al"]), "body": letters})
    "The column 'body' holds texts. To compare rows by their words: text='body', --text body."
    """
    for name, values in columns.items():
        some = [v for v in values[:_LOOKED_AT].tolist() if isinstance(v, str) and not is_missing(v)]
        several = sum(len(text.split()) for text in some) >= _WORDS_EACH * max(len(some), 1)
        if several and len(set(some)) > _DIFFERENT * len(some):
            return (
                f"The column {name!r} holds texts. To compare rows by their words: text={name!r}, "
                f"--text {name}."
            )
    return ""


def _with_comma(field: str) -> bool:
    return "," in field and COMMA_NUMBER.fullmatch(field) is not None


def _with_unit(field: str) -> bool:
    bare = _UNIT.sub("", field)
    return bare != field.strip() and _WITH_MARKS.fullmatch(bare) is not None


def check_names(names: Sequence[str], who: str) -> None:
    """Refuse a table with two columns of one name."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        places = ", ".join(str(i + 1) for i, name in enumerate(names) if name == twice[0])
        others = f" (and {counted(len(twice) - 1, 'more name')})" if len(twice) > 1 else ""
        raise ValueError(
            f"{who} has more than one column named {twice[0]!r}: columns {places}{others}. "
            "Give each column a name of its own."
        )
