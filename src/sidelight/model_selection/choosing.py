"""One number of a method, chosen by rows that it was not fitted to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from sidelight.core import FloatArray
from sidelight.model_selection.scoring import Held
from sidelight.model_selection.validation import Search, search
from sidelight.solvers import first_least, first_within

#: What is tried where nobody says: each grows by about a half.
_TRIED = {
    "n_neighbors": (5, 8, 12, 18, 27, 40),
    "perplexity": (5, 10, 20, 30, 50, 80),
    "n_components": (1, 2, 3, 4, 6, 9, 14, 20),
}
#: Of the rows that are fitted to, a neighbourhood is at most this part.
_MOST_NEAR = 0.3


def choose(
    estimator: Any,
    parameter: str,
    X: Any,
    y: Any = None,
    *,
    values: Sequence[Any] | None = None,
    side: Any = None,
    cv: Any = 5,
    scoring: str | Callable[[Held], float] = "neighbors",
    groups: Any = None,
) -> Search:
    """Choose one parameter by rows that were left out, and fit to all rows with it.

    The value with the best mean score is taken; of ``n_components``, which rarely does worse for
    being larger, the least whose mean score lies within one standard error of the best.

    Parameters
    ----------
    estimator : estimator
        A map, or a learned metric.  It is cloned.
    parameter : str
        ``"n_neighbors"``, ``"perplexity"``, ``"n_components"``, or any other with ``values``.
    X : array or frame of shape (n_samples, n_features)
        The data.
    y : array-like of shape (n_samples,), optional
        As in :func:`cross_validate`.
    values : sequence, optional
        What to try; by default half a dozen values that the data allow.
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
        The fitted model, the parameter, its mean score, and the scores of all values.

    Raises
    ------
    ValueError
        If the estimator has no such parameter, or nothing is known of what to try.

    Examples
    --------
    A plane in ten dimensions, with a little noise.

    >>> import numpy as np
    >>> from sidelight import PCA
    >>> from sidelight.model_selection import choose
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 2)) @ rng.normal(size=(2, 10)) + 0.01 * rng.normal(size=(80, 10))
    >>> choose(PCA(), "n_components", X).parameters
    {'n_components': 2}
    """
    if parameter not in estimator.get_params():
        raise ValueError(
            f"{type(estimator).__name__} has no parameter {parameter!r}. It has: "
            f"{', '.join(sorted(estimator.get_params()))}."
        )
    tried = list(_values_for(parameter, X) if values is None else values)
    if not tried:
        raise ValueError(
            f"There is nothing to try for {parameter!r}. Give choose 'values', such as "
            f"choose(estimator, {parameter!r}, X, values=[…])."
        )
    how = {"side": side, "cv": cv, "scoring": scoring, "groups": groups}
    found = search(estimator, {parameter: tried}, X, y, **how)
    if parameter != "n_components":
        return found
    least = _least_within_an_error(found)
    chosen, scores = found.table[least]
    if chosen == found.parameters:
        return found
    model = clone(estimator).set_params(**chosen).fit(X, side=side)
    return Search(model, chosen, float(np.nanmean(scores)), found.table)


def _values_for(parameter: str, X: Any) -> list[int]:
    """What data of this size allow: neighbourhoods within the rows, no more axes than columns."""
    n, p = np.shape(X)
    most = min(p, n // 2) if parameter == "n_components" else int(_MOST_NEAR * n)
    return [value for value in _TRIED.get(parameter, ()) if value <= max(most, 1)]


def _least_within_an_error(found: Search) -> int:
    """The place of the least value whose mean score is within a standard error of the best."""
    values = [next(iter(parameters.values())) for parameters, _ in found.table]
    scores = [_judged(row) for _, row in found.table]
    errors = np.array([-row.mean() if len(row) else np.inf for row in scores])
    best = scores[int(first_least(errors))]
    doubt = float(best.std(ddof=1) / np.sqrt(len(best))) if len(best) > 1 else 0.0
    order = np.argsort(values, kind="stable")
    return int(order[first_within(errors[order], doubt)])


def _judged(scores: FloatArray) -> FloatArray:
    return scores[~np.isnan(scores)]
