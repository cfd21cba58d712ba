"""What the user is told: warnings at the user's own line, and what is wrong with a table."""

from __future__ import annotations

import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

_OWN = (str(Path(__file__).parents[1]), str(Path(np.__file__).parents[1] / "sklearn"))


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line outside of the library from which it was called."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OWN):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def counted(count: int, what: str, several: str = "") -> str:
    """Write a number of things for people.

    Examples
    --------
    >>> counted(1, "row"), counted(2000, "row"), counted(0, "entry", "entries")
    ('1 row', '2,000 rows', '0 entries')
    """
    return f"{count:,} {what if count == 1 else several or f'{what}s'}"


def listed(names: Sequence[str], what: str, most: int = 6) -> str:
    """Write a few names for people.

    Examples
    --------
    >>> listed(["a", "b"], "column")
    "the columns 'a', 'b'"
    """
    shown = ", ".join(repr(name) for name in names[:most])
    further = f" and {len(names) - most:,} more" if len(names) > most else ""
    return f"the {what}{'s' if len(names) > 1 else ''} {shown}{further}"


def explain_table(
    error: Exception,
    table: Any,
    *,
    who: str,
    name: str = "X",
    columns: str = "n_features",
    in_pairs: bool = False,
) -> Exception:
    """Say what scikit-learn's check of a table found: who, what was expected, what came, a remedy.

    Rows that stand ``in_pairs`` with others are not told of methods that take them by themselves.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.utils import check_array
    >>> try:
    ...     check_array(np.arange(3.0))
    ... except ValueError as error:
    ...     print(explain_table(error, np.arange(3.0), who="Isomap"))
    Isomap expects X to be a table of shape (n_samples, n_features). Got an array of dimension 1, \
shape (3,). Reshape your data: X.reshape(-1, 1) for samples of one number, X.reshape(1, -1) for \
one sample.
    """
    said = str(error)
    if said.startswith(f"{who} expects"):  # it has been said
        return error
    if isinstance(table, (str, PathLike)):
        return type(error)(_path(table, who, name))
    dated = _dates_in(table)
    if dated and any(words in said for words in _NO_NUMBERS):
        return TypeError(_dated(dated, who, name))
    if "contains NaN" in said:
        return type(error)(_missing(who, name, in_pairs=in_pairs or name != "X"))
    for words, explain in _CASES:
        if words in said:
            return type(error)(explain(said, table, who, name, columns))
    return error if who in said else type(error)(f"{who} cannot use {name}: {said}")


def _path(path: Any, who: str, name: str) -> str:
    return (
        f"{who} expects {name} to hold numbers. Got the path {str(path)!r}. Files and folders of "
        f"pictures are read by sidelight.embed(path, method=…), or read one before: "
        f"sidelight.io.read_table(path).X."
    )


def _dates_in(table: Any) -> list[str]:
    """The columns of dates and spans of time of a frame of pandas, which others read as numbers."""
    kinds = getattr(table, "dtypes", None)
    if kinds is None or not hasattr(kinds, "items"):
        return []
    return [str(name) for name, kind in kinds.items() if getattr(kind, "kind", "") in "mM"]


def _dated(dated: list[str], who: str, name: str) -> str:
    several = len(dated) > 1
    listed = ", ".join(map(repr, dated))
    return (
        f"{who} expects {name} to hold numbers. The column{'s' * several} {listed} "
        f"hold{'' if several else 's'} dates. Leave {'them' if several else 'it'} out: "
        f"{name}.drop(columns=[{listed}]); or go through sidelight.embed, which sets such columns "
        f"aside, and uses them as numbers with columns='mixed'."
    )


def _flat(said: str, table: Any, who: str, name: str, columns: str) -> str:
    expected = f"{who} expects {name} to be a table of shape (n_samples, {columns})."
    if table is None or np.ndim(table) == 0:
        came = "nothing (None)" if table is None else f"a single value, {table!r}"
        return f"{expected} Got {came}. Reshape your data, one row per sample."
    return (
        f"{expected} Got an array of dimension 1, shape {np.shape(table)}. Reshape your data: "
        f"{name}.reshape(-1, 1) for samples of one number, {name}.reshape(1, -1) for one sample."
    )


def _deep(said: str, table: Any, who: str, name: str, columns: str) -> str:
    shape = np.shape(table)
    return (
        f"{who} expects {name} to be a table of shape (n_samples, {columns}). Found array with dim "
        f"{len(shape)}, shape {shape}. Make each sample one row: {name}.reshape(len({name}), -1)."
    )


def _ragged(said: str, table: Any, who: str, name: str, columns: str) -> str:
    return (
        f"{who} expects the rows of {name} to be equally long. Got a sequence of inhomogeneous "
        f"rows. Give every sample a value for each of {columns}."
    )


def _text(said: str, table: Any, who: str, name: str, columns: str) -> str:
    found = re.search(
        r"could not convert string to float: (?:np\.str_\()?('[^']*'|\"[^\"]*\")", said
    )
    came = f"text that does not convert, such as {found.group(1)}" if found else "text"
    words = _words_in(table)
    if not words:
        return (
            f"{who} expects {name} to hold numbers. Got {came}. Leave columns of text out, or "
            f"encode them as numbers first."
        )
    several, listed = len(words) > 1, ", ".join(map(repr, words))
    return (
        f"{who} expects {name} to hold numbers. Got {came}, in the column{'s' * several} {listed}. "
        f"Leave {'them' if several else 'it'} out: {name}.drop(columns=[{listed}]); or go through "
        f"sidelight.embed, which sets such columns aside, and compares them with columns='mixed'."
    )


def _words_in(table: Any) -> list[str]:
    """The columns of a frame that do not convert to numbers."""
    found = []
    for name in getattr(table, "columns", ()):
        try:
            np.asarray(table[name], dtype=np.float64)
        except (TypeError, ValueError):
            found.append(str(name))
    return found


def _complex(said: str, table: Any, who: str, name: str, columns: str) -> str:
    return (
        f"{who} expects {name} to hold real numbers. Complex data not supported. Give real and "
        f"imaginary parts as columns of their own."
    )


def _infinite(said: str, table: Any, who: str, name: str, columns: str) -> str:
    return (
        f"{who} expects {name} to hold finite numbers. Input {name} contains infinity or a value "
        f"too large for its dtype. Leave these rows out, or put a finite number there."
    )


def _missing(who: str, name: str, *, in_pairs: bool) -> str:
    remedy = (
        "fill them in, or leave these rows out"
        if in_pairs
        else "fill them in, leave these rows out, or use GPLVM or ProbabilisticPCA, which take them"
    )
    return f"Input {name} contains NaN. {who} does not accept missing values: {remedy}."


def _short(said: str, table: Any, who: str, name: str, columns: str) -> str:
    least = re.search(r"minimum of (\d+)", said)
    wanted, shape = counted(int(least.group(1)) if least else 1, "row"), np.shape(table)
    return (
        f"{who} expects {name} to have at least {wanted}. Found array "
        f"with {counted(shape[0], 'sample')} (shape={shape}). Give more samples."
    )


def _narrow(said: str, table: Any, who: str, name: str, columns: str) -> str:
    shape = np.shape(table)
    return (
        f"{who} expects {name} to have columns. Found array with 0 feature(s) (shape={shape}) "
        f"while a minimum of 1 is required. Was every column left out?"
    )


def _twice(said: str, table: Any, who: str, name: str, columns: str) -> str:
    seen = Counter(map(str, getattr(table, "columns", ())))
    twice = [column for column, count in seen.items() if count > 1]
    return (
        f"{who} expects {name} to have unique column names. Got more than one "
        f"{', '.join(map(repr, twice))}. Rename them, or leave all but one out."
    )


def _no_table(said: str, table: Any, who: str, name: str, columns: str) -> str:
    expected = f"{who} expects {name} to be a table of shape (n_samples, {columns})."
    inside = isinstance(table, (list, tuple)) and len(table)
    got = f"{type(table).__name__} of {type(table[0]).__name__}" if inside else type(table).__name__
    named = isinstance(table, Mapping) or (inside and isinstance(table[0], Mapping))
    fields = getattr(getattr(table, "dtype", None), "names", None)
    if named or fields:
        got = f"{got} with named fields" if fields else got
        return f"{expected} Got {got}. Make it a frame: pandas.DataFrame({name})."
    if isinstance(table, np.ndarray):  # of objects, one of which is no number
        return f"{who} expects {name} to hold numbers. {said}. Put numbers there."
    return f"{expected} Got {got}. Make it an array: np.array(list({name}))."


def _other_columns(said: str, table: Any, who: str, name: str, columns: str) -> str:
    return f"{said.rstrip()} Give the columns that it was fitted on, in their order."


#: What is said of tables with dates in them, by numpy and pandas.
_NO_NUMBERS = ("promoted", "Cannot cast", "Timestamp", "Timedelta", "NaTType", "datetime")
_CASES: tuple[tuple[str, Callable[[str, Any, str, str, str], str]], ...] = (
    ("Reshape your data", _flat),
    ("unique column names", _twice),
    ("float() argument must be", _no_table),
    ("Cannot cast array data", _no_table),
    ("Found array with dim", _deep),
    ("inhomogeneous", _ragged),
    ("could not convert string", _text),
    ("Complex data not supported", _complex),
    ("contains infinity", _infinite),
    ("sample(s)", _short),
    ("feature(s)", _narrow),
    ("features as input", _other_columns),
)
