"""The closed form of a hybrid: distances that should be kept, and neighbours that should hold.

min_Z (1 − α) ‖M − ZZᵀ‖² + α tr(Zᵀ L Z) (informed-embedding thesis, eq. 2.3).  With B = (1 − α) M −
(α/2) L it is ‖B − (1 − α) ZZᵀ‖² / (1 − α) and a constant (eq. 2.5, corrected), so that Z are the
leading eigenvectors of B, scaled by the roots of their eigenvalues over 1 − α; directions whose
eigenvalue is not positive have no extent.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sidelight.core import FloatArray
from sidelight.estimator import StiffnessKernel
from sidelight.solvers.eigen import (
    DENSE_ORDER,
    Eigenpairs,
    Operator,
    inverse_of_stiffness,
    largest_by_corrections,
    largest_eigenpairs,
    smallest_eigenpairs,
    smallest_of_square,
)

#: Pairs of either method beside the wanted ones that the search for those of both begins with.
_SPARE = 2
#: Smallest eigenvalues of L below this share of the largest are rounding.
_ROUNDING = 1e-11


@dataclass(frozen=True)
class HybridProblem:
    """Inner products M and a stiffness L of the same points, N^½ y their variables.

    Parameters
    ----------
    products : callable
        Applies M, whose rows sum to zero, to blocks of vectors.
    stiffness : StiffnessKernel
        L, sparse, and N^½, which L takes to zero.
    d : int
        The dimensions of the map.
    who : str
        The estimator, for messages.
    precision : float
        Relative, of what ``products`` gives.
    """

    products: Operator
    stiffness: StiffnessKernel
    d: int
    who: str
    precision: float = 1e-12

    @property
    def n(self) -> int:
        """How many points."""
        return len(self.stiffness.root)

    @cached_property
    def constant(self) -> FloatArray:
        """The direction in which all points move alike: it says nothing, and is taken off."""
        root = self.stiffness.root
        return np.asarray(root / np.linalg.norm(root))[:, None]

    def bend(self, block: FloatArray) -> FloatArray:
        """Apply L."""
        A = self.stiffness.A
        return np.asarray(A.T @ (A @ block) if self.stiffness.squared else A @ block)

    @cached_property
    def _dense(self) -> tuple[FloatArray, FloatArray] | None:
        """M and L themselves, of few points."""
        if self.n > max(DENSE_ORDER, 4 * (self.d + _SPARE + 1)):
            return None
        M, L = self.products(np.eye(self.n)), self.bend(np.eye(self.n))
        return (M + M.T) / 2, (L + L.T) / 2

    @cached_property
    def stretched(self) -> Eigenpairs:
        """The leading pairs of M: the distance method alone."""
        tol = max(1e-9, self.precision)
        d = min(self.d + _SPARE, self.n - 1)
        return largest_eigenpairs(self.products, d, n=self.n, tol=tol, who=self.who)

    @cached_property
    def held(self) -> Eigenpairs:
        """The smallest pairs of L after the constant: the locality method alone."""
        A, root, d = self.stiffness.A, self.stiffness.root, min(self.d + _SPARE, self.n - 1)
        if self.stiffness.squared:
            return smallest_of_square(A, root, d, who=self.who)
        return smallest_eigenpairs(A, d, null=root[:, None], who=self.who)

    @cached_property
    def stiffest(self) -> float:
        """The largest eigenvalue of L."""
        return float(largest_eigenpairs(self.bend, 1, n=self.n, who=self.who).values[0])

    @cached_property
    def _inverse(self) -> Operator | None:
        return inverse_of_stiffness(self.stiffness.A, squared=self.stiffness.squared)

    def weight(self, balance: str) -> float:
        """What L counts for, so that both terms have one scale.

        ``"norm"``: L gets the norm of M.  ``"map"``: the d-th smallest eigenvalue of L gets that of
        the d-th largest of M, so that both ask alike for the last dimension of their own maps.
        """
        if balance == "norm":
            return float(self.stretched.values[0]) / self.stiffest
        smallest = max(float(self.held.values[self.d - 1]), _ROUNDING * self.stiffest)
        return max(float(self.stretched.values[self.d - 1]), 0.0) / smallest

    def leading(self, alpha: float, weight: float, near: FloatArray | None = None) -> Eigenpairs:
        """The leading eigenpairs of B = (1 − α) M − (α/2) w L, from vectors ``near`` to them."""
        if self._dense is not None:
            M, L = self._dense
            B = (1 - alpha) * M - alpha / 2 * weight * L
            constant = self.constant
            B -= 2 * np.abs(B).sum(axis=0).max() * (constant @ constant.T)  # below all others
            return largest_eigenpairs(B, self.d, who=self.who)

        def apply(block: FloatArray) -> FloatArray:
            image = np.zeros_like(block)
            if alpha < 1:
                image += (1 - alpha) * self.products(block)
            if alpha > 0:
                image -= alpha / 2 * weight * self.bend(block)
            return image

        ends = [self.stretched.vectors, self.held.vectors]
        start = np.hstack(ends if near is None else [*ends, near])
        correct = self._inverse if alpha > 0 else None
        found = largest_by_corrections(
            apply, start, self.d, correct=correct, null=self.constant, floor=self.precision
        )
        residuals = np.linalg.norm(apply(found.vectors) - found.vectors * found.values, axis=0)
        scale = max(abs(found.values[0]), abs(found.lowest))
        return Eigenpairs(found.values, found.vectors, residuals / scale, found.lowest)
