"""The graph of the pairs: how much pairs say is its rank, not their number.

Of all pairs among c rows only c − 1 differences are independent.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from sidelight.core import IntArray


def graph_rank(pairs: IntArray) -> int:
    """Count the independent differences among pairs: rows named − components.

    Examples
    --------
    >>> import numpy as np
    >>> graph_rank(np.array([[0, 1], [1, 2], [0, 2], [5, 6]]))
    3
    """
    if len(pairs) == 0:
        return 0
    _, graph = _graph(pairs)
    return int(graph.shape[0] - connected_components(graph, directed=False)[0])


def spanning_forest(pairs: IntArray) -> IntArray:
    """Choose pairs whose differences span those of all."""
    if len(pairs) == 0:
        return pairs
    rows, graph = _graph(pairs)
    forest = sp.coo_array(minimum_spanning_tree(graph))
    return np.asarray(np.column_stack([rows[forest.row], rows[forest.col]]))


def _graph(pairs: IntArray) -> tuple[IntArray, sp.csr_array]:
    rows, ends = np.unique(pairs, return_inverse=True)
    ends = ends.reshape(-1, 2)
    n = len(rows)
    graph = sp.csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(n, n))
    graph.data[:] = 1  # pairs named twice were summed
    return rows, graph
