"""What rows are called in messages: by their labels, or as whoever gave them counts them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from sidelight.core import IntArray

#: One label per row, of whatever can be asked for the label of a row; None for their numbers.
_LABELS: ContextVar[Any] = ContextVar("labels of the rows that are worked on", default=None)


@contextmanager
def rows_called(labels: Any) -> Iterator[None]:
    """Let messages of the block call rows by these labels, one per row; None calls them by number.

    Examples
    --------
    >>> with rows_called(["anna", "bert", "carl"]):
    ...     name_rows([0, 2])
    "'anna', 'carl'"
    """
    before = _LABELS.set(labels)
    try:
        yield
    finally:
        _LABELS.reset(before)


@contextmanager
def rows_called_within(rows: IntArray) -> Iterator[None]:
    """Let messages of the block, which works on some rows, call them as those of all are called.

    Examples
    --------
    >>> with rows_called_within(np.array([4, 7])):
    ...     name_rows([1])
    '7'
    """
    labels = _LABELS.get()
    if labels is None or rows.max(initial=-1) >= len(labels):  # which are those of others
        labels = range(rows.max(initial=-1) + 1)
    with rows_called([labels[row] for row in rows]):
        yield


@contextmanager
def rows_called_as_in(X: Any) -> Iterator[None]:
    """Let messages of the block call the rows of X by its index, where it is a frame that has one.

    What they are called already stays: whoever came before knows better.
    """
    labels = _LABELS.get()
    if X is None or (labels is not None and np.shape(X)[:1] == (len(labels),)):
        yield
        return
    with rows_called(X.index if hasattr(type(X), "iloc") and hasattr(X, "index") else None):
        yield


def row_name(row: int) -> str:
    """Write what one row is called; a number that is no row stays as it is."""
    labels = _LABELS.get()
    if labels is None or not 0 <= row < len(labels):
        return str(row)
    label = labels[row]
    return repr(label.item() if isinstance(label, np.generic) else label)


def name_rows(rows: Any, limit: int = 5) -> str:
    """Write what a few rows are called, or pairs of them, and how many more there are.

    Examples
    --------
    >>> name_rows([3, 7, 9], limit=2)
    '3, 7 and 1 more'
    >>> name_rows([(3, 7)])
    '(3, 7)'
    """
    listed = np.asarray(rows).tolist()
    return _some([_name(row) for row in listed[:limit]], len(listed))


def list_numbers(numbers: Any, limit: int = 5) -> str:
    """Write a few numbers that are not those of rows, and how many more there are."""
    listed = np.asarray(numbers).tolist()
    return _some([str(number) for number in listed[:limit]], len(listed))


def _name(row: Any) -> str:
    return f"({', '.join(map(row_name, row))})" if isinstance(row, list) else row_name(row)


def _some(words: list[str], count: int) -> str:
    more = f" and {count - len(words)} more" if count > len(words) else ""
    return f"{', '.join(words)}{more}"
