"""How far rows lie apart, as matrices: T for rows in general, M for some pairs of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from sidelight.core import FloatArray, IntArray
from sidelight.metric.learning.pair_graph import graph_rank


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


@dataclass(frozen=True)
class PairScatter:
    """How far apart the rows of some pairs lie.

    Parameters
    ----------
    mean : ndarray of shape (r, r)
        M, the mean of ddᵀ over the pairs; zero without any.
    count : int
        The number of pairs.
    rank : int
        Of how many of them the others follow: rows named − components of their graph.
    """

    mean: FloatArray
    count: int
    rank: int

    @classmethod
    def of(cls, Z: FloatArray, pairs: IntArray) -> PairScatter:
        """Measure pairs of rows: Σddᵀ = ZᵀLZ with L the Laplacian of the graph of the pairs."""
        if len(pairs) == 0:
            return cls(np.zeros(2 * (Z.shape[1],)), 0, 0)
        rows, ends = np.unique(pairs, return_inverse=True)
        first, second = ends.reshape(-1, 2).T
        order = np.arange(len(pairs))
        ones = np.ones(len(pairs))
        incidence = sp.csr_array(
            (np.r_[ones, -ones], (np.r_[order, order], np.r_[first, second])),
            shape=(len(pairs), len(rows)),
        )
        centred = Z[rows] - Z[rows].mean(axis=0)
        total = centred.T @ ((incidence.T @ incidence) @ centred)
        return cls(np.asarray((total + total.T) / (2 * len(pairs))), len(pairs), graph_rank(pairs))

    @property
    def total(self) -> FloatArray:
        """Σddᵀ."""
        return self.count * self.mean


def squared_lengths(differences: FloatArray, A: FloatArray) -> FloatArray:
    """Compute dᵀAd for every row d."""
    return np.asarray(np.einsum("ij,ij->i", differences @ A, differences))
