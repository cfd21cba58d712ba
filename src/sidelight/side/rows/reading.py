"""Read-only arrays out of what the user gave, or an error that says what came instead.

Nothing is guessed: 3.0 is not a row number, and neither is True.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from sidelight.core import FloatArray, IntArray, unmasked
from sidelight.side.rows.called import list_numbers


def frozen(array: Any) -> Any:
    """Copy an array and make the copy read-only."""
    copy = np.array(array, order="C")
    copy.setflags(write=False)
    return copy


def read_row_numbers(given: Any, *, what: str, shape: str = "(m,)") -> IntArray:
    """Read row numbers of X."""
    array = read_array(sorted(given) if isinstance(given, (set, frozenset)) else given, what, shape)
    if array.size == 0:  # an empty list has no type
        array = array.astype(np.int64).reshape((0, 2) if shape == "(m, 2)" else (0,))
    if array.dtype.kind not in "iu":
        raise ValueError(
            f"{what} must hold row numbers of X, which are ints. Got {_words(array)}. "
            f"Rows are counted from 0."
        )
    pairs = shape == "(m, 2)"
    if array.ndim != (2 if pairs else 1) or (pairs and array.shape[1] != 2):
        raise ValueError(f"{what} must have the shape {shape}. Got the shape {array.shape}.")
    return np.asarray(frozen(array.astype(np.int64)))


def read_numbers(given: Any, *, what: str, ndim: tuple[int, ...] = (1,)) -> FloatArray:
    """Read real numbers; whether they are finite is for ``check`` to say."""
    words = " or ".join(f"{n}-dimensional" for n in ndim)
    array = read_array(given, what, words)
    if array.dtype.kind not in "iuf" and array.size:
        raise ValueError(f"{what} must hold real numbers. Got {_words(array)}.")
    if array.ndim not in ndim:
        raise ValueError(f"{what} must be {words}. Got the shape {array.shape}.")
    return np.asarray(frozen(array.astype(np.float64)))


def is_missing_label(label: Any) -> bool:
    """Whether there is no value: None, NaN, NaT, pandas.NA."""
    try:
        return label is None or bool(label != label)
    except TypeError:  # pandas.NA refuses to be a bool
        return True


def read_labels(given: Any, *, what: str) -> Any:
    """Read one name or number per entry, none of them missing."""
    array = read_array(given, what, "(m,)")
    if array.ndim != 1:
        raise ValueError(f"{what} must have the shape (m,). Got the shape {array.shape}.")
    if array.dtype.kind == "O":
        strange = [label for label in array.tolist() if not isinstance(label, (str, Integral))]
        if strange:
            raise ValueError(f"{what} must hold names or ints. Got {strange[0]!r} among them.")
        if len({isinstance(label, str) for label in array.tolist()}) > 1:
            raise ValueError(f"{what} must hold names or ints, not both.")
        array = np.array(array.tolist())
    if array.dtype.kind == "f" and np.isfinite(array).all() and np.all(array == np.floor(array)):
        array = array.astype(np.int64)
    if array.dtype.kind not in "iuUb" and array.size:
        raise ValueError(f"{what} must hold names or ints, none missing. Got {_words(array)}.")
    return frozen(array)


def require_rows_in_range(rows: IntArray, n_samples: int, *, what: str, who: str) -> None:
    """Refuse row numbers that X does not have."""
    outside = np.unique(rows[(rows < 0) | (rows >= n_samples)])
    if len(outside):
        negative = " Negative numbers do not count from the end." if outside[0] < 0 else ""
        raise ValueError(
            f"{what} given to {who} must name rows of X in the range [0, {n_samples}). "
            f"Got {list_numbers(outside)}.{negative}"
        )


def read_array(given: Any, what: str, shape: str) -> Any:
    try:
        array = np.asarray(unmasked(given))
    except (ValueError, TypeError) as error:
        raise ValueError(f"{what} must have the shape {shape}. Got a ragged list.") from error
    if array.ndim == 0 and array.dtype.kind == "O" and given is not None:
        raise ValueError(
            f"{what} must have the shape {shape}. Got a value of type {type(given).__name__}. Make "
            f"it a list or an array."
        )
    return array


def _words(array: Any) -> str:
    kinds = {"b": "bools", "f": "floats", "c": "complex numbers", "U": "text", "S": "bytes"}
    if array.dtype.kind == "O":
        return "a mixture of types, or something missing"
    return kinds.get(array.dtype.kind, f"values of type {array.dtype}")
