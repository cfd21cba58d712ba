"""Known distances as springs of a map, in a unit of their own.

A pair that is t apart is drawn to the distance u t in the map, u the unit that suits all of them
best, u = Σ d t / Σ t²: with stiffness κ_ij the pull on y_i is κ_ij (1 − u t_ij/d_ij)(y_i − y_j).

Springs that are rigid do not pull: after every step the rows they join go to where

    Σ (d_ij − u t_ij)²

is least, from where they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sidelight.core import FloatArray, IntArray

#: κ of a pair whose rows are in no other one.
_STIFFNESS = 0.1
#: Sweeps after a step and for good, the relative miss at which they end on the way and in a map
#: that is done, and how bold they are.
_SWEEPS, _ALL_SWEEPS, _FITS, _FITS_DONE, _BOLD = 20, 2000, 1e-3, 1e-9, 1.4


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
    rigid : bool
        Whether they are held, rather than pull.
    """

    left: IntArray
    right: IntArray
    lengths: FloatArray
    stiffness: FloatArray
    rigid: bool = False

    @classmethod
    def between(cls, pairs: IntArray, lengths: FloatArray, n: int) -> Springs:
        """Springs that leave every row as free as one spring does; of one pair only one."""
        pairs, lengths = _each_pair_once(pairs, lengths)
        left, right = pairs.T
        degree = np.bincount(pairs.ravel(), minlength=n).astype(np.float64)
        return cls(left, right, lengths, _STIFFNESS / np.sqrt(degree[left] * degree[right]))

    def taken_to(self, rank: IntArray) -> Springs:
        """The same springs, where point i has become point ``rank[i]``."""
        return replace(self, left=rank[self.left], right=rank[self.right])

    @property
    def rows(self) -> IntArray:
        """The points that they join."""
        return np.unique(np.concatenate([self.left, self.right]))

    def unit(self, Y: FloatArray) -> float:
        """u: how long a unit of the given distances is in the map."""
        from sidelight.latent.neighbor_embedding._pairs_compiled import unit_of

        return float(unit_of(np.ascontiguousarray(Y), self.left, self.right, self.lengths))

    def misses(self, Y: FloatArray) -> FloatArray:
        """|d − u t| / u t of every spring."""
        d = np.sqrt(((Y[self.left] - Y[self.right]) ** 2).sum(axis=1))
        return np.asarray(np.abs(d / (max(self.unit(Y), 1e-300) * self.lengths) - 1.0))

    def hold(
        self,
        Y: FloatArray,
        velocity: FloatArray | None = None,
        *,
        u: float | None = None,
        done: bool = False,
    ) -> None:
        """Move the rows that they join to where they fit best; a step is what came of it.

        In a map that is ``done`` they fit as exactly as they can.
        """
        from sidelight.latent.neighbor_embedding._pairs_compiled import relax

        rows = self.rows
        left, right = np.searchsorted(rows, self.left), np.searchsorted(rows, self.right)
        degree = np.bincount(np.concatenate([left, right])).astype(np.float64)
        u = self.unit(Y) if u is None else u
        y = Y[rows]
        sweeps = _ALL_SWEEPS if velocity is None else _SWEEPS
        fits = _FITS_DONE if done else _FITS
        relax(y, left, right, u * self.lengths, degree, (sweeps, fits, _BOLD))
        if velocity is not None:
            velocity[rows] += y - Y[rows]
        Y[rows] = y

    def add_pulls(self, Y: FloatArray, pulls: FloatArray) -> None:
        """Add the pulls of all springs."""
        away = Y[self.left] - Y[self.right]
        d = np.sqrt((away**2).sum(axis=1))
        u = float(np.sum(d * self.lengths) / np.sum(self.lengths**2))
        force = (self.stiffness * (1.0 - u * self.lengths / np.maximum(d, 1e-12)))[:, None] * away
        np.add.at(pulls, self.left, force)
        np.add.at(pulls, self.right, -force)


def _each_pair_once(pairs: IntArray, lengths: FloatArray) -> tuple[IntArray, FloatArray]:
    """Pairs of points with the mean of what is said of each; copies of rows are one point."""
    ordered = np.sort(pairs, axis=1)
    once, which, counts = np.unique(ordered, axis=0, return_inverse=True, return_counts=True)
    if len(once) == len(pairs):
        return pairs, lengths
    return once, np.bincount(which.ravel(), weights=lengths) / counts
