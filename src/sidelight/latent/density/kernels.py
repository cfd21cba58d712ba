"""Kernels in the space of the data: how alike two items are, as a density around each.

A kernel k with normaliser C makes the density estimate p̂(y) = Σ_b k(y, y_b) / (N C).  All
fall from 1 and are governed by one bandwidth h.

References
----------
R. Memisevic (2008), "Non-linear latent factor models for revealing structure in high-dimensional
data", PhD thesis, University of Toronto, chapter 3.
J. Aitchison and C. G. G. Aitken (1976), "Multivariate binary discrimination by the kernel method".
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lgamma, log, pi
from typing import Any, ClassVar, Protocol

import numpy as np

from sidelight.core import BoolArray, FloatArray
from sidelight.latent.density.table import TableKernel
from sidelight.similarity import gaussian_shares, gaussian_similarity

KERNELS = ("gaussian", "quartic", "discrete", "precomputed")


class DataKernel(Protocol):
    """What the joint density needs to know of the data's space."""

    @property
    def by_table(self) -> bool:
        """Whether similarities are all that is known of items."""
        ...

    @property
    def reach(self) -> float:
        """Dissimilarities above this many bandwidths have kernel value zero."""
        ...

    def dissimilarities(self, A: FloatArray, B: FloatArray) -> FloatArray:
        """Compare rows: squared distances, or columns that differ."""
        ...

    def spread(self, Y: FloatArray) -> float:
        """Measure the mean dissimilarity between items."""
        ...

    def missed(self, weights: FloatArray, Y: FloatArray, dissimilarities: FloatArray) -> float:
        """Measure how far items are from mixtures of them, on average, squared."""
        ...

    def same(self, Y: FloatArray, items: FloatArray, apart: FloatArray) -> BoolArray:
        """Tell which rows are the items beside them, so far apart as is known of each."""
        ...

    def values(self, dissimilarities: FloatArray, bandwidth: float) -> FloatArray:
        """Compute the kernel, 1 where nothing differs."""
        ...

    def log_values(self, dissimilarities: FloatArray, bandwidth: float) -> FloatArray:
        """Compute log k, which does not vanish before k does."""
        ...

    def log_normaliser(self, bandwidth: float, seen: BoolArray | None = None) -> Any:
        """Compute log C, the integral (or the sum) of the kernel over its space.

        With ``seen`` (n, p), for each row over the columns that are seen of it.
        """
        ...

    def around(
        self, rows: FloatArray, bandwidth: float, rng: np.random.Generator, among: FloatArray
    ) -> FloatArray:
        """Draw a row from the kernel around each; codes are those of the rows ``among``."""
        ...


class BetweenRows:
    """What holds of kernels between rows, of features or of codes."""

    by_table: ClassVar[bool] = False

    def missed(self, weights: FloatArray, Y: FloatArray, dissimilarities: FloatArray) -> float:
        """Compute the mean of ‖y_a − Σ_b w_ab y_b‖²."""
        return float(np.mean(np.sum((weights @ Y - Y) ** 2, axis=1)))

    def same(self, Y: FloatArray, items: FloatArray, apart: FloatArray) -> BoolArray:
        """Those whose entries are equal, of all that are known."""
        missing = np.isnan(Y)
        equal = ((items == Y) | missing).all(axis=1) & ~missing.all(axis=1)
        return np.asarray(equal & np.isfinite(apart))


@dataclass(frozen=True)
class GaussianKernel(BetweenRows):
    """Gaussian: k(y, y') = exp(−‖y − y'‖² / h), C = (πh)^{p/2}.

    Parameters
    ----------
    n_features : int
        p.
    """

    n_features: int
    reach: ClassVar[float] = float("inf")

    def dissimilarities(self, A: FloatArray, B: FloatArray) -> FloatArray:
        """Compute squared distances."""
        return squared_distances(A, B)

    def spread(self, Y: FloatArray) -> float:
        """Compute twice the variance of all features together."""
        return float(2 * Y.var(axis=0).sum())

    def values(self, dissimilarities: FloatArray, bandwidth: float) -> FloatArray:
        """Compute exp(−d² / h)."""
        return gaussian_similarity(dissimilarities, bandwidth)

    def log_values(self, dissimilarities: FloatArray, bandwidth: float) -> FloatArray:
        """Compute −d² / h."""
        return np.asarray(-dissimilarities / bandwidth)

    def log_normaliser(self, bandwidth: float, seen: BoolArray | None = None) -> Any:
        """Compute (p / 2) log(πh)."""
        p = self.n_features if seen is None else seen.sum(axis=1)
        return 0.5 * p * log(pi * bandwidth)

    def around(
        self, rows: FloatArray, bandwidth: float, rng: np.random.Generator, among: FloatArray
    ) -> FloatArray:
        """Add noise of variance h / 2."""
        return np.asarray(rows + np.sqrt(bandwidth / 2) * rng.standard_normal(rows.shape))


@dataclass(frozen=True)
class QuarticKernel(BetweenRows):
    """Finite support: k(y, y') = max(0, 1 − ‖y − y'‖² / 2h)²: exp(−d²/h) to first order in d².

    C = (2πh)^{p/2} · 2 / Γ(p/2 + 3).

    Parameters
    ----------
    n_features : int
        p.
    """

    n_features: int
    reach: ClassVar[float] = 2.0

    def dissimilarities(self, A: FloatArray, B: FloatArray) -> FloatArray:
        """Compute squared distances."""
        return squared_distances(A, B)

    def spread(self, Y: FloatArray) -> float:
        """Compute twice the variance of all features together."""
        return float(2 * Y.var(axis=0).sum())

    def values(self, dissimilarities: FloatArray, bandwidth: float) -> FloatArray:
        """Compute max(0, 1 − d² / 2h)²."""
        return np.asarray(np.maximum(1 - dissimilarities / (2 * bandwidth), 0.0) ** 2)

    def log_values(self, dissimilarities: FloatArray, bandwidth: float) -> FloatArray:
        """Compute 2 log(1 − d² / 2h), −∞ beyond its support."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.values(dissimilarities, bandwidth)))

    def log_normaliser(self, bandwidth: float, seen: BoolArray | None = None) -> Any:
        """Compute log C; all columns must be seen."""
        half = 0.5 * self.n_features
        return half * log(2 * pi * bandwidth) + log(2) - lgamma(half + 3)

    def around(
        self, rows: FloatArray, bandwidth: float, rng: np.random.Generator, among: FloatArray
    ) -> FloatArray:
        """Step in any direction, by r with r² / 2h ~ Beta(p / 2, 3)."""
        steps = rng.standard_normal(rows.shape)
        squares = 2 * bandwidth * rng.beta(0.5 * self.n_features, 3.0, size=len(rows))
        lengths = np.sqrt(squares / np.einsum("ij,ij->i", steps, steps))
        return np.asarray(rows + lengths[:, None] * steps)


@dataclass(frozen=True)
class DiscreteKernel(BetweenRows):
    """Codes: k(y, y') = exp(−#{j : y_j ≠ y'_j} / h) for columns of codes; δ (eq. 3.25) as h → 0.

    C = Π_j (1 + (c_j − 1) e^{−1/h}) with c_j the values that column j takes.

    Parameters
    ----------
    n_values : tuple of int
        c_j, at least 2.
    """

    n_values: tuple[int, ...]
    reach: ClassVar[float] = float("inf")

    def dissimilarities(self, A: FloatArray, B: FloatArray) -> FloatArray:
        """Count the columns that differ."""
        from scipy.spatial.distance import cdist

        return np.asarray(np.round(A.shape[1] * cdist(A, B, "hamming")))

    def spread(self, Y: FloatArray) -> float:
        """Compute Σ_j (1 − Σ_c p_jc²), p_jc the share of the value c in column j."""
        shares = [np.unique(column, return_counts=True)[1] / len(Y) for column in Y.T]
        return float(sum(1 - np.sum(share**2) for share in shares))

    def values(self, dissimilarities: FloatArray, bandwidth: float) -> FloatArray:
        """Compute exp(−count / h): codes that differ are as far apart as corners of a cube."""
        return gaussian_similarity(dissimilarities, bandwidth)

    def log_values(self, dissimilarities: FloatArray, bandwidth: float) -> FloatArray:
        """Compute −count / h."""
        return np.asarray(-dissimilarities / bandwidth)

    def log_normaliser(self, bandwidth: float, seen: BoolArray | None = None) -> Any:
        """Compute log C."""
        logs = np.log1p((np.asarray(self.n_values) - 1) * np.exp(-1 / bandwidth))
        return float(logs.sum()) if seen is None else seen @ logs

    def around(
        self, rows: FloatArray, bandwidth: float, rng: np.random.Generator, among: FloatArray
    ) -> FloatArray:
        """Keep a code with probability 1 / (1 + (c − 1) e^{−1/h}), else take any of the others."""
        drawn = rows.copy()
        for j, count in enumerate(self.n_values):
            codes, which = np.unique(np.r_[among[:, j], rows[:, j]], return_inverse=True)
            kept = 1 / (1 + (count - 1) * np.exp(-1 / bandwidth))
            others = (which[len(among) :] + rng.integers(1, count, size=len(rows))) % count
            drawn[:, j] = np.where(rng.random(len(rows)) < kept, rows[:, j], codes[others])
        return drawn


def kernel_for(name: str, Y: FloatArray) -> DataKernel:
    """Make a kernel by its name."""
    if name == "precomputed":
        return TableKernel()
    if name == "discrete":
        return DiscreteKernel(tuple(len(np.unique(column)) for column in Y.T))
    return (QuarticKernel if name == "quartic" else GaussianKernel)(Y.shape[1])


def normalised_weights(D: FloatArray, kernel: DataKernel, bandwidth: float) -> FloatArray:
    """Turn dissimilarities into weights that sum to one.

    A row out of reach of everything takes the nearest alone; so does a Gaussian in that limit.
    """
    if np.isinf(kernel.reach):
        return gaussian_shares(D, bandwidth)
    weights = kernel.values(D, bandwidth)
    alone = weights.sum(axis=1) == 0
    weights[alone] = D[alone] == D[alone].min(axis=1, keepdims=True)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def squared_distances(A: FloatArray, B: FloatArray) -> FloatArray:
    """Compute squared distances: directly for few columns, by products for many.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.latent.density.kernels import squared_distances
    >>> squared_distances(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0]]))
    array([[25.]])
    """
    if A.shape[1] <= 16:  # no cancellation, and no slower
        from scipy.spatial.distance import cdist

        return np.asarray(cdist(A, B, "sqeuclidean"))
    # products of numbers far from zero would lose what differs between rows
    middle = B.mean(axis=0)
    A, B = A - middle, B - middle
    squared = np.einsum("ij,ij->i", A, A)[:, None] + np.einsum("ij,ij->i", B, B) - 2 * (A @ B.T)
    return np.asarray(np.maximum(squared, 0.0))
