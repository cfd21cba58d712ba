"""Barycentre weights: each item as an affine mixture of its neighbours (section 1.3).

The weights w of x minimise ‖x − Σ_j w_j x_j‖² under Σ_j w_j = 1.  With G the Gram matrix of the
neighbours seen from x, G_jl = ⟨x_j − x, x_l − x⟩, that is G w = 1, scaled to sum to one.  G comes
from features or from distances, G_jl = ½(d_j² + d_l² − d_jl²), so that a table of distances (or a
kernel) is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from sidelight.core import BoolArray, FloatArray, IntArray, is_sparse
from sidelight.neighbors import KnownDistances

#: With a larger regularisation no matrix is singular.
_SAFE = 1e-10
#: With a larger regularisation all weights are the same, to the last bit.
_EVEN = 1e17
#: How many numbers a block of local neighbourhoods may hold.
_BLOCK_NUMBERS = 4_000_000


def local_gram_from_features(X: Any, indices: IntArray, queries: Any | None = None) -> FloatArray:
    """Compute the Gram matrix of every item's neighbours, seen from the item."""
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
    """Compute the same Gram matrices from a table of distances."""
    spokes = np.take_along_axis(D if block is None else block, indices, axis=1)
    across = D[indices[:, :, None], indices[:, None, :]]
    # what is compiled takes double precision, and differences of squares need it
    spokes, across = spokes.astype(np.float64) ** 2, across.astype(np.float64) ** 2
    return np.asarray((spokes[:, :, None] + spokes[:, None, :] - across) / 2)


def local_gram_from_graph(
    known: KnownDistances,
    indices: IntArray,
    spokes: FloatArray,
    *,
    along: bool = False,
    who: str = "local_gram_from_graph",
) -> FloatArray:
    """Compute the same Gram matrices where only the distances along edges are known.

    Examples
    --------
    Two neighbours on either side of an item, one apart from it and two from each other.

    >>> import numpy as np, scipy.sparse as sp
    >>> known = KnownDistances.of(sp.csr_array([[0.0, 2.0], [0.0, 0.0]]))
    >>> local_gram_from_graph(known, np.array([[0, 1]]), np.ones((1, 2)))[0]
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    left = np.broadcast_to(indices[:, :, None], (*indices.shape, indices.shape[1]))
    right = left.transpose(0, 2, 1)
    across = known.between(left, right)
    unknown = np.isnan(across)
    if unknown.any() and not along:
        raise ValueError(
            f"{who} needs the distances among the neighbours of each row, and the given graph does "
            f"not hold {np.count_nonzero(unknown) // 2} of {unknown.size // 2} of them, such as "
            f"that of rows {left[unknown][0]} and {right[unknown][0]}. Give a graph with more "
            f"neighbours than n_neighbors takes of them, or a dense table of distances."
        )
    if unknown.any():
        ways = (spokes[:, :, None] + spokes[:, None, :])[unknown]
        paths = known.along(left[unknown], right[unknown], limit=float(ways.max()))
        across[unknown] = np.minimum(ways, paths)
    squares = spokes**2
    G = (squares[:, :, None] + squares[:, None, :] - across**2) / 2
    guessed = np.flatnonzero(unknown.any(axis=(1, 2)))
    if len(guessed):
        # paths need not fit together as distances do, and weights of an indefinite G run wild
        values, vectors = np.linalg.eigh(G[guessed])
        scaled = vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]
        G[guessed] = scaled @ scaled.transpose(0, 2, 1)
    return np.asarray(G)


def solve_barycentres(G: FloatArray, *, reg: float = 1e-3) -> FloatArray:
    """Solve G w = 1 for every item at once and scale the weights to sum to one.

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
    k, reg = G.shape[1], min(reg, _EVEN)
    trace = np.trace(G, axis1=1, axis2=2)
    G[:, np.arange(k), np.arange(k)] += (reg * np.where(trace > 0, trace, 1.0))[:, None]
    w = _solved(G) if reg >= _SAFE else _solved_or_limit(G)
    return np.asarray(w / w.sum(axis=1, keepdims=True))


def _solved(G: FloatArray) -> FloatArray:
    return np.asarray(np.linalg.solve(G, np.ones((G.shape[1], 1)))[..., 0])


def _solved_or_limit(G: FloatArray) -> FloatArray:
    """G⁻¹ 1, and of singular matrices, each by itself, what it tends to."""
    singular = _is_singular(G)
    w = np.empty(G.shape[:2])
    w[~singular] = _solved(G[~singular])
    w[singular] = _limit_of_no_reg(G[singular])
    return w


def _is_singular(G: FloatArray) -> BoolArray:
    """Which matrices rounding cannot tell from singular ones."""
    values = np.linalg.eigvalsh(G)
    return np.asarray(values[:, 0] <= _rounding(G) * values[:, -1])


def _limit_of_no_reg(G: FloatArray) -> FloatArray:
    """The limit of (G + εI)⁻¹ 1, up to its length, as ε vanishes.

    Mixtures without an error, where there are any, of which it is the shortest; else G⁺ 1.
    """
    values, axes = np.linalg.eigh(G)
    null = values <= _rounding(G) * values[:, -1:]
    along = axes.sum(axis=1)  # the part of 1 along each axis
    exact = np.einsum("ij,ij->i", null, along**2) > 1e-9 * G.shape[1]
    weights = np.where(exact[:, None], null, ~null / np.where(null, 1.0, values))
    return np.asarray(np.einsum("ijk,ik->ij", axes, weights * along))


def _rounding(G: FloatArray) -> float:
    """The part of the largest eigenvalue below which others are rounding."""
    return float(10 * G.shape[1] * np.finfo(np.float64).eps)


def solve_convex_barycentres(G: FloatArray, *, reg: float = 1e-3) -> FloatArray:
    """Find the weights that are not negative: min wᵀGw over w ≥ 0, Σ_j w_j = 1, for every item.

    The minimiser of ½vᵀGv − 1ᵀv over v ≥ 0 is the same up to scale, and is found by an active set.

    Examples
    --------
    A point beyond the second of two is nearest to that one.

    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0]])
    >>> queries = np.array([[0.25], [1.5]])
    >>> G = local_gram_from_features(X, np.array([[0, 1], [0, 1]]), queries)
    >>> solve_convex_barycentres(G, reg=1e-12).round(6)
    array([[0.75, 0.25],
           [0.  , 1.  ]])
    """
    from sidelight.similarity._nonnegative_compiled import nonnegative_minimisers

    k = G.shape[1]
    trace = np.trace(G, axis1=1, axis2=2)
    scale = np.where(trace > 0, trace, 1.0)
    G /= scale[:, None, None]
    G[:, np.arange(k), np.arange(k)] += reg
    v = nonnegative_minimisers(np.ascontiguousarray(G))
    return np.asarray(v / v.sum(axis=1, keepdims=True))


def barycentre_weights(
    neighbors: Any, gram: Callable[[IntArray, IntArray], FloatArray], *, reg: float = 1e-3
) -> sp.csr_array:
    """Find every item's weights on its neighbours."""
    data = np.empty(neighbors.indices.shape[0])
    for items, places in _alike(neighbors):
        data[places] = solve_barycentres(gram(items, neighbors.indices[places]), reg=reg)
    return sp.csr_array((data, neighbors.indices, neighbors.indptr), shape=neighbors.shape)


def barycentre_errors(
    neighbors: Any, gram: Callable[[IntArray, IntArray], FloatArray], *, reg: float = 1e-3
) -> tuple[sp.csr_array, FloatArray, FloatArray]:
    """Find every item's weights, and how far the mixture of its neighbours is from it.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> X, y = np.array([[0.0, 0.0], [2.0, 0.0]]), np.array([[1.0, 3.0]])
    >>> pattern = sp.csr_array(np.ones((1, 2)))
    >>> gram = lambda items, near: local_gram_from_features(X, near, y[items])
    >>> W, errors, _ = barycentre_errors(pattern, gram, reg=0.0)
    >>> W.toarray(), errors
    (array([[0.5, 0.5]]), array([9.]))
    """
    data = np.empty(neighbors.indices.shape[0])
    errors, regularised = np.empty((2, neighbors.shape[0]))
    reg = min(reg, _EVEN)
    for items, places in _alike(neighbors):
        G = gram(items, neighbors.indices[places])
        trace = np.trace(G, axis1=1, axis2=2)
        w = solve_barycentres(G, reg=reg)
        size = np.einsum("ij,ij->i", w, w)
        data[places] = w
        regularised[items] = np.einsum("ij,ijk,ik->i", w, G, w, optimize=True)
        errors[items] = np.maximum(regularised[items] - reg * trace * size, 0.0)
    W = sp.csr_array((data, neighbors.indices, neighbors.indptr), shape=neighbors.shape)
    return W, errors, np.maximum(regularised, 0.0)


def _alike(neighbors: Any) -> Iterator[tuple[IntArray, IntArray]]:
    """Go through the items with equally many neighbours, a block at a time."""
    counts = np.diff(neighbors.indptr)
    for k in np.unique(counts):
        items = np.flatnonzero(counts == k)
        places = neighbors.indptr[items][:, None] + np.arange(k)
        step = max(1, _BLOCK_NUMBERS // int(k * k))
        for start in range(0, len(items), step):
            yield items[start : start + step], places[start : start + step]
