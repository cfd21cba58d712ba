"""Unfolding under bounds and other constraints on single pairs, in the low-rank factor.

Hard bounds from above are cones; equalities, bounds from below and whatever is soft are terms
beside them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from sidelight.core import BoolArray, ContradictionError, FloatArray, IntArray
from sidelight.solvers.semidefinite.constraints import PairConstraints
from sidelight.solvers.semidefinite.low_rank.path_following import unfold_low_rank
from sidelight.solvers.semidefinite.low_rank.start import unfolded_start
from sidelight.solvers.semidefinite.program import KernelProgram, Variance
from sidelight.solvers.semidefinite.reduce import single_bounds
from sidelight.solvers.semidefinite.result import SemidefiniteResult


def refuse_low_rank(program: KernelProgram) -> str | None:
    """Say why a program is not one for the low-rank method, or nothing."""
    if not isinstance(program.objective, Variance):
        return "it maximises the variance of all points, and this is another objective"
    if not on_single_pairs(program.constraints):
        return "it takes constraints on single distances, and these combine several"
    n_bounds = int(np.count_nonzero(single_bounds(program.constraints)))
    n_equal = int(np.count_nonzero(program.constraints.equal))
    if n_bounds < max(program.n / 2, n_equal / 4):
        return (
            f"kernels under equalities alone are of high rank, and there are {n_equal} of them "
            f"beside {n_bounds} bounds on {program.n} points"
        )
    return None


def on_single_pairs(constraints: PairConstraints) -> bool:
    """Say whether every constraint is about one pair, as it is."""
    A = sp.csr_array(constraints.combine)
    alone = bool(np.all(np.diff(A.indptr) == 1)) and bool(np.all(np.abs(A.data) == 1))
    return alone and bool(np.all(A.data[constraints.equal] == 1))


def solve_low_rank(
    program: KernelProgram,
    *,
    tol: float = 1e-4,
    max_iter: int = 500,
    who: str = "solve_low_rank",
) -> SemidefiniteResult:
    """Maximise the variance of a kernel under constraints on single pairs.

    max_K,ξ Σ_i c_i K_ii − Σ_q ξ_q² / 2s_q  over  K ⪰ 0, Σ_ij c_i c_j K_ij = 0 and
    D_q ≤ b_q + ξ_q (or =, or ≥ with −ξ_q), D the squared distances
    """
    assert isinstance(program.objective, Variance)
    n, mass, whole = program.n, program.objective.mass, program.constraints
    A = sp.csr_array(whole.combine)
    ends, sign = np.sort(whole.pairs[A.indices], axis=1), A.data
    pair = np.unique(ends, axis=0, return_inverse=True)[1].ravel()
    hard = whole.softness == 0
    cones = _tightest(pair, whole.bounds, hard & ~whole.equal & (sign > 0))
    exact = _tightest(pair, whole.bounds, hard & whole.equal)
    _refuse_shorter(whole, pair, cones, exact, who)
    cones = cones[~np.isin(pair[cones], pair[exact])]  # an equality says it all
    nothing = hard & ~whole.equal & (sign < 0) & (whole.bounds >= 0)  # at least zero apart
    terms = np.flatnonzero(~nothing & ~(hard & ~whole.equal & (sign > 0)))
    terms = terms[~(hard & whole.equal)[terms] | np.isin(terms, exact)]
    start: FloatArray | None = None
    if len(terms):
        upper = _tightest(pair, whole.bounds, (whole.equal | (sign > 0)) & (whole.bounds > 0))
        start = unfolded_start(ends[upper], np.sqrt(whole.bounds[upper]), n)
    try:
        found = unfold_low_rank(
            ends[cones],
            np.sqrt(whole.bounds[cones]),
            n,
            mass=mass,
            tol=tol,
            max_iter=max_iter,
            start=start,
            beside=whole.take(terms),
            who=who,
        )
    except ContradictionError as error:
        certificate = np.zeros(len(whole))
        certificate[np.r_[cones, terms]] = error.certificate
        error.certificate = certificate
        raise
    y = np.zeros(len(whole))
    y[np.r_[cones, terms]] = found.multipliers
    return replace(found, multipliers=y)


def _tightest(pair: IntArray, bounds: FloatArray, among: BoolArray) -> IntArray:
    """Of the constraints on each pair, the one with the smallest bound."""
    chosen = np.flatnonzero(among)
    chosen = chosen[np.lexsort((bounds[chosen], pair[chosen]))]
    first = np.ones(len(chosen), dtype=bool)
    first[1:] = np.diff(pair[chosen]) != 0
    return np.asarray(np.sort(chosen[first]))


def _refuse_shorter(
    whole: PairConstraints, pair: IntArray, cones: IntArray, exact: IntArray, who: str
) -> None:
    """A pair that must be farther apart than it may: d² < b proves it by itself."""
    limit = np.full(int(pair.max()) + 1, np.inf)
    by = np.zeros(len(limit), dtype=np.intp)
    for chosen in (cones, exact):
        tighter = whole.bounds[chosen] < limit[pair[chosen]]
        limit[pair[chosen[tighter]]] = whole.bounds[chosen[tighter]]
        by[pair[chosen[tighter]]] = chosen[tighter]
    sign = sp.csr_array(whole.combine).data
    lower = (whole.softness == 0) & (whole.equal | (sign < 0))
    least = np.where(lower, np.abs(whole.bounds), -np.inf)
    over = np.flatnonzero(least > limit[pair] * (1 + 1e-9))
    if not len(over):
        return
    worst = int(over[np.argmax(least[over] / limit[pair[over]])])
    certificate = np.zeros(len(whole))
    certificate[by[pair[worst]]] = 1.0
    certificate[worst] = -sign[worst]
    raise ContradictionError(
        f"The constraints of {who} contradict one another: constraint {worst} keeps two points "
        f"farther apart than constraint {by[pair[worst]]} lets them be. Take one of them out, or "
        f"allow slack.",
        certificate,
    )
