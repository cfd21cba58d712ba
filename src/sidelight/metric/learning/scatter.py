"""How far rows lie apart, as matrices: T for rows in general, M for some pairs of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidelight.core import FloatArray


@dataclass(frozen=True)
class Spread:
    """The mean of ddᵀ over all pairs of rows, T = 2 cov(X).

    Parameters
    ----------
    inside : ndarray of shape (r, r)
        T on the coordinates of a space.
    total : float
        tr T, with what lies outside the coordinates.
    squared : float
        tr T², likewise.
    """

    inside: FloatArray
    total: float
    squared: float

    @classmethod
    def of(cls, Z: FloatArray, X: FloatArray | None = None) -> Spread:
        """Measure the spread of rows."""
        factor = 2 / max(len(Z) - 1, 1)
        centred = Z - Z.mean(axis=0)
        inside = factor * (centred.T @ centred)
        if X is None:
            return cls(inside, float(np.trace(inside)), float(np.sum(inside**2)))
        rows = X - X.mean(axis=0)
        return cls(
            inside,
            factor * float(np.sum(rows**2)),
            factor**2 * float(np.sum((rows @ rows.T) ** 2)),
        )

    @property
    def kappa(self) -> float:
        """The mean variance, weighted by itself: κ = tr T² / tr T."""
        return self.squared / self.total if self.total > 0 and self.squared > 0 else 1.0


def mean_scatter(differences: FloatArray) -> FloatArray:
    """Compute M = mean of ddᵀ; zero if there is no difference."""
    return np.asarray(differences.T @ differences / max(len(differences), 1))


def squared_lengths(differences: FloatArray, A: FloatArray) -> FloatArray:
    """Compute dᵀAd for every row d."""
    return np.asarray(np.einsum("ij,ij->i", differences @ A, differences))
