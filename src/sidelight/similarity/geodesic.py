"""Distances along a manifold: lengths of shortest paths in the graph of neighbours."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from sidelight.core import FloatArray, IntArray, require_memory
from sidelight.solvers.paths import (
    all_pairs_shortest_paths,
    shortest_paths_from,
    shortest_paths_from_outside,
    undirected_graph,
)

_TOLERANCE = 1e-6
"""Two directions of one edge may differ by this much, relative to its length."""

_WORKING_SHARE = 1.1
"""Memory at the peak, as a multiple of the table that is returned."""


def geodesic_distances(
    graph: sp.csr_array,
    sources: IntArray | None = None,
    *,
    dtype: npt.DTypeLike = np.float64,
    n_jobs: int | None = None,
    who: str = "geodesic_distances",
) -> FloatArray:
    """Compute distances along the graph between all points, or from some to all.

    D[i, j] = min over the paths i = v_0, v_1, …, v_m = j of Σ_l ‖x_{v_l} − x_{v_{l−1}}‖, the second
    step of Isomap [1]_.

    References
    ----------
    .. [1] J. B. Tenenbaum, V. de Silva and J. C. Langford (2000), "A global geometric framework
       for nonlinear dimensionality reduction".

    Examples
    --------
    Half way round a circle of 100 points, each joined to the next.

    >>> import numpy as np, scipy.sparse as sp
    >>> from sidelight.similarity.geodesic import geodesic_distances
    >>> step = 2 * np.sin(np.pi / 100)
    >>> circle = sp.csr_array(step * np.roll(np.eye(100), 1, axis=1))
    >>> float(geodesic_distances(circle)[0, 50].round(4))
    3.1411
    """
    graph = undirected_graph(graph, who=who, tolerance=_TOLERANCE)
    n = graph.shape[0]
    n_rows = n if sources is None else np.size(sources)
    _require_table(n_rows, n, dtype, who)
    if sources is None:
        return all_pairs_shortest_paths(graph, dtype=dtype, n_jobs=n_jobs)
    return shortest_paths_from(graph, sources, dtype=dtype, n_jobs=n_jobs)


def geodesic_distances_of_new(
    graph: sp.csr_array,
    neighbors: IntArray,
    distances: FloatArray,
    *,
    dtype: npt.DTypeLike = np.float64,
    n_jobs: int | None = None,
    who: str = "geodesic_distances_of_new",
) -> FloatArray:
    """Compute distances along the graph from new points, each joined to its neighbours.

    D[i, j] = min_l distances[i, l] + d(neighbors[i, l], j): a new point is joined to points of the
    graph and never to another new one, so that its row depends on its own neighbours alone.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from sidelight.similarity.geodesic import geodesic_distances_of_new
    >>> line = sp.csr_array(np.diag(np.ones(3), 1))
    >>> geodesic_distances_of_new(line, np.array([[1, 2]]), np.array([[0.5, 0.5]])).tolist()
    [[1.5, 0.5, 0.5, 1.5]]
    """
    graph = undirected_graph(graph, who=who, tolerance=_TOLERANCE)
    _require_table(len(neighbors), graph.shape[0], dtype, who)
    return shortest_paths_from_outside(graph, neighbors, distances, dtype=dtype, n_jobs=n_jobs)


def _require_table(n_rows: int, n: int, dtype: npt.DTypeLike, who: str) -> None:
    # an estimator, whose names begin in capitals, chooses its numbers itself
    measured = "Measure from some landmarks instead of from every point"
    single = ", or use dtype=np.float32" if np.dtype(dtype).itemsize > 4 else ""
    require_memory(
        _WORKING_SHARE * n_rows * n * np.dtype(dtype).itemsize,
        what=f"the {n_rows} × {n} table of geodesic distances",
        who=who,
        instead=f"{measured}, n_landmarks=1000, say."
        if who[:1].isupper()
        else f"{measured}{single}.",
    )
