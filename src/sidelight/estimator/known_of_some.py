"""What is known about some of the rows, among themselves: renumbered, the rest left out."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core import BoolArray, IntArray
from sidelight.side import Anchors, Attributes, Condition, Distances, Invariance, Pairs, Relation


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


def said_within(value: Any, rows: IntArray, n_samples: int) -> Any:
    """What a value says about some rows (ascending) among themselves; None if nothing.

    Examples
    --------
    >>> said_within(Pairs(similar=[(0, 4), (2, 4)]), np.array([2, 4]), 5)
    Pairs(1 similar, 0 dissimilar)
    """
    if isinstance(value, Pairs):
        like, unlike = (_inside(each, rows) for each in (value.similar, value.dissimilar))
        return Pairs(like, unlike) if len(like) + len(unlike) else None
    if isinstance(value, Attributes):
        said = [said_within(pairs, rows, n_samples) for pairs in value.attributes]
        return Attributes([pairs for pairs in said if pairs is not None]) if any(said) else None
    if isinstance(value, Distances):
        here = np.isin(value.pairs, rows).all(axis=1)
        pairs = np.searchsorted(rows, value.pairs[here])
        return Distances(pairs, value.values[here]) if here.any() else None
    if isinstance(value, Anchors):
        here = np.isin(value.index, rows)
        index = np.searchsorted(rows, value.index[here])
        return Anchors(index, value.positions[here], value.exact) if here.any() else None
    if isinstance(value, Condition):
        return Condition(value.values[rows], value.period)
    if isinstance(value, Relation):
        meant = value.rows(n_samples)
        some = np.flatnonzero(np.isin(meant, rows))
        places = None if value.index is None else np.searchsorted(rows, meant[some])
        return Relation(value.similarity[np.ix_(some, some)], places) if len(some) > 1 else None
    if isinstance(value, Invariance):
        return value
    raise ValueError(
        f"{type(value).__name__} speaks of rows one after the other, and a sample takes them apart."
    )


def _inside(pairs: IntArray, rows: IntArray) -> IntArray:
    here: BoolArray = np.asarray(np.isin(pairs, rows).all(axis=1))
    return np.asarray(np.searchsorted(rows, pairs[here]))
