"""Fitting a metric to squared distances over the cone A ⪰ 0, certified by a duality gap.

The primal problem with centre C and ridge ρ is min ½ Σ (d_iᵀAd_i − t_i)² + (ρ/2)‖A − C‖²_F over
A ⪰ 0.  With 𝒟*(y) = Σ y_i d_i d_iᵀ its dual is unconstrained in the m pairs,

    max yᵀt − ½‖y‖² − (ρ/2)‖Z₊‖² + (ρ/2)‖C‖²,   Z = C + 𝒟*(y)/ρ,

and A = Z₊, the part of Z with positive eigenvalues.  The gradient t − y − 𝒟(Z₊) is piecewise
smooth, and half its square is the duality gap.  Newton's method converges in a few steps, its
equations solved by a factor of the Hessian or, in large problems, by conjugate gradients
preconditioned with I + K/ρ (the Hessian where Z is positive definite).

Without a ridge, the proximal point method solves a sequence of such problems, each centred at the
solution of the one before with a smaller ρ.  Its dual is max yᵀt − ½‖y‖² over 𝒟*(y) ⪯ 0, a cone:
an approximate y is moved inside it, so that the gap is rigorous.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import scipy.linalg

from sidelight.core import BoolArray, FloatArray, Interruption, report
from sidelight.metric.learning.scatter import squared_lengths
from sidelight.solvers import RidgeSystem

Apply: TypeAlias = Callable[[FloatArray], FloatArray]


#: Multiplications up to which the Hessian is formed: a few tenths of a second.
MOST_WORK = 1e10


@dataclass(frozen=True)
class ConeFit:
    """A metric on the cone, and how far from the best it can be.

    Parameters
    ----------
    metric : ndarray of shape (r, r)
        A.
    dual : ndarray of shape (m,)
        The multipliers y.
    objective : float
        The primal value.
    bound : float
        The dual value: no metric has a smaller primal value.
    n_iter : int
        Newton steps.
    converged : bool
        Whether the gap is as small as was asked for.
    interrupted : bool
        Whether the user stopped it.
    """

    metric: FloatArray
    dual: FloatArray
    objective: float
    bound: float
    n_iter: int
    converged: bool
    interrupted: bool = False

    @property
    def gap(self) -> float:
        """The objective less its bound."""
        return self.objective - self.bound


def fit_with_ridge(
    differences: FloatArray,
    targets: FloatArray,
    centre: FloatArray,
    ridge: float,
    gram: RidgeSystem,
    *,
    dual: FloatArray | None = None,
    tol: float = 1e-9,
    max_iter: int = 100,
) -> ConeFit:
    """Minimise ½ Σ (dᵀAd − t)² + (ρ/2)‖A − C‖²_F over A ⪰ 0."""
    if dual is None:
        dual = ridge * gram.solve(targets - squared_lengths(differences, centre), ridge)
    point = _DualPoint(differences, targets, centre, ridge, dual)
    enough = tol * 0.5 * float(targets @ targets)
    steps = 0
    with Interruption() as interruption:
        while point.gap > enough and steps < max_iter:
            report("metric on the cone", steps, None, point.objective)
            further = _search(point, _newton_direction(point, gram))
            if further is None:  # the dual cannot be raised in this arithmetic
                break
            point = further
            steps += 1
    found = point.metric, point.y, point.objective, point.bound
    return ConeFit(*found, steps, point.gap <= enough, bool(interruption))


def fit_without_ridge(
    differences: FloatArray,
    targets: FloatArray,
    centre: FloatArray,
    gram: RidgeSystem,
    *,
    tol: float = 1e-9,
    max_iter: int = 100,
) -> ConeFit:
    """Minimise ½ Σ (dᵀAd − t)² over A ⪰ 0, by the proximal point method.

    Where several metrics fit equally well, the one found lies near to the centre.
    """
    enough = tol * 0.5 * float(targets @ targets)
    ridge = 1e-2 * gram.mean_eigenvalue
    smallest = 1e-7 * gram.mean_eigenvalue  # below, rounding in Z costs more than is gained
    best, A, dual = np.inf, centre, None
    bound, gap, steps, stopped = 0.0, np.inf, 0, False  # y = 0 is in the cone
    with Interruption() as interruption:
        for _ in range(max_iter):
            # an error in y costs the bound as much to first order: ask for a tenth of the gap
            share = max(gap / (0.5 * float(targets @ targets)), tol) if steps else 0.1
            inner = (0.05 * share) ** 2
            near = fit_with_ridge(differences, targets, A, ridge, gram, dual=dual, tol=inner)
            A, dual = near.metric, near.dual
            steps, stopped = steps + near.n_iter, near.interrupted
            residual = targets - squared_lengths(differences, A)
            bound = max(bound, _bound_in_cone(differences, targets, residual))
            objective = 0.5 * float(residual @ residual)
            if objective < best:
                best, metric, multipliers = objective, A, residual
            gap, before = best - bound, gap
            slow = ridge == smallest and gap > 0.5 * before
            # distances that can be fitted exactly are, as far as the arithmetic goes
            if (gap <= enough and gap <= 1e-3 * best) or slow or stopped:
                break
            ridge = max(ridge / 10, smallest)
    if interruption and best == np.inf:
        interruption.go_on()
    found = metric, multipliers, best, min(bound, best)
    return ConeFit(*found, steps, gap <= enough, stopped or bool(interruption))


class _DualPoint:
    """All that is known at one y: Z, its positive part, both values and the gradient."""

    def __init__(
        self,
        differences: FloatArray,
        targets: FloatArray,
        centre: FloatArray,
        ridge: float,
        y: FloatArray,
    ) -> None:
        self.differences, self.targets, self.centre = differences, targets, centre
        self.ridge, self.y = ridge, y
        Z = centre + differences.T @ (y[:, None] * differences) / ridge
        self.values, self.vectors = scipy.linalg.eigh(Z, check_finite=False)
        self.positive: BoolArray = np.asarray(self.values > 0)
        kept = self.vectors[:, self.positive]
        self.metric = (kept * self.values[self.positive]) @ kept.T
        fitted = squared_lengths(differences, self.metric)
        self.gradient = targets - y - fitted
        residual = fitted - targets
        from_centre = float(np.sum((self.metric - centre) ** 2))
        self.objective = 0.5 * float(residual @ residual) + 0.5 * ridge * from_centre
        # objective − dual value: since ⟨Z₊, Z⟩ = ‖Z₊‖² all else cancels, and rounding with it
        self.gap = 0.5 * float(self.gradient @ self.gradient)
        self.bound = self.objective - self.gap

    def at(self, y: FloatArray) -> _DualPoint:
        return _DualPoint(self.differences, self.targets, self.centre, self.ridge, y)


def _newton_direction(point: _DualPoint, gram: RidgeSystem) -> FloatArray:
    """Solve (I + 𝒟 Π' 𝒟*/ρ) Δ = gradient, Π' the derivative of the positive part at Z."""
    values, positive = point.values, point.positive
    above, below = values[positive], values[~positive]
    rotated = point.differences @ point.vectors
    E, F = rotated[:, positive], rotated[:, ~positive]
    mixed = above[:, None] / (above[:, None] - below[None, :])
    work = float(len(rotated)) ** 2 * len(above) * len(below)
    if work <= MOST_WORK:
        return _direct_direction(E, F, mixed, point)

    # Kv is cheap, so that only the part of the rarer sign has to be computed
    rarer, sign = (E, 1.0) if len(above) <= len(below) else (F, -1.0)
    crossing = mixed if sign > 0 else 1 - mixed

    def hessian(v: FloatArray) -> FloatArray:
        own = np.einsum("ij,ij->i", rarer @ (rarer.T @ (v[:, None] * rarer)), rarer)
        cross = crossing * (E.T @ (v[:, None] * F))
        image = sign * (own + 2 * np.einsum("ij,ij->i", E @ cross, F))
        if sign < 0:
            image = image + gram.apply(v)
        return np.asarray(v + image / point.ridge)

    def precondition(v: FloatArray) -> FloatArray:
        return point.ridge * gram.solve(v, point.ridge)

    return _conjugate_gradients(hessian, precondition, point.gradient)


def _direct_direction(
    E: FloatArray, F: FloatArray, mixed: FloatArray, point: _DualPoint
) -> FloatArray:
    """Form the Hessian, m × m, and factor it."""
    H = (E @ E.T) ** 2
    weights = np.sqrt(2 * mixed)
    for columns in np.array_split(np.arange(E.shape[1]), max(1, weights.size // 4096)):
        products = E[:, columns, None] * (weights[columns] * F[:, None, :])
        flat = products.reshape(len(E), -1)
        H += flat @ flat.T
    H /= point.ridge
    H[np.diag_indices(len(H))] += 1
    factor = scipy.linalg.cho_factor(H, overwrite_a=True, check_finite=False)
    return np.asarray(scipy.linalg.cho_solve(factor, point.gradient, check_finite=False))


def _conjugate_gradients(apply: Apply, precondition: Apply, b: FloatArray) -> FloatArray:
    x = np.zeros_like(b)
    r = b.copy()
    z = precondition(r)
    p = z.copy()
    rz = float(r @ z)
    start = float(np.linalg.norm(b))
    goal = min(0.1, start**0.5) * 1e-2 * start
    for _ in range(200):
        Ap = apply(p)
        curvature = float(p @ Ap)
        if curvature <= 0:
            break
        step = rz / curvature
        x += step * p
        r -= step * Ap
        if np.linalg.norm(r) <= goal:
            break
        z = precondition(r)
        rz, before = float(r @ z), rz
        p = z + (rz / before) * p
    return x


def _search(point: _DualPoint, direction: FloatArray) -> _DualPoint | None:
    """Halve the step until the dual has risen enough (Armijo) or the gap has halved."""
    slope = float(point.gradient @ direction)
    for halvings in range(30):
        step = 0.5**halvings
        further = point.at(point.y + step * direction)
        if further.gap < 0.5 * point.gap or further.bound > point.bound + 1e-4 * step * slope:
            return further
    return None


def _bound_in_cone(differences: FloatArray, targets: FloatArray, y: FloatArray) -> float:
    """Move y into 𝒟*(y) ⪯ 0 and compute the best dual value on its ray."""
    G = differences.T @ differences
    values, vectors = scipy.linalg.eigh(G, check_finite=False)
    keep = values > 1e-12 * values[-1]
    whitened = differences @ (vectors[:, keep] / np.sqrt(values[keep]))
    # 𝒟*(y − δ1) = 𝒟*(y) − δG ⪯ 0 as soon as δ is the largest eigenvalue of 𝒟*(y) against G
    outside = float(np.linalg.eigvalsh(whitened.T @ (y[:, None] * whitened))[-1])
    inside = y - max(outside, 0.0) * (1 + 1e-12)
    along = float(inside @ targets)
    square = float(inside @ inside)
    return 0.5 * along**2 / square if along > 0 and square > 0 else 0.0
