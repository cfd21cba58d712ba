"""The joint density of data and latent points, and what follows from it: both mappings.

p̂(y, z) = (1/N) Σ_a k(y, y_a) k(z, z_a) / (C_Y C_Z) (latent-factor thesis, eq. 3.4).  Its regression
functions are E[y | z] (3.22) and E[z | y] (3.23), mixtures of the training items and of their
latent points; the conditional variances follow in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import logsumexp

from sidelight.core import FloatArray, IntArray, row_blocks
from sidelight.latent.density.bandwidth import leave_one_out_bandwidth
from sidelight.latent.density.kernels import (
    DataKernel,
    DiscreteKernel,
    GaussianKernel,
    QuarticKernel,
    normalised_weights,
)


@dataclass(frozen=True)
class JointDensity:
    """A fitted joint density.

    Parameters
    ----------
    items : ndarray of shape (n, p)
        Training items.
    points : ndarray of shape (n, d)
        Their latent points.
    columns : ndarray of shape (p',)
        The columns in which the items differ, which the kernel compares.
    data_kernel : DataKernel
        k of the data.
    bandwidth : float
        h of the data; that of the latent space is one.
    """

    items: FloatArray
    points: FloatArray
    columns: IntArray
    data_kernel: DataKernel
    bandwidth: float

    @property
    def latent_kernel(self) -> GaussianKernel | QuarticKernel:
        """The kernel of the latent space, with bandwidth one."""
        finite = np.isfinite(self.data_kernel.reach)
        return (QuarticKernel if finite else GaussianKernel)(self.points.shape[1])

    def expected_points(
        self, Y: FloatArray, similarity: FloatArray | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Compute E[z | y] and the standard deviation of z given y."""
        weights = self.weights_of_items(Y, similarity)
        return _moments(weights, self.points, _own_variance(self.latent_kernel, 1.0))

    def expected_items(
        self, Z: FloatArray, similarity: FloatArray | None = None, *, smoothing: float = 1.0
    ) -> tuple[FloatArray, FloatArray]:
        """Compute E[y | z] and the standard deviation of y given z."""
        weights = self.weights_of_points(Z, similarity, smoothing=smoothing)
        own = np.zeros(self.items.shape[1])
        own[self.columns] = _own_variance(self.data_kernel, self.bandwidth)
        mean, std = _moments(weights, self.items, own)
        if np.isinf(self.data_kernel.reach) and not hasattr(self.data_kernel, "n_features"):
            mean = _most_likely_codes(weights, self.items)
        return mean, std

    def reconstruction_error(self, Y: FloatArray) -> float:
        """Measure how far items are from their projection, E[y | E[z | y]]."""
        back = self.expected_items(self.expected_points(Y)[0])[0]
        return float(np.mean(np.sum((back - Y) ** 2, axis=1)))

    def density(self, Z: FloatArray) -> FloatArray:
        """Compute p̂(z) (3.5)."""
        kernel = self.latent_kernel
        values = kernel.values(kernel.dissimilarities(Z, self.points), 1.0)
        return np.asarray(values.mean(axis=1) * np.exp(-kernel.log_normaliser(1.0)))

    @cached_property
    def data_bandwidth(self) -> float:
        """h of p̂(y), under which each item is likeliest given the others (3.20).

        That of the joint density says which items are alike, and is far wider in many dimensions.
        """
        return leave_one_out_bandwidth(self.items[:, self.columns], self.data_kernel)

    def log_density(self, Y: FloatArray) -> FloatArray:
        """Compute log p̂(y) of what is known of rows, p̂(y) = (1/N) Σ_a k(y, y_a) / C_Y.

        A code that no item has is impossible.
        """
        blocks = row_blocks(len(Y), 24.0 * len(self.items), budget=2e8)
        return np.concatenate([self._log_density(Y[block]) for block in blocks])

    def _log_density(self, Y: FloatArray) -> FloatArray:
        kernel, h = self.data_kernel, self.data_bandwidth
        logs = logsumexp(kernel.log_values(self._dissimilarities(Y), h), axis=1)
        seen = ~np.isnan(Y[:, self.columns])
        found = logs - np.log(len(self.items)) - kernel.log_normaliser(h, seen)
        if isinstance(kernel, DiscreteKernel):
            for j in self.columns:
                strange = ~np.isnan(Y[:, j]) & ~np.isin(Y[:, j], self.items[:, j])
                found = np.where(strange, -np.inf, found)
        return np.asarray(found)

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw rows from p̂(y): an item, and the kernel around it."""
        Y = self.items[rng.integers(len(self.items), size=n)]
        among = self.items[:, self.columns]
        around = self.data_kernel.around(Y[:, self.columns], self.data_bandwidth, rng, among)
        Y[:, self.columns] = around
        return Y

    def weights_of_items(self, Y: FloatArray, similarity: FloatArray | None = None) -> FloatArray:
        """Compute k(y, y_a) / Σ_b k(y, y_b), each weighted by similarity in a known factor."""
        return _weights(self._dissimilarities(Y), self.data_kernel, self.bandwidth, similarity)

    def _dissimilarities(self, Y: FloatArray) -> FloatArray:
        """In the entries that are known: both kernels with infinite reach are products."""
        Y, items = Y[:, self.columns], self.items[:, self.columns]
        missing = np.isnan(Y)
        if not missing.any():
            return self.data_kernel.dissimilarities(Y, items)
        if not isinstance(self.data_kernel, GaussianKernel):
            # NaN differs from every code
            differing = self.data_kernel.dissimilarities(Y, items)
            return np.asarray(differing - missing.sum(axis=1)[:, None])
        centre = items.mean(axis=0)
        seen, items = np.where(missing, 0.0, Y - centre), items - centre
        squared = (~missing) @ (items**2).T - 2 * seen @ items.T + (seen**2).sum(axis=1)[:, None]
        return np.asarray(np.maximum(squared, 0.0))

    def weights_of_points(
        self, Z: FloatArray, similarity: FloatArray | None = None, *, smoothing: float = 1.0
    ) -> FloatArray:
        """Compute k(z, z_a) / Σ_b k(z, z_b), each weighted by similarity in a known factor."""
        kernel = self.latent_kernel
        return _weights(kernel.dissimilarities(Z, self.points), kernel, smoothing, similarity)

    def recognise(self, Y: FloatArray, among: Any = True) -> IntArray:
        """Find the training item that each row is, among those that it may be."""
        D = np.where(among, self._dissimilarities(Y), np.inf)
        nearest = D.argmin(axis=1)
        same = self.data_kernel.same(Y, self.items[nearest], D.min(axis=1))
        return np.where(same, nearest, -1)


def _weights(
    D: FloatArray, kernel: DataKernel, bandwidth: float, similarity: FloatArray | None
) -> FloatArray:
    if similarity is None:
        return normalised_weights(D, kernel, bandwidth)
    # relative to the nearest of those that are alike at all
    D = np.where(similarity > 1e-6, D, np.inf)
    weights = similarity * normalised_weights(D, kernel, bandwidth)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _moments(
    weights: FloatArray, values: FloatArray, own: FloatArray | float
) -> tuple[FloatArray, FloatArray]:
    """Mean and standard deviation of a mixture of kernels with variance ``own``."""
    centre = values.mean(axis=0)  # less cancellation in the second moment
    centred = values - centre
    mean = weights @ centred
    variance = np.maximum(weights @ centred**2 - mean**2, 0.0) + own
    return mean + centre, np.sqrt(variance)


def _own_variance(kernel: DataKernel, bandwidth: float) -> float:
    """The variance of each coordinate under one kernel."""
    if isinstance(kernel, QuarticKernel):
        return 2 * bandwidth / (kernel.n_features + 6)
    return bandwidth / 2 if isinstance(kernel, GaussianKernel) else 0.0


def _most_likely_codes(weights: FloatArray, items: FloatArray) -> FloatArray:
    columns = []
    for column in items.T:
        codes, which = np.unique(column, return_inverse=True)
        votes = weights @ np.eye(len(codes))[which]
        columns.append(codes[votes.argmax(axis=1)])
    return np.column_stack(columns)


def differing_columns(items: FloatArray, n_components: int, *, who: str) -> IntArray:
    """The columns in which rows differ; a map needs more rows than dimensions, and two of them."""
    n = len(items)
    if n_components >= n:
        raise ValueError(
            f"The 'n_components' parameter of {who} must be below n_samples={n}. Got "
            f"{n_components} instead."
        )
    columns = np.flatnonzero(np.ptp(items, axis=0) > 0)
    if not len(columns):
        raise ValueError(f"{who} needs two distinct rows. All {n} are the same.")
    return columns
