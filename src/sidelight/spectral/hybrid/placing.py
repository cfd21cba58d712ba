"""New points of a hybrid, and the kernel that it is kernel PCA of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import FloatArray
from sidelight.estimator import StiffnessKernel, keep_matches


@dataclass(frozen=True)
class PulledAndHeld:
    """A new point goes where the objective is least while all others stay.

    With the pull t = Σ_j k̃(x, x_j) z_j of the distances, and neighbours that hold x at their middle
    m with strength l: (σ + (α/2) w l) z = (1 − α) t + (α/2) w l m, the row of B z = σ z at x.

    Parameters
    ----------
    pull : callable, optional
        From new points to t; without it their neighbours alone place them.
    hold : Barycentric or Harmonic
        From new points to m and l.
    values : ndarray of shape (d,)
        σ; zero in dimensions without extent.
    alpha : float
        α.
    weight : float
        w, what L counts for.
    seen : Points, optional
        The training points as the distances see them, where that is otherwise.
    distinct : DistinctRows, optional
        Which rows of X they are.
    """

    pull: Any
    hold: Any
    values: FloatArray
    alpha: float
    weight: float
    seen: Any = None
    distinct: Any = None

    def __call__(self, new: Any) -> FloatArray:
        """Place new points; a training point where it is."""
        middle, strength, near = self.hold.held(new)
        if self.pull is not None:
            held = self.alpha / 2 * self.weight * strength
            other = new if self.seen is None else self.seen.of_new(new.rows, self.distinct)
            total = self.values + held
            asked = (1 - self.alpha) * self.pull(other) + held * middle
            middle = asked / np.where(total > 0, total, np.inf)
        return keep_matches(middle, near, self.hold.places)


@dataclass(frozen=True)
class HybridKernel:
    """((1 − α) K − (α/2) w L) / share: what a hybrid is kernel PCA of, not yet centred.

    Parameters
    ----------
    products : callable
        Gives K of the distinct points.
    stiffness : StiffnessKernel
        L.
    alpha : float
        α.
    weight : float
        w.
    share : float
        1 − α where the map is the optimum, else 1.
    """

    products: Any
    stiffness: StiffnessKernel
    alpha: float
    weight: float
    share: float

    def __call__(self) -> FloatArray:
        """Compute it for the distinct points."""
        A, root = self.stiffness.A, self.stiffness.root
        L = (A.T @ A if self.stiffness.squared else A).toarray() / np.outer(root, root)
        K = (1 - self.alpha) * self.products() - self.alpha / 2 * self.weight * L
        return np.asarray(K / self.share)
