"""A map of more rows than its method reaches: fitted to a sample, and the rest placed."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import get_tags

from sidelight.core import FloatArray, IntArray, is_sparse, report, row_blocks
from sidelight.embedding.reach import reach_of
from sidelight.embedding.sample import check_sample, draw_sample
from sidelight.estimator import placed_by
from sidelight.neighbors import read_as_told
from sidelight.side import Actions, Condition, Sequence, rows_called_within, side_values

#: Rows that are placed together; some methods take a second for a hundred.
_BLOCK = 2000


def fit_within_reach(
    model: Any, X: Any, *, side: Any = None, sample: int | None = None, random_state: Any = None
) -> tuple[FloatArray, str]:
    """Fit a model to all rows or as many as its method reaches; the map of all, and what was done.

    The sample is drawn at random, rows that are named by what is known first; the others are placed
    by ``transform``, which places each row by itself, block by block.
    """
    who = type(model).__name__
    if sample is not None:
        check_sample(sample, who="embed")
    n = np.shape(X)[0] if np.ndim(X) else 0
    reason = _why_not(model, X, side)
    reach = reach_of(who, model.get_params(deep=False), sparse=is_sparse(X))
    most = reach.of(n) if sample is None else sample
    if n <= most or (reason and sample is None):
        with read_as_told():
            model.fit(X, side=side)
        return model.embedding_, ""
    if reason:
        raise ValueError(f"embed cannot fit {who} to a sample: {reason}. Leave 'sample' out.")
    seed = 0 if random_state is None else random_state
    drawn = draw_sample(n, most, side=side, random_state=seed, estimator=model, who="embed")
    with rows_called_within(drawn.rows), read_as_told():
        model.fit(_rows(X, drawn.rows), side=drawn.side)
    places = np.empty((n, model.embedding_.shape[1]))
    places[drawn.rows] = model.embedding_
    conditions = [v for v in side_values(side, "embed") if isinstance(v, Condition)]
    others = np.setdiff1d(np.arange(n), drawn.rows, assume_unique=True)
    for block in row_blocks(len(others), 1.0, budget=_BLOCK):
        told = [value.within(others[block]) for value in conditions]
        places[others[block]] = placed_by(model, _rows(X, others[block]), told)
        report("rows placed", block.stop, len(others))
    done = (
        f"It is fitted to {len(drawn.rows):,} of the {n:,} rows, drawn at random; the others are "
        f"placed as new ones (sample= says how many)."
    )
    if reach.held_back and sample is None:
        done = f"{done} No more were taken, for {reach.held_back}."
    return places, f"{done} {drawn.lost} says nothing about those drawn." if drawn.lost else done


def _why_not(model: Any, X: Any, side: Any) -> str:
    """Why a sample of the rows would not do; nothing where it does."""
    if X is None:
        return "there are no rows, only relations"
    if get_tags(model).input_tags.pairwise:
        return "new rows of a table that was computed before have to be computed, too"
    if any(isinstance(value, (Actions, Sequence)) for value in side_values(side, "embed")):
        return "Actions speak of rows one after the other, and so does a Sequence"
    return "" if hasattr(model, "transform") else "it cannot place the others"


def _rows(X: Any, rows: IntArray) -> Any:
    """Some rows of an array or a frame."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X[rows] if hasattr(X, "shape") else np.asarray(X)[rows]
