"""A map fitted to some of the rows and judged by the others, for one or many settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.metaestimators import _safe_split

from sidelight.core import FloatArray
from sidelight.model_selection.folds import Fold, folds
from sidelight.model_selection.pipelines import fit_to, placed
from sidelight.model_selection.scoring import SCORINGS, Held
from sidelight.solvers import first_least


def cross_validate(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    side: Any = None,
    cv: Any = 5,
    scoring: str | Callable[[Held], float] = "neighbors",
    groups: Any = None,
) -> FloatArray:
    """Fit to some of the rows and what is known about them, and judge by the others.

    The rows left out are placed by ``transform``, by their own values of a Condition where one is
    known.

    Parameters
    ----------
    estimator : estimator
        A map, or a learned metric.  It is cloned.
    X : array or frame of shape (n_samples, n_features)
        The data; with a precomputed metric the table.
    y : array-like of shape (n_samples,), optional
        Labels, for the scoring and the splitter; the estimator does not see them.
    side : side information or list of it, optional
        What is known about the rows of X.
    cv : int, splitter or iterable of (train, test)
        As in scikit-learn.
    scoring : {"neighbors", "pairs", "labels"} or callable
        How the rows left out are judged: are neighbours in the map neighbours in the data, are
        known pairs of them told apart, do the nearest fitted rows have their label; or a function
        of a :class:`Held`.
    groups : array-like of shape (n_samples,), optional
        For splitters that keep groups together.

    Returns
    -------
    ndarray of shape (n_folds,)
        The score of each fold.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import KFold
    >>> from sidelight import EquivalenceMetric
    >>> from sidelight.model_selection import cross_validate
    >>> from sidelight.side import Pairs
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 30)
    >>> X = rng.normal(size=(60, 4)) * [1.0, 9.0, 9.0, 9.0] + 4.0 * y[:, None] * [1, 0, 0, 0]
    >>> known, cv = Pairs.from_labels(y), KFold(3, shuffle=True, random_state=0)
    >>> scores = [
    ...     cross_validate(metric, X, side=known, cv=cv, scoring="pairs").mean()
    ...     for metric in (EquivalenceMetric(strength=1e-6), EquivalenceMetric())
    ... ]
    >>> bool(scores[1] > scores[0])
    True
    """
    judge = _judge(scoring)
    scores = [
        judge(_held(estimator, X, y, fold)) for fold in folds(X, y, side=side, cv=cv, groups=groups)
    ]
    return np.array(scores, dtype=np.float64)


@dataclass(frozen=True)
class Search:
    """What a search has found.

    Parameters
    ----------
    model : estimator
        Fitted to all rows, with the best parameters.
    parameters : dict
        These.
    score : float
        Their mean score.
    table : tuple of (dict, ndarray)
        All parameters that were tried, and the scores of each in every fold.
    """

    model: Any
    parameters: dict[str, Any]
    score: float
    table: tuple[tuple[dict[str, Any], FloatArray], ...]


def search(
    estimator: Any,
    grid: Any,
    X: Any,
    y: Any = None,
    *,
    side: Any = None,
    cv: Any = 5,
    scoring: str | Callable[[Held], float] = "neighbors",
    groups: Any = None,
) -> Search:
    """Choose parameters by rows that were left out, and fit to all rows with them.

    Parameters
    ----------
    estimator : estimator
        A map, or a learned metric.  It is cloned.
    grid : dict or list of dict
        From parameters to the values to try, as in scikit-learn.
    X : array or frame of shape (n_samples, n_features)
        The data.
    y : array-like of shape (n_samples,), optional
        As in :func:`cross_validate`.
    side : side information or list of it, optional
        What is known about the rows of X.
    cv : int, splitter or iterable of (train, test)
        As in scikit-learn.
    scoring : {"neighbors", "pairs", "labels"} or callable
        As in :func:`cross_validate`.
    groups : array-like of shape (n_samples,), optional
        For splitters that keep groups together.

    Returns
    -------
    Search
        The fitted model, its parameters, and all scores; of equal ones the first is taken.
    """
    if hasattr(cv, "__next__"):
        cv = list(cv)  # the same folds for all
    table = tuple(
        (
            parameters,
            cross_validate(
                clone(estimator).set_params(**parameters),
                X,
                y,
                side=side,
                cv=cv,
                scoring=scoring,
                groups=groups,
            ),
        )
        for parameters in ParameterGrid(grid)
    )
    means = [_mean(scores) for _, scores in table]
    if np.isnan(means).all():
        raise ValueError(
            "No parameters of the search have a score: in no fold is anything left to judge by. "
            "Take fewer folds, or another scoring."
        )
    best = int(first_least(-np.array(means)))
    model = fit_to(clone(estimator).set_params(**table[best][0]), X, side)
    return Search(model, table[best][0], means[best], table)


def _held(estimator: Any, X: Any, y: Any, fold: Fold) -> Held:
    """Fit to the rows of a fold, and place those left out."""
    X_train, _ = _safe_split(estimator, X, None, fold.train)
    X_test, _ = _safe_split(estimator, X, None, fold.test, fold.train)
    model = fit_to(clone(estimator), X_train, fold.side)
    Z = np.asarray(placed(model, X_test, fold.side_test))
    fitted = getattr(model, "embedding_", None)
    Z_train = np.asarray(placed(model, X_train, fold.side)) if fitted is None else fitted
    labels = [None if y is None else _safe_indexing(y, rows) for rows in (fold.train, fold.test)]
    among = None
    if get_tags(estimator).input_tags.pairwise:
        among, _ = _safe_split(estimator, X, None, fold.test)
    return Held(model, X_test, labels[1], Z, fold.side_test, labels[0], Z_train, among)


def _judge(scoring: Any) -> Callable[[Held], float]:
    if callable(scoring):
        judge: Callable[[Held], float] = scoring
        return judge
    if scoring not in SCORINGS:
        raise ValueError(
            f"The 'scoring' argument must be one of {', '.join(map(repr, SCORINGS))}, or a "
            f"function of a Held. Got {scoring!r}."
        )
    return SCORINGS[scoring]


def _mean(scores: FloatArray) -> float:
    judged = scores[~np.isnan(scores)]
    return float(judged.mean()) if len(judged) else float("nan")
