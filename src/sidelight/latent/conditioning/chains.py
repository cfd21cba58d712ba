"""Matches across the values of a number that never comes again.

No two items share a value, so that nothing says what an item would be at another's.  Three things
are used instead.  Residuals from the local mean tell items apart by what the number does not
explain.  At every gap between two values the best match of an item is as far away as the gap alone
would move it: only what is further counts against a match.  And where the number moves items too
far to be compared, how it moves them is learned
(:mod:`~sidelight.latent.conditioning.rotation_by_number`), from close values to distant ones.
Matches are chained, (I − γ S)⁻¹, and balanced over all values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.isotonic import isotonic_regression

from sidelight.core import FloatArray, evenly_spaced
from sidelight.latent.conditioning.rotation_by_number import MatchedPairs, RotationByNumber
from sidelight.latent.conditioning.settings import CHAINS
from sidelight.latent.conditioning.sinkhorn import balance
from sidelight.latent.density import KnownFactor, squared_distances
from sidelight.quality import components_above_noise
from sidelight.similarity import gaussian_similarity
from sidelight.solvers import improves

#: Axes of the residuals that are compared: those above the noise, between these numbers.
_FEWEST_AXES, _MOST_AXES = 10, 60
#: Rows from which a typical distance is read.
_SAMPLED = 300
#: Rounds of matching and learning, and how many may pass without a better match.
_ROUNDS, _PATIENCE = 10, 2
#: Matches of an item from which the rotation is learned.
_LEARNED_FROM = 10


def chained_matches(Y: FloatArray, factor: KnownFactor) -> tuple[FloatArray, bool]:
    """Match items of all values through chains of matches between comparable ones."""
    differences = factor.differences()
    gaps = np.sqrt(np.einsum("abc,abc->ab", differences, differences))
    R = above_noise(unexplained(Y, differences, gaps))
    squared, carried = squared_distances(R, R), False
    if factor.positions is not None:
        squared, carried = _carried(R, factor, differences[:, :, 0], squared)
    links = _links(squared, gaps, _Gaps(gaps, CHAINS.candidates).best_matches(squared))
    chains = np.linalg.inv(np.eye(len(Y)) - CHAINS.go_on * links)
    return np.maximum((chains + chains.T) / 2, 1e-12), carried


def unexplained(Y: FloatArray, differences: FloatArray, gaps: FloatArray) -> FloatArray:
    """Take away the local linear mean at each value, and divide by the local r.m.s. of the rest."""
    n, c = len(Y), differences.shape[2]
    spread = np.sqrt(np.mean(gaps**2) / 2)
    weights = gaussian_similarity((gaps / (spread * n ** (-1 / (4 + c)))) ** 2, 2.0)
    terms = np.concatenate([np.ones((n, n, 1)), differences], axis=2)
    normal = np.einsum("ab,abi,abj->aij", weights, terms, terms)
    normal += 1e-9 * np.trace(normal, axis1=1, axis2=2)[:, None, None] * np.eye(c + 1)
    value = np.linalg.solve(normal, np.broadcast_to(np.eye(c + 1)[:, :1], (n, c + 1, 1)))
    smoother = weights * np.einsum("abi,ai->ab", terms, value[:, :, 0])
    residuals = Y - smoother @ Y
    power = weights @ np.einsum("ij,ij->i", residuals, residuals) / weights.sum(axis=1)
    return np.asarray(residuals / np.sqrt(np.maximum(power, 1e-300))[:, None])


def above_noise(R: FloatArray) -> FloatArray:
    """Keep the principal axes whose singular values stand out from noise."""
    U, lengths, _ = np.linalg.svd(R - R.mean(axis=0), full_matrices=False)
    n_axes = components_above_noise(lengths**2, *R.shape)
    n_axes = min(max(n_axes, _FEWEST_AXES), _MOST_AXES, len(lengths))
    return np.asarray(U[:, :n_axes] * lengths[:n_axes])


@dataclass(frozen=True)
class _BestMatches:
    """How far away the best match of an item is, gap by gap.

    Parameters
    ----------
    gaps : ndarray of shape (m,)
        Between two values.
    squared : ndarray of shape (m,)
        The median squared distance of the best match there, not falling with the gap.
    typical : float
        The median squared distance of any two items.
    """

    gaps: FloatArray
    squared: FloatArray
    typical: float

    @property
    def mean(self) -> float:
        return float(np.mean(self.squared) / self.typical)


class _Gaps:
    """All pairs of items, sorted by the gap between their values; windows of gaps overlap by half.

    Parameters
    ----------
    gaps : ndarray of shape (n, n)
        Between values.
    n_candidates : int
        Items in each window, on average.
    """

    def __init__(self, gaps: FloatArray, n_candidates: int) -> None:
        n = len(gaps)
        n_gaps = int(np.clip(2 * n / n_candidates, 3, CHAINS.most_gaps))
        shares = np.linspace(0, 1, n_gaps + 1)
        # values that come again have gaps that do: no window is empty
        edges = np.unique(np.quantile(gaps[~np.eye(n, dtype=bool)], shares, method="higher"))
        edges = np.concatenate([np.repeat(edges[:1], max(3 - len(edges), 0)), edges])
        n_gaps = len(edges) - 1
        self.middles = (edges[:-2] + edges[2:]) / 2
        self.shape = (n, n_gaps)
        bins = np.arange(n)[:, None] * n_gaps + np.searchsorted(edges[1:-1], gaps)
        self._order = np.argsort(bins, axis=None, kind="stable")
        self._filled, self._starts = np.unique(bins.ravel()[self._order], return_index=True)

    def best_matches(self, squared: FloatArray) -> _BestMatches:
        n = len(squared)
        others = squared.copy()
        np.fill_diagonal(others, np.inf)
        nearest = np.full(self.shape, np.inf)
        nearest.ravel()[self._filled] = np.minimum.reduceat(
            others.ravel()[self._order], self._starts
        )
        nearest = np.minimum(nearest[:, :-1], nearest[:, 1:])
        best = [np.median(column[np.isfinite(column)]) for column in nearest.T]
        some = others[evenly_spaced(n, _SAMPLED)]
        typical = max(float(np.median(some[np.isfinite(some)])), 1e-300)
        rising = np.maximum(isotonic_regression(np.array(best)), 1e-6 * typical)
        return _BestMatches(self.middles, np.asarray(rising), typical)


def _links(
    squared: FloatArray,
    gaps: FloatArray,
    best: _BestMatches,
    *,
    close_enough: float = CHAINS.close_enough,
) -> FloatArray:
    """Weigh pairs by how little further they are than best matches; degrees are balanced."""
    expected = np.interp(gaps, best.gaps, best.squared)
    links = gaussian_similarity(np.clip(squared / expected - 1, -1, 60))
    too_far = np.flatnonzero(best.squared > close_enough * best.typical)
    if len(too_far):
        width = best.gaps[max(int(too_far[0]), 1)]
        near = gaussian_similarity((np.minimum(gaps, width) / width) ** 2)
        links *= np.where(gaps <= width, near, 0.0)
    np.fill_diagonal(links, 0.0)
    return balance(links, np.ones((len(links), 1)))


def _carried(
    R: FloatArray, factor: KnownFactor, differences: FloatArray, squared: FloatArray
) -> tuple[FloatArray, bool]:
    """Squared distances after the rotation under which best matches are closest, if it is clear.

    Matching and learning alternate, from two first guesses.
    """
    gaps = np.abs(differences)
    positions = factor.positions
    assert positions is not None
    period = None if factor.period is None else 2 * np.pi
    sorted_gaps = _Gaps(gaps, CHAINS.candidates)
    best = sorted_gaps.best_matches(squared)
    closest = _Gaps(gaps, CHAINS.few_candidates).best_matches(squared)
    uncarried = best.mean
    found = (uncarried, squared)
    for first in (
        _links(squared, gaps, best),
        _links(squared, gaps, closest, close_enough=CHAINS.very_close),
    ):
        links, rotation, waited = first, RotationByNumber.none(R.shape[1]), 0
        for _ in range(_ROUNDS):
            pairs = _strongest(links, differences)
            for _ in range(2):
                rotation = rotation.learned_from(R, pairs)
            moved = rotation.squared_distances(R, positions, period)
            best = sorted_gaps.best_matches(moved)
            closer = improves(best.mean, found[0])
            waited = 0 if closer else waited + 1
            if closer:
                found = (best.mean, moved)
            if waited == _PATIENCE:
                break
            links = _links(moved, gaps, best)
    carried = found[0] < CHAINS.clearly_closer * uncarried
    return (found[1] if carried else squared), carried


def _strongest(links: FloatArray, differences: FloatArray) -> MatchedPairs:
    """The strongest links of every item, the closer in value the more weight."""
    n = len(links)
    n_kept = min(_LEARNED_FROM, n - 1)
    ends = np.argpartition(-links, n_kept - 1, axis=1)[:, :n_kept].ravel()
    starts = np.repeat(np.arange(n), n_kept)
    apart = differences[starts, ends]
    softened = apart**2 + (0.02 * np.median(np.abs(differences))) ** 2
    return MatchedPairs(starts, ends, apart, links[starts, ends] / softened)
