"""Trustworthiness and continuity: false neighbours and lost neighbours, weighed by their rank."""

from __future__ import annotations

import numpy as np

from sidelight.core import ArrayLike, FloatArray, IntArray
from sidelight.neighbors import Metric
from sidelight.quality.inputs import check_n_neighbors
from sidelight.quality.pairwise import compared_distances
from sidelight.quality.ranks import ranked_blocks


def row_trustworthiness(coranks: IntArray, n_neighbors: int) -> FloatArray:
    """Trustworthiness seen from each point; its mean is that of the map."""
    row, excess = np.nonzero(coranks[:, n_neighbors:] <= n_neighbors)
    penalty = np.bincount(row, weights=excess + 1.0, minlength=coranks.shape[0])
    return 1.0 - _normaliser(coranks, n_neighbors) * penalty


def row_continuity(coranks: IntArray, n_neighbors: int) -> FloatArray:
    """Continuity seen from each point; its mean is that of the map."""
    excess = np.maximum(coranks[:, :n_neighbors] - n_neighbors, 0)
    penalty: FloatArray = excess.sum(axis=1, dtype=np.float64)
    return 1.0 - _normaliser(coranks, n_neighbors) * penalty


def _normaliser(coranks: IntArray, k: int) -> float:
    n = int(coranks.shape[1]) + 1
    return 2.0 / (k * (2.0 * n - 3.0 * k - 1.0))


def trustworthiness(
    X: ArrayLike, Z: ArrayLike, *, n_neighbors: int = 5, metric: Metric = "euclidean"
) -> float:
    """Measure how far neighbours in the map are neighbours in the data.

    With ρ_ij the rank of j among the neighbours of i in the data, and U_k(i) the points that are
    among the k nearest of i in the map and not in the data,

        T(k) = 1 − 2 / (n k (2n − 3k − 1)) Σ_i Σ_{j ∈ U_k(i)} (ρ_ij − k),

    of Venna and Kaski (2001).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        Data, or distances with ``metric="precomputed"``.
    Z : array-like of shape (n_samples, n_components)
        The map, compared by Euclidean distances.
    n_neighbors : int
        The size k of the neighbourhood, in [1, n_samples / 2).
    metric : str or callable
        The metric of the data, as estimators take it.

    Returns
    -------
    float
        In [0, 1]; 1 when every neighbour in the map is one in the data.

    Raises
    ------
    ValueError
        If X or Z is not finite, their lengths differ, or ``n_neighbors`` is out of range.

    References
    ----------
    J. Venna, S. Kaski (2001). Neighborhood preservation in nonlinear projection methods: an
    experimental study. ICANN.

    Examples
    --------
    A circle laid on a line by its angle is torn at one place, which makes hardly a false
    neighbour; a circle that is pressed flat is full of them.

    >>> import numpy as np
    >>> from sidelight.quality import trustworthiness
    >>> angle = np.linspace(0, 2 * np.pi, 50, endpoint=False)
    >>> circle = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> print(f"{trustworthiness(circle, angle[:, None], n_neighbors=4):.3f}")
    0.999
    >>> print(f"{trustworthiness(circle, circle[:, :1], n_neighbors=4):.3f}")
    0.709
    """
    return _mean_over_rows(X, Z, n_neighbors, metric, "trustworthiness")


def continuity(
    X: ArrayLike, Z: ArrayLike, *, n_neighbors: int = 5, metric: Metric = "euclidean"
) -> float:
    """Measure how far neighbours in the data stay neighbours in the map.

    With r_ij the rank of j among the neighbours of i in the map, and V_k(i) the points that are
    among the k nearest of i in the data and not in the map,

        C(k) = 1 − 2 / (n k (2n − 3k − 1)) Σ_i Σ_{j ∈ V_k(i)} (r_ij − k)

    (Venna and Kaski 2001): trustworthiness with data and map exchanged.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        Data, or distances with ``metric="precomputed"``.
    Z : array-like of shape (n_samples, n_components)
        The map, compared by Euclidean distances.
    n_neighbors : int
        The size k of the neighbourhood, in [1, n_samples / 2).
    metric : str or callable
        The metric of the data, as estimators take it.

    Returns
    -------
    float
        In [0, 1]; 1 when every neighbour in the data is one in the map.

    Raises
    ------
    ValueError
        If X or Z is not finite, their lengths differ, or ``n_neighbors`` is out of range.

    References
    ----------
    J. Venna, S. Kaski (2001). Neighborhood preservation in nonlinear projection methods: an
    experimental study. ICANN.

    Examples
    --------
    A circle laid on a line by its angle is torn at one place, which continuity sees.

    >>> import numpy as np
    >>> from sidelight.quality import continuity
    >>> angle = np.linspace(0, 2 * np.pi, 50, endpoint=False)
    >>> circle = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> print(f"{continuity(circle, angle[:, None], n_neighbors=4):.3f}")
    0.969
    """
    return _mean_over_rows(X, Z, n_neighbors, metric, "continuity")


def _mean_over_rows(
    X: ArrayLike, Z: ArrayLike, n_neighbors: int, metric: Metric, measure: str
) -> float:
    seen_from = {"trustworthiness": row_trustworthiness, "continuity": row_continuity}[measure]
    data, mapped = compared_distances(X, Z, metric, who=measure)
    k = check_n_neighbors(n_neighbors, data.n_samples, who=measure)
    every = np.arange(data.n_samples)
    total = sum(
        float(seen_from(block.coranks, k).sum())
        for block in ranked_blocks(data, mapped, every, stage=measure)
    )
    return total / data.n_samples
