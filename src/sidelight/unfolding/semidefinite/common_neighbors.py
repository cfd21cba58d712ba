"""Pairs of points that are neighbours of a third: [ηᵀη]_ij > 0 (section 1.7)."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from sidelight.neighbors.graph.edge_lengths import lengths_of_pairs
from sidelight.neighbors.metrics import Metric


def join_common_neighbors(
    graph: sp.csr_array,
    directed: sp.csr_array,
    points: Any,
    *,
    metric: Metric = "euclidean",
    who: str = "join_common_neighbors",
) -> sp.csr_array:
    """Add an edge between any two points that are neighbours of one point.

    Examples
    --------
    The two outer points share the middle one.

    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> graph = sp.csr_array([[0.0, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> join_common_neighbors(graph, graph, np.eye(3)).nnz
    6
    """
    n = directed.shape[0]
    eta = sp.csr_array((np.ones(directed.nnz), directed.indices, directed.indptr), shape=(n, n))
    shared = sp.coo_array(sp.triu(eta.T @ eta, 1))
    pairs = np.column_stack(shared.coords).astype(np.intp)
    known = sp.csr_array((np.ones(graph.nnz), graph.indices, graph.indptr), shape=graph.shape)
    new = pairs[np.asarray(known[pairs[:, 0], pairs[:, 1]]).ravel() == 0]
    lengths = lengths_of_pairs(points, new, metric=metric, who=who)
    half = sp.csr_array((lengths, (new[:, 0], new[:, 1])), shape=(n, n))
    return sp.csr_array(graph + half + half.T)
