"""What is known about some of the rows, among themselves: renumbered, the rest left out."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core import IntArray
from sidelight.side import Actions, Anchors, Attributes, Distances, Pairs, Relation


def named_rows(value: Any) -> IntArray:
    """The rows that side information names one by one; none where it speaks of all."""
    if isinstance(value, Anchors) and not value.exact:
        return np.empty(0, dtype=np.intp)  # another map has a place for nearly all
    if isinstance(value, (Anchors, Relation)):
        index = value.index
        return np.empty(0, dtype=np.intp) if index is None else np.unique(np.asarray(index))
    if isinstance(value, (Pairs, Attributes, Distances)):
        return value.rows
    return np.empty(0, dtype=np.intp)


def said_within(value: Any, rows: IntArray) -> Any:
    """What a value says about some rows (ascending) among themselves; None if nothing.

    Examples
    --------
    >>> said_within(Pairs(similar=[(0, 4), (2, 4)]), np.array([2, 4]))
    Pairs(1 similar, 0 dissimilar)
    """
    if isinstance(value, Actions):
        raise ValueError(
            "Actions speaks of rows one after the other, and a sample takes them apart."
        )
    kept = value.within(rows)
    return None if kept._says_nothing else kept
