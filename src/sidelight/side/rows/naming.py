"""How rows are named: by number, or by label where X has labels of its own."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np

from sidelight.core import IntArray
from sidelight.side.rows.reading import frozen, is_missing_label, read_row_numbers

#: A row number is an int and nothing else; these are never labels unless that is said.
_NUMBERS = (int, float, complex, np.number, np.bool_)
#: No rows, in their shape.
_NONE = {"(m,)": np.empty(0, dtype=np.int64), "(m, 2)": np.empty((0, 2), dtype=np.int64)}
#: How many labels an error lists.
_LISTED = 3


@dataclass(frozen=True)
class RowNames:
    """The labels of the rows of X, in their order.

    Parameters
    ----------
    labels : tuple
        One per row.
    """

    labels: tuple[Any, ...]

    @classmethod
    def of(cls, X: Any) -> RowNames | None:
        """The index of a frame; None for what has none, as arrays and frames of polars."""
        labels = labels_of_index(X)
        return None if labels is None else cls(labels)

    @cached_property
    def places(self) -> dict[Any, int]:
        """From a label to the first row that has it."""
        return {label: place for place, label in reversed(list(enumerate(self.labels)))}

    @cached_property
    def repeated(self) -> set[Any]:
        """The labels of more than one row."""
        seen: set[Any] = set()
        again: set[Any] = set()
        for label in self.labels:
            (again if label in seen else seen).add(label)
        return again

    @property
    def are_other_numbers(self) -> bool:
        """Whether the labels are numbers, and not those of the rows."""
        labels = self.labels
        if not all(isinstance(label, Real) for label in labels):
            return False
        return labels != tuple(range(len(labels)))


def labels_of_index(table: Any) -> tuple[Any, ...] | None:
    """The labels of the rows of a frame or a series; None where there are none.

    Examples
    --------
    >>> import pandas as pd
    >>> labels_of_index(pd.Series([1.5, 2.5], index=["anna", "bert"]))
    ('anna', 'bert')
    """
    if not hasattr(type(table), "iloc") or not hasattr(table, "index"):
        return None
    return tuple(table.index.tolist())


class Naming:
    """Reads the rows that the parts of a value name: all by number, or all by label.

    Ints are row numbers, and other labels are labels; ``by`` says so for ints that are labels.
    Labels are kept once, in ``names``, and rows are numbers of it.
    """

    def __init__(self, kind: str, by: Any, names: Any) -> None:
        if by not in (None, "row", "label"):
            raise ValueError(
                f"The 'by' argument of {kind} must be None, 'row' or 'label'. Got {by!r} instead."
            )
        if by == "row" and names is not None:
            raise ValueError(f"With by='row', {kind} takes no 'names': rows are numbers of X.")
        self._kind, self._by = kind, by
        self._given = None if names is None else read_names(names, kind=kind)
        self._parts: list[tuple[str, Any]] = []

    def read(self, given: Any, *, what: str, shape: str = "(m,)") -> None:
        """Read one part; what it says is known when all are read."""
        if isinstance(given, (set, frozenset)):
            given = _in_order(given)
        rows: Any
        if self._given is not None:
            rows = read_row_numbers(given, what=what, shape=shape)
            if rows.size and not 0 <= rows.min() <= rows.max() < len(self._given):
                raise ValueError(
                    f"{what} must hold places in the {len(self._given)} 'names'. Got others."
                )
        elif self._by == "label" or (self._by is None and _holds_labels(given, what)):
            rows = _read_labels(given, what=what, shape=shape) or _NONE[shape]
        else:
            rows = read_row_numbers(given, what=what, shape=shape)
        self._parts.append((what, rows))

    def rows(self) -> list[IntArray]:
        """Row numbers for every part that was read, of X or of ``names``."""
        labelled = [what for what, rows in self._parts if isinstance(rows, list)]
        if not labelled:
            return [rows for _, rows in self._parts]
        for what, rows in self._parts:
            if not isinstance(rows, list) and len(rows):
                raise ValueError(
                    f"{self._kind} names rows by number or by label, not by both: {what} holds "
                    f"numbers and {labelled[0]} labels. Say by='label' if the numbers are labels."
                )
        places = {name: place for place, name in enumerate(self.names or ())}
        return [
            _numbers_of(rows, places) if isinstance(rows, list) else rows for _, rows in self._parts
        ]

    @property
    def names(self) -> tuple[Any, ...] | None:
        """The labels that rows are numbers of; None where they are numbers of X."""
        if self._given is not None:
            return self._given
        lists = [rows for _, rows in self._parts if isinstance(rows, list)]
        if not lists:
            return None
        flat = [
            label
            for rows in lists
            for entry in rows
            for label in (entry if isinstance(entry, list) else [entry])
        ]
        return tuple(_in_order(dict.fromkeys(flat)))


def _numbers_of(rows: list[Any], places: dict[Any, int]) -> IntArray:
    """Labels, or pairs of them as lists, by their places."""
    numbers = [
        [places[label] for label in entry] if isinstance(entry, list) else places[entry]
        for entry in rows
    ]
    return np.asarray(frozen(np.array(numbers, dtype=np.int64)))


def read_names(names: Any, *, kind: str) -> tuple[Any, ...]:
    """Read one label per row."""
    if isinstance(names, str):
        raise ValueError(f"The 'names' of {kind} must hold one label per row. Got {names!r}.")
    labels = tuple(plain_labels(names))
    for label in labels:
        _require_label(label, f"The 'names' of {kind}")
    return labels


def listed_labels(labels: Sequence[Any]) -> str:
    """Write a few labels, and how many more there are.

    Examples
    --------
    >>> listed_labels(["anna", "bert", "carl", "dora"])
    "'anna', 'bert', 'carl' and 1 more"
    """
    words = ", ".join(repr(label) for label in labels[:_LISTED])
    more = len(labels) - _LISTED
    return f"{words} and {more} more" if more > 0 else words


def _in_order(labels: Any) -> list[Any]:
    """Labels sorted, where they can be: the same whoever was named first."""
    listed = list(labels)
    try:
        return sorted(listed)
    except TypeError:
        return listed


def plain_labels(given: Any) -> list[Any]:
    """An array, a series, an index, a list as a list of Python's own values."""
    if isinstance(given, (list, tuple)):
        return list(given)
    array = given if isinstance(given, np.ndarray) else None
    if array is None and hasattr(given, "tolist"):
        return list(given.tolist())
    array = np.asarray(given) if array is None else array
    if array.dtype.kind == "M":
        array = array.astype("datetime64[us]")  # whose list holds datetimes
    return list(array.tolist())


def _holds_labels(given: Any, what: str) -> bool:
    """Whether rows are named by what is no number."""
    if isinstance(given, (list, tuple)):
        flat = [
            label
            for entry in given
            for label in (entry if isinstance(entry, (list, tuple)) else [entry])
        ]
        labels = [isinstance(label, Hashable) and not _is_number_or_none(label) for label in flat]
        if any(labels) and not all(labels):
            other = flat[labels.index(False)]
            if isinstance(other, Hashable) and not isinstance(other, (list, tuple)):
                raise ValueError(
                    f"{what} must name rows by number or by label, not by both, and none may be "
                    f"missing. Got {flat[labels.index(True)]!r} and {other!r}. Say by='label' if "
                    f"the numbers are labels."
                )
        return bool(flat) and all(labels)
    array = np.asarray(given)
    if array.dtype.kind == "O" and array.ndim:
        return _holds_labels(array.tolist(), what)
    return array.dtype.kind in "UM" and array.size > 0


def _is_number_or_none(label: Any) -> bool:
    return isinstance(label, _NUMBERS) or is_missing_label(label)


def _read_labels(given: Any, *, what: str, shape: str) -> list[Any]:
    """Labels, or pairs of them as lists."""
    if given is None or isinstance(given, str) or not hasattr(given, "__iter__"):
        raise ValueError(f"{what} must have the shape {shape}. Got {given!r}.")
    if shape == "(m,)":
        labels = plain_labels(given)
        for label in labels:
            _require_label(label, what)
        return labels
    rows = given if isinstance(given, (list, tuple)) else np.asarray(given)
    if isinstance(rows, np.ndarray) and rows.ndim != 2 and rows.size:
        raise ValueError(f"{what} must have the shape {shape}. Got the shape {rows.shape}.")
    pairs = [plain_labels(pair) if not isinstance(pair, str) else [pair] for pair in rows]
    for pair in pairs:
        if len(pair) != 2:
            raise ValueError(f"{what} must have the shape {shape}. Got {pair!r} among the pairs.")
        for label in pair:
            _require_label(label, what)
    return pairs


def _require_label(label: Any, what: str) -> None:
    if not isinstance(label, Hashable) or is_missing_label(label):
        raise ValueError(
            f"{what} must hold labels of rows, none of them missing. Got {label!r} among them."
        )
