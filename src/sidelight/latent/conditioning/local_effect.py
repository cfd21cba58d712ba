"""What a factor does to items, estimated among items that are alike."""

from __future__ import annotations

import numpy as np
from sklearn.cluster import KMeans, kmeans_plusplus

from sidelight.core import FloatArray
from sidelight.latent.density import squared_distances
from sidelight.similarity import gaussian_shares

_MOST_CLUSTERS, _ITEMS_PER_CLUSTER = 20, 10
_ROUNDS = 5
#: Effects are averaged over so many clusterings: a single one cuts at random places.
_CLUSTERINGS = 4
#: Items belong to clusters by exp(−squared distance / (this · mean squared distance to the next)).
_SOFTNESS = 0.2
#: An effect is shrunk as if so many items had been seen without any.
_SHRINKAGE = 3.0


def without_local_effect(Y: FloatArray, x: FloatArray) -> FloatArray:
    """Take from every item what the factor does to items like it.

    Where kinds of items differ in their values of the factor, the difference of two values' means
    is for the most part a difference of kinds, and taking it away brings the factor *into* data
    that hardly held it.  In every soft cluster k of the corrected items, y is therefore regressed
    on x by weighted ridge regression, y ≈ b_k + B_k x, and what is left is y − Σ_k r_k B_k x, r_k
    the membership.  Clusters and effects are found in turn, and averaged over clusterings; values
    with few items in a cluster have their effect shrunk to none.

    Notes
    -----
    Items of a kind must differ in more than the factor: else the clusters cut along it.

    References
    ----------
    I. Korsunsky et al. (2019), "Fast, sensitive and accurate integration of single-cell data with
    Harmony", Nature Methods 16: corrections by clusters, for classes.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> kind, x = np.repeat([1.0, -1.0], 200), rng.normal(size=(400, 1))
    >>> Y = rng.normal(size=(400, 10)) + 9 * kind[:, None]
    >>> Y[:, :1] += x * kind[:, None]
    >>> left = without_local_effect(Y, x)
    >>> before, after = (abs(np.corrcoef(x[:200, 0], data[:200, 0])[0, 1]) for data in (Y, left))
    >>> round(float(before), 1), round(float(after), 1)
    (0.6, 0.2)
    """
    n = len(Y)
    n_clusters = max(min(_MOST_CLUSTERS, n // _ITEMS_PER_CLUSTER), 1)
    effects = x - x.mean(axis=0)
    design = np.column_stack([np.ones(n), effects])
    ridge = np.diag([1e-9, *[_SHRINKAGE] * effects.shape[1]])
    left = Y
    for _ in range(_ROUNDS):
        explained = np.zeros_like(Y)
        for seed in range(_CLUSTERINGS):
            for share in _memberships(left, n_clusters, seed).T:
                weighted = design * share[:, None]
                slopes = np.linalg.solve(weighted.T @ design + ridge, weighted.T @ Y)[1:]
                explained += share[:, None] * (effects @ slopes)
        left = Y - explained / _CLUSTERINGS
    return left


def _memberships(Y: FloatArray, n_clusters: int, seed: int) -> FloatArray:
    # one trial: of several, two items far from all others are equally good, to the last bit
    first, _ = kmeans_plusplus(Y, n_clusters, n_local_trials=1, random_state=seed)
    found = KMeans(n_clusters, init=first, n_init=1).fit(Y)
    squared = squared_distances(Y, found.cluster_centers_)
    nearest = squared.min(axis=1, keepdims=True)
    width = max(_SOFTNESS * float(nearest.mean()), 1e-300)
    return gaussian_shares(squared - nearest, width)
