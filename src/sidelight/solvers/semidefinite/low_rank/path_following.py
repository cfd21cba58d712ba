"""Maximum variance unfolding by a primal–dual interior point in the low-rank factor.

With K = R Rᵀ and δ_e = R_i − R_j, the bound ‖δ_e‖ ≤ d_e is a second-order cone, convex in R, and
its barrier is free of scale.  For a falling μ,

    F(R) = −½ Σ_i c_i ‖R_i‖² − ½ μ Σ_e log s_e,    s_e = d_e² − ‖δ_e‖²,

is minimised.  F is convex in K: at a stationary point y_e = μ/s_e has (L(y) − C)R = 0, so that
Σ d_e² y_e = tr CK + mμ, and the gap is mμ as soon as the second eigenvalue of (L(y), C) is one.
Where it is smaller, its vectors are new columns of R along which F falls.

Further constraints on pairs are smooth terms of F, which move with μ; where a level of μ is solved
their multipliers are taken over (see pair_terms).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sidelight.core import FloatArray, IntArray, Interruption, report
from sidelight.solvers.semidefinite.constraints import PairConstraints
from sidelight.solvers.semidefinite.dual_bound import (
    contradiction,
    owed,
    ray_against,
    sparse_bound,
)
from sidelight.solvers.semidefinite.low_rank.barrier import Unfolding
from sidelight.solvers.semidefinite.low_rank.growth import grow
from sidelight.solvers.semidefinite.low_rank.newton_step import NewtonSystem, Shift
from sidelight.solvers.semidefinite.low_rank.pair_terms import PairTerms
from sidelight.solvers.semidefinite.low_rank.start import unfolded_start
from sidelight.solvers.semidefinite.result import (
    SemidefiniteResult,
    principal_axes,
    worth_keeping,
)

#: μ falls when the squared Newton decrement is below this share of m·μ, to between these shares
#: of itself: the less, the farther the step to μ = 0 reaches.
_SOLVED, _LEAST_FALL, _MOST_FALL = 0.1, 0.5, 0.05
#: At the last μ a bound is tried from here on, and the steps go on to rounding, so that the result
#: does not depend on the way there, but only while they gain, and so many at most.
_NEAR, _POLISHED, _GAINS, _MOST_POLISHING = 0.1, 1e-10, 0.3, 8
#: The last μ leaves this share of the tolerance as gap.
_LAST_SHARE = 0.5
#: After a shorter step the dual points no longer fit the spans, and start anew.
_TOO_SHORT = 0.05
#: With further constraints a level at the last μ is solved at this share of m·μ, and the end is
#: where those are missed by less than this; up to so much more they are said to hold.
_SETTLING, _KEPT, _HELD = 1e-4, 1e-7, 1e-6
#: Multipliers that close less of a miss than this are helped by stiffer terms.
_CLOSES = 0.2
#: Times in a row that columns are added.
_MOST_GROWTHS = 5


def unfold_low_rank(
    edges: IntArray,
    lengths: FloatArray,
    n: int,
    *,
    mass: FloatArray | None = None,
    tol: float = 1e-4,
    max_iter: int = 500,
    start: FloatArray | None = None,
    beside: PairConstraints | None = None,
    who: str = "unfold_low_rank",
) -> SemidefiniteResult:
    """Maximise the variance of a kernel whose edges are at most as long as given.

    max_K Σ_i c_i K_ii  over  K ⪰ 0, Σ_ij c_i c_j K_ij = 0, K_ii − 2K_ij + K_jj ≤ d_ij²

    References
    ----------
    K. Q. Weinberger and L. K. Saul (2004), "Unsupervised learning of image manifolds by
    semidefinite programming".
    S. Burer and R. D. C. Monteiro (2003), "A nonlinear programming algorithm for solving
    semidefinite programs via low-rank factorization".
    S. Mehrotra (1992), "On the implementation of a primal–dual interior point method".

    Examples
    --------
    A chain is pulled straight.

    >>> import numpy as np
    >>> edges = np.array([[0, 1], [1, 2], [2, 3]])
    >>> result = unfold_low_rank(edges, np.ones(3), 4, tol=1e-6)
    >>> round(result.objective, 4), result.gap < 1e-6
    (5.0, True)
    """
    c = np.ones(n) if mass is None else np.asarray(mass, dtype=np.float64)
    more = PairConstraints.on_pairs(edges[:0], lengths[:0], "equal") if beside is None else beside
    # the arithmetic is done in units of the edges
    squares = lengths**2 if len(lengths) else np.abs(more.bounds)
    scale = float(np.sqrt(np.mean(squares)))
    origin = None if start is None else np.asarray(start) / scale
    if origin is None or len(edges):
        R = unfolded_start(edges, lengths / scale, n, start=origin)
    else:
        R = origin
    problem = Unfolding(edges, lengths / scale, c, PairTerms(more, n, scale**2))
    path = _Path()
    # beyond what rounding allows numbers may overflow: what comes of it is certified, or not kept
    with Interruption() as stopped, np.errstate(all="ignore"):
        best = _follow_path(problem, R, tol, max_iter, who, path)
    if stopped:
        if not path.tensions:
            stopped.go_on()
        best = path.best_so_far(problem)
    R = _inside(principal_axes(best.R * scale, c), edges, lengths)
    value = problem.variance(R)
    bound = best.bound * scale**2
    gap = float((bound - value) / value)
    result = SemidefiniteResult(
        R,
        value,
        bound,
        gap,
        best.y,
        path.n_steps,
        bool(gap <= tol and best.unsettled <= _HELD),
        np.asarray(path.history),
        stopped,
    )
    held = problem.terms.worst(problem.terms.excess(best.R)) <= _HELD
    if stopped and not worth_keeping(result, feasible=held):
        stopped.go_on()
    return result


@dataclass(frozen=True)
class _Certified:
    R: FloatArray
    y: FloatArray
    bound: float
    gap: float
    unsettled: float


@dataclass
class _Path:
    """Where a path has come to, for those who end it early."""

    R: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    n_steps: int = 0
    history: list[tuple[float, float]] = field(default_factory=list)
    tensions: list[FloatArray] = field(default_factory=list)  # at every level
    best: _Certified | None = None

    def best_so_far(self, problem: Unfolding) -> _Certified:
        """The last layout, with the level whose multipliers prove most of it."""
        return _certify(problem, self.R, self.tensions, self.best)


def _follow_path(
    problem: Unfolding, R: FloatArray, tol: float, max_iter: int, who: str, path: _Path
) -> _Certified:
    terms = problem.terms
    m = len(problem.edges) + len(terms)
    R = problem.centred(R)
    s = problem.slack(R)
    mu = _first_level(problem, R, s)
    z = problem.central(mu, s, problem.E @ R)
    shift, share, n_growths = Shift(), _LAST_SHARE, 0
    best: _Certified | None = None
    n_near, decrement_before = 0, np.inf
    if len(terms):
        _lend(problem, R, mu, 1.0)
        terms.y = terms.believed.copy()
    stiffer, unsettled_before, just_grown = 1.0, np.inf, False
    for step in range(1, max_iter + 1):
        path.R, path.n_steps = R, step
        newton = NewtonSystem(problem, R, z, shift, mu)
        value = newton.value
        at_end = m * mu <= 1.001 * share * tol * value
        direction = newton.direction(mu)
        decrement = newton.decrement(mu, direction)
        relative = decrement / (m * mu)
        if at_end and not len(terms):
            n_near = n_near + 1 if relative <= _NEAR else 0
            if n_near in (1, 4, 8) and (best is None or best.gap > tol):
                best = path.best = _certify(problem, R, [newton.multipliers(direction)], best)
            certified = best is not None and best.gap <= tol
            stalled = certified and relative > _GAINS * decrement_before
            solved = n_near > 0 and (relative <= _POLISHED or n_near > _MOST_POLISHING or stalled)
            decrement_before = relative
        elif at_end:
            n_near = n_near + 1 if relative <= _NEAR else 0
            solved = relative <= _SETTLING or n_near > _MOST_POLISHING
        else:
            solved = relative <= _SOLVED and not just_grown
        just_grown = False
        if solved:
            y = newton.multipliers(direction)
            path.history.append((value, m * mu / value))
            path.tensions.append(y)
            report("unfolding", step, None, value)
            if at_end:
                exact = np.concatenate([mu / newton.s, terms.multipliers(newton.g, mu)])
                polished = _certify(problem, R, [exact, y], None)
                if best is None or polished.gap <= max(tol, best.gap):
                    best = path.best = polished
                if best.gap <= tol and best.unsettled <= _KEPT:
                    break
            n_near, decrement_before = 0, np.inf
            grown = R
            if n_growths < _MOST_GROWTHS:
                grown = grow(newton, R, y, mu, 0.25 * m * mu / value)
            if grown.shape[1] > R.shape[1]:
                R, n_growths, just_grown = grown, n_growths + 1, bool(len(terms))
                z = problem.central(mu, problem.slack(R), problem.E @ R)
                continue
            n_growths = 0
            settling = at_end and polished.unsettled > _KEPT
            if not settling:
                share = share / 4 if at_end else share
                to_zero = newton.reach_of_zero()
                fall = float(np.clip((1 - to_zero) ** 2, _MOST_FALL, _LEAST_FALL))
                mu = max(fall * mu if not at_end else 0.0, share * tol * value / m)
            if len(terms):
                unsettled = terms.unsettled(newton.g, y[len(problem.edges) :])
                _refuse_contradictions(problem, y, who)
                if settling and unsettled > _CLOSES * unsettled_before:
                    stiffer *= 0.1
                unsettled_before = unsettled
                terms.believe(y[len(problem.edges) :])
                _lend(problem, R, mu, stiffer)
                newton = NewtonSystem(problem, R, z, shift, mu)
            direction = newton.direction(mu)
            decrement = newton.decrement(mu, direction)
        moved = newton.move(mu, direction, decrement)
        if moved is not None:
            R, z, length = moved
            shift.after(length)
            if length < _TOO_SHORT:
                z = problem.central(mu, problem.slack(R), problem.E @ R)
        elif shift.q < 1e6:
            shift.q = max(8 * shift.q, 1e-2)
        else:
            break
    if best is None or best.gap > tol or best.unsettled > _KEPT:
        y = newton.multipliers(direction)
        exact = np.concatenate([mu / problem.slack(R), terms.multipliers(terms.excess(R), mu)])
        best = _certify(problem, R, [exact, y], best)
    return best


def _first_level(problem: Unfolding, R: FloatArray, s: FloatArray) -> float:
    """The μ whose multipliers balance the variance along R itself."""
    if not len(s):
        return problem.variance(R) / len(problem.terms)
    return problem.variance(R) / float(((problem.squares - s) / s).sum())


def _lend(problem: Unfolding, R: FloatArray, mu: float, stiffer: float) -> None:
    load = problem.variance(R) / (len(problem.edges) + len(problem.terms))
    problem.terms.lend(stiffer * max(mu / load, 1e-9), load)


def _refuse_contradictions(problem: Unfolding, y: FloatArray, who: str) -> None:
    bounds, softness = problem.right_side()
    ray = ray_against(y, bounds, softness == 0)
    if ray is not None and problem.verified(ray) > 0:
        raise contradiction(ray, who)


def _certify(
    problem: Unfolding, R: FloatArray, candidates: list[FloatArray], best: _Certified | None
) -> _Certified:
    value, terms, m = problem.variance(R), problem.terms, len(problem.edges)
    bounds, softness = problem.right_side()
    g = terms.excess(R)
    missed = np.concatenate([np.zeros(m), terms.missed(g)])
    for y in candidates:
        sigma = problem.verified(y)
        bound = sparse_bound(sigma, y, bounds, softness)
        if sigma > 0:
            bound += owed(missed, softness, y / sigma)
        found = _Certified(R, y, bound, bound / value - 1, terms.unsettled(g, y[m:]))
        best = found if best is None or found.gap < best.gap else best
    assert best is not None
    return best


def _inside(R: FloatArray, edges: IntArray, lengths: FloatArray) -> FloatArray:
    """Shrink by what rounding added, so that every bound holds in extended precision."""
    if not len(edges):
        return R
    exact = R.astype(np.longdouble)
    squares = np.sum((exact[edges[:, 0]] - exact[edges[:, 1]]) ** 2, axis=1)
    largest = float((squares / lengths.astype(np.longdouble) ** 2).max())
    return R if largest < 1.0 else np.asarray(R * ((1 - 1e-15) / np.sqrt(largest)))
