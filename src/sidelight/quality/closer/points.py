"""How well each point is placed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import ArrayLike, FloatArray, IntArray, explain_table
from sidelight.neighbors import nearest_neighbors
from sidelight.quality.inputs import as_points, check_n_neighbors, check_same_length
from sidelight.side import labels_of_index

_BLOCK = 20_000


@dataclass(frozen=True, eq=False)
class PointQuality:
    """What each point says of the map.

    Parameters
    ----------
    kept : ndarray of shape (n_samples,)
        The part of its nearest neighbours that are its neighbours in the map, too.
    displaced : ndarray of shape (n_samples,)
        How far it is from where its neighbours in the data are (their median), in units of the
        distance to the k-th neighbour that is usual in the map.
    n_neighbors : int
        k.
    names : tuple, optional
        The labels of the rows, where they have any.
    """

    kept: FloatArray
    displaced: FloatArray
    n_neighbors: int
    names: tuple[Any, ...] | None = None

    def __repr__(self) -> str:
        worst = int(np.nanargmax(self.displaced))
        which = f"row {worst}" if self.names is None else f"{self.names[worst]!r}"
        return (
            f"PointQuality({len(self.kept)} points, {self.n_neighbors} neighbours: "
            f"{np.nanmean(self.kept):.3f} kept, {which} displaced most, "
            f"{self.displaced[worst]:.1f})"
        )


def point_quality(
    X: Any, Z: ArrayLike, *, n_neighbors: int | None = None, metric: Any = "euclidean"
) -> PointQuality:
    """Measure how well each point is placed.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        The data, or their table of distances with ``metric="precomputed"``; the index of a frame
        has the names of the rows.
    Z : array-like of shape (n_samples, n_components)
        The map.
    n_neighbors : int, optional
        The size of the neighbourhood; by default 10, or less for fewer than 21 points.
    metric : str or callable
        Of the data.

    Returns
    -------
    PointQuality
        One figure of each kind per point.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.quality import point_quality
    >>> X = np.arange(12.0)[:, None]
    >>> Z = X.copy()
    >>> Z[3] = 11.5  # torn from its neighbours
    >>> found = point_quality(X, Z, n_neighbors=2)
    >>> int(found.displaced.argmax()), float(found.kept[3])
    (3, 0.0)
    """
    who = "point_quality"
    points = as_points(Z, name="Z", who=who)
    n = len(points)
    try:
        shape = np.shape(X)
    except ValueError as error:  # rows of several lengths
        raise explain_table(error, X, who=who) from error
    if shape:  # what is no table is refused by the search
        check_same_length(shape[0], n, names=("X", "Z"), who=who)
    k = min(10, (n - 1) // 2) if n_neighbors is None else n_neighbors
    k = check_n_neighbors(k, n, who=who)
    near = nearest_neighbors(X, k, metric=metric, who=who).indices
    mapped = nearest_neighbors(points, k, who=who)
    places = np.median(points[near], axis=1)
    usual = float(np.median(mapped.distances[:, -1]))
    displaced = np.linalg.norm(points - places, axis=1) / max(usual, 1e-300)
    shares = share_in_common(near, mapped.indices)
    return PointQuality(shares, displaced, k, labels_of_index(X))


def share_in_common(first: IntArray, second: IntArray) -> FloatArray:
    """The part of each row of the first list that is in the same row of the second."""
    shares = [
        (first[a : a + _BLOCK, :, None] == second[a : a + _BLOCK, None, :]).any(axis=2).mean(axis=1)
        for a in range(0, len(first), _BLOCK)
    ]
    return np.concatenate(shares)
