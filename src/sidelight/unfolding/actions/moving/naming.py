"""What is asked of a map of actions, in the user's words: rows of the walk, and actions by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core import IntArray


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


def checked_rows(rows: Any, n: int, what: str, *, who: str) -> IntArray:
    """Rows of the walk that was fitted."""
    found = np.asarray(rows)
    if found.dtype.kind not in "iu" or np.any(found < 0) or np.any(found >= n):
        raise ValueError(
            f"The {what!r} argument of {who} must hold rows out of 0 … {n - 1}. "
            f"Got {rows!r} instead."
        )
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
