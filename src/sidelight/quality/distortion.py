"""How well a map keeps distances: stress, rank correlation, residual variance.

Each measure runs over unordered pairs, given as blocks of distances δ in the data and d in the
map, so that no n × n table is held.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Literal, TypeAlias

import numpy as np

from sidelight.core import ArrayLike, BoolArray, FloatArray, IntArray, require_memory
from sidelight.neighbors import Metric
from sidelight.quality.pairwise import DistanceRows, compared_distances
from sidelight.quality.ranks import average_ranks

# Called again for every pass over the pairs.
PairBlocks: TypeAlias = Callable[[], Iterator[tuple[FloatArray, FloatArray]]]

_KINDS = ("raw", "normalised", "kruskal", "sammon")


def each_pair_once(rows: IntArray, columns: IntArray, n: int) -> Callable[[IntArray], BoolArray]:
    """Choose, among the pairs of one point in ``rows`` and one in ``columns``, each pair once."""
    position = np.full(n, rows.size)
    position[rows] = np.arange(rows.size)
    chosen = np.zeros(n, dtype=np.bool_)
    chosen[columns] = True

    def mask(block: IntArray) -> BoolArray:
        return np.asarray((position > position[block, None]) & chosen)

    return mask


def _pair_blocks(
    data: DistanceRows, mapped: DistanceRows
) -> Iterator[tuple[FloatArray, FloatArray]]:
    every = np.arange(data.n_samples)
    mask = each_pair_once(every, every, data.n_samples)
    for block in data.blocks(every):
        chosen = mask(block)
        yield data.rows(block)[chosen], mapped.rows(block)[chosen]


def stress_of_pairs(pairs: PairBlocks, kind: str, scaled: bool, *, who: str) -> float:
    """Stress from blocks of pairs; see :func:`stress`."""
    # Σ w δ², Σ w δ d and Σ w d² with w = 1, or 1/δ for Sammon's weighting
    moments = np.zeros(3)
    for delta, d in pairs():
        weighted_delta, weighted_d = _weigh(delta, d, kind)
        moments += (weighted_delta @ delta, weighted_d @ delta, weighted_d @ d)
    delta_delta, delta_d, d_d = moments
    if delta_delta == 0:
        raise ValueError(
            f"{who} needs two points that differ: all distances in the 'X' argument are zero."
        )
    scale = 1.0
    if scaled:
        scale = delta_d / d_d if d_d > 0 else 0.0
        if kind == "kruskal" and delta_d > 0:
            # the scale stands in the denominator as well
            scale = delta_delta / delta_d
    residual = 0.0
    for delta, d in pairs():
        difference = delta - scale * d
        weighted, _ = _weigh(delta, difference, kind, difference)
        residual += float(weighted @ difference)
    if kind == "raw":
        return residual
    if kind == "sammon":
        return residual / float(delta_delta)
    if kind == "kruskal":
        below = float(scale**2 * d_d)
        return float(np.sqrt(residual / below)) if below > 0 else float("inf")
    return float(np.sqrt(residual / delta_delta))


def _weigh(
    delta: FloatArray, d: FloatArray, kind: str, first: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    first = delta if first is None else first
    if kind != "sammon":
        return first, d
    # pairs of duplicates carry no weight, since theirs would be infinite
    weight = np.divide(1.0, delta, out=np.zeros_like(delta), where=delta > 0)
    return first * weight, d * weight


def stress(
    X: ArrayLike,
    Z: ArrayLike,
    *,
    kind: Literal["raw", "normalised", "kruskal", "sammon"] = "normalised",
    scaled: bool = True,
    metric: Metric = "euclidean",
) -> float:
    """Measure how far the distances in a map are from those in the data.

    With δ_ij the distances in the data, d_ij in the map, and sums over pairs i < j,

        "raw"         Σ (δ − α d)²
        "normalised"  sqrt( Σ (δ − α d)² / Σ δ² )
        "kruskal"     sqrt( Σ (δ − α d)² / Σ (α d)² ), Stress-1 of Kruskal (1964)
        "sammon"      Σ (δ − α d)² / δ  /  Σ δ, equation 1 of Sammon (1969).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        Data, or distances with ``metric="precomputed"``.
    Z : array-like of shape (n_samples, n_components)
        The map, compared by Euclidean distances.
    kind : {"raw", "normalised", "kruskal", "sammon"}
        Which stress.
    scaled : bool
        By default the map is first scaled by the α > 0 that makes the chosen stress least, since
        many methods leave the scale of their maps open.  False takes the map as it is, α = 1.
    metric : str or callable
        The metric of the data, as estimators take it.

    Returns
    -------
    float
        0 for a map that keeps all distances (up to one scale, if ``scaled``).  When scaled,
        "normalised" and "kruskal" agree except for a map that is a single point, and are at
        most 1.

    Raises
    ------
    ValueError
        If X or Z is not finite, their lengths differ, ``kind`` is unknown, or all points of X are
        the same.

    Notes
    -----
    Pairs of duplicates (δ = 0) are left out of Sammon's stress, where they would divide by zero.

    References
    ----------
    J. B. Kruskal (1964). Multidimensional scaling by optimizing goodness of fit to a nonmetric
    hypothesis. Psychometrika 29.

    J. W. Sammon (1969). A nonlinear mapping for data structure analysis. IEEE Transactions on
    Computers C-18.

    Examples
    --------
    The right angle 3, 4, 5, laid on a line: distances 3, 4, 7 instead of 3, 4, 5.

    >>> from sidelight.quality import stress
    >>> X = [[0, 3], [0, 0], [4, 0]]
    >>> print(f"{stress(X, [[-3], [0], [4]], kind='raw', scaled=False):.3f}")
    4.000
    >>> print(f"{stress(X, [[-3], [0], [4]]):.3f}")
    0.164
    """
    if kind not in _KINDS:
        raise ValueError(
            f"The 'kind' parameter of stress must be one of {', '.join(map(repr, _KINDS))}. "
            f"Got {kind!r} instead."
        )
    data, mapped = compared_distances(X, Z, metric, who="stress")
    return stress_of_pairs(partial(_pair_blocks, data, mapped), kind, scaled, who="stress")


def residual_variance_of_pairs(pairs: PairBlocks) -> float:
    """Residual variance from blocks of pairs; see :func:`residual_variance`."""
    count, sums = 0, np.zeros(2)
    for delta, d in pairs():
        count += delta.size
        sums += (delta.sum(), d.sum())
    mean_delta, mean_d = sums / count
    moments = np.zeros(3)
    for delta, d in pairs():
        delta, d = delta - mean_delta, d - mean_d
        moments += (delta @ delta, delta @ d, d @ d)
    delta_delta, delta_d, d_d = moments
    # A spread of rounding errors is no spread.
    floor = count * 1e-24
    if delta_delta <= floor * mean_delta**2 or d_d <= floor * mean_d**2:
        return 1.0
    return float(min(1.0, max(0.0, 1.0 - delta_d**2 / (delta_delta * d_d))))


def residual_variance(X: ArrayLike, Z: ArrayLike, *, metric: Metric = "euclidean") -> float:
    """Measure the variance of the data's distances that the map's do not explain.

    It is 1 − r²(δ, d), with r the linear correlation over all pairs (Tenenbaum et al. 2000,
    note 42).  There δ are the distances that the method set out to keep: for Isomap the geodesic
    ones, given here with ``metric="precomputed"``.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        Data, or distances (Euclidean, geodesic …) with ``metric="precomputed"``.
    Z : array-like of shape (n_samples, n_components)
        The map, compared by Euclidean distances.
    metric : str or callable
        The metric of the data, as estimators take it.

    Returns
    -------
    float
        In [0, 1]; 1 where all distances on one side are equal.

    Raises
    ------
    ValueError
        If X or Z is not finite or their lengths differ.

    References
    ----------
    J. B. Tenenbaum, V. de Silva, J. C. Langford (2000). A global geometric framework for nonlinear
    dimensionality reduction. Science 290.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.quality import residual_variance
    >>> angle = np.linspace(0, 3, 40)[:, None]
    >>> arc = np.hstack([np.cos(angle), np.sin(angle)])
    >>> print(f"{residual_variance(arc, angle):.4f}")
    0.0207
    >>> print(f"{residual_variance(np.abs(angle - angle.T), angle, metric='precomputed'):.4f}")
    0.0000
    """
    data, mapped = compared_distances(X, Z, metric, who="residual_variance")
    return residual_variance_of_pairs(partial(_pair_blocks, data, mapped))


def require_memory_for_pairs(n_pairs: int, *, who: str, instead: str) -> None:
    """Refuse to rank more pairs than fit."""
    # two lists of distances, kept in pieces and whole, two of ranks, and what a sort needs
    require_memory(
        72.0 * n_pairs, what=f"the {n_pairs} pairs that are ranked", who=who, instead=instead
    )


def shepard_correlation_of_pairs(delta: FloatArray, d: FloatArray) -> float:
    """Rank correlation of two lists of distances; see :func:`shepard_correlation`."""
    first, second = average_ranks(delta), average_ranks(d)
    first -= first.mean()
    second -= second.mean()
    below = float(np.sqrt((first @ first) * (second @ second)))
    return float(first @ second) / below if below > 0 else 0.0


def shepard_correlation(X: ArrayLike, Z: ArrayLike, *, metric: Metric = "euclidean") -> float:
    """Measure how far the map keeps the order of all distances.

    It is Spearman's rank correlation of δ_ij and d_ij over all pairs i < j: how near the points of
    a Shepard diagram come to a rising curve.  Equal distances share their mean rank.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        Data, or distances with ``metric="precomputed"``.
    Z : array-like of shape (n_samples, n_components)
        The map, compared by Euclidean distances.
    metric : str or callable
        The metric of the data, as estimators take it.

    Returns
    -------
    float
        In [−1, 1]; 1 when the order is kept, 0 where all distances on one side are equal.

    Raises
    ------
    ValueError
        If X or Z is not finite or their lengths differ.
    MemoryError
        If the n (n − 1) / 2 pairs, which must be sorted together, do not fit.

    References
    ----------
    R. N. Shepard (1962). The analysis of proximities: multidimensional scaling with an unknown
    distance function. Psychometrika 27.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.quality import shepard_correlation
    >>> line = np.arange(6.0)[:, None]
    >>> print(f"{shepard_correlation(line, np.exp(line)):.3f}")
    0.671
    """
    who = "shepard_correlation"
    data, mapped = compared_distances(X, Z, metric, who=who)
    n_pairs = data.n_samples * (data.n_samples - 1) // 2
    require_memory_for_pairs(
        n_pairs, who=who, instead="quality_report gives it for a sample of the pairs."
    )
    blocks = list(_pair_blocks(data, mapped))
    return shepard_correlation_of_pairs(
        np.concatenate([delta for delta, _ in blocks]), np.concatenate([d for _, d in blocks])
    )
