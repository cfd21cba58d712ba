"""How a map is judged by rows that it was not fitted to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import mannwhitneyu

from sidelight.core import FloatArray, is_sparse
from sidelight.side import Pairs, side_values


@dataclass(frozen=True)
class Held:
    """Rows that were left out, and what became of them.

    Parameters
    ----------
    model : estimator
        Fitted to the other rows.
    X : array or frame
        The rows left out.
    y : array, optional
        Their labels.
    Z : ndarray of shape (n_left_out, n_components)
        Their places in the map.
    side : list of side information
        What is known about them.
    y_train : array, optional
        The labels of the rows that the model was fitted to.
    Z_train : ndarray of shape (n_fitted, n_components)
        The places of these.
    among : array, optional
        Where the rows of X are distances or similarities to the rows that the model was fitted to:
        the same among the rows left out.
    """

    model: Any
    X: Any
    y: Any
    Z: FloatArray
    side: list[Any]
    y_train: Any
    Z_train: FloatArray
    among: Any = None


def neighbors_kept(held: Held) -> float:
    """Measure how far neighbours among the rows left out are neighbours in the data.

    Neighbours by the metric of the model, or by the distances or similarities that were given.

    Parameters
    ----------
    held : Held
        Rows that were left out.

    Returns
    -------
    float
        Their trustworthiness, one at best.
    """
    from sidelight.quality import trustworthiness

    n_neighbors = max(1, min(10, (len(held.Z) - 1) // 2))
    X, metric = _compared(held)
    return float(trustworthiness(X, held.Z, n_neighbors=n_neighbors, metric=metric))


def _compared(held: Held) -> tuple[Any, str]:
    """The rows left out as the model compares them, and by which metric of the measures."""
    from sklearn.metrics import pairwise_distances

    from sidelight.neighbors import check_metric
    from sidelight.quality import METRICS

    if held.among is not None:
        among = held.among if is_sparse(held.among) else np.asarray(held.among)
        # a pipeline hands what is given to its first step
        reading = held.model.steps[0][1] if hasattr(held.model, "steps") else held.model
        if getattr(reading, "metric", None) != "precomputed" and hasattr(reading, "kernel"):
            among = _distances_of_kernel(np.asarray(among, dtype=np.float64))
        return among, "precomputed"
    X = held.X if is_sparse(held.X) else np.asarray(held.X)
    metric = check_metric(getattr(held.model, "metric", "euclidean"), who="scoring")
    if metric in METRICS:
        return X, str(metric)
    return pairwise_distances(X, metric=metric), "precomputed"


def _distances_of_kernel(K: FloatArray) -> FloatArray:
    """√(k_ii + k_jj − 2 k_ij)."""
    own = np.diag(K)
    D = np.sqrt(np.maximum(own[:, None] + own - K - K.T, 0.0))
    np.fill_diagonal(D, 0.0)
    return np.asarray(D)


def pairs_told_apart(held: Held) -> float:
    """Measure how often a dissimilar pair of rows left out lies further apart than a similar one.

    Parameters
    ----------
    held : Held
        Rows that were left out.

    Returns
    -------
    float
        The area under the curve: one at best, one half for a map that knows nothing; NaN where
        no pair of either kind is left.
    """
    known = [value for value in side_values(held.side, "scoring") if isinstance(value, Pairs)]
    similar, dissimilar = (
        np.concatenate(
            [np.empty(0)]
            + [
                np.linalg.norm(held.Z[rows[:, 0]] - held.Z[rows[:, 1]], axis=1)
                for rows in (getattr(pairs, kind) for pairs in known)
            ]
        )
        for kind in ("similar", "dissimilar")
    )
    if not len(similar) or not len(dissimilar):
        return float("nan")
    above = mannwhitneyu(dissimilar, similar).statistic
    return float(above / (len(similar) * len(dissimilar)))


def labels_found(held: Held, *, n_neighbors: int = 5) -> float:
    """Measure how often rows left out have the label of the nearest rows of the map.

    Parameters
    ----------
    held : Held
        Rows that were left out, with y.
    n_neighbors : int
        How many rows vote.

    Returns
    -------
    float
        The part of the rows whose label is found, one at best.
    """
    from sklearn.neighbors import KNeighborsClassifier

    if held.y is None:
        raise ValueError("The scoring 'labels' needs the labels of the rows. Give y.")
    voting = KNeighborsClassifier(n_neighbors=min(n_neighbors, len(held.Z_train)))
    return float(voting.fit(held.Z_train, held.y_train).score(held.Z, held.y))


SCORINGS = {
    "neighbors": neighbors_kept,
    "pairs": pairs_told_apart,
    "labels": labels_found,
}
