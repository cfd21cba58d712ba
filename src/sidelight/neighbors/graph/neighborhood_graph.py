"""Neighbourhood graphs: symmetric, sparse, with the distances on their edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from sidelight.neighbors.edges import symmetric_graph
from sidelight.neighbors.metrics import Metric
from sidelight.neighbors.nearest import Neighbors, nearest_neighbors
from sidelight.neighbors.radius import radius_neighbors


def neighborhood_graph(
    X: Any,
    *,
    n_neighbors: int | None = None,
    radius: float | None = None,
    metric: Metric = "euclidean",
    method: str = "auto",
    n_jobs: int | None = None,
    random_state: int = 0,
    who: str = "neighborhood_graph",
) -> sp.csr_array:
    """Build the symmetric graph that joins every row to its neighbours.

    There is an edge ``(i, j)`` where ``j`` is among the ``k`` nearest of ``i`` *or* ``i`` among
    those of ``j``; with a radius, where ``d(x_i, x_j) ≤ radius``.

    Examples
    --------
    >>> from sidelight.neighbors import neighborhood_graph
    >>> graph = neighborhood_graph([[0.0], [1.0], [3.0]], n_neighbors=1)
    >>> graph.toarray()
    array([[0., 1., 0.],
           [1., 0., 2.],
           [0., 2., 0.]])
    """
    if (n_neighbors is None) == (radius is None):
        raise ValueError(
            f"{who} needs exactly one of 'n_neighbors' and 'radius'. "
            f"Got n_neighbors={n_neighbors!r} and radius={radius!r} instead. "
            "Set one of them to None."
        )
    if radius is None:
        assert n_neighbors is not None
        found = nearest_neighbors(
            X,
            n_neighbors,
            metric=metric,
            method=method,
            n_jobs=n_jobs,
            random_state=random_state,
            who=who,
        )
        return symmetrise(found)
    directed = radius_neighbors(X, radius, metric=metric, method=method, n_jobs=n_jobs, who=who)
    rows = np.repeat(np.arange(directed.shape[0]), np.diff(directed.indptr))
    return symmetric_graph(rows, directed.indices, directed.data, directed.shape[0])


def symmetrise(neighbors: Neighbors) -> sp.csr_array:
    """Join the neighbourhoods of all rows into one symmetric graph.

    Examples
    --------
    >>> import numpy as np
    >>> found = Neighbors(np.array([[1], [2], [1]]), np.array([[1.0], [0.5], [0.5]]))
    >>> symmetrise(found).data
    array([1. , 1. , 0.5, 0.5])
    """
    n_samples, k = neighbors.indices.shape
    if neighbors.distances.size and neighbors.distances.min() > 0:
        # sum and maximum of both directions have one pattern; where both are there, what the sum
        # has more is the lesser of them
        pointers = np.arange(0, n_samples * k + 1, k, dtype=np.int32)
        columns = neighbors.indices.ravel().astype(np.int32)
        arrows = sp.csr_array(
            (neighbors.distances.ravel(), columns, pointers), shape=(n_samples, n_samples)
        )
        back = arrows.T.tocsr()
        arrows.sort_indices()
        joined, total = sp.csr_array(arrows.maximum(back)), sp.csr_array(arrows + back)
        lesser = total.data - joined.data
        joined.data = np.where(lesser > 0, lesser, joined.data)
        return joined
    rows = np.repeat(np.arange(n_samples), k)
    return symmetric_graph(rows, neighbors.indices.ravel(), neighbors.distances.ravel(), n_samples)


def arrows_to(neighbors: Neighbors) -> sp.csr_array:
    """Lay out the neighbours of all rows as a sparse matrix, in one direction.

    Examples
    --------
    >>> import numpy as np
    >>> found = Neighbors(np.array([[1], [2], [1]]), np.array([[1.0], [0.5], [0.5]]))
    >>> arrows_to(found).indices
    array([1, 2, 1])
    """
    n, k = neighbors.indices.shape
    pointers = np.arange(0, n * k + 1, k)
    entries = (neighbors.distances.ravel(), neighbors.indices.ravel(), pointers)
    return sp.csr_array(entries, shape=(n, n))
