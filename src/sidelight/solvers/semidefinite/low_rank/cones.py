"""Pairs in second-order cones, one per edge, and the scaling that makes a pair meet itself.

An edge of span δ and bound d is the point u = (d, δ) of the cone u₀ ≥ ‖u₁‖; its dual is a point
z = (z₀, z₁) of the same cone, with force −z₁ on the edge.  Where the two are complementary to μ,
z = μ u⁻¹ = (μ/s)(d, −δ), s = d² − ‖δ‖².
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidelight.core import FloatArray


@dataclass(frozen=True)
class ConePoints:
    """Points of second-order cones, or steps between them.

    Parameters
    ----------
    head : ndarray of shape (m,)
        The first coordinate.
    tail : ndarray of shape (m, r)
        The others.
    """

    head: FloatArray
    tail: FloatArray

    def determinant(self) -> FloatArray:
        """Compute x₀² − ‖x₁‖², positive inside."""
        return np.asarray(self.head**2 - _dot(self.tail, self.tail))

    def moved(self, step: ConePoints, length: float) -> ConePoints:
        """Go along a step."""
        return ConePoints(self.head + length * step.head, self.tail + length * step.tail)

    def reach(self, step: ConePoints) -> float:
        """Find how far a step may go before the first point leaves its cone."""
        a = step.determinant()
        b = self.head * step.head - _dot(self.tail, step.tail)
        c = self.determinant()
        root = np.sqrt(np.maximum(b * b - a * c, 0.0))
        q = -(b + np.where(b >= 0, root, -root))
        with np.errstate(divide="ignore", invalid="ignore"):
            lengths = np.stack([q / a, c / q])
        real = (b * b >= a * c) & (lengths > 0)
        return float(np.where(real, lengths, np.inf).min(initial=np.inf))


class Scaling:
    """The Nesterov–Todd scaling V of pairs inside their cones: V u = z, V = W⁻².

    V = η (2 q qᵀ − J), J = diag(1, −1, …), with η = √(det z / det u); for a complementary pair the
    block of the tails is (μ/s)(I + 2 δδᵀ/s), the second derivative of −(μ/2) log s.

    Parameters
    ----------
    u, z : ConePoints
        Inside.

    References
    ----------
    Y. E. Nesterov and M. J. Todd (1997), "Self-scaled barriers and interior-point methods for
    convex programming".
    """

    def __init__(self, u: ConePoints, z: ConePoints) -> None:
        size_u, size_z = np.sqrt(u.determinant()), np.sqrt(z.determinant())
        u0, u1 = u.head / size_u, u.tail / size_u[:, None]
        z0, z1 = z.head / size_z, z.tail / size_z[:, None]
        gamma = np.sqrt((1 + u0 * z0 + _dot(u1, z1)) / 2)
        self._eta = size_z / size_u
        self._q0 = (z0 + u0) / (2 * gamma)
        self._q1 = (z1 - u1) / (2 * gamma)[:, None]
        # W⁻¹ = √η (2 p pᵀ − J), p half way from q to the axis
        half = np.sqrt(2 * (self._q0 + 1))
        self._p0, self._p1 = (self._q0 + 1) / half, self._q1 / half[:, None]
        self._middle = self._to_middle(u)

    def blocks(self) -> FloatArray:
        """Compute the blocks of V that act on the tails."""
        V = (2 * self._eta)[:, None, None] * (self._q1[:, :, None] * self._q1[:, None, :])
        axes = np.arange(self._q1.shape[1])
        V[:, axes, axes] += self._eta[:, None]
        return np.asarray(V)

    def of_tails(self, tail: FloatArray) -> ConePoints:
        """Apply V to steps whose head does not move."""
        along = 2 * _dot(self._q1, tail)
        tails = self._eta[:, None] * (along[:, None] * self._q1 + tail)
        return ConePoints(self._eta * along * self._q0, tails)

    def second_order(self, du: ConePoints, dz: ConePoints) -> ConePoints:
        """Compute what complementarity to first order leaves out, as a change of z."""
        a, b = self._to_middle(du), self._from_dual(dz)
        head = a.head * b.head + _dot(a.tail, b.tail)
        tail = a.head[:, None] * b.tail + b.head[:, None] * a.tail
        middle = self._middle
        x0 = (middle.head * head - _dot(middle.tail, tail)) / middle.determinant()
        x1 = (tail - x0[:, None] * middle.tail) / middle.head[:, None]
        return self._to_middle(ConePoints(x0, x1))

    def _to_middle(self, x: ConePoints) -> ConePoints:
        """W⁻¹x."""
        along = 2 * (self._p0 * x.head + _dot(self._p1, x.tail))
        root = np.sqrt(self._eta)
        tail = root[:, None] * (along[:, None] * self._p1 + x.tail)
        return ConePoints(root * (along * self._p0 - x.head), tail)

    def _from_dual(self, x: ConePoints) -> ConePoints:
        """W x."""
        along = 2 * (self._p0 * x.head - _dot(self._p1, x.tail))
        root = np.sqrt(self._eta)
        tail = (x.tail - along[:, None] * self._p1) / root[:, None]
        return ConePoints((along * self._p0 - x.head) / root, tail)


def _dot(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("ij,ij->i", a, b))
