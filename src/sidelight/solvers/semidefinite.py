"""The door to the semidefinite solvers: unfold a graph, by the method that its size asks for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from sidelight.arrays import FloatArray, IntArray
from sidelight.errors import DisconnectedGraphError
from sidelight.solvers.semidefinite_dense import solve_dense
from sidelight.solvers.semidefinite_low_rank import unfold_low_rank
from sidelight.solvers.semidefinite_result import (
    SemidefiniteResult,
    principal_axes,
    warn_if_not_converged,
)

#: Up to so many edges a dense step is cheaper than a sparse one.
_DENSE_EDGES = 150
#: The dense method gains a digit per step or two, so it never stops earlier than this.
_DENSE_TOL = 1e-7

CONSTRAINTS = ("at_most", "equal")


def unfold(
    edges: Any,
    lengths: Any,
    n: int,
    *,
    mass: FloatArray | None = None,
    constraint: str = "at_most",
    tol: float = 1e-4,
    max_iter: int = 500,
    who: str = "unfold",
) -> SemidefiniteResult:
    """Pull the nodes of a graph apart as far as its edges allow.

    max_K Σ_i c_i K_ii  over  K ⪰ 0, Σ_ij c_i c_j K_ij = 0, K_ii − 2K_ij + K_jj ≤ d_ij² (or = d_ij²)

    Bounds go to the low-rank method, small problems and equalities to the dense one.  Nodes joined
    by edges of length zero are one node.

    Parameters
    ----------
    edges : array of shape (m, 2)
        Pairs of nodes.
    lengths : array of shape (m,)
        d, at least 0.
    n : int
        Number of nodes.
    mass : ndarray of shape (n,), optional
        c, positive: how often each node counts.
    constraint : {"at_most", "equal"}
        Whether edges may be shorter than given.
    tol : float
        Relative gap between the variance and the bound on it.
    max_iter : int
        Most Newton steps.
    who : str
        Named in messages.

    Returns
    -------
    SemidefiniteResult
        One multiplier per edge; of several edges between two nodes only the shortest counts.

    Raises
    ------
    DisconnectedGraphError
        If the graph is in pieces, which could move apart for ever.
    ValueError
        If no kernel has edges of exactly these lengths.

    Warns
    -----
    ConvergenceWarning
        If the gap stayed above ``tol``.

    Examples
    --------
    A square with edges of one opens as far as it can: both diagonals cannot grow at once.

    >>> from sidelight.solvers.semidefinite import unfold
    >>> result = unfold([[0, 1], [1, 2], [2, 3], [3, 0]], [1.0, 1.0, 1.0, 1.0], 4, tol=1e-6)
    >>> round(result.objective, 5), bool(result.dual_bound >= result.objective)
    (2.0, True)
    """
    edges, lengths, c = _checked(edges, lengths, n, mass, who)
    n_pieces, pieces = connected_components(_adjacency(edges, n), directed=False)
    if n_pieces > 1:
        raise DisconnectedGraphError(
            f"The problem of {who} is unbounded: its graph fell into {n_pieces} pieces (of "
            f"{', '.join(map(str, np.bincount(pieces)[:5]))} nodes), which could move apart for "
            f"ever. Join them: raise n_neighbors, or use on_disconnected='connect'."
        )
    _, node = connected_components(_adjacency(edges[lengths == 0], n), directed=False)
    c_merged: FloatArray = np.bincount(node, weights=c).astype(np.float64)
    n_merged = len(c_merged)
    y = np.zeros(len(edges))
    if n_merged == 1:
        return SemidefiniteResult(
            np.zeros((n, 1)), 0.0, 0.0, 0.0, y, 0, True, np.empty((0, 2), dtype=np.float64)
        )
    kept = _shortest_of_parallel(node[edges], lengths)
    ends, bounds = node[edges[kept]], lengths[kept]
    if constraint == "equal" or len(kept) <= _DENSE_EDGES:
        found = solve_dense(
            np.diag(c_merged) - np.outer(c_merged, c_merged) / c_merged.sum(),
            ends,
            bounds**2,
            equal=np.full(len(kept), constraint == "equal"),
            tol=min(tol, _DENSE_TOL),
            max_iter=max_iter,
            who=who,
        )
        found = replace(
            found,
            factor=principal_axes(found.factor, c_merged),
            converged=found.converged or 0 <= found.gap <= tol,
        )
    else:
        found = unfold_low_rank(ends, bounds, n_merged, mass=c_merged, tol=tol, max_iter=max_iter)
    warn_if_not_converged(found, tol=tol, who=who)
    y[kept] = found.multipliers
    return replace(found, factor=found.factor[node], multipliers=y)


def _checked(
    edges: Any, lengths: Any, n: int, mass: FloatArray | None, who: str
) -> tuple[IntArray, FloatArray, FloatArray]:
    pairs = np.asarray(edges, dtype=np.intp).reshape(-1, 2)
    d = np.asarray(lengths, dtype=np.float64)
    c = np.ones(n) if mass is None else np.asarray(mass, dtype=np.float64)
    if d.shape != (len(pairs),) or not np.all(np.isfinite(d)) or np.any(d < 0):
        raise ValueError(
            f"The 'lengths' of {who} must be finite, at least 0, and one per edge, {len(pairs)}. "
            f"Got an array of shape {d.shape} with the smallest {d.min(initial=np.inf):g}."
        )
    if np.any(pairs < 0) or np.any(pairs >= n) or np.any(pairs[:, 0] == pairs[:, 1]):
        raise ValueError(
            f"The 'edges' of {who} must join two different nodes out of 0 … {n - 1}. "
            f"Got nodes from {pairs.min()} to {pairs.max()}; leave loops out."
        )
    if c.shape != (n,) or not np.all(c > 0):
        raise ValueError(
            f"The 'mass' of {who} must be positive, one per node, {n}. Got shape {c.shape}."
        )
    return pairs, d, c


def _adjacency(edges: IntArray, n: int) -> sp.csr_array:
    return sp.csr_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n))


def _shortest_of_parallel(ends: IntArray, lengths: FloatArray) -> IntArray:
    """The shortest edge between every two nodes that are joined."""
    low, high = ends.min(axis=1), ends.max(axis=1)
    order = np.lexsort((lengths, high, low))
    order = order[low[order] != high[order]]
    first = np.ones(len(order), dtype=bool)
    first[1:] = (np.diff(low[order]) != 0) | (np.diff(high[order]) != 0)
    return np.asarray(np.sort(order[first]))
