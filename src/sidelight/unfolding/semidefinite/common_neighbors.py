"""Pairs of points that are neighbours of a third: [ηᵀη]_ij > 0 (section 1.7)."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from sidelight.estimator import Points


def join_common_neighbors(
    graph: sp.csr_array, directed: sp.csr_array, points: Points
) -> sp.csr_array:
    """Add an edge between any two points that are neighbours of one point.

    Examples
    --------
    The two outer points share the middle one.

    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> from sidelight.estimator.points import points_of
    >>> graph = sp.csr_array([[0.0, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> join_common_neighbors(graph, graph, points_of(np.eye(3), "euclidean", who="here")).nnz
    6
    """
    points.require_all_pairs(
        f"{points.who} cannot use common_neighbors=True with a sparse graph, which does not hold "
        f"their distances. Give a dense table, or a graph that has these edges too and "
        f"common_neighbors=False."
    )
    n = directed.shape[0]
    eta = sp.csr_array((np.ones(directed.nnz), directed.indices, directed.indptr), shape=(n, n))
    shared = sp.coo_array(sp.triu(eta.T @ eta, 1))
    pairs = np.column_stack(shared.coords).astype(np.intp)
    known = sp.csr_array((np.ones(graph.nnz), graph.indices, graph.indptr), shape=graph.shape)
    new = pairs[np.asarray(known[pairs[:, 0], pairs[:, 1]]).ravel() == 0]
    lengths = points.lengths(new[:, 0], new[:, 1])
    half = sp.csr_array((lengths, (new[:, 0], new[:, 1])), shape=(n, n))
    return sp.csr_array(graph + half + half.T)
