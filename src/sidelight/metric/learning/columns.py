"""Which columns tell known squared distances: E(S) = Σ |d − Σ_{k∈S} c_k|, c_k ≥ 0 by column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidelight.core import FloatArray, IntArray
from sidelight.solvers import first_least, first_within, improves

#: A part of the rows is left out at a time, one of so many.
_FOLDS = 5
#: Standard errors by which pairs of rows left out must be told better than without knowledge.
_CLEARLY = 2.0
#: Columns are exchanged where that lowers the error by more than rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Judged:
    """How many columns tell pairs of rows left out best, and whether they tell them at all.

    Parameters
    ----------
    count : int
        Columns.
    error : float
        The mean error of pairs left out with them.
    of_all, of_none : float
        With all columns, and with the median of what is known and no columns.
    used : bool
        Whether the error is clearly the smallest.
    """

    count: int
    error: float
    of_all: float
    of_none: float
    used: bool

    def report(self) -> str:
        """What became of the knowledge, in a sentence."""
        others = f"{self.of_all:.3g} with all columns, {self.of_none:.3g} with none"
        told = f"pairs left out are missed by {self.error:.3g} with {self.count}, {others}"
        return f"used: {told}" if self.used else f"not used, all columns are kept: {told}"


def added_columns(
    squares: FloatArray, target: FloatArray, count: int
) -> tuple[IntArray, FloatArray]:
    """Add the column that lowers the mean error most, so many times; the first of equal ones."""
    rest, left = target.astype(np.float64), list(range(squares.shape[1]))
    order, errors = [], []
    for _ in range(min(count, len(left))):
        tried = np.abs(rest[:, None] - squares[:, left]).mean(axis=0)
        best = int(first_least(tried))
        errors.append(float(tried[best]))
        order.append(left.pop(best))
        rest = rest - squares[:, order[-1]]
    return np.asarray(order, dtype=np.intp), np.asarray(errors)


def best_columns(
    squares: FloatArray, target: FloatArray, count: int
) -> tuple[IntArray, FloatArray]:
    """Add columns, then exchange one for another as long as that lowers the error.

    Examples
    --------
    >>> import numpy as np
    >>> squares = np.array([[1.0, 0.0, 3.0], [0.0, 2.0, 3.0], [1.0, 1.0, 3.0]])
    >>> order, errors = best_columns(squares, np.array([1.0, 2.0, 2.0]), 2)
    >>> sorted(order.tolist()), float(errors[-1])
    ([0, 1], 0.0)
    """
    order, errors = added_columns(squares, target, count)
    threshold = _ROUNDING * max(float(np.abs(target).mean()), 1e-300)
    while True:
        others = np.setdiff1d(np.arange(squares.shape[1]), order)
        rest = target - squares[:, order].sum(axis=1)
        best, exchange = errors[-1] - threshold, None
        for place, column in enumerate(order):
            if not len(others):
                break
            tried = np.abs((rest + squares[:, column])[:, None] - squares[:, others]).mean(axis=0)
            at = int(first_least(tried))
            if improves(float(tried[at]), best):
                best, exchange = float(tried[at]), (place, int(others[at]))
        if exchange is None:
            return order, errors
        order[exchange[0]] = exchange[1]
        errors[-1] = best


def judged_columns(squares: FloatArray, target: FloatArray, pairs: IntArray) -> Judged:
    """Choose the number of columns by pairs of rows left out: the smallest within an error."""
    p = squares.shape[1]
    rows, named = np.unique(pairs, return_inverse=True)
    parts = (np.random.default_rng(0).permutation(len(rows)) % _FOLDS)[named.reshape(-1, 2)]
    missed = []
    for part in range(_FOLDS):
        out = (parts == part).any(axis=1)
        if out.all() or not out.any():
            continue
        order, _ = added_columns(squares[~out], target[~out], p)
        told = np.cumsum(squares[out][:, order], axis=1)
        none = np.abs(target[out] - np.median(target[~out]))
        missed.append(np.column_stack([none, np.abs(target[out, None] - told)]))
    if not missed:
        return Judged(p, np.nan, np.nan, np.nan, used=False)
    errors = np.vstack(missed)
    means = errors.mean(axis=0)
    best = 1 + int(first_least(means[1:]))
    short = errors - errors[:, [best]]
    doubt = short.std(axis=0) / np.sqrt(len(errors))
    count = 1 + first_within(means[1:], doubt[1:])
    clear = [means[k] - means[best] > _CLEARLY * doubt[k] for k in (0, p)]
    used = bool(all(clear)) and len(errors) >= 2 * _FOLDS
    return Judged(count, float(means[count]), float(means[p]), float(means[0]), used)
