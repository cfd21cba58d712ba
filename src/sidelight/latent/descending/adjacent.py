"""Latent points of rows that follow one another: adjacent ones are near, in the map's own unit.

    ρ(Z) = (1/m) Σ_adjacent ‖z_i − z_j‖² / (2/n) Σ_i ‖z_i − z̄‖²

is about one for points in any order and zero for points that hardly move; the size of the map does
not matter to it.  (The ratio of von Neumann, in any number of dimensions.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from sidelight.core import FloatArray, IntArray
from sidelight.estimator import Told, points_of, rows_in_order


@dataclass(frozen=True)
class AdjacentSettings:
    """How much a Sequence counts, in the unit of each objective.

    Set on motions along an S and a circle with noise, draws 100 to 103, the last three on 110 to
    112; those that are shown (experiments/informed/rows_in_order.py) are others.

    Parameters
    ----------
    information : float
        w of kernel information embedding, in nats for every row.
    regression : float
        w of unsupervised kernel regression, in variances of the data.
    process : float
        w of the GP-LVM, in nats for every row.
    choices : float
        w of stochastic neighbour embedding, in nats for every row.
    stress : float
        w of the Sammon mapping, in its stress.
    strain : float
        w of classical scaling as a base of relations, in its strain.
    """

    information: float = 0.3
    regression: float = 0.3
    process: float = 3.0
    choices: float = 1.0
    stress: float = 0.1
    strain: float = 0.3


ADJACENT = AdjacentSettings()
#: A function of points that gives its value and its gradient.
OfPoints: TypeAlias = Callable[[FloatArray], tuple[float, FloatArray]]


@dataclass(frozen=True)
class Adjacent:
    """The term w ρ(Z) of an objective that is lowered, with its gradient.

    Parameters
    ----------
    pairs : ndarray of shape (m, 2)
        Points that follow one another.
    weight : float
        w.

    Examples
    --------
    Points on a line, in order and out of it.

    >>> import numpy as np
    >>> near = Adjacent(np.array([[0, 1], [1, 2], [2, 3]]), 1.0)
    >>> [round(near(np.array([z]).T)[0], 3) for z in ([0.0, 1, 2, 3], [0.0, 3, 1, 2])]
    [0.4, 1.867]
    """

    pairs: IntArray
    weight: float

    def __call__(self, Z: FloatArray) -> tuple[float, FloatArray]:
        """Compute the term and its gradient."""
        n, m = len(Z), len(self.pairs)
        if m == 0:
            return 0.0, np.zeros_like(Z)
        away = Z - Z.mean(axis=0)
        spread = 2.0 * float(np.sum(away**2)) / n
        if spread == 0:
            return 0.0, np.zeros_like(Z)
        i, j = self.pairs.T
        moves = Z[i] - Z[j]
        ratio = float(np.sum(moves**2)) / m / spread
        ends = sp.csr_array(
            (np.repeat([1.0, -1.0], m), (np.concatenate([i, j]), np.tile(np.arange(m), 2))),
            shape=(n, m),
        )
        slope = (2.0 / m) * np.asarray(ends @ moves) - (4.0 / n) * ratio * away
        return self.weight * ratio, (self.weight / spread) * slope

    def beside(self, function: OfPoints) -> OfPoints:
        """The function of points with this term added; itself where no row follows another."""
        if not len(self.pairs):
            return function

        def both(Z: FloatArray) -> tuple[float, FloatArray]:
            value, slope = function(Z)
            more, further = self(Z)
            return value + more, slope + further

        return both

    def renumbered(self, place: IntArray) -> Adjacent:
        """The same of points in another order: point i is now at place[i]."""
        return Adjacent(place[self.pairs], self.weight)

    def among(self, rows: IntArray, n: int) -> Adjacent:
        """What is left of it for some of n points, and as much of the weight."""
        place = np.full(n, -1, dtype=np.intp)
        place[rows] = np.arange(len(rows))
        pairs = place[self.pairs]
        return Adjacent(pairs[np.all(pairs >= 0, axis=1)], self.weight * len(rows) / n)


#: No row follows another.
NOTHING_ADJACENT = Adjacent(np.empty((0, 2), dtype=np.intp), 0.0)


def adjacent_in(told: Told, X: Any, weight: float, *, who: str) -> tuple[Told, Adjacent]:
    """Hear a Sequence: the term that it is, and what became of it.

    ``X`` are rows of features, or points; what is missing counts as the mean of its column.
    """
    sequence = told.known.get("Sequence")
    if sequence is None:
        return told, NOTHING_ADJACENT
    if isinstance(X, np.ndarray):
        missing = np.isnan(X)
        filled = np.where(missing, np.nanmean(X, axis=0), X) if missing.any() else X
        X = points_of(filled, "euclidean", who=who)
    order = rows_in_order(sequence, X)
    told = replace(told, notes={**told.notes, "Sequence": order.said})
    return told, Adjacent(order.pairs, weight)
