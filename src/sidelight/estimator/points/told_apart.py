"""Whether a metric tells different rows apart at all."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core import FloatArray, as_dense, counted, row_blocks, warn
from sidelight.estimator.points.features import Features
from sidelight.neighbors import distance_blocks, without_direction

#: Directions that differ by less in every coordinate are one, rounded.
_ROUNDING = 8 * float(np.finfo(np.float64).eps)
_OF_DIRECTIONS = ("cosine", "correlation")
#: Rows of so many numbers point in two directions: what the metric makes of them, and why.
_TWO_DIRECTIONS = {
    ("correlation", 2): "which of the two numbers of a row is larger",
    ("cosine", 1): "whether the one number of a row is above zero",
}


def require_told_apart(points: Features) -> None:
    """Refuse rows that differ where their metric sees no difference; say where it hardly does."""
    metric, rows, who = points.metric, points.rows, points.who
    if points.euclidean or points.n < 2:
        return
    differ = False
    for some in row_blocks(points.n, 64.0 * rows.shape[1], budget=4e6):
        differ = differ or _differ(rows, some)
        if _seen(points, some):
            break
    else:
        if differ and not _seen_among_others(points):
            raise ValueError(
                f"The 'metric' parameter of {who} must tell rows of X apart. Got {metric!r}, by "
                f"which all {points.n} rows are at distance zero from one another, "
                f"though they differ. Use another metric, for instance 'euclidean'."
            )
    if isinstance(metric, str) and metric == "cosine":
        _say_what_has_no_direction(rows, who)
    known = isinstance(metric, str) and _TWO_DIRECTIONS.get((metric, rows.shape[1]))
    if known:
        warn(
            f"metric={metric!r} tells {who} no more of X than {known}: all rows are at one of two "
            f"places. Use another metric, for instance 'euclidean', or give more columns."
        )


def _say_what_has_no_direction(rows: Any, who: str) -> None:
    """Warn of rows of zeros among others: they are as far from one row as from another."""
    zeros = np.flatnonzero(without_direction(rows))
    if not 0 < len(zeros) < rows.shape[0]:
        return
    which = f"row {zeros[0]} of X" if len(zeros) == 1 else f"the first is row {zeros[0]} of X"
    warn(
        f"{who} got {counted(len(zeros), 'row')} of zeros ({which}), of which metric='cosine' "
        f"knows no direction: at distance 1 from all others, their places say nothing. Leave them "
        f"out, or use another metric."
    )


def _differ(rows: Any, some: slice) -> bool:
    """Whether some rows are not all the first."""
    return bool((as_dense(rows[some]) != as_dense(rows[:1])).any())


def _seen(points: Features, some: slice) -> bool:
    """Whether some rows are at a distance from the first."""
    metric = points.metric
    if isinstance(metric, str) and metric in _OF_DIRECTIONS:
        # differences of directions: distances of them are rounded to their square
        own = _directions(points.rows[:1], metric)
        there = _directions(points.rows[some], metric)
        return bool((np.abs(there - own) > _ROUNDING).any() or not there.any(axis=1).all())
    return bool(points.block(slice(0, 1), np.arange(some.start, some.stop)).any())


def _seen_among_others(points: Features) -> bool:
    """Whether any two rows are at a distance, where none is from the first.

    By measures that are no metrics a row may be at no distance from two that are at one.
    """
    if isinstance(points.metric, str) and points.metric in _OF_DIRECTIONS:
        return False
    blocks = distance_blocks(points.rows, None, points.metric, who=points.who)
    return any(D.any() for _, D in blocks)


def _directions(rows: Any, metric: str) -> FloatArray:
    """Rows of length one; zeros where a row has no direction."""
    table = np.asarray(as_dense(rows), dtype=np.float64)
    table = table / np.maximum(np.abs(table).max(axis=1, keepdims=True), np.finfo(float).tiny)
    if metric == "correlation":
        table = table - table.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(table, axis=1, keepdims=True)
    return np.asarray(table / np.where(lengths > 0, lengths, 1.0))
