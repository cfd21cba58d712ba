"""What a Gaussian field over the rows needs to know of the data: how many features, how spread."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from sidelight.core import FloatArray, IntArray, evenly_spaced, is_sparse, row_blocks
from sidelight.estimator import Map, Neighborhood, Points
from sidelight.similarity import Centring, kernel_from_distances
from sidelight.solvers.eigen import largest_eigenpairs
from sidelight.solvers.paths import shortest_paths_from

#: From so many points on, the scatter along a graph is that seen from some of them.
_SOURCES = 1000


def field_features(points: Points) -> int:
    """How many features a field has; a table of distances counts as one."""
    return 1 if points.features is None else varying_features(points.features)


def field_scatter(near: Neighborhood) -> float:
    """Σ_i c_i ‖y_i − ȳ‖², along the graph where that is all there is."""
    if not near.points.complete:
        return scatter_along(near.graph, near.counts)
    return float(near.counts @ near.points.remoteness(near.counts))


def feature_covariance(found: Map) -> FloatArray:
    """The covariance of one feature over all rows, from the kernel of whole rows: not centred."""
    kernel: Any = found.kernel
    return np.asarray(kernel.written_out() / kernel.of_points.p)


def varying_features(X: Any) -> int:
    """Count the columns that are not constant.

    A constant feature says nothing of the distances between rows, and the density of a field at
    it would be a matter of its normalisation alone.

    Examples
    --------
    >>> import numpy as np
    >>> varying_features(np.array([[1.0, 2.0, 5.0], [1.0, 3.0, 5.0]]))
    1
    """
    if is_sparse(X):
        high, low = X.max(axis=0).toarray(), X.min(axis=0).toarray()
    else:
        high, low = X.max(axis=0), X.min(axis=0)
    return max(1, int(np.count_nonzero(high != low)))


def scatter_along(graph: sp.csr_array, counts: IntArray) -> float:
    """Compute the scatter Σ_ij c_i c_j d_ij²/2N of the distances along a graph.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> scatter_along(sp.csr_array([[0.0, 5.0], [5.0, 0.0]]), np.array([1, 1]))
    12.5
    """
    c = counts.astype(np.float64)
    n = len(c)
    sources = evenly_spaced(n, _SOURCES)
    seen = 0.0
    for block in row_blocks(len(sources), 16.0 * n):
        D = shortest_paths_from(graph, sources[block])
        seen += float(c[sources[block]] @ (np.square(D) @ c))
    return seen / float(c[sources].sum()) / 2


def principal_coordinate(points: Points, counts: IntArray) -> FloatArray:
    """Find the coordinate of every point along the direction of largest variance.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.estimator.points import points_of
    >>> X = np.array([[0.0, 0.0], [3.0, 4.0], [9.0, 12.0]])
    >>> principal_coordinate(points_of(X, "euclidean", who=""), np.ones(3)).round(3)
    array([-6.667, -1.667,  8.333])
    """
    c, X = counts.astype(np.float64), points.vectors
    root = np.sqrt(c)
    if X is not None:
        mean = np.asarray(c @ X, dtype=np.float64).ravel() / c.sum()

        def apply(block: FloatArray) -> FloatArray:
            scaled = root[:, None] * block
            features = np.asarray(X.T @ scaled) - np.outer(mean, scaled.sum(axis=0))
            return np.asarray(root[:, None] * (X @ features - mean @ features))

        pairs = largest_eigenpairs(apply, 1, n=points.n, who=points.who)
    else:
        K = kernel_from_distances(points.table())
        operator = Centring.of(K, counts).operator(K)
        pairs = largest_eigenpairs(operator, 1, n=points.n, who=points.who)
    length = np.sqrt(max(float(pairs.values[0]), 0.0))
    return np.asarray(length * pairs.vectors[:, 0] / root)
