"""How many dimensions the data have, whatever the number of their columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from sidelight.core import ArrayLike, FloatArray, IntArray
from sidelight.neighbors import Metric
from sidelight.quality.inputs import check_n_neighbors
from sidelight.quality.pairwise import DistanceRows, distance_rows

# One row of numbers per point, and what makes a dimension out of any choice of the rows.
_Statistics: TypeAlias = tuple[FloatArray, Callable[[FloatArray], float]]

_KEPT_RATIOS = 0.9
_KEPT_VARIANCE = 0.95
_N_GROUPS = 10


@dataclass(frozen=True)
class IntrinsicDimension:
    """An estimated dimension; ``float()`` gives the estimate.

    Parameters
    ----------
    estimate : float
        The dimension.
    spread : float
        Its standard error, by a jackknife that leaves out every tenth point in turn.
    method : str
        How it was estimated.
    n_samples_used : int
        How many different points it rests on.
    n_duplicates : int
        How many rows were left out because they repeat an earlier one.
    """

    estimate: float
    spread: float
    method: str
    n_samples_used: int
    n_duplicates: int

    def __float__(self) -> float:
        return self.estimate


def intrinsic_dimension(
    X: ArrayLike,
    *,
    method: Literal["two_nn", "mle", "correlation", "pca"] = "two_nn",
    n_neighbors: int = 10,
    metric: Metric = "euclidean",
) -> IntrinsicDimension:
    """Estimate the number of dimensions that the data fill.

    With T_j(x) the distance from x to its j-th neighbour,

    "two_nn"
        μ = T_2/T_1 has the distribution F(μ) = 1 − μ^(−d), whatever the density: d is the slope
        through the origin of −log(1 − F) over log μ, the largest tenth of the ratios left out
        (Facco et al. 2017).
    "mle"
        1/d = mean over x of 1/(k − 1) Σ_{j<k} log(T_k(x)/T_j(x)), the maximum likelihood of Levina
        and Bickel (2004) with inverses averaged over points as MacKay and Ghahramani (2005) showed
        to be right.
    "correlation"
        1/d = mean of log(r/r_ij) over all pairs nearer than r, the maximum likelihood of Takens
        (1985) for the correlation dimension; r is the median of T_k.
    "pca"
        The number of principal components with 95 % of the variance: the dimension of the flat
        space that holds the data, an upper bound for curved data.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        Data, or distances with ``metric="precomputed"``.
    method : {"two_nn", "mle", "correlation", "pca"}
        Which estimate.
    n_neighbors : int
        The k of "mle" and "correlation".  More neighbours mean less spread and more bias where the
        data are curved or end.
    metric : str or callable
        The metric of the data, as estimators take it; "pca" takes "euclidean" alone.

    Returns
    -------
    IntrinsicDimension
        The estimate and its spread.

    Raises
    ------
    ValueError
        If X is not finite, too few different points remain, or they lie on a regular lattice,
        where "two_nn" has nothing to go by.

    Notes
    -----
    Rows that repeat an earlier one are left out first.  In many dimensions all estimates from
    neighbours are too low, since nearly all points are near the edge.

    References
    ----------
    E. Facco, M. d'Errico, A. Rodriguez, A. Laio (2017). Estimating the intrinsic dimension of
    datasets by a minimal neighborhood information. Scientific Reports 7.

    E. Levina, P. J. Bickel (2004). Maximum likelihood estimation of intrinsic dimension. NIPS 17.

    D. J. C. MacKay, Z. Ghahramani (2005). Comments on "Maximum likelihood estimation of intrinsic
    dimension" by E. Levina and P. Bickel.

    F. Takens (1985). On the numerical determination of the dimension of an attractor. Dynamical
    Systems and Bifurcations.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.quality import intrinsic_dimension
    >>> rng = np.random.default_rng(0)
    >>> square = rng.random((3000, 2))
    >>> curved = np.column_stack([np.cos(2 * square[:, 0]), np.sin(2 * square[:, 0]), square[:, 1]])
    >>> print(f"{float(intrinsic_dimension(curved)):.1f}")
    2.0
    """
    who = "intrinsic_dimension"
    if method not in _METHODS:
        raise ValueError(
            f"The 'method' parameter of {who} must be one of {', '.join(map(repr, _METHODS))}. "
            f"Got {method!r} instead."
        )
    if method == "pca" and metric != "euclidean":
        raise ValueError(
            f"The 'metric' parameter of {who} must be 'euclidean' for method='pca', which needs "
            f"coordinates. Got {metric!r} instead. Use another method."
        )
    table = distance_rows(X, metric, who=who)
    first = table.distinct()
    n_duplicates = table.n_samples - first.size
    if first.size < 4:
        raise ValueError(
            f"The 'X' argument of {who} must have at least 4 different rows. Got {first.size} "
            f"instead, with {n_duplicates} duplicates."
        )
    if n_duplicates:
        table = table.take(first)
    k = 2
    if method in ("mle", "correlation"):
        k = check_n_neighbors(n_neighbors, table.n_samples, who=who, half=False)
        if k < 2:
            raise ValueError(
                f"The 'n_neighbors' parameter of {who} must be at least 2 for method={method!r}. "
                f"Got {k} instead."
            )
    statistics, estimate = _METHODS[method](table, k)
    value = estimate(statistics)
    return IntrinsicDimension(
        value, jackknife_error(statistics, estimate), method, statistics.shape[0], n_duplicates
    )


def two_nn(radii: FloatArray) -> float:
    """Fit the distribution of the ratio of the two nearest distances."""
    n = radii.shape[0]
    kept = max(1, int(_KEPT_RATIOS * n))
    log_ratio = np.sort(np.log(radii[:, 1] / radii[:, 0]))[:kept]
    survival = -np.log1p(-np.arange(1, kept + 1) / n)
    below = float(log_ratio @ log_ratio)
    # ratios that differ from one by rounding alone
    if below <= kept * 1e-20:
        raise ValueError(
            "intrinsic_dimension found the first and second neighbours of nearly all points "
            "equally far, as on a regular lattice, where method='two_nn' has nothing to go by. "
            "Use method='correlation' or method='mle'."
        )
    return float(log_ratio @ survival) / below


def levina_bickel(radii: FloatArray) -> float:
    """Find the dimension of largest likelihood, given the distances to the nearest neighbours.

    1/d is the mean of log(T_k(x)/T_j(x)) over the points x and their neighbours j < k.

    Examples
    --------
    >>> import numpy as np
    >>> levina_bickel(np.exp([[0.0, 0.5, 1.0], [1.0, 2.0, np.inf]]))
    1.2
    """
    counted = np.isfinite(radii) & (radii > 0)
    last = np.max(np.where(counted, radii, 0.0), axis=1, keepdims=True)
    logs = np.log(np.where(counted, last / np.where(counted, radii, 1.0), 1.0))
    n_ratios = int(np.maximum(counted.sum(axis=1) - 1, 0).sum())
    total = float(logs.sum())
    return n_ratios / total if total > 1e-12 * max(n_ratios, 1) else float("inf")


def nearest_distances(
    distances: FloatArray, rows: IntArray, columns: IntArray, k: int
) -> FloatArray:
    """Find the k smallest distances of each row, that of the point to itself left out."""
    distances = distances.copy()
    distances[np.arange(rows.size), rows] = np.inf
    if columns.size < distances.shape[1]:
        distances = distances[:, columns]
    distances.partition(k - 1, axis=1)
    nearest: FloatArray = np.sort(distances[:, :k], axis=1)
    return nearest


def _nearest_radii(table: DistanceRows, k: int) -> FloatArray:
    if table.metric == "euclidean":
        from sidelight.neighbors import nearest_neighbors

        radii = np.asarray(nearest_neighbors(table.points, k).distances)
    else:
        every = np.arange(table.n_samples)
        radii = np.concatenate(
            [nearest_distances(table.rows(b), b, every, k) for b in table.blocks(every)]
        )
    # different points may still be at no distance from one another: parallel ones, for the cosine
    return radii[radii[:, 0] > 0]


def _two_nn_statistics(table: DistanceRows, k: int) -> _Statistics:
    return _nearest_radii(table, k), two_nn


def _mle_statistics(table: DistanceRows, k: int) -> _Statistics:
    return _nearest_radii(table, k), levina_bickel


def _correlation_statistics(table: DistanceRows, k: int) -> _Statistics:
    radius = float(np.median(_nearest_radii(table, k)[:, -1]))
    every = np.arange(table.n_samples)
    statistics = []
    for block in table.blocks(every):
        relative = table.rows(block) / radius
        relative[(relative >= 1) | (relative == 0)] = 1.0
        logs = -np.log(relative)
        statistics.append(np.column_stack([(logs > 0).sum(axis=1), logs.sum(axis=1)]))

    def estimate(chosen: FloatArray) -> float:
        count, logs = chosen.sum(axis=0)
        return float(count / logs) if logs > 0 else float("nan")

    return np.concatenate(statistics), estimate


def _pca_statistics(table: DistanceRows, k: int) -> _Statistics:
    def estimate(chosen: FloatArray) -> float:
        centred = chosen - chosen.mean(axis=0)
        tall = centred.shape[0] >= centred.shape[1]
        gram = centred.T @ centred if tall else centred @ centred.T
        variances = np.linalg.eigvalsh(gram)[::-1].clip(min=0)
        part = np.cumsum(variances) / variances.sum()
        return float(np.searchsorted(part, _KEPT_VARIANCE) + 1)

    return table.points, estimate


def jackknife_error(statistics: FloatArray, estimate: Callable[[FloatArray], float]) -> float:
    """Find the standard error of an estimate by leaving out every tenth point in turn."""
    n = statistics.shape[0]
    n_groups = min(_N_GROUPS, n)
    group = np.arange(n) % n_groups
    left_out = np.array([estimate(statistics[group != g]) for g in range(n_groups)])
    return float(np.sqrt((n_groups - 1) * left_out.var()))


_METHODS: dict[str, Callable[[DistanceRows, int], _Statistics]] = {
    "two_nn": _two_nn_statistics,
    "mle": _mle_statistics,
    "correlation": _correlation_statistics,
    "pca": _pca_statistics,
}
