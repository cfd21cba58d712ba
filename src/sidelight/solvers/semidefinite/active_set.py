"""Constraint generation: few constraints are solved for, all are checked, what is missed is added.

The dense method's cost grows with the cube of the number of constraints, and most follow from
others: bounds hold by themselves once the taut ones do, and an isometry that keeps the distances to
d + 1 points in general position keeps them all.  Without the others the optimum can only be larger,
so that its bound stays a bound.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from sidelight.core import (
    BoolArray,
    ContradictionError,
    FloatArray,
    IntArray,
    Interruption,
    for_walks,
    whole_or_nothing,
)
from sidelight.solvers.choosing import best_of
from sidelight.solvers.semidefinite.constraints import PairConstraints
from sidelight.solvers.semidefinite.dense import solve_dense
from sidelight.solvers.semidefinite.low_rank import unfold_low_rank, unfolded_start
from sidelight.solvers.semidefinite.program import KernelProgram, Variance
from sidelight.solvers.semidefinite.reduce import essential, single_bounds
from sidelight.solvers.semidefinite.result import SemidefiniteResult, principal_axes

#: Up to so many constraints all are taken at once, and so many a point even if they are more: on
#: 60 points in three known groups, 360 of 1,841 constraints say it all.
_ALL_AT_ONCE, _A_POINT = 2500, 10
#: Fewer are no crowd on however few points: the dense method takes a second for them.
_CROWD = 1000
#: Without rounds the method is cheap enough to stop no earlier than this: a digit a step or two.
_FINE = 1e-7
#: Constraints that are missed by less than this, or than a tenth of the tolerance, count as kept.
_KEPT = 1e-6
#: Up to this an interrupted kernel may miss equalities that were not asked of it yet.
_RESPECTED = 0.01
#: Edges that are this close to their bounds in the plain unfolding are there from the start.
_TAUT = 0.1
#: At least so many constraints enter in a round, if so many are missed.
_FEWEST = 300


def crowded(program: KernelProgram) -> bool:
    """Say whether inequalities are so many for their points that most must follow from others.

    Bounds from above alone are what the low-rank method is made for, however many.
    """
    free = ~program.constraints.equal
    others = free & ~single_bounds(program.constraints)
    return bool(others.any() and np.count_nonzero(free) > max(_CROWD, _A_POINT * program.n))


def solve_by_rounds(
    program: KernelProgram,
    *,
    tol: float = 1e-4,
    max_iter: int = 100,
    who: str = "solve_by_rounds",
) -> SemidefiniteResult:
    """Solve a program with the dense method, constraint by constraint as they are needed."""
    C, every = program.objective.matrix(), program.constraints
    waiting = np.zeros(len(every), dtype=bool)
    if program.first is not None:
        waiting = ~program.first
    elif len(every) > _ALL_AT_ONCE or crowded(program):
        waiting = _may_wait(program)
    rounds = program.first is not None or bool(waiting.any())
    # few constraints are worth all digits, if in rounds only in the last ones
    last = tol if program.first is not None or len(every) > _ALL_AT_ONCE else min(tol, _FINE)
    level = tol if rounds else last
    kept = max(0.1 * tol, _KEPT)
    n_iter, history = 0, np.empty((0, 2))
    kept_so_far: list[_Kept] = []
    while True:
        active = np.flatnonzero(~waiting)
        asked = every if len(active) == len(every) else every.take(active)
        try:
            with Interruption() as stopped:
                found = _solve_round(C, asked, tol=level, max_iter=max_iter, who=who)
        except ContradictionError as error:
            error.certificate = _spread(error.certificate, active, len(every))
            raise
        if stopped:
            if not kept_so_far:
                stopped.go_on()
            return replace(kept_so_far[-1].found, stopped=stopped)
        n_iter, history = n_iter + found.n_iter, np.vstack([history, found.history])
        multipliers = _spread(found.multipliers, active, len(every))
        factor = found.factor
        if isinstance(program.objective, Variance):
            factor = principal_axes(factor, program.objective.mass)
        found = replace(
            found, factor=factor, multipliers=multipliers, n_iter=n_iter, history=history
        )
        short = np.where(waiting, every.relative_misses(factor), 0.0)
        missing = np.flatnonzero(short > kept)
        if np.all(short <= np.where(every.equal, _RESPECTED, kept)):
            kept_so_far.append(_Kept(found, max(found.gap, float(short.max(initial=0.0)))))
        if found.stopped:
            if not kept_so_far:
                found.stopped.go_on()  # it misses what was not asked of it yet
            best = best_of(kept_so_far, lambda each: each.off)
            return replace(best.found, stopped=found.stopped)
        if not len(missing) and level <= last:
            return found
        if not len(missing):
            level = last
        worst = np.argsort(-short[missing], kind="stable")[: max(_FEWEST, len(active) // 2)]
        waiting[missing[worst]] = False


@dataclass(frozen=True)
class _Kept:
    """The kernel of a round that respects all constraints, and how far it is from the best."""

    found: SemidefiniteResult
    off: float


def _solve_round(
    C: FloatArray, asked: PairConstraints, *, tol: float, max_iter: int, who: str
) -> SemidefiniteResult:
    """Solve for constraints that may follow from one another."""
    problem, rows = essential(asked)
    try:
        found = solve_dense(
            C,
            problem.pairs,
            problem.bounds,
            equal=problem.equal,
            combine=problem.combine,
            softness=problem.softness,
            tol=tol,
            max_iter=max_iter,
            who=who,
        )
    except ContradictionError as error:
        error.certificate = _spread(error.certificate, rows, len(asked))
        raise
    return replace(found, multipliers=_spread(found.multipliers, rows, len(asked)))


def _spread(values: FloatArray, places: IntArray, length: int) -> FloatArray:
    out = np.zeros(length)
    out[places] = values
    return out


def _may_wait(program: KernelProgram) -> BoolArray:
    """The inequalities that neither matter in the plain unfolding nor hold the graph together."""
    every, n = program.constraints, program.n
    A = sp.csr_array(every.combine)
    along = np.flatnonzero(single_bounds(every))
    edges = every.pairs[A.indices[A.indptr[along]]]
    squares = every.bounds[along] / A.data[A.indptr[along]]
    order = sp.csr_array((1.0 + np.arange(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n))
    wait = np.zeros(len(every), dtype=bool)
    if (
        not isinstance(program.objective, Variance)
        or not len(edges)
        or connected_components(order, directed=False)[0] > 1
    ):
        return wait  # it takes more than bounds to hold it together
    R = _plain(edges, np.sqrt(squares), program.objective.mass)
    spans = R[every.pairs[:, 0]] - R[every.pairs[:, 1]]
    values = np.asarray(A @ np.einsum("ij,ij->i", spans, spans))
    near = values > every.bounds - _TAUT * np.abs(every.bounds)
    by_excess = np.argsort(every.bounds - values, kind="stable")[: _ALL_AT_ONCE // 2]
    chosen = every.equal.copy()
    chosen[by_excess] |= near[by_excess]
    chosen[along] |= near[along]
    tree = minimum_spanning_tree(for_walks(order)).data
    chosen[along[np.rint(tree - 1.0).astype(np.intp)]] = True
    return ~chosen


def _plain(edges: IntArray, lengths: FloatArray, mass: FloatArray) -> FloatArray:
    """The plain unfolding, or where edges are a crowd, of high rank and slow, a guess at it."""
    if len(edges) > _A_POINT * len(mass):
        return unfolded_start(edges, lengths, len(mass))
    with whole_or_nothing():
        return unfold_low_rank(edges, lengths, len(mass), mass=mass, tol=1e-2).factor
