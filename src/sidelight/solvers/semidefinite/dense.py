"""A structured interior point for kernels under linear constraints on squared distances.

For pair constraints the Schur matrix of the Newton step is (E Z Eᵀ) ∘ (E S⁻¹ Eᵀ), E the matrix of
differences, so that a step costs about m³/3 + n³ instead of the m n³ of a general solver.  E is
never written out: its products are differences of rows and columns.  All matrices are centred; the
constant vector is lent a positive eigenvalue where they are factored.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from sidelight.core import BoolArray, FloatArray, IntArray, Interruption, report, require_memory
from sidelight.solvers.eigen import fix_signs
from sidelight.solvers.semidefinite.dense_step import (
    factor_positive,
    reach_of_matrix,
    reach_of_numbers,
    symmetric,
)
from sidelight.solvers.semidefinite.dual_bound import (
    contradiction,
    dense_bound,
    lowest_eigenvalue,
    owed,
    ray_against,
)
from sidelight.solvers.semidefinite.reach import largest_trace
from sidelight.solvers.semidefinite.result import SemidefiniteResult, worth_keeping

#: How far a step may go towards the boundary, at least, and by how much more a good one may.
_FRACTION, _BOLDER = 0.9, 0.08
#: Steps without progress after which rounding is taken to be the reason.
_PATIENCE = 3


def solve_dense(
    C: FloatArray,
    pairs: IntArray,
    bounds: FloatArray,
    *,
    equal: BoolArray | None = None,
    combine: Any = None,
    softness: FloatArray | None = None,
    tol: float = 1e-7,
    max_iter: int = 100,
    who: str = "solve_dense",
) -> SemidefiniteResult:
    """Maximise a linear function of a kernel under linear constraints on squared distances.

    max_K,ξ ⟨C, K⟩ − Σ_q ξ_q² / 2s_q  over  K ⪰ 0, K1 = 0, Σ_p A_qp D_p(K) ≤ b_q + ξ_q (or equal)

    where D_p(K) = K_ii − 2K_ij + K_jj for the pair p = (i, j), and ξ_q = 0 where s_q = 0.  The dual
    problem is that of dual_bound.py, and ξ_q = s_q y_q.  Infeasible primal–dual method with the HKM
    direction and Mehrotra's corrector [1]_.

    References
    ----------
    .. [1] K. C. Toh, M. J. Todd and R. H. Tütüncü (1999), "SDPT3: a Matlab software package for
       semidefinite programming".

    Examples
    --------
    The triangle with two sides of one and the third of at most 1.5.

    >>> import numpy as np
    >>> pairs = np.array([[0, 1], [1, 2], [0, 2]])
    >>> C = np.eye(3) - 1 / 3
    >>> equal = np.array([True, True, False])
    >>> result = solve_dense(C, pairs, np.array([1.0, 1.0, 2.25]), equal=equal)
    >>> round(result.objective, 6)
    1.416667
    """
    n = len(C)
    A = sp.eye_array(len(pairs), format="csr") if combine is None else sp.csr_array(combine)
    q, m = A.shape
    require_memory(
        16.0 * m * m + 16.0 * q * q + 16.0 * m * n + 120.0 * n * n,
        what=f"the {m} × {m} matrix of pairs of constraints",
        who=who,
        instead="Use fewer neighbours, or bounds alone, which need no such matrix.",
    )
    same = np.zeros(q, dtype=bool) if equal is None else np.asarray(equal, dtype=bool)
    soft = np.zeros(q) if softness is None else np.asarray(softness, dtype=np.float64)
    reach = largest_trace(n, pairs, A, bounds, same, soft > 0, who=who)
    unit = float(np.median(np.abs(bounds)[bounds != 0])) if np.any(bounds) else 1.0
    worth = float(np.abs(C).max()) or 1.0
    state = _Interior(C / worth, pairs, A, bounds / unit, ~same, soft * worth / unit, reach / unit)
    history, n_iter, stopped = state.solve(tol, max_iter, who)
    state.Z = state.within_bounds(state.Z)
    K = state.Z * unit
    value = float(np.vdot(C, K))
    bound = state.dual_bound(state.Z) * unit * worth
    gap = float(abs(bound - value) / abs(value)) if value else float("inf")
    result = SemidefiniteResult(
        _factor(K),
        value,
        bound,
        gap,
        state.y * worth,
        n_iter,
        bool(gap <= tol and state.feasible(1e-6)),
        history,
        stopped,
    )
    held = state.feasible(1e-6, among=soft == 0)  # what soft ones miss is part of the gap
    if stopped and not worth_keeping(result, feasible=held):
        stopped.go_on()
    return result


@dataclass
class _Interior:
    C: FloatArray
    pairs: IntArray
    A: sp.csr_array
    b: FloatArray
    free: BoolArray  # the inequalities: their slack is free to be positive
    soft: FloatArray
    reach: float  # no kernel has a larger trace
    plain: bool = field(init=False)

    def __post_init__(self) -> None:
        n = len(self.C)
        self.centre = np.full((n, n), 1.0 / n)
        size = 10.0 * n * max(1.0, float(np.abs(self.b).max()))
        tension = 10.0
        if np.isfinite(self.reach) and self.reach > 0:  # begin at what the constraints allow
            size, tension = self.reach / n, max(1.0, self.reach / len(self.b))
        start = np.eye(n) - self.centre
        self.Z: FloatArray = size * start
        self.S: FloatArray = 10.0 * max(tension, float(np.abs(self.C).sum(axis=1).max())) * start
        self.w = np.where(self.free, np.maximum(size, np.abs(self.b)), 0.0)
        self.y = np.where(self.free, tension, 0.0)
        q, m = self.A.shape
        self.plain = q == m and abs(self.A - sp.eye_array(q)).max() == 0
        self.i, self.j = np.ascontiguousarray(self.pairs.T)

    def distances(self, Z: FloatArray) -> FloatArray:
        d = np.diagonal(Z)
        return np.asarray(d[self.i] + d[self.j] - Z[self.i, self.j] - Z[self.j, self.i])

    def values(self, Z: FloatArray) -> FloatArray:
        return np.asarray(self.A @ self.distances(Z))

    def adjoint(self, y: FloatArray) -> FloatArray:
        """Eᵀ diag(Aᵀy) E, the Laplacian of the tensions."""
        n = len(self.C)
        tension = np.asarray(self.A.T @ y)
        where = np.concatenate([self.i * n + self.j, self.j * n + self.i])
        W = np.bincount(where, weights=np.tile(tension, 2), minlength=n * n).reshape(n, n)
        return np.asarray(np.diag(W.sum(axis=1)) - W)

    def between(self, X: FloatArray) -> FloatArray:
        """E X Eᵀ."""
        rows = X[self.i] - X[self.j]
        out: FloatArray = np.take(rows, self.i, axis=1)
        out -= np.take(rows, self.j, axis=1)
        return out

    def residual(self) -> FloatArray:
        return np.asarray(self.b + self.soft * self.y - self.values(self.Z) - self.w)

    def missed(self) -> FloatArray:
        left = self.residual()
        return np.asarray(np.where(self.free, np.maximum(-left - self.w, 0.0), np.abs(left)))

    def feasible(self, tol: float, among: Any = slice(None)) -> bool:
        missed = float(self.missed()[among].max(initial=0.0))
        return bool(missed <= tol * (1 + np.abs(self.b).max()))

    def within_bounds(self, Z: FloatArray) -> FloatArray:
        """Scale Z into the bounds, where no constraint is against a smaller kernel."""
        if self.soft.any() or self.b[~self.free].any() or np.any(self.b < 0):
            return Z
        above = self.values(Z) / np.where(self.b > 0, self.b, np.inf)
        return np.asarray(Z * min(1.0, (1 - 1e-12) / max(float(above.max()), 1e-300)))

    def solve(self, tol: float, max_iter: int, who: str) -> tuple[FloatArray, int, Interruption]:
        """Step by step to the optimum; the history, the steps and what stopped it early."""
        history: list[tuple[float, float]] = []
        self.kept = (self.Z, self.S, self.w, self.y)
        with Interruption() as stopped:
            self._follow(tol, max_iter, who, history)
        last = (self.Z, self.S, self.w, self.y)
        gap = self._proven_gap() if stopped else np.inf
        self.Z, self.S, self.w, self.y = self.kept  # the last steps may have lost digits
        if stopped and gap < self._proven_gap():
            self.Z, self.S, self.w, self.y = last
        return np.asarray(history).reshape(-1, 2), len(history), stopped

    def _proven_gap(self) -> float:
        Z = self.within_bounds(self.Z)
        value = float(np.vdot(self.C, Z))
        return (self.dual_bound(Z) - value) / max(value, 1e-300)

    def _follow(
        self, tol: float, max_iter: int, who: str, history: list[tuple[float, float]]
    ) -> None:
        best, waited = np.inf, 0
        scale = np.maximum(np.abs(self.b), 1e-3)
        for step in range(1, max_iter + 1):
            penalty = 0.5 * float(self.soft @ self.y**2)
            value = float(np.vdot(self.C, self.Z))
            gap = abs(float(self.b @ self.y) + 2 * penalty - value) / max(abs(value), 1e-12)
            history.append((value, gap))
            report("semidefinite program", step, max_iter, value)
            self._refuse_contradictions(who)
            off = float(np.abs(self.adjoint(self.y) - self.C - self.S).max())
            missed = float((self.missed() / scale).max())
            error = max(gap, missed, off)
            waited = 0 if error < 0.9 * best else waited + 1
            if error < best:
                best, self.kept = error, (self.Z, self.S, self.w, self.y)
            done = gap <= 0.5 * tol and missed <= 0.1 * tol and off <= 1e-9
            stuck = waited >= _PATIENCE and best < 1e-5
            if done or stuck or not np.isfinite(error):
                return
            try:
                if not self._step():
                    return
            except np.linalg.LinAlgError:  # as far as rounding lets it
                return

    def _step(self) -> bool:
        free, y, w = self.free, self.y, self.w
        n = len(self.Z)
        count = n - 1 + int(free.sum())
        mu = (float(np.vdot(self.Z, self.S)) + float(w[free] @ y[free])) / count
        root_S, inverse = self._factored(self.S)
        M = self.between(self.Z)
        M *= self.between(inverse)
        if not self.plain:
            M = np.ascontiguousarray(self.A @ np.asarray(self.A @ M).T)
        diagonal = np.einsum("ii->i", M)
        largest = float(diagonal.max())
        diagonal += self.soft
        diagonal[free] += w[free] / y[free]
        schur = factor_positive(M, largest)
        off = self.adjoint(y) - self.C - self.S
        base = -self.b - self.soft * y - self.values(symmetric(self.Z @ off @ inverse))
        inverse_y = np.where(free, 1 / np.where(free, y, 1.0), 0.0)
        unit = self.values(inverse) + inverse_y

        def direction(
            target: float, bend: FloatArray, bend_w: FloatArray
        ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
            right = base + target * unit - self.values(bend) - bend_w
            dy = scipy.linalg.cho_solve(schur, right, check_finite=False)
            dS = self.adjoint(dy) + off
            dZ = target * inverse - self.Z - symmetric(self.Z @ dS @ inverse) - bend
            dw = np.where(free, target * inverse_y - w - w * dy * inverse_y - bend_w, 0.0)
            return dZ, dw, dy, dS

        def refined(
            dZ: FloatArray, dw: FloatArray, dy: FloatArray, dS: FloatArray
        ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
            """Solve once more for what rounding left of the residual: the inverse is large."""
            left = self.residual() - self.values(dZ) - dw + self.soft * dy
            more = scipy.linalg.cho_solve(schur, -left, check_finite=False)
            tension = self.adjoint(more)
            dZ = dZ - symmetric(self.Z @ tension @ inverse)
            return dZ, dw - w * more * inverse_y, dy + more, dS + tension

        nothing = np.zeros_like(self.Z)
        dZ, dw, dy, dS = direction(0.0, nothing, np.zeros_like(w))
        root_Z = self._factored(self.Z, invert=False)[0]
        p = min(1.0, 0.95 * reach_of_matrix(root_Z, dZ), 0.95 * reach_of_numbers(w[free], dw[free]))
        d = min(1.0, 0.95 * reach_of_matrix(root_S, dS), 0.95 * reach_of_numbers(y[free], dy[free]))
        after = float(np.vdot(self.Z + p * dZ, self.S + d * dS))
        after += float((w + p * dw)[free] @ (y + d * dy)[free])
        sigma = min(1.0, max(after / count / mu, 1e-6)) ** 2
        bend = symmetric(dZ @ dS @ inverse)
        fraction = _FRACTION + _BOLDER * min(p, d)
        dZ, dw, dy, dS = refined(*direction(sigma * mu, bend, dw * dy * inverse_y))
        p = min(
            1.0,
            fraction * reach_of_matrix(root_Z, dZ),
            fraction * reach_of_numbers(w[free], dw[free]),
        )
        d = min(
            1.0,
            fraction * reach_of_matrix(root_S, dS),
            fraction * reach_of_numbers(y[free], dy[free]),
        )
        self.Z = self._centred(self.Z + p * dZ)
        self.w = w + p * dw
        self.y = y + d * dy
        self.S = self._centred(self.S + d * dS)
        return max(p, d) > 1e-8

    def _factored(self, X: FloatArray, *, invert: bool = True) -> tuple[FloatArray, FloatArray]:
        """The Cholesky factor and the pseudo-inverse of a centred matrix."""
        lent = float(np.trace(X)) / len(X)
        root = scipy.linalg.cholesky(X + lent * self.centre, lower=True, check_finite=False)
        if not invert:
            return root, root
        inverse, failed = scipy.linalg.lapack.dpotri(root, lower=1)
        if failed:
            raise np.linalg.LinAlgError
        inverse = np.tril(inverse) + np.tril(inverse, -1).T
        return root, inverse - self.centre / lent

    def _centred(self, X: FloatArray) -> FloatArray:
        X = symmetric(X)
        mean = X.mean(axis=0)
        return np.asarray(X - mean - mean[:, None] + mean.mean())

    def dual_bound(self, Z: FloatArray) -> float:
        """Bound the value of every kernel that misses its constraints by no more than Z."""
        y = np.where(self.free, np.maximum(self.y, 0.0), self.y)
        missed = self.values(Z) - self.b
        missed = np.where(self.free, np.maximum(missed, 0.0), missed)
        bound = dense_bound(self.C, self.adjoint(y), y, self.b, self.soft, self.reach)
        return bound + owed(missed, self.soft, y)

    def _refuse_contradictions(self, who: str) -> None:
        y = np.where(self.free, np.maximum(self.y, 0.0), self.y)
        ray = ray_against(y, self.b, self.soft == 0)
        if ray is None:
            return
        # a kernel of trace t would give −1 ≥ lowest · t
        largest = 1e8 * float(np.abs(self.b).max()) * len(self.C)
        if lowest_eigenvalue(self.adjoint(ray)) * largest > -1.0:
            raise contradiction(ray, who)


def _factor(K: FloatArray) -> FloatArray:
    values, vectors = scipy.linalg.eigh(K)
    kept = values > 1e-12 * max(values[-1], 0.0)
    R = vectors[:, kept] * np.sqrt(values[kept])
    return fix_signs(np.asarray(R[:, ::-1]))
