"""What is asked of a map of actions, in the user's words: rows of the walk, and actions by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core import IntArray
from sidelight.side import RowNames, labels_of_index, listed_labels


def kinds_of(action: Any, names: Any, *, who: str) -> IntArray:
    """Number actions that are given by name."""
    wanted = np.asarray(action)
    # as objects, for names and numbers may be compared then
    equal = np.asarray(wanted.astype(object)[..., None] == names.astype(object))
    unknown = ~equal.any(axis=-1)
    if unknown.any():
        raise ValueError(
            f"{who} was given no action {wanted[unknown].ravel()[0]!s}. Its actions "
            f"are: {', '.join(map(str, names))}."
        )
    return np.asarray(np.argmax(equal, axis=-1))


def are_frames(item: Any, n: int, n_features: int, *, who: str) -> bool:
    """Tell frames from rows of the walk, by their shape and not by how numbers are stored.

    A table holds frames, and n_features values are one frame; whole numbers that may as well be so
    many rows are refused.

    Examples
    --------
    >>> import numpy as np
    >>> pixels = np.array([0, 255, 40], dtype=np.uint8)
    >>> are_frames(pixels, 60, 3, who="example"), are_frames([0, 25], 60, 3, who="example")
    (True, False)
    """
    given = np.asarray(item)
    if given.ndim != 1 or not given.size:
        return given.ndim == 2
    if given.dtype.kind == "f":
        return True
    if given.size != n_features:
        return False
    if given.dtype.kind in "iu" and np.all((given >= 0) & (given < n)):
        raise ValueError(
            f"The 'item' argument of {who} may be a frame of {n_features} values or {n_features} "
            f"rows. Got {given.size} whole numbers out of 0 … {n - 1}, which may be either. Give a "
            f"frame as a table of one, item[None], and rows one by one, or their frames."
        )
    return True


def names_kept(table: Any) -> tuple[Any, ...] | None:
    """The labels of rows by which they are asked for, as a model file can hold them."""
    labels = labels_of_index(table)
    if labels is None or labels == tuple(range(len(labels))):
        return None
    return tuple(label if isinstance(label, (str, int, float)) else str(label) for label in labels)


def are_names(rows: Any) -> bool:
    """Whether rows are named by what is no number: numbers are those of rows, or frames.

    Examples
    --------
    >>> are_names("anna"), are_names(["anna", "bert"]), are_names([0, 3]), are_names(2.5)
    (True, True, False, False)
    """
    first = next(iter(np.ravel(np.asarray(rows, dtype=object))), None)
    return first is not None and not isinstance(first, (int, float, complex, np.number, np.bool_))


def checked_rows(
    rows: Any, n: int, what: str, *, who: str, names: tuple[Any, ...] | None = None
) -> IntArray:
    """Rows of the walk that was fitted, by number, or by name where they have names."""
    if names is not None and are_names(rows):
        return _rows_named(rows, RowNames(names), what, who)
    found = np.asarray(rows)
    if found.dtype.kind not in "iu" or np.any(found < 0) or np.any(found >= n):
        named = "" if names is None else f", or their names ({listed_labels(names)})"
        raise ValueError(
            f"The {what!r} argument of {who} must hold rows out of 0 … {n - 1}{named}. "
            f"Got {rows!r} instead."
        )
    return found


def _rows_named(rows: Any, names: RowNames, what: str, who: str) -> IntArray:
    asked = np.asarray(rows, dtype=object)
    found = np.empty(asked.shape, dtype=np.int64)
    for at, label in np.ndenumerate(asked):
        known = label if label in names.places else str(label)
        if known not in names.places or known in names.repeated:
            how_many = "more than one row" if known in names.repeated else "no row"
            raise ValueError(
                f"The {what!r} argument of {who} names {label!r}, and {how_many} of the walk is "
                f"called so. Its rows are {listed_labels(names.labels)}."
            )
        found[at] = names.places[known]
    return found


def one_action_each(items: Any, kinds: IntArray, *, who: str) -> tuple[Any, IntArray]:
    """Give every item an action: one for all, or one per item."""
    if items.ndim and kinds.ndim and items.shape != kinds.shape:
        raise ValueError(
            f"The 'action' argument of {who} must be one action, or one per item. "
            f"Got {kinds.size} for {items.size} items."
        )
    both = np.broadcast_arrays(items, kinds)
    return both[0], both[1]
