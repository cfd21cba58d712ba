"""A structured interior point for kernels under linear constraints on squared distances.

For pair constraints the Schur matrix of the Newton step is (E Z Eᵀ) ∘ (E S⁻¹ Eᵀ), E the matrix of
differences, so that a step costs about m³/3 + n³ instead of the m n³ of a general solver.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.csgraph import shortest_path

from sidelight.arrays import BoolArray, FloatArray, IntArray
from sidelight.memory import require_memory
from sidelight.progress import report
from sidelight.solvers.eigen import fix_signs
from sidelight.solvers.semidefinite_result import SemidefiniteResult

#: How far a step may go towards the boundary.
_FRACTION = 0.95


def solve_dense(
    C: FloatArray,
    pairs: IntArray,
    bounds: FloatArray,
    *,
    equal: BoolArray | None = None,
    combine: Any = None,
    tol: float = 1e-7,
    max_iter: int = 100,
    who: str = "solve_dense",
) -> SemidefiniteResult:
    """Maximise a linear function of a kernel under linear constraints on squared distances.

    max_K ⟨C, K⟩  over  K ⪰ 0, K1 = 0, Σ_p A_qp D_p(K) ≤ b_q (or = b_q)

    where D_p(K) = K_ii − 2K_ij + K_jj for the pair p = (i, j).  The dual problem is to minimise bᵀy
    over Eᵀ diag(Aᵀy) E − C ⪰ 0, y_q ≥ 0 for the inequalities.  Infeasible primal–dual method with
    the HKM direction and Mehrotra's corrector [1]_.

    Parameters
    ----------
    C : ndarray of shape (n, n)
        Symmetric, with C1 = 0: distances do not know where the origin is.
    pairs : ndarray of shape (m, 2)
        Pairs of points.
    bounds : ndarray of shape (q,)
        b.
    equal : ndarray of bool of shape (q,), optional
        Which constraints are equalities; none by default.
    combine : ndarray or sparse array of shape (q, m), optional
        A; the identity by default, one constraint per pair.  At least is minus at most.
    tol : float
        Relative gap.
    max_iter : int
        Most steps.
    who : str
        Named in errors.

    Returns
    -------
    SemidefiniteResult
        With the kernel scaled into the bounds where all constraints are bounds on single pairs;
        else the constraints hold to a relative 1e-6, and the value may pass the bound by as much.

    Raises
    ------
    ValueError
        If the constraints contradict one another, or do not bound the kernel.

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
    m = A.shape[1]
    require_memory(
        24.0 * m * m + 80.0 * n * n,
        what=f"the {m} × {m} matrix of pairs of constraints",
        who=who,
        instead="Use fewer neighbours, or bounds alone, which need no such matrix.",
    )
    same = np.zeros(len(bounds), dtype=bool) if equal is None else np.asarray(equal, dtype=bool)
    reach = _largest_trace(n, pairs, A, bounds, same)
    if not np.isfinite(reach):
        raise ValueError(
            f"The problem of {who} is unbounded: the pairs whose distance is bounded do not "
            f"connect all {n} points, so that parts of the map can move apart for ever. Bound more "
            f"pairs: raise n_neighbors, or use on_disconnected='connect'."
        )
    unit = float(np.abs(bounds)[bounds != 0].mean()) if np.any(bounds) else 1.0
    gauge = scipy.linalg.null_space(np.ones((1, n)))
    E = gauge[pairs[:, 0]] - gauge[pairs[:, 1]]
    worth = float(np.abs(C).max()) or 1.0
    state = _Interior(gauge.T @ (C / worth) @ gauge, E, A, bounds / unit, ~same)
    history, n_iter = state.solve(tol, max_iter, who)
    K = gauge @ (state.Z * unit) @ gauge.T
    if combine is None and not same.any() and np.all(bounds > 0):
        K = K * min(1.0, (1 - 1e-12) / float((state.distances(state.Z) * unit / bounds).max()))
    value = float(np.einsum("ij,ij->", C, K))
    bound = state.dual_bound(reach / unit) * unit * worth
    gap = float(abs(bound - value) / abs(value)) if value else float("inf")
    kept = state.feasible(1e-6)
    return SemidefiniteResult(
        _factor(K), value, bound, gap, state.y * worth, n_iter, bool(gap <= tol and kept), history
    )


@dataclass
class _Interior:
    C: FloatArray
    E: FloatArray
    A: sp.csr_array
    b: FloatArray
    free: BoolArray  # the inequalities: their slack is free to be positive

    def __post_init__(self) -> None:
        n = len(self.C)
        size = 10.0 * n * max(1.0, float(np.abs(self.b).max()))
        self.Z: FloatArray = size * np.eye(n)
        self.S: FloatArray = 10.0 * (1 + float(np.abs(self.C).sum(axis=1).max())) * np.eye(n)
        self.w = np.where(self.free, size, 0.0)
        self.y = np.where(self.free, 10.0, 0.0)
        q, m = self.A.shape
        self.plain = q == m and abs(self.A - sp.eye_array(q)).max() == 0

    def distances(self, Z: FloatArray) -> FloatArray:
        return np.asarray(np.einsum("ij,ij->i", self.E @ Z, self.E))

    def values(self, Z: FloatArray) -> FloatArray:
        return np.asarray(self.A @ self.distances(Z))

    def adjoint(self, y: FloatArray) -> FloatArray:
        return np.asarray(self.E.T @ ((self.A.T @ y)[:, None] * self.E))

    def residual(self) -> FloatArray:
        return np.asarray(self.b - self.values(self.Z) - self.w)

    def feasible(self, tol: float) -> bool:
        return bool(np.abs(self.residual()).max() <= tol * (1 + np.abs(self.b).max()))

    def solve(self, tol: float, max_iter: int, who: str) -> tuple[FloatArray, int]:
        history: list[tuple[float, float]] = []
        step = 0
        for step in range(1, max_iter + 1):
            value = float(np.einsum("ij,ij->", self.C, self.Z))
            dual = float(self.b @ self.y)
            gap = abs(dual - value) / max(abs(value), 1e-12)
            history.append((value, gap))
            report("semidefinite program", step, max_iter, value)
            self._refuse_contradictions(who)
            off = np.abs(self.adjoint(self.y) - self.C - self.S).max()
            if gap <= 0.5 * tol and self.feasible(1e-9) and off <= 1e-9:
                break
            try:
                if not self._step():
                    break
            except np.linalg.LinAlgError:  # as far as rounding lets it
                break
        return np.asarray(history), step

    def _step(self) -> bool:
        free, y, w = self.free, self.y, self.w
        count = len(self.Z) + int(free.sum())
        mu = (float(np.einsum("ij,ij->", self.Z, self.S)) + float(w[free] @ y[free])) / count
        root_S = scipy.linalg.cholesky(self.S, lower=True)
        inverse = scipy.linalg.cho_solve((root_S, True), np.eye(len(self.S)))
        inverse = (inverse + inverse.T) / 2
        EZ, EI = self.E @ self.Z, self.E @ inverse
        M = (EZ @ self.E.T) * (EI @ self.E.T)
        if not self.plain:
            M = np.asarray(self.A @ np.asarray(self.A @ M).T)
        at = np.arange(len(self.b))
        M[at[free], at[free]] += w[free] / y[free]
        M[at, at] *= 1 + 1e-14
        schur = scipy.linalg.cho_factor(M, lower=True, overwrite_a=True, check_finite=False)
        off = self.adjoint(y) - self.C - self.S
        base = -self.b - self.values(_symmetric(self.Z @ off @ inverse))
        inverse_y = np.where(free, 1 / np.where(free, y, 1.0), 0.0)
        unit = self.values(inverse) + inverse_y

        def direction(
            target: float, bend: FloatArray, bend_w: FloatArray
        ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
            right = base + target * unit - self.values(bend) - bend_w
            dy = scipy.linalg.cho_solve(schur, right, check_finite=False)
            dS = self.adjoint(dy) + off
            dZ = target * inverse - self.Z - _symmetric(self.Z @ dS @ inverse) - bend
            dw = np.where(free, target * inverse_y - w - w * dy * inverse_y - bend_w, 0.0)
            return dZ, dw, dy, dS

        nothing = np.zeros_like(self.Z)
        dZ, dw, dy, dS = direction(0.0, nothing, np.zeros_like(w))
        root_Z = scipy.linalg.cholesky(self.Z, lower=True)
        p = min(_reach(root_Z, dZ), _reach_positive(w[free], dw[free]))
        d = min(_reach(root_S, dS), _reach_positive(y[free], dy[free]))
        after = float(np.einsum("ij,ij->", self.Z + p * dZ, self.S + d * dS))
        after += float((w + p * dw)[free] @ (y + d * dy)[free])
        sigma = min(1.0, max(after / count / mu, 1e-6)) ** 2
        bend = _symmetric(dZ @ dS @ inverse)
        dZ, dw, dy, dS = direction(sigma * mu, bend, dw * dy * inverse_y)
        p = min(_reach(root_Z, dZ), _reach_positive(w[free], dw[free]))
        d = min(_reach(root_S, dS), _reach_positive(y[free], dy[free]))
        self.Z = _symmetric(self.Z + p * dZ)
        self.w = w + p * dw
        self.y = y + d * dy
        self.S = _symmetric(self.S + d * dS)
        return max(p, d) > 1e-8

    def dual_bound(self, largest_trace: float) -> float:
        """bᵀy, plus what a not quite positive dual slack could be worth to any feasible kernel."""
        y = np.where(self.free, np.maximum(self.y, 0.0), self.y)
        slack = self.adjoint(y) - self.C
        n = len(slack)
        rounding = 4 * n * np.finfo(np.float64).eps * float(np.abs(slack).sum(axis=1).max())
        lowest = float(scipy.linalg.eigvalsh(slack, subset_by_index=[0, 0])[0]) - rounding
        return float(self.b @ y) + max(0.0, -lowest) * largest_trace

    def _refuse_contradictions(self, who: str) -> None:
        """A y with bᵀy < 0 whose adjoint is positive proves that no kernel will do."""
        worth = float(self.b @ self.y)
        if worth >= 0:
            return
        ray = self.y / -worth
        lowest = float(scipy.linalg.eigvalsh(self.adjoint(ray), subset_by_index=[0, 0])[0])
        # a kernel of trace t would give −1 ≥ lowest · t
        if lowest * 1e8 * float(np.abs(self.b).max()) * len(self.C) > -1.0:
            strongest = np.argsort(-np.abs(ray))[:5]
            raise ValueError(
                f"The constraints of {who} contradict one another: no kernel meets all of them. "
                f"The strongest part in it have constraints {strongest.tolist()}. Take some of "
                f"them out, or allow slack."
            )


def _largest_trace(
    n: int, pairs: IntArray, A: sp.csr_array, bounds: FloatArray, equal: BoolArray
) -> float:
    """tr K = Σ_ij D_ij / 2n, and no distance is longer than the shortest path of bounded pairs."""
    single = np.flatnonzero(np.diff(A.indptr) == 1)
    weight = A.data[A.indptr[single]]
    pair, limit = A.indices[A.indptr[single]], bounds[single] / weight
    upper = (equal[single] | (weight > 0)) & (limit >= 0)
    pair, limit = pair[upper], np.sqrt(limit[upper])
    i, j = pairs[pair].T
    W = np.full((n, n), np.inf)
    np.minimum.at(W, (np.minimum(i, j), np.maximum(i, j)), limit)
    D = shortest_path(np.ma.masked_invalid(np.minimum(W, W.T)), directed=False)
    return float((D**2).sum() / (2 * n))


def _symmetric(X: FloatArray) -> FloatArray:
    return np.asarray((X + X.T) / 2)


def _reach(root: FloatArray, change: FloatArray) -> float:
    """The step that keeps root rootᵀ + α·change positive, at most one."""
    scaled = scipy.linalg.solve_triangular(root, change, lower=True)
    scaled = scipy.linalg.solve_triangular(root, scaled.T, lower=True)
    lowest = float(scipy.linalg.eigvalsh(_symmetric(scaled), subset_by_index=[0, 0])[0])
    return 1.0 if lowest >= -_FRACTION else -_FRACTION / lowest


def _reach_positive(values: FloatArray, change: FloatArray) -> float:
    down = change < 0
    return float(min(1.0, _FRACTION * np.min(-values[down] / change[down], initial=np.inf)))


def _factor(K: FloatArray) -> FloatArray:
    values, vectors = scipy.linalg.eigh(K)
    kept = values > 1e-12 * max(values[-1], 0.0)
    R = vectors[:, kept] * np.sqrt(values[kept])
    return fix_signs(np.asarray(R[:, ::-1]))
