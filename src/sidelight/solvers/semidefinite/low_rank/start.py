"""A strictly feasible start for unfolding: landmark scaling of path lengths, pulled into bounds."""

from __future__ import annotations

from functools import cache

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import dijkstra

from sidelight.core import FloatArray, IntArray, farthest_first, first_farthest, for_walks

#: Landmarks, sweeps of projections, and how much of the bounds the longest edge may use.
_LANDMARKS, _SWEEPS, _FILL = 60, 200, 0.95
#: The start has as many axes as carry this share of the landmarks' variance, and at least two:
#: further ones are grown where they are needed.  Chosen on twenty tables: with 0.9 those of many
#: columns begin with twice the axes that they keep, mostly at three times the cost (one of them is
#: faster so); from 0.75 down some did not converge.
_SHARE = 0.8


def unfolded_start(
    edges: IntArray, lengths: FloatArray, n: int, *, start: FloatArray | None = None
) -> FloatArray:
    """Lay the nodes out by path lengths, with every edge shorter than its bound.

    The landmarks, each the node farthest from those before it, are scaled classically by the
    lengths of shortest paths, and the other nodes are placed by their distances to them [1]_.
    Edges that are too long are then shortened in turn, and what remains is shrunk.

    References
    ----------
    .. [1] V. de Silva and J. B. Tenenbaum (2004), "Sparse multidimensional scaling using landmark
       points".

    Examples
    --------
    >>> import numpy as np
    >>> edges = np.array([[0, 1], [1, 2]])
    >>> R = unfolded_start(edges, np.array([1.0, 2.0]), 3)
    >>> np.linalg.norm(R[0] - R[2]).round(2)
    np.float64(2.85)
    """
    R = _landmark_layout(edges, lengths, n) if start is None else np.array(start, dtype=np.float64)
    m = len(edges)
    at = np.arange(m)
    E = sp.csr_array(
        (np.repeat([1.0, -1.0], m), (np.r_[at, at], np.r_[edges[:, 0], edges[:, 1]])), shape=(m, n)
    )
    ends, incident = E.T.tocsr(), abs(E.T).tocsr()
    for _ in range(_SWEEPS):
        spans = E @ R
        stretch = np.linalg.norm(spans, axis=1) / lengths
        over = stretch > 1
        if not over.any():
            break
        pull = np.where(over, 0.5 - 0.5 / np.maximum(stretch, 1.0), 0.0)
        share = np.maximum(incident @ over.astype(np.float64), 1.0)
        R = R - 1.5 * (ends @ (pull[:, None] * spans)) / share[:, None]
    largest = float((np.linalg.norm(E @ R, axis=1) / lengths).max())
    if not largest > 0:
        raise ValueError(
            "The start of an unfolding must not put all nodes in one place. Leave 'start' out."
        )
    return np.asarray(R * (_FILL / largest))


def _landmark_layout(edges: IntArray, lengths: FloatArray, n: int) -> FloatArray:
    i, j = edges.T
    both = (np.r_[i, j], np.r_[j, i])
    graph = for_walks(sp.csr_array((np.r_[lengths, lengths], both), shape=(n, n)))

    @cache
    def paths_from(node: int) -> FloatArray:
        return np.asarray(dijkstra(graph, indices=np.array([node]))[0])

    middle = first_farthest(
        np.asarray(graph.sum(axis=0))
    )  # the same node in whatever order they come
    rim = first_farthest(paths_from(middle))
    landmarks = farthest_first(paths_from, rim, min(_LANDMARKS, n)).tolist()
    D = np.array([paths_from(node) for node in landmarks]) ** 2
    between = (D[:, landmarks] + D[:, landmarks].T) / 2
    mean = between.mean(axis=1)
    K = -0.5 * (between - mean[:, None] - mean + mean.mean())
    values, vectors = np.linalg.eigh(K)
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    n_axes = 1 + int(np.searchsorted(np.cumsum(values), _SHARE * values.sum()))
    n_axes = min(max(2, n_axes), max(1, int((values > 1e-9 * values[0]).sum())))
    V = vectors[:, :n_axes] / np.sqrt(values[:n_axes])
    return np.asarray(-0.5 * (D - mean[:, None]).T @ V)
