"""Co-ranking curves: how many of the K nearest neighbours a map keeps, for every K at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import ArrayLike, FloatArray, IntArray
from sidelight.neighbors import Metric
from sidelight.quality.inputs import check_max_samples
from sidelight.quality.pairwise import compared_distances
from sidelight.quality.ranks import draw_rows, ranked_blocks


@dataclass(frozen=True)
class CorankingCurves:
    """Neighbourhood preservation as a function of the size K of the neighbourhood.

    Parameters
    ----------
    k : ndarray of shape (n - 1,)
        The sizes 1 … n − 1.
    q_nx : ndarray of shape (n - 1,)
        The part of the K nearest neighbours that is kept, in [0, 1].
    r_nx : ndarray of shape (n - 1,)
        The same, rescaled so that a random map has 0 and a perfect one 1.  Undefined, NaN, at
        K = n − 1, where every map keeps everything.
    b_nx : ndarray of shape (n - 1,)
        Among the kept neighbours, the part that moved away less the part that came nearer.
        Positive for a map that puts far points in between (intrusive: what stays is pushed away),
        negative for one that tears (extrusive: what stays closes the gaps).
    auc : float
        The mean of ``r_nx`` over log K.
    n_samples : int
        How many points there are.
    n_samples_used : int
        From how many of them all others were ranked.
    """

    k: IntArray
    q_nx: FloatArray
    r_nx: FloatArray
    b_nx: FloatArray
    auc: float
    n_samples: int
    n_samples_used: int


class CorankingCounts:
    """Counts of pairs by the larger of their two ranks.

    A pair is kept by every neighbourhood that is at least as large as both of its ranks, so that
    the n × n co-ranking matrix itself is not needed.

    Parameters
    ----------
    n_samples : int
        How many points there are.
    """

    def __init__(self, n_samples: int) -> None:
        self.n_samples = n_samples
        self.n_rows = 0
        self.kept = np.zeros(n_samples, dtype=np.int64)
        self.nearer = np.zeros(n_samples, dtype=np.int64)
        self.farther = np.zeros(n_samples, dtype=np.int64)

    def add(self, coranks: IntArray) -> IntArray:
        """Count the pairs of a block."""
        n = self.n_samples
        data_ranks = np.arange(1, n, dtype=coranks.dtype)
        larger = np.maximum(coranks, data_ranks)
        # The pairs that moved away have the map's rank as the larger one, the others the data's,
        # which makes the two kinds one count each: of ranks over the pairs on one side.
        moved_away = coranks > data_ranks
        farther = np.bincount(coranks[moved_away], minlength=n)
        kept = np.bincount(larger.ravel(), minlength=n)
        unmoved = (coranks == data_ranks).sum(axis=0)
        self.kept += kept
        self.farther += farther
        self.nearer += kept - farther
        self.nearer[1:] -= unmoved
        self.n_rows += coranks.shape[0]
        return larger

    def curves(self) -> CorankingCurves:
        """Sum the counts up to every K."""
        n = self.n_samples
        k = np.arange(1, n)
        places = k * float(self.n_rows)
        q_nx = np.cumsum(self.kept)[1:] / places
        b_nx = np.cumsum(self.farther - self.nearer)[1:] / places
        r_nx = np.full(n - 1, np.nan)
        r_nx[:-1] = ((n - 1) * q_nx[:-1] - k[:-1]) / (n - 1 - k[:-1])
        weights = 1.0 / k[:-1]
        auc = float(weights @ r_nx[:-1] / weights.sum())
        return CorankingCurves(k, q_nx, r_nx, b_nx, auc, n, self.n_rows)


def coranking_curves(
    X: ArrayLike,
    Z: ArrayLike,
    *,
    metric: Metric = "euclidean",
    max_samples: int | None = None,
    random_state: Any = 0,
) -> CorankingCurves:
    """Compare neighbourhoods of every size in the data and in a map of it.

    With ρ_ij the rank of j among the neighbours of i in the data and r_ij in the map,

        Q_NX(K) = 1/(nK) Σ_i |{j : ρ_ij ≤ K and r_ij ≤ K}|            (Lee and Verleysen 2009)
        R_NX(K) = ((n − 1) Q_NX(K) − K) / (n − 1 − K)                   (Lee et al. 2013)
        AUC     = Σ_K R_NX(K)/K  /  Σ_K 1/K,   K = 1 … n − 2            (Lee et al. 2015)
        B_NX(K) = 1/(nK) Σ_i (|{j : ρ_ij < r_ij ≤ K}| − |{j : r_ij < ρ_ij ≤ K}|).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        Data, or distances with ``metric="precomputed"``.
    Z : array-like of shape (n_samples, n_components)
        The map, compared by Euclidean distances.
    metric : str or callable
        The metric of the data, as estimators take it.
    max_samples : int, optional
        With more points than that, so many are drawn and all n points are ranked from each of
        them: sums over i become sums over the drawn points, which estimates the same curves.  By
        default every point is used.
    random_state : int, Generator, RandomState or None
        Draws the points.

    Returns
    -------
    CorankingCurves
        The curves and the area under R_NX.

    Raises
    ------
    ValueError
        If X or Z is not finite, or they do not have the same number of rows.

    Notes
    -----
    A point is not its own neighbour.  Distances that are equal to nine digits are ranked by index.
    Time O(n² log n), memory O(n).

    References
    ----------
    J. A. Lee, M. Verleysen (2009). Quality assessment of dimensionality reduction: rank-based
    criteria. Neurocomputing 72.

    J. A. Lee, E. Renard, G. Bernard, P. Dupont, M. Verleysen (2013). Type 1 and 2 mixtures of
    Kullback–Leibler divergences as cost functions in dimensionality reduction based on similarity
    preservation. Neurocomputing 112.

    J. A. Lee, D. H. Peluffo-Ordóñez, M. Verleysen (2015). Multi-scale similarities in stochastic
    neighbour embedding. Neurocomputing 169.

    Examples
    --------
    A helix is kept by its angle, at every scale.

    >>> import numpy as np
    >>> from sidelight.quality import coranking_curves
    >>> angle = np.linspace(0, 3, 60)
    >>> helix = np.column_stack([np.cos(angle), np.sin(angle), angle])
    >>> print(f"{coranking_curves(helix, angle[:, None]).auc:.3f}")
    1.000
    >>> print(f"{coranking_curves(helix, np.cos(angle)[:, None]).auc:.3f}")
    0.847
    """
    who = "coranking_curves"
    data, mapped = compared_distances(X, Z, metric, who=who)
    rows = draw_rows(data.n_samples, check_max_samples(max_samples, who=who), random_state)
    counts = CorankingCounts(data.n_samples)
    for block in ranked_blocks(data, mapped, rows, stage="co-ranking"):
        counts.add(block.coranks)
    return counts.curves()
