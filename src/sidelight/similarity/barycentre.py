"""Barycentre weights: each item as an affine mixture of its neighbours (section 1.3).

The weights w of x minimise ‖x − Σ_j w_j x_j‖² under Σ_j w_j = 1.  With G the Gram matrix of the
neighbours seen from x, G_jl = ⟨x_j − x, x_l − x⟩, that is G w = 1, scaled to sum to one.  G comes
from features or from distances, G_jl = ½(d_j² + d_l² − d_jl²), so that a table of distances (or a
kernel) is enough.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from sidelight.arrays import FloatArray, IntArray, is_sparse

#: How many numbers a block of local neighbourhoods may hold.
_BLOCK_NUMBERS = 4_000_000


def local_gram_from_features(X: Any, indices: IntArray, queries: Any | None = None) -> FloatArray:
    """Compute the Gram matrix of every item's neighbours, seen from the item.

    Parameters
    ----------
    X : array or sparse array of shape (n, p)
        The points.
    indices : ndarray of shape (m, k)
        The neighbours of each item among the points.
    queries : array of shape (m, p), optional
        The items; the points themselves by default.

    Returns
    -------
    ndarray of shape (m, k, k)
        ⟨x_j − x, x_l − x⟩.
    """
    items = X if queries is None else queries
    m, k = indices.shape
    G = np.empty((m, k, k))
    step = max(1, _BLOCK_NUMBERS // (k * X.shape[1]))
    for start in range(0, m, step):
        rows = slice(start, min(start + step, m))
        near, centre = X[indices[rows].ravel()], items[rows]
        if is_sparse(near):
            near, centre = near.toarray(), centre.toarray()
        spokes = near.reshape(-1, k, X.shape[1]).astype(np.float64) - centre[:, None, :]
        np.matmul(spokes, spokes.transpose(0, 2, 1), out=G[rows])
    return G


def local_gram_from_distances(
    D: FloatArray, indices: IntArray, block: FloatArray | None = None
) -> FloatArray:
    """Compute the same Gram matrices from a table of distances.

    Parameters
    ----------
    D : ndarray of shape (n, n)
        Distances between the points.
    indices : ndarray of shape (m, k)
        The neighbours of each item among the points.
    block : ndarray of shape (m, n), optional
        Distances from the items to the points; the points themselves by default.

    Returns
    -------
    ndarray of shape (m, k, k)
        ½(d_j² + d_l² − d_jl²).
    """
    spokes = np.take_along_axis(D if block is None else block, indices, axis=1) ** 2
    across = D[indices[:, :, None], indices[:, None, :]] ** 2
    return np.asarray((spokes[:, :, None] + spokes[:, None, :] - across) / 2)


def solve_barycentres(G: FloatArray, *, reg: float = 1e-3) -> FloatArray:
    """Solve G w = 1 for every item at once and scale the weights to sum to one.

    Parameters
    ----------
    G : ndarray of shape (m, k, k)
        Local Gram matrices.  Changed in place: the regulariser is added to the diagonal.
    reg : float
        Relative to the trace of G: with more neighbours than dimensions G is singular.

    Returns
    -------
    ndarray of shape (m, k)
        The weights.

    Examples
    --------
    The middle of two points, and a point at a quarter of the way.

    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0]])
    >>> queries = np.array([[0.5], [0.25]])
    >>> G = local_gram_from_features(X, np.array([[0, 1], [0, 1]]), queries)
    >>> solve_barycentres(G, reg=1e-12).round(6)
    array([[0.5 , 0.5 ],
           [0.75, 0.25]])
    """
    k = G.shape[1]
    trace = np.trace(G, axis1=1, axis2=2)
    G[:, np.arange(k), np.arange(k)] += (reg * np.where(trace > 0, trace, 1.0))[:, None]
    ones = np.ones((G.shape[0], k, 1))
    try:
        w = np.linalg.solve(G, ones)[..., 0]
    except np.linalg.LinAlgError:  # reg too small for some item: the least-norm solution
        w = (np.linalg.pinv(G, hermitian=True) @ ones)[..., 0]
    return np.asarray(w / w.sum(axis=1, keepdims=True))


def barycentre_weights(
    neighbors: Any, gram: Callable[[IntArray, IntArray], FloatArray], *, reg: float = 1e-3
) -> sp.csr_array:
    """Find every item's weights on its neighbours.

    Parameters
    ----------
    neighbors : sparse array of shape (m, n)
        The pattern: row i holds the neighbours of item i, at least one.
    gram : callable
        From items and their neighbours, (b,) and (b, k), to local Gram matrices (b, k, k).
    reg : float
        See :func:`solve_barycentres`.

    Returns
    -------
    sparse array of shape (m, n)
        W, whose rows sum to one, with the pattern's entries.
    """
    counts = np.diff(neighbors.indptr)
    data = np.empty(neighbors.indices.shape[0])
    for k in np.unique(counts):  # items with equally many neighbours are solved together
        items = np.flatnonzero(counts == k)
        places = neighbors.indptr[items][:, None] + np.arange(k)
        step = max(1, _BLOCK_NUMBERS // int(k * k))
        for start in range(0, len(items), step):
            part = slice(start, start + step)
            G = gram(items[part], neighbors.indices[places[part]])
            data[places[part]] = solve_barycentres(G, reg=reg)
    return sp.csr_array((data, neighbors.indices, neighbors.indptr), shape=neighbors.shape)
