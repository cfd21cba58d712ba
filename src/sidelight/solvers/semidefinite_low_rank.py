"""Maximum variance unfolding by a primal–dual interior point in the low-rank factor.

With K = R Rᵀ and δ_e = R_i − R_j, the bound ‖δ_e‖ ≤ d_e is a second-order cone, convex in R, and
its barrier is free of scale.  For a falling μ,

    F(R) = −½ Σ_i c_i ‖R_i‖² − ½ μ Σ_e log s_e,    s_e = d_e² − ‖δ_e‖²,

is minimised.  F is convex in K: at a stationary point y_e = μ/s_e has (L(y) − C)R = 0, so that
Σ d_e² y_e = tr CK + mμ, and the gap is mμ as soon as the second eigenvalue of (L(y), C) is one.
Where it is smaller, its vectors are new columns of R along which F falls.

The steps are those of the cone program: every edge carries a dual point of its cone, and the pair
is scaled after Nesterov and Todd.  The matrix of a step is Eᵀ V E − κC, where κ ≤ 1 keeps it
positive: the concave part is what a trust region in the metric of the barrier takes off.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from sidelight.arrays import FloatArray, IntArray
from sidelight.progress import report
from sidelight.solvers.eigen import Eigenpairs, smallest_eigenpairs
from sidelight.solvers.semidefinite_newton import EdgeMatrices
from sidelight.solvers.semidefinite_result import SemidefiniteResult, principal_axes
from sidelight.solvers.semidefinite_scaling import ConePoints, Scaling
from sidelight.solvers.semidefinite_start import unfolded_start

#: μ falls when the squared Newton decrement is below this share of m·μ, to between these shares
#: of itself: the less, the farther the step to μ = 0 reaches.
_SOLVED, _LEAST_FALL, _MOST_FALL = 0.1, 0.5, 0.05
#: At the last μ a bound is tried from here on, and the steps go on to rounding, so that the result
#: does not depend on the way there, but only while they gain, and so many at most.
_NEAR, _POLISHED, _GAINS, _MOST_POLISHING = 0.1, 1e-10, 0.3, 8
#: The last μ leaves this share of the tolerance as gap.
_LAST_SHARE = 0.5
#: A step never takes more of a slack than all but this.
_LEFT = 0.005
#: After a shorter step the dual points no longer fit the spans, and start anew.
_TOO_SHORT = 0.05
_CORRECTIONS, _MOST_COLUMNS, _MOST_GROWTHS = 3, 3, 5


def unfold_low_rank(
    edges: IntArray,
    lengths: FloatArray,
    n: int,
    *,
    mass: FloatArray | None = None,
    tol: float = 1e-4,
    max_iter: int = 500,
    start: FloatArray | None = None,
) -> SemidefiniteResult:
    """Maximise the variance of a kernel whose edges are at most as long as given.

    max_K Σ_i c_i K_ii  over  K ⪰ 0, Σ_ij c_i c_j K_ij = 0, K_ii − 2K_ij + K_jj ≤ d_ij²

    Parameters
    ----------
    edges : ndarray of shape (m, 2)
        Of a connected graph, each once.
    lengths : ndarray of shape (m,)
        d, positive.
    n : int
        Number of nodes, at least 2.
    mass : ndarray of shape (n,), optional
        c, positive; ones by default.
    tol : float
        Relative gap between the kernel and the bound.
    max_iter : int
        Most Newton steps.
    start : ndarray of shape (n, r), optional
        A layout to start from; landmark scaling of the path lengths by default.

    Returns
    -------
    SemidefiniteResult
        Every constraint holds strictly, and ``dual_bound`` holds whatever was rounded.

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
    scale = float(np.sqrt(np.mean(lengths**2)))  # the arithmetic is done in units of the edges
    origin = None if start is None else np.asarray(start) / scale
    R = unfolded_start(edges, lengths / scale, n, start=origin)
    problem = _Unfolding(edges, lengths / scale, c, EdgeMatrices(n, edges))
    best, n_iter, history = _follow_path(problem, R, tol, max_iter)
    R = _inside(principal_axes(best.R * scale, c), edges, lengths)
    value = problem.variance(R)
    bound = best.bound * scale**2
    gap = float((bound - value) / value)
    return SemidefiniteResult(
        R, value, bound, gap, best.y, n_iter, bool(gap <= tol), np.asarray(history)
    )


@dataclass(frozen=True)
class _Certified:
    R: FloatArray
    y: FloatArray
    bound: float
    gap: float


@dataclass
class _Unfolding:
    edges: IntArray
    lengths: FloatArray
    mass: FloatArray
    matrices: EdgeMatrices
    E: sp.csr_array = field(init=False)
    ends: sp.csr_array = field(init=False)

    def __post_init__(self) -> None:
        m, n = len(self.edges), len(self.mass)
        at = np.arange(m)
        signs = np.repeat([1.0, -1.0], m)
        where = (np.r_[at, at], np.r_[self.edges[:, 0], self.edges[:, 1]])
        self.E = sp.csr_array((signs, where), shape=(m, n))
        self.ends = self.E.T.tocsr()
        self.squares = self.lengths**2

    def variance(self, R: FloatArray) -> float:
        return float(self.mass @ np.einsum("ij,ij->i", R, R))

    def slack(self, R: FloatArray) -> FloatArray:
        spans = self.E @ R
        return np.asarray(self.squares - np.einsum("ij,ij->i", spans, spans))

    def barrier(self, R: FloatArray, s: FloatArray, mu: float) -> float:
        return -0.5 * self.variance(R) - 0.5 * mu * float(np.log(s).sum())

    def central(self, mu: float, s: FloatArray, spans: FloatArray) -> ConePoints:
        """The dual points that are complementary to μ: μ u⁻¹."""
        return ConePoints(mu * self.lengths / s, -(mu / s)[:, None] * spans)

    def centred(self, R: FloatArray) -> FloatArray:
        return np.asarray(R - (self.mass @ R) / self.mass.sum())

    def smallest(
        self, y: FloatArray, n_pairs: int, known: FloatArray, tol: float
    ) -> Eigenpairs | None:
        """The smallest pairs of (L(y), C); none where y is too uneven for a factor."""
        L = sp.csr_array(self.ends @ (sp.diags_array(y) @ self.E))
        with warnings.catch_warnings():  # what comes of it is verified, or only a direction
            warnings.simplefilter("ignore", ConvergenceWarning)
            try:
                return smallest_eigenpairs(L, n_pairs, diagonal=self.mass, null=known, tol=tol)
            except np.linalg.LinAlgError:
                return None

    def dual_bound(self, y: FloatArray) -> float:
        """Σ d² y / σ for a verified σ ≤ λ₂: y/σ is feasible for the dual problem."""
        n = len(self.mass)
        pairs = self.smallest(y, 1, np.ones((n, 1)), 1e-7)
        if pairs is None:
            return np.inf
        second = float(pairs.values[0])
        for below in (1e-8, 1e-6, 1e-4, 1e-2):
            sigma = self.matrices.verified_shift(y, self.mass, second * (1 - below))
            if sigma > 0:
                return float(self.squares @ y) / sigma * (1 + 1e-13)
        return np.inf


@dataclass
class _Shift:
    """How much of the concave part is left, κ = 1/(1 + q): all where the matrix is positive.

    Eᵀ V E − C + q·EᵀVE is the matrix of a trust region in the metric of the barrier.
    """

    q: float = 0.0

    def factor(self, problem: _Unfolding, V: FloatArray) -> Callable[[FloatArray], FloatArray]:
        while True:
            # turns of the map have no curvature: a trace of q keeps rounding from a wrong sign
            factor = problem.matrices.factor(V, problem.mass / (1 + max(self.q, 1e-7)))
            if factor.n_negative == V.shape[1] or self.q > 1e8:  # the translations
                return factor.solve
            self.q = max(4 * self.q, 1e-3)

    def after(self, length: float) -> None:
        if length < 0.15:  # short steps come of directions with hardly any curvature
            self.q = max(4 * self.q, 1e-3) if self.q < 10 else self.q
        elif length >= 0.6 or (length >= 0.2 and self.q > 2):
            self.q = self.q / 4 if self.q > 1e-4 else 0.0


@dataclass(frozen=True)
class _Direction:
    """A step of R, of the spans and of the dual points."""

    R: FloatArray
    u: ConePoints
    z: ConePoints


class _Newton:
    """The factored system at one point; right-hand sides for any μ cost a solution each."""

    def __init__(self, problem: _Unfolding, R: FloatArray, z: ConePoints, shift: _Shift) -> None:
        self.problem, self.R, self.z = problem, R, z
        self.u = ConePoints(problem.lengths, problem.E @ R)
        self.s = problem.slack(R)
        self.value = problem.variance(R)
        self._scaling = Scaling(self.u, z)
        self._solve = shift.factor(problem, self._scaling.blocks())

    def gradient(self, mu: float) -> FloatArray:
        forces = (mu / self.s)[:, None] * self.u.tail
        return np.asarray(self.problem.ends @ forces - self.problem.mass[:, None] * self.R)

    def direction(self, mu: float, before: _Direction | None = None) -> _Direction:
        """The step to complementarity μ, with the second-order term of the step before it."""
        wanted = self.problem.central(mu, self.s, self.u.tail)
        if before is not None:
            wanted = wanted.moved(self._scaling.second_order(before.u, before.z), -1.0)
        problem = self.problem
        right = problem.mass[:, None] * self.R + problem.ends @ wanted.tail
        dR = problem.centred(self._solve(right))
        du = ConePoints(np.zeros(len(self.s)), problem.E @ dR)
        dz = wanted.moved(self._scaling.of_tails(du.tail), -1.0).moved(self.z, -1.0)
        return _Direction(dR, du, dz)

    def decrement(self, mu: float, direction: _Direction) -> float:
        return -float(np.einsum("ij,ij->", self.gradient(mu), direction.R))

    def fall(self) -> float:
        """The share of μ to go for: little where the step to μ = 0 gets far."""
        to_zero = self.direction(0.0)
        length = min(1.0, self.u.reach(to_zero.u), self.z.reach(to_zero.z))
        return float(np.clip((1 - length) ** 2, _MOST_FALL, _LEAST_FALL))

    def multipliers(self, direction: _Direction) -> FloatArray:
        """Those that the step leads to."""
        head = self.z.head + direction.z.head
        return np.asarray(np.maximum(head, 0.01 * self.z.head) / self.problem.lengths)

    def move(
        self, mu: float, direction: _Direction, decrement: float
    ) -> tuple[FloatArray, ConePoints, float] | None:
        """Take the step, straight or bent by its second-order term, where F falls most."""
        value = self.problem.barrier(self.R, self.s, mu)
        best: tuple[float, float, FloatArray, _Direction | None] | None = None
        bent: _Direction | None = None
        for correction in range(_CORRECTIONS + 1):
            length = 1.0
            while length > 1e-7:
                candidate = self._along(direction, bent, length)
                inside = self.problem.slack(candidate)
                if np.all(inside > _LEFT * self.s):
                    reached = self.problem.barrier(candidate, inside, mu)
                    if reached <= value - 1e-4 * length * decrement:
                        if best is None or reached < best[0]:
                            best = (reached, length, candidate, bent)
                        break
                length *= 0.7
            if correction == _CORRECTIONS:
                break
            previous, bent = bent or direction, self.direction(mu, bent or direction)
            change = np.linalg.norm(bent.R - previous.R) / np.linalg.norm(direction.R)
            if not 0.02 <= change <= 3:
                break
        if best is None:
            return None
        _, length, R, bent = best
        return self.problem.centred(R), self._dual(direction, bent, length, mu, R), length

    def _along(self, first: _Direction, bent: _Direction | None, length: float) -> FloatArray:
        if bent is None:
            return np.asarray(self.R + length * first.R)
        return np.asarray(self.R + length * first.R + length**2 * (bent.R - first.R))

    def _dual(
        self,
        direction: _Direction,
        bent: _Direction | None,
        length: float,
        mu: float,
        R: FloatArray,
    ) -> ConePoints:
        least = _LEFT * self.z.determinant()
        z = self.z
        while length > 1e-7:
            z = self.z.moved(direction.z, length)
            if bent is not None:
                z = z.moved(bent.z.moved(direction.z, -1.0), length**2)
            if np.all(z.head > 0) and np.all(z.determinant() > least):
                break
            length *= 0.7
        else:
            z = self.z
        # a pair far from the path would hold all others up: it starts anew
        spans, s = self.problem.E @ R, self.problem.slack(R)
        central = self.problem.central(mu, s, spans)
        product = z.head * self.problem.lengths + np.einsum("ij,ij->i", z.tail, spans)
        near = (product > 1e-3 * mu) & (product < 1e3 * mu)
        near &= s * z.determinant() > (1e-3 * product) ** 2
        return ConePoints(
            np.where(near, z.head, central.head), np.where(near[:, None], z.tail, central.tail)
        )


def _follow_path(
    problem: _Unfolding, R: FloatArray, tol: float, max_iter: int
) -> tuple[_Certified, int, list[tuple[float, float]]]:
    m = len(problem.edges)
    R = problem.centred(R)
    s = problem.slack(R)
    # the μ whose multipliers balance the variance along R itself
    mu = problem.variance(R) / float(((problem.squares - s) / s).sum())
    z = problem.central(mu, s, problem.E @ R)
    shift, share, n_growths = _Shift(), _LAST_SHARE, 0
    history: list[tuple[float, float]] = []
    best: _Certified | None = None
    n_near, decrement_before = 0, np.inf
    for step in range(1, max_iter + 1):
        newton = _Newton(problem, R, z, shift)
        value = newton.value
        at_end = m * mu <= 1.001 * share * tol * value
        direction = newton.direction(mu)
        decrement = newton.decrement(mu, direction)
        relative = decrement / (m * mu)
        if at_end:
            n_near = n_near + 1 if relative <= _NEAR else 0
            if n_near in (1, 4, 8) and (best is None or best.gap > tol):
                best = _certify(problem, R, [newton.multipliers(direction)], best)
            certified = best is not None and best.gap <= tol
            stalled = certified and relative > _GAINS * decrement_before
            solved = n_near > 0 and (relative <= _POLISHED or n_near > _MOST_POLISHING or stalled)
            decrement_before = relative
        else:
            solved = relative <= _SOLVED
        if solved:
            history.append((value, m * mu / value))
            report("unfolding", step, None, value)
            y = newton.multipliers(direction)
            if at_end:
                polished = _certify(problem, R, [mu / newton.s, y], None)
                if best is None or polished.gap <= max(tol, best.gap):
                    best = polished
                if best.gap <= tol:
                    break
            n_near, decrement_before = 0, np.inf
            grown = R
            if n_growths < _MOST_GROWTHS:
                grown = _grow(problem, R, y, mu, 0.25 * m * mu / value)
            if grown.shape[1] > R.shape[1]:
                R, n_growths = grown, n_growths + 1
                z = problem.central(mu, problem.slack(R), problem.E @ R)
                continue
            n_growths, share = 0, share / 4 if at_end else share
            mu = max(newton.fall() * mu if not at_end else 0.0, share * tol * value / m)
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
    if best is None or best.gap > tol:
        y = newton.multipliers(direction)
        best = _certify(problem, R, [mu / problem.slack(R), y], best)
    return best, step, history


def _certify(
    problem: _Unfolding, R: FloatArray, candidates: list[FloatArray], best: _Certified | None
) -> _Certified:
    value = problem.variance(R)
    for y in candidates:
        bound = problem.dual_bound(y)
        found = _Certified(R, y, bound, bound / value - 1)
        best = found if best is None or found.gap < best.gap else best
    assert best is not None
    return best


def _grow(
    problem: _Unfolding, R: FloatArray, y: FloatArray, mu: float, below_one: float
) -> FloatArray:
    """Append the eigenvectors of (L(y), C) below one, outside the span of R, by exact search."""
    n, r = R.shape
    n_pairs = min(_MOST_COLUMNS, n - 1 - r)
    if n_pairs < 1:
        return R
    pairs = problem.smallest(y, n_pairs, np.column_stack([np.ones(n), R]), 1e-5)
    if pairs is None:
        return R
    for value, vector in zip(pairs.values, pairs.vectors.T, strict=True):
        if value >= 1 - below_one:
            break
        amplitude = _amplitude(problem.slack(R), problem.E @ vector, mu)
        R = np.column_stack([R, amplitude * vector])
    return problem.centred(R)


def _amplitude(s: FloatArray, spans: FloatArray, mu: float) -> float:
    """The a that minimises −a²/2 − (μ/2) Σ log(s − a² w²): convex in a², found by bisection."""
    squares = spans**2
    low, high = 0.0, float((s / np.maximum(squares, 1e-300)).min()) * (1 - 1e-9)
    for _ in range(60):
        middle = (low + high) / 2
        if mu * float((squares / (s - middle * squares)).sum()) < 1.0:
            low = middle
        else:
            high = middle
    return float(np.sqrt(max(low, 1e-3 * high)))


def _inside(R: FloatArray, edges: IntArray, lengths: FloatArray) -> FloatArray:
    """Shrink by what rounding added, so that every bound holds in extended precision."""
    exact = R.astype(np.longdouble)
    squares = np.sum((exact[edges[:, 0]] - exact[edges[:, 1]]) ** 2, axis=1)
    largest = float((squares / lengths.astype(np.longdouble) ** 2).max())
    return R if largest < 1.0 else np.asarray(R * ((1 - 1e-15) / np.sqrt(largest)))
