"""Rows that stand for all where a method does not reach all: drawn, and what is known of them."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from sidelight.core import IntArray, random_generator
from sidelight.embedding.reach import reach_of
from sidelight.estimator import named_rows, said_within
from sidelight.side import side_values


@dataclass(frozen=True, eq=False)
class Sample:
    """Some of the rows.

    Parameters
    ----------
    rows : ndarray of shape (m,)
        Which, ascending.
    side : list of side information
        What is known about them, by their places in the sample.
    lost : str
        What is known and says nothing about the sample, in words; empty if nothing.
    """

    rows: IntArray
    side: list[Any]
    lost: str = ""


def check_sample(sample: Any, *, who: str) -> None:
    """Refuse a number of rows that is none."""
    if isinstance(sample, bool) or not isinstance(sample, Integral) or int(sample) < 2:
        raise ValueError(f"The 'sample' argument of {who} must be an int above 1. Got {sample!r}.")


def draw_sample(
    n: int,
    most: Any,
    *,
    side: Any = None,
    random_state: Any = 0,
    estimator: Any = None,
    who: str,
) -> Sample:
    """Draw rows that stand for all; those that are named by what is known come first.

    Without ``most`` they are as many as the estimator's method is fitted to.  Where more rows are
    named than may be drawn, rows are drawn among all, and pairs within them are kept.

    Examples
    --------
    >>> from sidelight.side import Pairs
    >>> drawn = draw_sample(1000, 5, side=Pairs(similar=[(700, 900)]), who="example")
    >>> len(drawn.rows), bool({700, 900} <= set(drawn.rows.tolist())), drawn.side
    (5, True, [Pairs(1 similar, 0 dissimilar)])
    """
    if most is None:
        most = reach_of(type(estimator).__name__, estimator.get_params(deep=False)).of(n)
    else:
        check_sample(most, who=who)
    known = side_values(side, who)
    for value in known:
        value.check(n, who=who)
    if n <= most:
        return Sample(np.arange(n), known)
    named = np.unique(np.concatenate([np.empty(0, np.intp), *map(named_rows, known)]))
    if len(named) > most:
        named = named[:0]
    # equal for any blocks: the draw knows the number of rows and nothing else
    drawn = random_generator(random_state).choice(n, int(most), replace=False, shuffle=False)
    others = np.setdiff1d(np.sort(drawn), named)
    spare = len(others) - (int(most) - len(named))
    # leave out evenly, so that no end of the table is preferred
    left_out = np.linspace(0, len(others) - 1, max(spare, 0)).astype(np.intp)
    rows = np.sort(np.concatenate([named, np.delete(others, left_out)])).astype(np.intp)
    said = [said_within(value, rows) for value in known]
    lost = [type(value).__name__ for value, kept in zip(known, said, strict=True) if kept is None]
    return Sample(rows, [kept for kept in said if kept is not None], " and ".join(lost))
