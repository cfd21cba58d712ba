"""How many of the nearest neighbours a search has found, measured on a sample."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core import evenly_spaced
from sidelight.neighbors.checked_rows import check_points
from sidelight.neighbors.metrics import Metric
from sidelight.neighbors.nearest import Neighbors, nearest_neighbors

#: The share of one row's k neighbours scatters by 0.1 or less: that of so many rows, by 0.003.
SAMPLE = 1000
#: Distances in float32 are off by less, relatively.
_ROUNDING = 1e-6


def recall_of(
    neighbors: Neighbors,
    X: Any,
    *,
    metric: Metric = "euclidean",
    n_sampled: int = SAMPLE,
    n_jobs: int | None = None,
    who: str = "recall_of",
) -> float:
    """Estimate the share of the nearest neighbours of the rows of X that were found.

    Evenly spaced rows are searched exactly.  A neighbour counts if it is no farther than the k-th
    nearest: among equally far ones any will do.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.neighbors import Neighbors, recall_of
    >>> X = [[0.0], [1.0], [3.0]]
    >>> found = Neighbors(np.array([[1], [2], [1]]), np.array([[1.0], [2.0], [2.0]]), exact=False)
    >>> round(recall_of(found, X), 3)
    0.667
    """
    if neighbors.exact:
        return 1.0
    n, k = neighbors.indices.shape
    rows = evenly_spaced(n, n_sampled)
    # One more, since a row is the nearest of its own, or one of those at distance zero.
    points = check_points(X, who=who)
    nearest = nearest_neighbors(
        points, k + 1, queries=points[rows], metric=metric, n_jobs=n_jobs, who=who
    )
    farthest = nearest.distances[:, -1:] * (1.0 + _ROUNDING)
    return float(np.mean(neighbors.distances[rows] <= farthest))
