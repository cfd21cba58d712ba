"""Of several the best: where two are as good to rounding, the first, on every processor."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import numpy as np

from sidelight.core import FloatArray, IntArray

T = TypeVar("T")

#: Errors that differ by less than this share of themselves are the same: the last bit of a sum
#: must not choose between two answers.
_SAME = 1e-9
#: And so are those that differ by less than this share of the largest of all.
_ROUNDING = 1e-14


def best_of(candidates: Iterable[T], error: Callable[[T], float]) -> T:
    """Choose the first candidate with the least error, to rounding; NaN is the worst.

    Examples
    --------
    >>> best_of([1.0, 0.0, 0.3, 0.1 + 0.2], lambda x: abs(x - 0.3))
    0.3
    """
    listed = list(candidates)
    errors = np.array([[error(candidate)] for candidate in listed], dtype=np.float64)
    return listed[int(first_least(errors)[0])]


def improves(error: float, least: float) -> bool:
    """Whether an error is below the least so far by more than rounding; NaN is the worst.

    Examples
    --------
    >>> improves(0.3, 0.1 + 0.2), improves(0.3, float("inf")), improves(-2.0, -1.0)
    (False, True, True)
    """
    least = np.inf if np.isnan(least) else least
    return bool(error < least - (_SAME * abs(least) if np.isfinite(least) else 0.0))


def ranks_to_rounding(sizes: FloatArray) -> IntArray:
    """Number sizes from the least on; those that are equal to rounding have one number.

    Examples
    --------
    >>> ranks_to_rounding(np.array([0.3, 5.0, 0.1 + 0.2, 1e-9]))
    array([1, 2, 1, 0])
    """
    order = np.argsort(sizes, kind="stable")
    ascending = sizes[order]
    margins = _SAME * np.abs(ascending[1:]) + _ROUNDING * np.abs(ascending[-1:])
    ranks = np.empty(len(sizes), dtype=np.intp)
    ranks[order[:1]] = 0
    ranks[order[1:]] = np.cumsum(np.diff(ascending) > margins)
    return ranks


def first_within(errors: FloatArray, doubts: FloatArray | float) -> int:
    """The first whose error is above the least of all by no more than its doubt.

    In the order of their size: the smallest that cannot be told from the best.

    Examples
    --------
    >>> first_within(np.array([5.0, 2.1, 2.0, 2.2]), 0.15)
    1
    """
    least = errors[int(first_least(errors))]
    return int(np.argmax(errors - least <= doubts))


def first_least(errors: FloatArray) -> IntArray:
    """For each column of errors the first row with the least, to rounding; NaN is the worst.

    Of errors in one row, which of them.

    Examples
    --------
    >>> first_least(np.array([[3.0, 1.0, np.nan], [2.0, 1.0 - 1e-16, 5.0]]))
    array([1, 0, 1])
    >>> int(first_least(np.array([3.0, 2.0, 2.0 - 1e-15])))
    1
    """
    errors = np.where(np.isnan(errors), np.inf, errors)
    least = errors.min(axis=0)
    margin = _SAME * np.abs(np.where(np.isfinite(least), least, 0.0))
    return np.asarray(np.argmax(errors <= least + margin, axis=0))
