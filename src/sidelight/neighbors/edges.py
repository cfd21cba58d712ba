"""From lists of edges to sparse matrices, with the zeros between duplicates kept."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from sidelight.core import FloatArray, IntArray


def index_type(largest: int) -> type[np.signedinteger]:
    """The smallest whole numbers that reach so far: SciPy names its own since 1.15 alone."""
    return np.int32 if largest <= np.iinfo(np.int32).max else np.int64


def edge_matrix(
    left: IntArray, right: IntArray, distances: FloatArray, shape: tuple[int, int]
) -> sp.csr_array:
    """Build a sparse matrix from edges that are all different."""
    index = index_type(max(len(left), *shape))
    values = distances.astype(np.float64, copy=False)
    places = (left.astype(index, copy=False), right.astype(index, copy=False))
    matrix = sp.coo_array((values, places), shape=shape).tocsr()
    matrix.sort_indices()
    return matrix


def symmetric_graph(
    left: IntArray, right: IntArray, distances: FloatArray, n_samples: int
) -> sp.csr_array:
    """Build a symmetric graph from edges given in one direction or both.

    Examples
    --------
    >>> import numpy as np
    >>> symmetric_graph(np.array([0, 1]), np.array([1, 0]), np.array([2.0, 2.0]), 2).toarray()
    array([[0., 2.],
           [2., 0.]])
    """
    # SciPy's own way from edges to CSR would add up what is given twice.
    low = np.minimum(left, right).astype(np.int64)
    high = np.maximum(left, right).astype(np.int64)
    order = np.lexsort((distances, low * n_samples + high))
    low, high, lengths = low[order], high[order], distances[order]
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    low, high, lengths = low[first], high[first], lengths[first]
    return edge_matrix(
        np.concatenate([low, high]),
        np.concatenate([high, low]),
        np.concatenate([lengths, lengths]),
        (n_samples, n_samples),
    )


def with_edges(
    graph: sp.csr_array, left: IntArray, right: IntArray, distances: FloatArray
) -> sp.csr_array:
    """Add a few edges to a symmetric graph that lacks them, in both directions.

    Examples
    --------
    >>> import numpy as np
    >>> line = symmetric_graph(np.array([0]), np.array([1]), np.array([2.0]), 3)
    >>> with_edges(line, np.array([2]), np.array([1]), np.array([0.0])).indices.tolist()
    [1, 0, 2, 1]
    """
    graph = graph.sorted_indices()
    rows, columns = np.concatenate([left, right]), np.concatenate([right, left])
    lengths = np.concatenate([distances, distances])
    order = np.lexsort((columns, rows))
    rows, columns, lengths = rows[order], columns[order], lengths[order]
    bounds = zip(graph.indptr[rows].tolist(), graph.indptr[rows + 1].tolist(), strict=True)
    places = [
        first + int(np.searchsorted(graph.indices[first:last], column))
        for (first, last), column in zip(bounds, columns.tolist(), strict=True)
    ]
    added = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=graph.shape[0]))])
    return sp.csr_array(
        (
            np.insert(graph.data, places, lengths),
            np.insert(graph.indices, places, columns),
            graph.indptr + added.astype(graph.indptr.dtype),
        ),
        shape=graph.shape,
    )
