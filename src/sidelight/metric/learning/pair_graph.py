"""The graph of the pairs: how much pairs say is its rank, not their number.

Of all pairs among c rows only c − 1 differences are independent.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from sidelight.core import IntArray, for_walks


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
    forest = sp.coo_array(minimum_spanning_tree(for_walks(graph)))
    return np.asarray(np.column_stack([rows[forest.row], rows[forest.col]]))


def folds_of_rows(pairs: IntArray, n_rows: int, n_folds: int, rng: np.random.Generator) -> IntArray:
    """The fold of every row that is named, else −1; two that name only each other share one."""
    times = np.bincount(pairs.ravel(), minlength=n_rows)
    together = np.arange(n_rows)
    alone = pairs[(times[pairs] == 1).all(axis=1)]
    together[alone[:, 1]] = alone[:, 0]
    named = np.flatnonzero(times)
    units, unit = np.unique(together[named], return_inverse=True)
    folds = np.full(n_rows, -1)
    folds[named] = (rng.permutation(len(units)) % n_folds)[unit]
    return folds


def _graph(pairs: IntArray) -> tuple[IntArray, sp.csr_array]:
    rows, ends = np.unique(pairs, return_inverse=True)
    ends = ends.reshape(-1, 2)
    n = len(rows)
    graph = sp.csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(n, n))
    graph.data[:] = 1  # pairs named twice were summed
    return rows, graph
