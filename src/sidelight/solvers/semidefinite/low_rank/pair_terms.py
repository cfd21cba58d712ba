"""Constraints on single pairs beside the cones of an unfolding, as smooth terms of its barrier.

With D = ‖R_i − R_j‖² and g = ±(D − b), a constraint g ≤ ξ or g = ξ of softness s, ξ = s y, is the
term ½ φ(t) with

    φ(t) = max_y t y − ½ (s + e) y² (+ μ log y for inequalities),    t = g + e ŷ,    φ′(t) = y.

The e that is lent makes hard constraints smooth: ŷ is the multiplier before, and once it repeats
itself g = s y whatever e is (the method of multipliers).  A dual that is proximal in y is one that
a contradiction sends to infinity, along a ray that proves it.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from sidelight.core import BoolArray, FloatArray, IntArray
from sidelight.solvers.semidefinite.constraints import PairConstraints


class PairTerms:
    """Terms of single pairs, with the multipliers that they believe in.

    Parameters
    ----------
    constraints : PairConstraints
        Of one pair each, with a weight of ±1.
    n : int
        Number of nodes.
    unit : float
        The square that counts as one.
    """

    def __init__(self, constraints: PairConstraints, n: int, unit: float) -> None:
        A = sp.csr_array(constraints.combine)
        self.pairs: IntArray = constraints.pairs[A.indices]
        self.sign: FloatArray = A.data.copy()
        self.bounds: FloatArray = constraints.bounds / unit
        self.equal: BoolArray = constraints.equal
        self.soft: FloatArray = constraints.softness / unit
        self.hard: BoolArray = self.soft == 0
        q = len(self.bounds)
        self.lent = np.zeros(q)
        self.believed = np.where(self.equal, 0.0, 1e-3)
        self.y = self.believed.copy()
        at = np.arange(q)
        where = (np.r_[at, at], np.r_[self.pairs[:, 0], self.pairs[:, 1]])
        self.E = sp.csr_array((np.repeat([1.0, -1.0], q), where), shape=(q, n))
        self.ends = self.E.T.tocsr()
        size = np.abs(self.bounds)
        self.size: FloatArray = np.where(size > 0, size, 1.0)

    def __len__(self) -> int:
        return len(self.bounds)

    def excess(self, R: FloatArray) -> FloatArray:
        """Compute g, above zero where a bound is missed."""
        spans = self.E @ R
        return np.asarray(self.sign * np.einsum("ij,ij->i", spans, spans) - self.bounds)

    def multipliers(self, g: FloatArray, mu: float) -> FloatArray:
        """Find the tension that answers an excess."""
        s = self.soft + self.lent
        t = g + self.lent * self.believed
        root = np.sqrt(t**2 + 4 * s * mu)
        with np.errstate(divide="ignore", invalid="ignore"):
            bent = np.where(t > 0, (t + root) / (2 * s), 2 * mu / (root - np.minimum(t, 0.0)))
        return np.asarray(np.where(self.equal, t / s, bent))

    def slopes(self, y: FloatArray, mu: float) -> FloatArray:
        """Compute φ″ where the tension is y."""
        give = np.where(self.equal, 0.0, mu / np.where(self.equal, 1.0, y) ** 2)
        return np.asarray(1 / (self.soft + self.lent + give))

    def value(self, g: FloatArray, mu: float) -> float:
        """Sum the terms."""
        y = self.multipliers(g, mu)
        phi = 0.5 * (self.soft + self.lent) * y**2
        phi += np.where(self.equal, 0.0, mu * np.log(np.where(self.equal, 1.0, y)))
        return 0.5 * float(phi.sum())

    def lend(self, share: float, load: float) -> None:
        """Make the terms as smooth as a level of the barrier asks for."""
        wanted = share * self.size * np.minimum(self.size, 1.0) / load
        self.lent = np.where(self.hard, wanted, np.maximum(wanted - self.soft, 0.0))

    def believe(self, y: FloatArray) -> None:
        """Take the tensions found for those that will be."""
        self.believed = y.copy()

    def missed(self, g: FloatArray) -> FloatArray:
        """Measure what is missed of the constraints."""
        return np.asarray(np.where(self.equal, np.abs(g), np.maximum(g, 0.0)))

    def worst(self, g: FloatArray) -> float:
        """Measure what is missed of the worst hard constraint, relative to it."""
        return float((self.missed(g) / self.size)[self.hard].max(initial=0.0))

    def unsettled(self, g: FloatArray, y: FloatArray) -> float:
        """Measure how far the terms are from g = s y, relative to the bounds."""
        off = self.lent * np.abs(y - self.believed)
        return float(max((off / self.size).max(initial=0.0), self.worst(g)))
