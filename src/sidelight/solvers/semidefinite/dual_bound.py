"""What multipliers prove: a bound on the value of every kernel, or that there is none.

The dual of the problem of a :class:`KernelProgram` is

    min_y  Σ_q b_q y_q + ½ Σ_q s_q y_q²
    over   L(Aᵀy) − C ⪰ 0 on centred vectors,  y_q ≥ 0 for inequalities,

L(t) = Σ_p t_p (e_i − e_j)(e_i − e_j)ᵀ the Laplacian of the tensions t on the pairs p = (i, j).  By
weak duality the value of any such y is at least that of any kernel.  Multipliers that a solver
found are not quite such a y: what they lack is measured, with all rounding, and paid for.

A y of hard constraints with bᵀy < 0 and L(Aᵀy) ⪰ 0 proves that no kernel meets them all: it would
have 0 ≤ ⟨L(Aᵀy), K⟩ ≤ bᵀy (Farkas).
"""

from __future__ import annotations

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from sidelight.core import BoolArray, ContradictionError, FloatArray
from sidelight.solvers.semidefinite.inertia import EdgeMatrices, eliminate


def owed(missed: FloatArray, softness: FloatArray, y: FloatArray) -> float:
    """Measure what a kernel may be worth more than it should, by what it misses.

    Σ_hard |m_q y_q| + Σ_soft m_q² / 2s_q: the bound is one on kernels that miss as little.
    """
    hard = softness == 0
    paid = 0.5 * float(np.sum(missed[~hard] ** 2 / softness[~hard]))
    return paid + float(np.abs(missed[hard]) @ np.abs(y[hard]))


def dense_bound(
    C: FloatArray,
    laplacian: FloatArray,
    y: FloatArray,
    bounds: FloatArray,
    softness: FloatArray,
    reach: float,
) -> float:
    """Bound ⟨C, K⟩ by multipliers whose dual slack L(Aᵀy) − C is not quite positive, −ε.

    That is worth ε tr K to a kernel whose trace is bounded by ``reach``; or, since C itself is
    positive, y / (1 − ε/λ) is feasible for the dual problem, λ the second eigenvalue of C.
    """
    slack, n = laplacian - C, len(C)
    rounding = 4 * n * np.finfo(np.float64).eps * float(np.abs(slack).sum(axis=1).max())
    lent = float(np.trace(slack)) / n  # to the constant vector, which does not count
    below = max(0.0, rounding - lowest_eigenvalue(slack + lent / n))
    worth, spread = float(bounds @ y), 0.5 * float(softness @ y**2)
    if not below:
        return worth + spread
    found = [worth + spread + below * reach]
    second = float(scipy.linalg.eigvalsh(C, subset_by_index=[1, 1])[0])
    if lowest_eigenvalue(C) > -1e-12 and below < second:
        share = 1 - below / second
        found.append(worth / share + spread / share**2)
    return min(found)


def sparse_bound(sigma: float, y: FloatArray, bounds: FloatArray, softness: FloatArray) -> float:
    """Bound Σ c_i K_ii by multipliers with L(Aᵀy) ⪰ σC: y/σ is feasible for the dual problem."""
    if sigma <= 0:
        return np.inf
    scaled = y / sigma
    bound = float(bounds @ scaled) + 0.5 * float(softness @ scaled**2)
    return bound + 1e-13 * float(np.abs(bounds) @ np.abs(scaled))


def largest_shift(
    matrices: EdgeMatrices, tension: FloatArray, mass: FloatArray, second: float
) -> float:
    """Find a proven σ, close below the second eigenvalue of (L(t), diag(c)); −inf if none is."""
    for below in (1e-8, 1e-6, 1e-4, 1e-2):
        sigma = verified_shift(matrices, tension, mass, second * (1 - below))
        if sigma > 0:
            return sigma
    return -np.inf


def verified_shift(matrices: EdgeMatrices, y: FloatArray, mass: FloatArray, sigma: float) -> float:
    """Bound the second eigenvalue of L(y) v = λ diag(mass) v from below, with all rounding.

    L(y) − σ·diag(mass) = P D Pᵀ − E with P a unit triangle.  Where D has one negative entry,
    the second eigenvalue of the left side is at least −‖E‖ (Sylvester and Weyl), and E is
    computed.
    """
    A = matrices.matrix(y[:, None, None], sigma * mass)
    try:
        factor = eliminate(A, "NATURAL")
    except RuntimeError:
        return -np.inf
    if not np.array_equal(factor.perm_r, factor.perm_c):
        return -np.inf
    pivots = factor.U.diagonal()
    if np.count_nonzero(pivots < 0) != 1 or np.any(pivots == 0):
        return -np.inf
    P = sp.csc_array(factor.L)
    product = sp.csr_array((P * pivots) @ P.T)
    columns = np.argsort(factor.perm_c)  # column q of the factor is column columns[q] of A
    E = abs(product - sp.csr_array(A)[columns][:, columns])
    # what is lost in forming the product, and in summing the diagonal of L(y)
    longest = int(np.diff(P.tocsr().indptr).max()) + 2
    size = abs(P) @ (np.abs(pivots) * (abs(P).T @ np.ones(matrices.n)))
    degree = int(np.diff(matrices.incident.indptr).max()) + 2
    lost = np.finfo(np.float64).eps * (
        longest * float(size.max())
        + degree * float((matrices.incident @ np.abs(y)).max() + sigma * mass.max())
    )
    error = float(E.sum(axis=1).max()) * (1 + 1e-10) + lost
    return float(sigma - error / mass.min())


def ray_against(y: FloatArray, bounds: FloatArray, hard: BoolArray) -> FloatArray | None:
    """Take the part of multipliers that may prove a contradiction, with bᵀy = −1."""
    ray = np.where(hard, y, 0.0)
    worth = float(bounds @ ray)
    return None if worth >= 0 else np.asarray(ray / -worth)


def contradiction(ray: FloatArray, who: str) -> ContradictionError:
    """Say what a ray proves."""
    strongest = np.argsort(-np.abs(ray))[:5]
    return ContradictionError(
        f"The constraints of {who} contradict one another: no kernel meets all of them. The "
        f"strongest part in it have constraints {strongest.tolist()}. Take some of them out, or "
        f"allow slack.",
        ray,
    )


def lowest_eigenvalue(X: FloatArray) -> float:
    """Find the smallest eigenvalue of a symmetric matrix."""
    return float(scipy.linalg.eigvalsh(X, subset_by_index=[0, 0])[0])
