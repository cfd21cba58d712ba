"""As many dimensions as the data have."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.estimator.points import Points, points_of
from sidelight.neighbors import nearest_stored

#: Neighbours of each row that the intrinsic dimension rests on: many, for noise is felt by few.
_NEIGHBORS = 20


def intrinsic_dimensions(X: Any, metric: Any, *, holes: bool, who: str) -> int:
    """The intrinsic dimension of rows; where entries are missing, of their linear model."""
    from sidelight.quality import components_of_missing

    if X is None:
        raise ValueError(
            f"n_components='auto' of {who} is the intrinsic dimension of X, and there is no X. "
            f"Give a number."
        )
    if holes and np.isnan(X).any():
        return components_of_missing(np.asarray(X, dtype=np.float64))
    return dimensions_of_points(points_of(X, metric, who=who))


def dimensions_of_points(points: Points) -> int:
    """The intrinsic dimension by the 20 nearest neighbours of each point, or all that are stored.

    Examples
    --------
    >>> import numpy as np
    >>> angle = np.linspace(0, 3, 50) ** 1.1
    >>> curve = np.column_stack([np.cos(angle), np.sin(angle), angle])
    >>> dimensions_of_points(points_of(curve, "euclidean", who="Isomap"))
    1
    """
    from sidelight.quality import components_of_neighborhoods

    rows, features = points.distinct().rows, points.features
    if len(rows) < 4:
        raise ValueError(
            f"n_components='auto' of {points.who} rests on the distances of neighbours, and takes "
            f"at least 4 distinct rows. Got {len(rows)}. Give a number."
        )
    most = len(rows) - 1
    if points.complete:
        radii = points.take(rows).nearest(min(_NEIGHBORS, most)).distances
    else:
        radii = nearest_stored(points.rows)[1]
    most = most if features is None else min(most, features.shape[1])
    return components_of_neighborhoods(radii, most, who=points.who)
