"""Which points stand for all: landmarks."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core import FloatArray, IntArray, farthest_first, first_farthest
from sidelight.neighbors.given_graph import is_graph
from sidelight.neighbors.known_distances import KnownDistances
from sidelight.neighbors.metrics import Metric, distance_blocks, weighted

#: The choice is made among this many times as many points as landmarks.
_CANDIDATES = 3


def spread_landmarks(
    X: Any, n_landmarks: int, *, metric: Metric = "euclidean", seed: int = 0
) -> IntArray:
    """Choose points that are spread over the data: farthest first, among a random few.

    Candidates follow the data's density; among them each landmark is the one farthest from those
    chosen before.

    Examples
    --------
    >>> import numpy as np
    >>> spread_landmarks(np.arange(11.0)[:, None], 3)
    array([ 0,  5, 10])
    """
    n = X.shape[0]
    rng = np.random.default_rng(seed)
    candidates = np.sort(rng.permutation(n)[: min(n, _CANDIDATES * n_landmarks + 8)])
    D: FloatArray
    if is_graph(X, metric):
        D = KnownDistances.of(X).among(candidates)
    else:
        among = X[np.ix_(candidates, candidates)] if metric == "precomputed" else X[candidates]
        blocks = distance_blocks(among, None, weighted(metric, X), who="spread_landmarks")
        D = np.vstack([np.asarray(block) for _, block in blocks])
    rim = first_farthest(D.sum(axis=1))
    return np.sort(candidates[farthest_first(lambda i: D[i], rim, n_landmarks)])
