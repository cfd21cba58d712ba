"""How far linear constraints on squared distances let a kernel grow."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, shortest_path

from sidelight.core import BoolArray, DisconnectedGraphError, FloatArray, IntArray
from sidelight.solvers.semidefinite.constraints import PairConstraints


def upper_limits(
    pairs: IntArray, A: sp.csr_array, bounds: FloatArray, equal: BoolArray
) -> FloatArray:
    """Read off the largest squared distance that each pair may have.

    A limit is set by a constraint on the one pair, and shared by pairs that a constraint makes
    equal.
    """
    m = len(pairs)
    size = np.diff(A.indptr)
    limit = np.full(m, np.inf)
    single = np.flatnonzero(size == 1)
    weight, pair = A.data[A.indptr[single]], A.indices[A.indptr[single]]
    value = bounds[single] / weight
    upper = (equal[single] | (weight > 0)) & (value >= 0)
    np.minimum.at(limit, pair[upper], value[upper])
    double = np.flatnonzero((size == 2) & equal & (bounds == 0))
    first = A.indptr[double]
    balanced = A.data[first] == -A.data[first + 1]
    left, right = A.indices[first[balanced]], A.indices[first[balanced] + 1]
    if len(left):
        same = sp.coo_array((np.ones(len(left)), (left, right)), shape=(m, m))
        classes = connected_components(same, directed=False)[1]
        lowest = np.full(int(classes.max()) + 1, np.inf)
        np.minimum.at(lowest, classes, limit)
        limit = lowest[classes]
    return limit


def largest_trace(
    n: int,
    pairs: IntArray,
    A: sp.csr_array,
    bounds: FloatArray,
    equal: BoolArray,
    soft: BoolArray,
    *,
    who: str,
) -> float:
    """Bound tr K = Σ_ij D_ij / 2n: no distance exceeds the shortest path of bounded pairs."""
    if soft.any():
        _refuse_pieces(n, pairs, upper_limits(pairs, A, bounds, equal), who)
    hard = np.flatnonzero(~soft)
    limit = upper_limits(pairs, A[hard], bounds[hard], equal[hard])
    if not soft.any():
        _refuse_pieces(n, pairs, limit, who)
    bounded = np.isfinite(limit)
    i, j = pairs[bounded].T
    W = np.full((n, n), np.inf)
    np.minimum.at(W, (np.minimum(i, j), np.maximum(i, j)), np.sqrt(limit[bounded]))
    D = shortest_path(np.ma.masked_invalid(np.minimum(W, W.T)), directed=False)
    return float((D**2).sum() / (2 * n))


def require_one_piece(n: int, constraints: PairConstraints, who: str) -> None:
    """Refuse constraints under which parts of a map could move apart for ever."""
    limit = upper_limits(
        constraints.pairs, constraints.combine, constraints.bounds, constraints.equal
    )
    _refuse_pieces(n, constraints.pairs, limit, who)


def _refuse_pieces(n: int, pairs: IntArray, limit: FloatArray, who: str) -> None:
    i, j = pairs[np.isfinite(limit)].T
    joined = sp.coo_array((np.ones(len(i)), (i, j)), shape=(n, n))
    n_pieces, piece = connected_components(joined, directed=False)
    if n_pieces > 1:
        parts = "; ".join(
            f"{', '.join(map(str, np.flatnonzero(piece == part)[:4]))}"
            + (" …" if np.count_nonzero(piece == part) > 4 else "")
            for part in range(min(n_pieces, 3))
        )
        raise DisconnectedGraphError(
            f"The problem of {who} is unbounded: the pairs whose distance is bounded do not "
            f"connect all {n} points, so that {n_pieces} parts of the map (points {parts}) can "
            f"move apart for ever. Bound more pairs: raise n_neighbors, or use "
            f"on_disconnected='connect'."
        )
