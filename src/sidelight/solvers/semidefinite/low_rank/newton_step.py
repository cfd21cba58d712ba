"""A Newton step on an unfolding in the low-rank factor.

The steps are those of the cone program: every edge carries a dual point of its cone, and the pair
is scaled after Nesterov and Todd.  The matrix of a step is Eᵀ V E − κC, where κ ≤ 1 keeps it
positive: the concave part is what a trust region in the metric of the barrier takes off.  What
pushes pairs apart instead of holding them together belongs to the concave part too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sidelight.core import FloatArray
from sidelight.solvers.semidefinite.low_rank.barrier import Unfolding
from sidelight.solvers.semidefinite.low_rank.cones import ConePoints, Scaling

#: A step never takes more of a slack than all but this.
_LEFT = 0.005
_CORRECTIONS = 3


@dataclass
class Shift:
    """How much of the concave part is left, κ = 1/(1 + q): all where the matrix is positive.

    Eᵀ V E − C + q·EᵀVE is the matrix of a trust region in the metric of the barrier.

    Parameters
    ----------
    q : float
        At least 0.
    """

    q: float = 0.0

    def factor(
        self,
        problem: Unfolding,
        V: FloatArray,
        apart: FloatArray | None = None,
        metric: FloatArray | None = None,
    ) -> Callable[[FloatArray], FloatArray]:
        """Factor the matrix of a step, with q as large as makes it positive."""
        axes = np.arange(V.shape[1])
        while True:
            # turns of the map have no curvature: a trace of q keeps rounding from a wrong sign
            share = 1 / (1 + max(self.q, 1e-7))
            W = V
            if apart is not None and metric is not None:
                W = V.copy()
                W[:, axes, axes] += (self.q * metric - share * apart)[:, None]
            factor = problem.matrices.factor(W, problem.mass * share)
            if factor.n_negative == V.shape[1] or self.q > 1e8:  # the translations
                return factor.solve
            self.q = max(4 * self.q, 1e-3)

    def after(self, length: float) -> None:
        """Learn from the length of a step."""
        if length < 0.15:  # short steps come of directions with hardly any curvature
            self.q = max(4 * self.q, 1e-3) if self.q < 10 else self.q
        elif length >= 0.6 or (length >= 0.2 and self.q > 2):
            self.q = self.q / 4 if self.q > 1e-4 else 0.0


@dataclass(frozen=True)
class Direction:
    """A step of R, of the spans and of the dual points.

    Parameters
    ----------
    R : ndarray of shape (n, r)
        Of the layout.
    u, z : ConePoints
        Of the edges.
    spans : ndarray of shape (q, r)
        Of the pairs beside.
    y : ndarray of shape (q,)
        Of their multipliers.
    """

    R: FloatArray
    u: ConePoints
    z: ConePoints
    spans: FloatArray
    y: FloatArray


class NewtonSystem:
    """The factored system at one point; right-hand sides for any μ cost a solution each.

    Parameters
    ----------
    problem : Unfolding
        The problem.
    R : ndarray of shape (n, r)
        Strictly inside the cones.
    z : ConePoints
        The dual points of the edges.
    shift : Shift
        Of the matrix; changed as needed.
    mu : float
        Of the terms' curvature.
    """

    def __init__(
        self, problem: Unfolding, R: FloatArray, z: ConePoints, shift: Shift, mu: float
    ) -> None:
        self.problem, self.R, self.z = problem, R, z
        self.u = ConePoints(problem.lengths, problem.E @ R)
        self.s = problem.slack(R)
        self.value = problem.variance(R)
        self._scaling = Scaling(self.u, z)
        terms = problem.terms
        self.spans = terms.E @ R
        self.g = terms.excess(R)
        V, apart, metric = self._scaling.blocks(), None, None
        if len(terms):
            self.slopes = terms.slopes(terms.y, mu)
            along = (2 * self.slopes)[:, None, None] * (
                self.spans[:, :, None] * self.spans[:, None, :]
            )
            axes = np.arange(R.shape[1])
            pull = terms.sign * terms.y
            along[:, axes, axes] += np.maximum(pull, 0.0)[:, None]
            V = problem.blocks(V, along)
            nothing = np.zeros(len(self.s))
            apart = problem.blocks(nothing, np.maximum(-pull, 0.0))
            load = self.value / (len(self.s) + len(terms))
            metric = problem.blocks(nothing, load / terms.size)
        self._solve = shift.factor(problem, V, apart, metric)

    def gradient(self, mu: float) -> FloatArray:
        """Compute the gradient of F."""
        problem = self.problem
        forces = (mu / self.s)[:, None] * self.u.tail
        out = problem.ends @ forces - problem.mass[:, None] * self.R
        if len(problem.terms):
            pull = problem.terms.sign * problem.terms.multipliers(self.g, mu)
            out = out + problem.terms.ends @ (pull[:, None] * self.spans)
        return np.asarray(out)

    def direction(self, mu: float, before: Direction | None = None) -> Direction:
        """Find the step to complementarity μ."""
        problem, terms = self.problem, self.problem.terms
        wanted = problem.central(mu, self.s, self.u.tail)
        if before is not None:
            wanted = wanted.moved(self._scaling.second_order(before.u, before.z), -1.0)
        right = problem.mass[:, None] * self.R + problem.ends @ wanted.tail
        y = terms.multipliers(self.g, mu)
        if len(terms):
            pull = (terms.sign * y)[:, None] * self.spans
            if before is not None:
                squares = np.einsum("ij,ij->i", before.spans, before.spans)
                y = y + terms.sign * self.slopes * squares
                pull = (terms.sign * y)[:, None] * self.spans
                pull = pull + (terms.sign * before.y)[:, None] * before.spans
            right = right - terms.ends @ pull
        dR = problem.centred(self._solve(right))
        du = ConePoints(np.zeros(len(self.s)), problem.E @ dR)
        dz = wanted.moved(self._scaling.of_tails(du.tail), -1.0).moved(self.z, -1.0)
        spans = terms.E @ dR
        if len(terms):
            along = 2 * np.einsum("ij,ij->i", self.spans, spans)
            y = y + terms.sign * self.slopes * along
        return Direction(dR, du, dz, spans, y - terms.y)

    def answer(self, vector: FloatArray, mu: float) -> FloatArray:
        """Find how the layout gives way to a new column a·v, to first order in a²."""
        problem, terms = self.problem, self.problem.terms
        longer = (problem.E @ vector) ** 2
        forces = (mu / self.s**2 * longer)[:, None] * self.u.tail
        right = problem.ends @ forces
        if len(terms):
            tension = self.slopes * (terms.E @ vector) ** 2
            right = right + terms.ends @ (tension[:, None] * self.spans)
        return problem.centred(self._solve(-right))

    def decrement(self, mu: float, direction: Direction) -> float:
        """Measure how fast F falls along a step."""
        return -float(np.einsum("ij,ij->", self.gradient(mu), direction.R))

    def reach_of_zero(self) -> float:
        """Measure how much of the step to μ = 0 stays inside."""
        to_zero = self.direction(0.0)
        return min(1.0, self.u.reach(to_zero.u), self.z.reach(to_zero.z))

    def multipliers(self, direction: Direction) -> FloatArray:
        """Predict the multipliers that a step leads to."""
        head = self.z.head + direction.z.head
        along = np.maximum(head, 0.01 * self.z.head) / self.problem.lengths
        return np.concatenate([along, self._of_terms(direction, 1.0)])

    def _of_terms(self, direction: Direction, length: float) -> FloatArray:
        terms = self.problem.terms
        y = terms.y + length * direction.y
        return np.asarray(np.where(terms.equal, y, np.maximum(y, 0.01 * terms.y)))

    def move(
        self, mu: float, direction: Direction, decrement: float
    ) -> tuple[FloatArray, ConePoints, float] | None:
        """Take the step, straight or bent by its second-order term, where F falls most."""
        value = self.problem.barrier(self.R, self.s, mu)
        best: tuple[float, float, FloatArray, Direction | None] | None = None
        bent: Direction | None = None
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
        if len(self.problem.terms):
            self.problem.terms.y = self._of_terms(bent or direction, length)
        return self.problem.centred(R), self._dual(direction, bent, length, mu, R), length

    def _along(self, first: Direction, bent: Direction | None, length: float) -> FloatArray:
        if bent is None:
            return np.asarray(self.R + length * first.R)
        return np.asarray(self.R + length * first.R + length**2 * (bent.R - first.R))

    def _dual(
        self,
        direction: Direction,
        bent: Direction | None,
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
