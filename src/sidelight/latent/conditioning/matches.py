"""Which items correspond across the values of a known factor.

Across different values of a factor the data's own kernel says nothing: a cup from the left and the
same cup from the right have no pixel in common.  Items are therefore matched: W_ab says how well b
is what a would be at b's value of the factor, and every item sends mass one to every value.

Three cases:  *classes*, whose items are compared by their residuals from the class mean;
*repeated* numbers, likewise, with less weight to matches across a wide gap;  *different* numbers,
whose matches are chains of those between comparable items
(:mod:`~sidelight.latent.conditioning.chains`).  Where items have no like in some classes, matches
are partial (:mod:`~sidelight.latent.conditioning.partial_matches`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sidelight.core import FloatArray
from sidelight.latent.conditioning.chains import chained_matches
from sidelight.latent.conditioning.sinkhorn import balance
from sidelight.latent.density import KnownFactor, squared_distances

#: Temperatures of the match between classes, softest first; the map tells which was best.
CLASS_TEMPERATURES = (0.8, 0.4, 0.2, 0.1, 0.05, 0.02)
_REPEATED_TEMPERATURE = 0.01
#: Matches are trusted by this power of the mean best cosine at their gap.
_TRUST = 12
_GAP_BINS = 20


@dataclass(frozen=True)
class Matching:
    """Correspondences across the values of a factor.

    Parameters
    ----------
    W : ndarray of shape (n, n)
        Matches; Σ_b M_bl W_ab is about one for every item a and value l.
    M : ndarray of shape (n, L)
        Memberships of items to values.
    trust : ndarray of shape (n, L)
        How far item a's matches at value l are to be trusted; rows sum to one.
    partial : bool
        Whether some items have no match at some values.
    carried : bool
        Whether what the factor does was learned, and carried items to be matched.
    """

    W: FloatArray
    M: FloatArray
    trust: FloatArray
    partial: bool = False
    carried: bool = False

    @cached_property
    def rivals(self) -> FloatArray:
        """From whom every item is to be told, of shape (n, n).

        Those of its own value; and those of another value, as far as neither has a match there:
        else what is seen at one value only would be free to lie on what is seen at another only.
        """
        same = np.asarray(self.M @ self.M.T)
        if not self.partial:
            return same
        shares = self.trust / np.sum(self.trust * self.M, axis=1, keepdims=True)
        unmatched = np.maximum(1 - shares @ self.M.T, 0.0)
        return np.asarray(np.where(same > 0.5, same, unmatched * unmatched.T))

    def graph(self) -> FloatArray:
        """Weigh the matches by their trust."""
        A = self.W * (self.trust @ self.M.T)
        A = (A + A.T) / 2
        return np.asarray(A / A.sum(axis=1).mean())


def match_items(
    Y: FloatArray, factor: KnownFactor, *, temperatures: Sequence[float] = CLASS_TEMPERATURES
) -> list[Matching]:
    """Match items across the values of a factor."""
    M = factor.memberships()
    even = np.full(M.shape, 1 / M.shape[1])
    if factor.kind == "different":
        chains, carried = chained_matches(Y, factor)
        W = balance(chains, M)
        return [Matching(W / (W @ M).mean(), M, even, carried=carried)]
    residuals = _residuals(Y, M)
    products = residuals @ residuals.T
    if factor.kind == "classes":
        return [Matching(_balanced_match(products, M, t), M, even) for t in temperatures]
    W = _balanced_match(products, M, _REPEATED_TEMPERATURE)
    return [Matching(W, M, _trust(products, factor.coordinates, M))]


def _residuals(Y: FloatArray, M: FloatArray) -> FloatArray:
    """What the factor does not explain, y − E[y | x], in units of its r.m.s. at that value."""
    shares = M / M.sum(axis=0)
    residuals = Y - M @ (shares.T @ Y)
    power = np.sqrt(shares.T @ np.einsum("ij,ij->i", residuals, residuals))
    return np.asarray(residuals / np.maximum(M @ power, 1e-12)[:, None])


def _balanced_match(products: FloatArray, M: FloatArray, temperature: float) -> FloatArray:
    # relative to the best match at each value, so that a low temperature leaves no value out
    values = M.argmax(axis=1)
    logs = products / temperature
    for value in range(M.shape[1]):
        inside = values == value
        logs[:, inside] -= logs[:, inside].max(axis=1, keepdims=True)
    return balance(np.exp((logs + logs.T) / 2), M)


def _trust(products: FloatArray, coordinates: FloatArray, M: FloatArray) -> FloatArray:
    """The mean best cosine at the gap between an item's value and another, to a high power."""
    lengths = np.sqrt(np.maximum(np.diag(products), 1e-300))
    cosines = products / np.outer(lengths, lengths)
    values = M.argmax(axis=1)
    best = np.stack([cosines[:, values == v].max(axis=1) for v in range(M.shape[1])], axis=1)
    at = (M / M.sum(axis=0)).T @ coordinates
    gaps = np.sqrt(squared_distances(coordinates, at))
    mean = _mean_at_gaps(gaps, best)
    trust = np.maximum(mean, 0.0) ** _TRUST
    return np.asarray(trust / trust.sum(axis=1, keepdims=True))


def _mean_at_gaps(gaps: FloatArray, values: FloatArray) -> FloatArray:
    """Replace each value by the mean of those at its gap, or near it where gaps hardly repeat."""
    distinct, bins = np.unique(gaps.round(6), return_inverse=True)
    if len(distinct) > gaps.size / 20:
        edges = np.unique(np.quantile(gaps, np.linspace(0, 1, 2 * _GAP_BINS + 1)))[1:-1]
        bins = np.digitize(gaps, edges)
    bins = bins.reshape(gaps.shape)
    counts = np.maximum(np.bincount(bins.ravel()), 1)
    return np.asarray((np.bincount(bins.ravel(), weights=values.ravel()) / counts)[bins])
