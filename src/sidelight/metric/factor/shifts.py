"""Items of some kinds, shifted by a factor: y = b_k + (B₀ + Σ_q u_kq A_q)ᵀφ(x).

The kind k of an item is soft, with memberships ∝ exp(−‖y − m_k(x)‖²/s²) about m_k(x), the prototype
b_k as the factor shifts it.  u_k are leading coordinates of b_k, times the part of the factor's
variance that the kind is seen with: a kind that is seen at one value has the common shift alone.
With kinds partialled out, B₀ and A are a ridge regression on G = [φ, φ ⊗ u].
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.linalg
from scipy.spatial.distance import cdist

from sidelight.core import BoolArray, FloatArray, comparable
from sidelight.metric.factor.settings import RemovalSettings
from sidelight.similarity import gaussian_shares


@dataclass(frozen=True)
class Shifts:
    """What a factor does to items, in coordinates.

    Parameters
    ----------
    prototypes : ndarray of shape (K, d)
        b.
    common : ndarray of shape (f, d)
        B₀.
    bends : ndarray of shape (q, f, d)
        A; with no layer where one shift serves all.
    coordinates : ndarray of shape (K, q)
        u.
    width : float
        s².
    """

    prototypes: FloatArray
    common: FloatArray
    bends: FloatArray
    coordinates: FloatArray
    width: float

    def memberships(self, Y: FloatArray, phi: FloatArray) -> FloatArray:
        """How much each row is of each kind, (n, K)."""
        return _soft(self.squared(Y, phi), self.width)

    def squared(self, Y: FloatArray, phi: FloatArray) -> FloatArray:
        """‖y − m_k(x)‖², (n, K)."""
        plain = Y - phi @ self.common
        if not len(self.bends):
            return np.asarray(cdist(plain, self.prototypes, "sqeuclidean"))
        found = np.empty((len(Y), len(self.prototypes)))
        layers = np.tensordot(self.coordinates, self.bends, axes=1)
        for k, (prototype, layer) in enumerate(zip(self.prototypes, layers, strict=True)):
            rest = plain - prototype - phi @ layer
            found[:, k] = np.einsum("ij,ij->i", rest, rest)
        return found

    def overlap(self, Y: FloatArray, phi: FloatArray) -> float:
        """The part of the factor's variance that kinds are seen with, on average over rows."""
        R = self.memberships(Y, phi)
        weights = np.maximum(R.sum(axis=0), 1e-9)
        return float(weights @ _overlap(phi, R, weights) / weights.sum())

    def of(self, Y: FloatArray, phi: FloatArray) -> FloatArray:
        """The shift of each row: (B₀ + Σ_q u_q A_q)ᵀφ with u of its kinds."""
        shift = phi @ self.common
        if len(self.bends):
            u = self.memberships(Y, phi) @ self.coordinates
            for layer, weight in zip(self.bends, u.T, strict=True):
                shift += weight[:, None] * (phi @ layer)
        return np.asarray(shift)

    def among(self, taken: BoolArray) -> Shifts:
        """The same where φ has more columns: those that are not taken shift nothing."""
        common = np.zeros((len(taken), self.common.shape[1]))
        bends = np.zeros((len(self.bends), *common.shape))
        common[taken], bends[:, taken] = self.common, self.bends
        return replace(self, common=common, bends=bends)

    def before(self, Y: FloatArray, phi: FloatArray, rounds: int = 30) -> FloatArray:
        """Rows whose shift was taken out, shifted again: y = y' + shift(y)."""
        found = Y + phi @ self.common
        for _ in range(rounds if len(self.bends) else 0):
            found = Y + self.of(found, phi)
        return np.asarray(found)


def starts_of(Y: FloatArray, phi: FloatArray, settings: RemovalSettings) -> list[Shifts]:
    """Three starts: kinds of items as they are, less their regression on φ, less a coarse shift.

    The coarse shift is that of few kinds, which are wide at first and grow sharp: where kinds are
    seen at some values only, regression takes that for an effect, and many sharp kinds keep it.
    """
    nothing = np.zeros((phi.shape[1], Y.shape[1]))
    ridge = phi.T @ phi + np.eye(phi.shape[1])
    regression = scipy.linalg.solve(ridge, phi.T @ Y, assume_a="pos")
    half = settings.rounds // 2
    widths = np.geomspace(settings.first_width, settings.width, half)
    widths = np.append(widths, np.full(settings.rounds - half, settings.width))
    few = _start(Y, phi, regression, settings.few_kinds, settings)
    coarse = _in_turn(Y, phi, few, np.inf, widths).common
    return [
        _start(Y, phi, common, settings.kinds, settings) for common in (nothing, regression, coarse)
    ]


def fit_shifts(
    Y: FloatArray, phi: FloatArray, start: Shifts, ridge: float, settings: RemovalSettings
) -> Shifts:
    """Memberships and shifts in turn, from a start on."""
    n_bends = min(settings.bends, Y.shape[1]) if np.isfinite(ridge) else 0
    bent = replace(
        start,
        bends=np.zeros((n_bends, phi.shape[1], Y.shape[1])),
        coordinates=np.zeros((len(start.prototypes), n_bends)),
    )
    return _in_turn(Y, phi, bent, ridge, np.full(settings.rounds, settings.width))


def _start(
    Y: FloatArray, phi: FloatArray, common: FloatArray, most: int, settings: RemovalSettings
) -> Shifts:
    """Kinds of items, given one shift for all."""
    n_kinds = max(min(most, len(Y) // settings.rows_per_kind), 1)
    prototypes = _means(Y - phi @ common, n_kinds)
    no_bends = np.zeros((0, *common.shape)), np.zeros((len(prototypes), 0))
    return Shifts(prototypes, common, *no_bends, 0.0)


def _in_turn(
    Y: FloatArray, phi: FloatArray, shifts: Shifts, ridge: float, widths: FloatArray
) -> Shifts:
    for part in widths:
        squared = shifts.squared(Y, phi)
        width = float(part * squared.min(axis=1).mean())
        R = _soft(squared, width)
        shifts = _regressed(Y, phi, R, replace(shifts, width=width), ridge)
    return shifts


def _regressed(
    Y: FloatArray, phi: FloatArray, R: FloatArray, shifts: Shifts, ridge: float
) -> Shifts:
    """Shifts and prototypes, given the kinds."""
    weights = np.maximum(R.sum(axis=0), 1e-9)
    n_bends, f = len(shifts.bends), phi.shape[1]
    u = shifts.coordinates
    if n_bends:
        leading = shifts.prototypes[:, :n_bends]
        leading = leading - (weights @ leading) / weights.sum()
        size = np.sqrt(np.sum(weights @ leading**2) / (weights.sum() * n_bends))
        u = leading / max(size, 1e-300) * _overlap(phi, R, weights)[:, None]
    mixed = R @ u
    G = np.hstack([phi, *(phi * column[:, None] for column in mixed.T)])
    penalties = np.r_[np.ones(f), np.full(n_bends * f, ridge if n_bends else 1.0)]
    found = regress_within_kinds(G, Y, R, penalties)
    rest = Y - G @ found
    return Shifts(
        (R.T @ rest) / weights[:, None],
        found[:f],
        found[f:].reshape(n_bends, f, Y.shape[1]),
        u,
        shifts.width,
    )


def regress_within_kinds(
    G: FloatArray, Y: FloatArray, R: FloatArray, penalties: FloatArray
) -> FloatArray:
    """Regress Y on G with kinds partialled out: (G̃ᵀG̃ + diag(penalties))⁻¹ G̃ᵀỸ."""
    RR = R.T @ R + 1e-6 * np.diag(np.maximum(R.sum(axis=0), 1.0))
    kinds_of_G = scipy.linalg.solve(RR, R.T @ G, assume_a="pos")
    S = G.T @ G - (R.T @ G).T @ kinds_of_G + np.diag(penalties)
    T = G.T @ Y - kinds_of_G.T @ (R.T @ Y)
    S = (S + S.T) / 2
    # a ridge that rounding swallows leaves directions that nothing tells of: they are left alone
    S.flat[:: len(S) + 1] += 10 * len(S) * np.finfo(np.float64).eps * np.abs(S).max()
    return np.asarray(scipy.linalg.solve(S, T, assume_a="pos"))


def _overlap(phi: FloatArray, R: FloatArray, weights: FloatArray) -> FloatArray:
    """The part of the factor's variance that each kind is seen with, at most one."""
    means = (R.T @ phi) / weights[:, None]
    squares = (R.T @ np.einsum("ij,ij->i", phi, phi)) / weights
    within = squares - np.einsum("ij,ij->i", means, means)
    total = float(np.mean(np.einsum("ij,ij->i", phi, phi)))
    return np.asarray(np.clip(within / max(total, 1e-300), 0.0, 1.0))


def _soft(squared: FloatArray, width: float) -> FloatArray:
    # relative to the nearest, which a width of nothing leaves alone
    return gaussian_shares(squared - squared.min(axis=1, keepdims=True), max(width, 1e-300))


def _means(Y: FloatArray, n_means: int, rounds: int = 10) -> FloatArray:
    """k-means from rows drawn far from one another, in proportion to squared distances."""
    rng = np.random.default_rng(0)
    chosen = [int(rng.integers(len(Y)))]
    nearest = cdist(Y, Y[chosen], "sqeuclidean")[:, 0]
    for _ in range(n_means - 1):
        if nearest.max() <= 0:
            break
        # rounded, so that the last bit of a sum chooses no other row
        steps = np.round(np.cumsum(nearest) / nearest.sum(), 9)
        chosen.append(int(np.searchsorted(steps, rng.random())))
        nearest = np.minimum(nearest, cdist(Y, Y[chosen[-1:]], "sqeuclidean")[:, 0])
    means = Y[chosen]
    for _ in range(rounds):
        apart = cdist(Y, means, "sqeuclidean")
        own = comparable(apart).argmin(axis=1)
        counts = np.bincount(own, minlength=len(means))
        sums = np.zeros_like(means)
        np.add.at(sums, own, Y)
        means = np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], means)
    return np.asarray(means)
