"""The door to the semidefinite solvers: unfold a graph, by the method that its size asks for."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from sidelight.core.arrays import BoolArray, FloatArray, IntArray
from sidelight.core.errors import ContradictionError, DisconnectedGraphError
from sidelight.solvers.semidefinite.active_set import unfold_mixed
from sidelight.solvers.semidefinite.constraints import PairConstraints
from sidelight.solvers.semidefinite.low_rank.path_following import unfold_low_rank
from sidelight.solvers.semidefinite.low_rank.with_pairs import (
    on_single_pairs,
    unfold_mixed_low_rank,
)
from sidelight.solvers.semidefinite.reach import upper_limits
from sidelight.solvers.semidefinite.result import (
    SemidefiniteResult,
    second_try,
    warn_of_the_end,
)

#: Up to so many nodes and edges the dense method takes a second or two, whatever the rank of the
#: kernel; the low-rank one may take a tenth of that or, where the rank is high, five times as long.
_DENSE_NODES, _DENSE_EDGES = 300, 1500

#: Up to so many nodes and constraints the dense method takes over where the low-rank one stalls.
_FALLBACK_NODES, _FALLBACK = 600, 2500

CONSTRAINTS = ("at_most", "equal")


def unfold(
    edges: Any,
    lengths: Any,
    n: int,
    *,
    mass: FloatArray | None = None,
    constraint: str = "at_most",
    softness: FloatArray | float = 0.0,
    beside: PairConstraints | None = None,
    tol: float = 1e-4,
    max_iter: int = 500,
    who: str = "unfold",
) -> SemidefiniteResult:
    """Pull the nodes of a graph apart as far as its edges allow.

    max_K Σ_i c_i K_ii  over  K ⪰ 0, Σ_ij c_i c_j K_ij = 0, K_ii − 2K_ij + K_jj ≤ d_ij² (or = d_ij²)

    and over further linear constraints on squared distances.  With a softness s equalities may be
    missed by ξ, for Σ ξ² / 2s.  Small problems go to the dense method, and so do equalities of
    the edges, whose kernels are of high rank, and constraints that combine several pairs; other
    large ones, and bounds where the dense method is not sure enough, to the low-rank one.
    Nodes joined by edges of length zero are one node.

    Examples
    --------
    A square with edges of one opens as far as it can: both diagonals cannot grow at once.

    >>> from sidelight.solvers.semidefinite.unfolding import unfold
    >>> result = unfold([[0, 1], [1, 2], [2, 3], [3, 0]], [1.0, 1.0, 1.0, 1.0], 4, tol=1e-6)
    >>> round(result.objective, 5), bool(result.dual_bound >= result.objective)
    (2.0, True)
    """
    edges, lengths, c = _checked(edges, lengths, n, mass, who)
    soft = np.broadcast_to(np.asarray(softness, dtype=np.float64), (len(edges),))
    more = PairConstraints.on_pairs(edges[:0], lengths[:0], "at_most") if beside is None else beside
    pairs, upper = _bounded_pairs(edges, more)
    n_pieces, pieces = connected_components(_adjacency(pairs[upper], n), directed=False)
    if n_pieces > 1:
        raise DisconnectedGraphError(
            f"The problem of {who} is unbounded: its graph fell into {n_pieces} pieces (of "
            f"{', '.join(map(str, np.bincount(pieces)[:5]))} nodes), which could move apart for "
            f"ever. Join them: raise n_neighbors, or use on_disconnected='connect'."
        )
    together = np.vstack([edges[lengths == 0], _of_no_length(more)])
    _, node = connected_components(_adjacency(together, n), directed=False)
    c_merged: FloatArray = np.bincount(node, weights=c).astype(np.float64)
    n_merged = len(c_merged)
    y = np.zeros(len(edges) + len(more))
    kept = _shortest_of_parallel(node[edges], lengths)
    ends, bounds = node[edges[kept]], lengths[kept]
    more, kept_more, broken = more.merged(node)
    if len(broken):
        y[len(edges) + broken] = 1.0
        raise ContradictionError(
            f"The constraints of {who} contradict one another: points that must be in one place "
            f"must be apart. Take some of them out.",
            y,
        )
    if n_merged == 1:
        return SemidefiniteResult(
            np.zeros((n, 1)), 0.0, 0.0, 0.0, y, 0, True, np.empty((0, 2), dtype=np.float64)
        )
    bounds_alone = constraint == "at_most" and not len(more)
    found: SemidefiniteResult | None = None
    small = n_merged <= _DENSE_NODES and len(kept) <= _DENSE_EDGES
    if not bounds_alone or small:
        along = PairConstraints.on_pairs(
            ends, bounds**2, constraint, softness=soft[kept] if constraint == "equal" else 0.0
        )
        try:
            if constraint == "at_most" and not small and on_single_pairs(more):
                found = unfold_mixed_low_rank(
                    along, more, c_merged, tol=tol, max_iter=max_iter, who=who
                )
            dense = partial(
                unfold_mixed, along, more, c_merged, tol=tol, max_iter=max_iter, who=who
            )
            feasible = n_merged <= _FALLBACK_NODES and len(along) + len(more) <= _FALLBACK
            if found is None:
                found = dense()
            elif not found.converged and feasible:
                found = second_try(found, dense)
        except ContradictionError as error:
            y[kept] = error.certificate[: len(kept)]
            y[len(edges) + kept_more] = error.certificate[len(kept) :]
            error.certificate = y
            raise
        found = replace(found, converged=found.converged or 0 <= found.gap <= tol)
    if found is None or (bounds_alone and not found.converged):
        low_rank = partial(
            unfold_low_rank, ends, bounds, n_merged, mass=c_merged, tol=tol, max_iter=max_iter
        )
        other = low_rank() if found is None else second_try(found, low_rank)
        found = other if found is None or other.gap <= found.gap else found
    warn_of_the_end(found, tol=tol, who=who)
    y[kept] = found.multipliers[: len(kept)]
    y[len(edges) + kept_more] = found.multipliers[len(kept) :]
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


def _bounded_pairs(edges: IntArray, more: PairConstraints) -> tuple[IntArray, BoolArray]:
    """The pairs that cannot be farther apart than something."""
    limit = upper_limits(more.pairs, more.combine, more.bounds, more.equal)
    return np.vstack([edges, more.pairs]), np.concatenate(
        [np.ones(len(edges), dtype=bool), np.isfinite(limit)]
    )


def _of_no_length(more: PairConstraints) -> IntArray:
    """The pairs that hard constraints leave no distance at all."""
    hard = more.take(np.flatnonzero(more.softness == 0))
    limit = upper_limits(hard.pairs, hard.combine, hard.bounds, hard.equal)
    return np.asarray(hard.pairs[limit == 0])


def _shortest_of_parallel(ends: IntArray, lengths: FloatArray) -> IntArray:
    """The shortest edge between every two nodes that are joined."""
    low, high = ends.min(axis=1), ends.max(axis=1)
    order = np.lexsort((lengths, high, low))
    order = order[low[order] != high[order]]
    first = np.ones(len(order), dtype=bool)
    first[1:] = (np.diff(low[order]) != 0) | (np.diff(high[order]) != 0)
    return np.asarray(np.sort(order[first]))
