"""Maximum variance unfolding by a primal–dual interior point in the low-rank factor.

With K = R Rᵀ and δ_e = R_i − R_j, the bound ‖δ_e‖ ≤ d_e is convex in R and its barrier is free of
scale.  For a falling μ,

    F(R) = −½ Σ_i c_i ‖R_i‖² − ½ μ Σ_e log s_e,    s_e = d_e² − ‖δ_e‖²,

is minimised.  At a stationary point y_e = μ/s_e has (L(y) − C)R = 0, so that Σ d_e² y_e =
tr CK + mμ: the gap is mμ as soon as the second eigenvalue of (L(y), C) is one.  Where it is
smaller, its vectors are new columns of R along which F falls.
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
from sidelight.solvers.semidefinite_newton import EdgeMatrices, Factor
from sidelight.solvers.semidefinite_result import SemidefiniteResult, principal_axes
from sidelight.solvers.semidefinite_start import unfolded_start

#: μ falls by this factor when the inner problem is solved, which is when the squared Newton
#: decrement is below this share of m·μ: what is left to gain then is little beside the gap.
_FALL, _SOLVED = 0.25, 0.05
#: At the last μ the inner problem is solved to rounding, so that the result does not depend on
#: the way there.
_SOLVED_AT_END = 1e-10
#: The last μ leaves this share of the tolerance as gap.
_LAST_SHARE = 0.5
#: Multipliers stay within this factor of μ/s.
_NEAR_CENTRE = 10.0
_CORRECTIONS, _MOST_COLUMNS = 4, 3


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

    def centred(self, R: FloatArray) -> FloatArray:
        return np.asarray(R - (self.mass @ R) / self.mass.sum())

    def smallest(self, y: FloatArray, n_pairs: int, known: FloatArray, tol: float) -> Eigenpairs:
        L = sp.csr_array(self.ends @ (sp.diags_array(y) @ self.E))
        with warnings.catch_warnings():  # what comes of it is verified, or only a direction
            warnings.simplefilter("ignore", ConvergenceWarning)
            return smallest_eigenpairs(L, n_pairs, diagonal=self.mass, null=known, tol=tol)

    def dual_bound(self, y: FloatArray) -> float:
        """Σ d² y / σ for a verified σ ≤ λ₂: y/σ is feasible for the dual problem."""
        n = len(self.mass)
        second = float(self.smallest(y, 1, np.ones((n, 1)), 1e-7).values[0])
        for below in (1e-8, 1e-6, 1e-4, 1e-2):
            sigma = self.matrices.verified_shift(y, self.mass, second * (1 - below))
            if sigma > 0:
                return float(self.squares @ y) / sigma * (1 + 1e-13)
        return np.inf


@dataclass
class _Shift:
    """How much of the concave part is left: 1 where the Newton matrix is positive as it is.

    L(y) ⪰ κC makes κ sufficient, and the scalar factors that find κ are small beside the Newton
    matrix; the κ that is used lies between it and one, κ^p, with the power p remembered.
    """

    power: float = 0.0
    sufficient: float = 1.0

    def factor(self, problem: _Unfolding, W: FloatArray, y: FloatArray) -> Factor:
        matrices, mass, r = problem.matrices, problem.mass, W.shape[1]
        kept = self.sufficient**self.power
        found = matrices.factor(W, kept * mass)
        if found.n_negative == r:  # the translations
            self.power = self.power / 4 if self.power > 1 / 20 else 0.0
            return found
        self.sufficient = 1.0
        while self.sufficient > 1e-12:
            self.sufficient *= 0.7 if self.sufficient > 0.3 else 0.25
            if matrices.factor(y[:, None, None], self.sufficient * mass).n_negative == 1:
                break
        self.power = max(2 * self.power, 1 / 32)
        while True:
            self.power = min(4 * self.power, 1.0)
            kept = self.sufficient**self.power
            found = matrices.factor(W, kept * mass)
            if found.n_negative == r or self.sufficient < 1e-12:
                return found
            if self.power == 1.0:  # rounding
                self.sufficient *= 0.25


def _follow_path(
    problem: _Unfolding, R: FloatArray, tol: float, max_iter: int
) -> tuple[_Certified, int, list[tuple[float, float]]]:
    m = len(problem.edges)
    R = problem.centred(R)
    s = problem.slack(R)
    # the μ whose multipliers balance the variance along R itself
    mu = problem.variance(R) / float(((problem.squares - s) / s).sum())
    y = mu / s
    shift, share = _Shift(), _LAST_SHARE
    history: list[tuple[float, float]] = []
    best: _Certified | None = None
    last_grown, decrement_before = 0, np.inf
    for step in range(1, max_iter + 1):
        value = problem.variance(R)
        at_end = m * mu <= 1.001 * share * tol * value
        y, factor, direction, decrement = _newton(problem, R, y, mu, shift)
        stuck = at_end and decrement < 1e-6 * m * mu and decrement >= 0.25 * decrement_before
        decrement_before = decrement
        solved = decrement <= (_SOLVED_AT_END if at_end else _SOLVED) * m * mu
        if not (solved or stuck):
            moved = _move(problem, R, y, mu, factor, direction, decrement)
            if moved is not None:
                R, y = moved
                continue
        dual = _dual_after(problem, R, y, mu, direction)
        history.append((value, m * mu / value))
        report("unfolding", step, None, value)
        if at_end:
            bounds = [(problem.dual_bound(each), each) for each in (mu / problem.slack(R), dual)]
            bound, multipliers = min(bounds, key=lambda pair: pair[0])
            if best is None or bound / value < best.bound / problem.variance(best.R):
                best = _Certified(R, multipliers, bound)
            if bound <= (1 + tol) * value:
                break
        grown = _grow(problem, R, dual, mu, 0.25 * m * mu / value)
        if grown.shape[1] > R.shape[1] and last_grown < 5:
            R, last_grown = grown, last_grown + 1
            y = mu / problem.slack(R)
        else:
            share = share / 4 if at_end else share
            mu, last_grown = max(_FALL * mu, share * tol * value / m), 0
        decrement_before = np.inf
        shift.power = 0.0
    if best is None:
        y = mu / problem.slack(R)
        best = _Certified(R, y, problem.dual_bound(y))
    return best, step, history


def _newton(
    problem: _Unfolding, R: FloatArray, y: FloatArray, mu: float, shift: _Shift
) -> tuple[FloatArray, Callable[[FloatArray], FloatArray], FloatArray, float]:
    """Factor the primal–dual matrix; its solution of the gradient falls along F."""
    spans, s = problem.E @ R, problem.slack(R)
    central = mu / s
    y = np.clip(y, central / _NEAR_CENTRE, central * _NEAR_CENTRE)
    gradient = problem.ends @ (central[:, None] * spans) - problem.mass[:, None] * R
    W = (2 * y / s)[:, None, None] * (spans[:, :, None] * spans[:, None, :])
    axes = np.arange(R.shape[1])
    W[:, axes, axes] += y[:, None]
    factor = shift.factor(problem, W, y)

    def solve(right: FloatArray) -> FloatArray:
        return problem.centred(factor.solve(right))

    direction = solve(-gradient)
    return y, solve, direction, -float(np.einsum("ij,ij->", gradient, direction))


def _move(
    problem: _Unfolding,
    R: FloatArray,
    y: FloatArray,
    mu: float,
    solve: Callable[[FloatArray], FloatArray],
    direction: FloatArray,
    decrement: float,
) -> tuple[FloatArray, FloatArray] | None:
    """Take the step, straight or curved by the spheres that the bounds are, where F falls most."""
    spans, s = problem.E @ R, problem.slack(R)
    value = problem.barrier(R, s, mu)
    best: tuple[float, FloatArray, float] | None = None
    bend = np.zeros_like(direction)
    for _ in range(_CORRECTIONS + 1):
        length = 1.0
        while length > 1e-7:
            candidate = R + length * direction + length**2 * bend
            inside = problem.slack(candidate)
            if np.all(inside > 0.005 * s):
                reached = problem.barrier(candidate, inside, mu)
                if reached <= value - 1e-4 * length * decrement:
                    if best is None or reached < best[0]:
                        best = (reached, candidate, length)
                    break
            length *= 0.7
        across = problem.E @ (direction + bend)
        curvature = (y / s) * np.einsum("ij,ij->i", across, across)
        before, bend = bend, solve(-(problem.ends @ (curvature[:, None] * spans)))
        if np.linalg.norm(bend - before) <= 0.02 * np.linalg.norm(direction):
            break
    if best is None:
        return None
    _, candidate, length = best
    across = problem.E @ (candidate - R)
    inward = np.einsum("ij,ij->i", across, 2 * spans + across)
    return candidate, np.maximum(y + (length * (mu - y * s) + y * inward) / s, 1e-3 * y)


def _dual_after(
    problem: _Unfolding, R: FloatArray, y: FloatArray, mu: float, direction: FloatArray
) -> FloatArray:
    """The multipliers that Newton's step would lead to."""
    s = problem.slack(R)
    inward = 2 * np.einsum("ij,ij->i", problem.E @ R, problem.E @ direction)
    return np.asarray(np.maximum(y + (mu - y * s + y * inward) / s, 0.01 * y))


def _grow(
    problem: _Unfolding, R: FloatArray, y: FloatArray, mu: float, below_one: float
) -> FloatArray:
    """Append the eigenvectors of (L(y), C) below one, outside the span of R, by exact search."""
    n, r = R.shape
    n_pairs = min(_MOST_COLUMNS, n - 1 - r)
    if n_pairs < 1:
        return R
    pairs = problem.smallest(y, n_pairs, np.column_stack([np.ones(n), R]), 1e-5)
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
