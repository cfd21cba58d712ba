"""Known distances as springs of a map, in a unit of their own.

A pair that is t apart is drawn to the distance u t in the map, u the unit that suits all of them
best, u = Σ d t / Σ t²: with stiffness κ_ij the pull on y_i is κ_ij (1 − u t_ij/d_ij)(y_i − y_j).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidelight.core import FloatArray, IntArray

#: κ of a pair whose rows are in no other one.
_STIFFNESS = 0.1


@dataclass(frozen=True)
class Springs:
    """Springs between points.

    Parameters
    ----------
    left, right : ndarray of shape (m,)
        Their ends.
    lengths : ndarray of shape (m,)
        Distances, in whatever unit.
    stiffness : ndarray of shape (m,)
        κ.
    """

    left: IntArray
    right: IntArray
    lengths: FloatArray
    stiffness: FloatArray

    @classmethod
    def between(cls, pairs: IntArray, lengths: FloatArray, n: int) -> Springs:
        """Springs that leave every row as free as one spring does."""
        left, right = pairs.T
        degree = np.bincount(pairs.ravel(), minlength=n).astype(np.float64)
        return cls(left, right, lengths, _STIFFNESS / np.sqrt(degree[left] * degree[right]))

    def taken_to(self, rank: IntArray) -> Springs:
        """The same springs, where point i has become point ``rank[i]``."""
        return Springs(rank[self.left], rank[self.right], self.lengths, self.stiffness)

    def unit(self, Y: FloatArray) -> float:
        """u: how long a unit of the given distances is in the map."""
        d = np.sqrt(((Y[self.left] - Y[self.right]) ** 2).sum(axis=1))
        return float(np.sum(d * self.lengths) / np.sum(self.lengths**2))

    def add_pulls(self, Y: FloatArray, pulls: FloatArray) -> None:
        """Add the pulls of all springs."""
        away = Y[self.left] - Y[self.right]
        d = np.sqrt((away**2).sum(axis=1))
        u = float(np.sum(d * self.lengths) / np.sum(self.lengths**2))
        force = (self.stiffness * (1.0 - u * self.lengths / np.maximum(d, 1e-12)))[:, None] * away
        np.add.at(pulls, self.left, force)
        np.add.at(pulls, self.right, -force)
