"""As many dimensions as rows left out ask for: the fewest under which they are likeliest.

They are judged by the density of a model that was not fitted to them (latent-factor thesis section
2.2.1).  How well they are given back on the way to the map and back is no judge: a row is then seen
whole, and more dimensions give it back better.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from sidelight.core import (
    FloatArray,
    IntArray,
    as_dense,
    evenly_spaced,
    is_sparse,
    require_memory,
    whole_or_nothing,
)
from sidelight.neighbors import distinct_rows
from sidelight.solvers import first_least, first_within


@dataclass(frozen=True)
class LeftOut:
    """How dimensions are judged by rows left out, for ``n_components="cv"``.

    Parameters
    ----------
    folds : int
        The rows are left out in so many parts.
    rows : int
        At most so many rows, evenly spaced, are fitted to and judged.
    """

    folds: int = 5
    rows: int = 2000


#: Of models with a closed form.
BY_LIKELIHOOD = LeftOut()
#: Of models that descend.
BY_SLOW_LIKELIHOOD = LeftOut(folds=3, rows=150)
#: At most so many dimensions are tried, and so many beyond the best.
_MOST, _BEYOND = 30, 2


@dataclass(frozen=True)
class Dimensions:
    """A number of dimensions, and how well 1, 2 … of them tell rows left out.

    Parameters
    ----------
    chosen : int
        The smallest within one standard error of the best.
    scores : ndarray of shape (n_tried,)
        The mean log density of rows left out.
    """

    chosen: int
    scores: FloatArray


def asks_rows_left_out(estimator: Any) -> bool:
    """Whether an estimator is told to ask rows left out for its dimensions."""
    given = estimator.n_components
    return estimator._left_out is not None and isinstance(given, str) and given == "cv"


def dimensions_left_out(
    estimator: Any, X: Any, known: dict[str, Any]
) -> tuple[int, FloatArray | None]:
    """The dimensions that rows left out ask for, and their scores, where they are asked at all.

    X are the rows as the estimator will see them, behind what acts in front; of what is known a
    Sequence is told to the models that judge as well.
    """
    if not asks_rows_left_out(estimator):
        return estimator.n_components_, None
    who, model_of = estimator._name, estimator._of_dimensions
    order = known.get("Sequence")
    judged = judged_dimensions(X, model_of, estimator._left_out, order=order, who=who)
    return judged.chosen, judged.scores


def judged_dimensions(
    X: Any, model_of: Callable[[int], Any], left_out: LeftOut, *, order: Any = None, who: str
) -> Dimensions:
    """Fit models of 1, 2 … dimensions to some rows, and ask them about the others.

    Copies are one row: what was fitted tells nothing new.  It goes on until two more dimensions
    are no better; the smallest number is taken whose scores, row by row, fall short of the best by
    less than one standard error.  ``order`` is a Sequence of the rows of X.
    """
    rows = _distinct(X)
    rows = rows[evenly_spaced(len(rows), left_out.rows)]
    most = min(X.shape[1], _MOST, len(rows) - (len(rows) + 1) // 2 - 1)
    if len(rows) < 2 * left_out.folds or most < 1:
        raise ValueError(
            f"n_components='cv' of {who} leaves rows out in {left_out.folds} parts, and takes at "
            f"least {2 * left_out.folds} distinct rows. Got {len(rows)}. Give a number."
        )
    parts = np.random.default_rng(0).permutation(len(rows)) % left_out.folds
    shown, told = _written_out(X[rows], who=who), None if order is None else order.thinned(rows)
    scores: list[FloatArray] = []
    for q in range(1, most + 1):
        scores.append(_scores_of(shown, told, parts, partial(model_of, q), left_out))
        best = int(first_least(np.array([-one.mean() for one in scores])))
        if len(scores) > best + _BEYOND:
            break
    means = np.array([one.mean() for one in scores])
    doubts = np.array([(scores[best] - one).std() for one in scores]) / np.sqrt(len(rows))
    return Dimensions(1 + first_within(-means, doubts), means)


def _distinct(X: Any) -> IntArray:
    if not is_sparse(X) and np.isnan(X).any():
        return np.arange(len(X))
    return distinct_rows(X, metric="euclidean", who="cv").rows


def _written_out(X: Any, *, who: str) -> FloatArray:
    """Rows as the densities take them that judge: dense."""
    if is_sparse(X):
        require_memory(
            8.0 * X.shape[0] * X.shape[1],
            what=f"{X.shape[0]} × {X.shape[1]} rows of sparse X, written out for n_components='cv'",
            who=who,
            instead="Give a number, or n_components='auto' where it is taken.",
        )
    return as_dense(X)


def _scores_of(
    X: FloatArray, order: Any, parts: IntArray, model: Callable[[], Any], left_out: LeftOut
) -> FloatArray:
    """The log density of every row under a model that was fitted without it."""
    scores = np.empty(len(X))
    for part in range(left_out.folds):
        held = parts == part
        side = None if order is None else order.thinned(np.flatnonzero(~held))
        with warnings.catch_warnings(), whole_or_nothing():
            warnings.simplefilter("ignore")  # of the models that are not kept
            fitted = model().fit(X[~held], side=side)
            scores[held] = fitted.score_samples(X[held])
    return scores
