"""Unfolding under bounds and other constraints at once: bounds enter as they are needed.

The dense method's cost grows with the cube of the number of constraints, and most bounds hold by
themselves once the taut ones do.  Without the others the optimum can only be larger, so that its
bound stays a bound.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from sidelight.core.arrays import BoolArray, FloatArray, IntArray
from sidelight.core.errors import ContradictionError
from sidelight.solvers.semidefinite.constraints import PairConstraints
from sidelight.solvers.semidefinite.dense import solve_dense
from sidelight.solvers.semidefinite.low_rank.path_following import unfold_low_rank
from sidelight.solvers.semidefinite.result import SemidefiniteResult, principal_axes

#: Up to so many constraints all are taken at once.
_ALL_AT_ONCE = 2500
#: Without rounds the method is cheap enough to stop no earlier than this: a digit a step or two.
_FINE = 1e-7
#: Bounds that are missed by less than this, or than a tenth of the tolerance, count as kept.
_KEPT = 1e-6
#: Edges that are this close to their bounds in the plain unfolding are there from the start.
_TAUT = 0.1
#: At least so many constraints enter in a round, if so many are missed.
_FEWEST = 300


def unfold_mixed(
    along: PairConstraints,
    beside: PairConstraints,
    mass: FloatArray,
    *,
    tol: float = 1e-4,
    max_iter: int = 100,
    who: str = "unfold_mixed",
) -> SemidefiniteResult:
    """Maximise the variance of a kernel under constraints on edges and further ones.

    max_K Σ_i c_i K_ii  over  K ⪰ 0, Σ_ij c_i c_j K_ij = 0 and the constraints
    """
    C = np.diag(mass) - np.outer(mass, mass) / mass.sum()
    everything = PairConstraints.join([along, beside]) if len(beside) else along
    n_iter, length = 0, len(everything)
    waiting = np.zeros(length, dtype=bool)
    if length > _ALL_AT_ONCE:
        waiting = ~everything.equal & ~_worth_a_start(along, everything, mass)
    level = tol if waiting.any() else min(tol, _FINE)
    while True:
        active = np.flatnonzero(~waiting)
        problem = everything if len(active) == length else everything.take(active)
        try:
            found = solve_dense(
                C,
                problem.pairs,
                problem.bounds,
                equal=problem.equal,
                combine=problem.combine if len(beside) else None,
                softness=problem.softness,
                tol=level,
                max_iter=max_iter,
                who=who,
            )
        except ContradictionError as error:
            error.certificate = _spread(error.certificate, active, length)
            raise
        n_iter += found.n_iter
        short = everything.missed(found.factor) / np.maximum(np.abs(everything.bounds), 1e-300)
        missing = np.flatnonzero(waiting & (short > max(0.1 * tol, _KEPT)))
        if not len(missing):
            break
        if found.interrupted:
            raise KeyboardInterrupt  # it misses what was not asked of it yet
        worst = np.argsort(-short[missing], kind="stable")[: max(_FEWEST, len(active) // 2)]
        waiting[missing[worst]] = False
    return replace(
        found,
        factor=principal_axes(found.factor, mass),
        multipliers=_spread(found.multipliers, active, length),
        n_iter=n_iter,
    )


def _spread(values: FloatArray, places: IntArray, length: int) -> FloatArray:
    out = np.zeros(length)
    out[places] = values
    return out


def _worth_a_start(
    along: PairConstraints, everything: PairConstraints, mass: FloatArray
) -> BoolArray:
    """The constraints that matter in the plain unfolding, or that hold the graph together."""
    n, edges = len(mass), along.pairs
    order = sp.csr_array((1.0 + np.arange(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n))
    chosen = np.zeros(len(everything), dtype=bool)
    if along.equal.any() or connected_components(order, directed=False)[0] > 1:
        return ~chosen  # equalities, or it takes more than edges to hold it together
    chosen[np.rint(minimum_spanning_tree(order).data - 1.0).astype(np.intp)] = True
    plain = unfold_low_rank(edges, np.sqrt(along.bounds), n, mass=mass, tol=1e-2)
    if plain.interrupted:
        raise KeyboardInterrupt
    R = plain.factor
    spans = R[everything.pairs[:, 0]] - R[everything.pairs[:, 1]]
    values = np.asarray(everything.combine @ np.einsum("ij,ij->i", spans, spans))
    near = values > everything.bounds - _TAUT * np.abs(everything.bounds)
    by_excess = np.argsort(everything.bounds - values, kind="stable")
    chosen[by_excess[: _ALL_AT_ONCE // 2]] |= near[by_excess[: _ALL_AT_ONCE // 2]]
    return chosen | (near & (np.arange(len(near)) < len(edges)))
