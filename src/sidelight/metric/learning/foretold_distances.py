"""Do known distances foretell one another?  Only then is a metric learned from them.

A metric has so many entries that it comes near to any distances it was fitted to, shuffled ones
too.  Therefore *rows* are left out, a fifth of the named ones at a time: the metric is learned from
the distances among the others, and foretells those of the rows left out.  It must miss them clearly
less than the data do as they are, in the unit of the distances (A = cI), and less than one number
for all of them: a metric in which all rows are about equally far apart comes nearer to shuffled
distances than the data do, and tells nothing.  The ridge that misses them least is taken.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidelight.core import BoolArray, FloatArray, IntArray, evenly_spaced
from sidelight.metric.learning.distance_ridge import RIDGES, squared_gram
from sidelight.metric.learning.pair_graph import folds_of_rows, graph_rank
from sidelight.solvers import first_least

#: A gain below this share of the mean is none: the last bit of a sum must not decide.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class ForetellingSettings:
    """How known distances are judged.

    ``clearly`` was set on draws 900 to 939 of digits and wine, of 12 to 300 pairs: with one,
    shuffled distances were used in 1 of 100 draws, those of 100 pairs in a planted metric in 78;
    with two in none and in 45.

    Parameters
    ----------
    folds : int
        The part of the named rows that is left out at a time is one of so many.
    clearly : float
        Standard errors of the difference by which distances must be missed less.
    least : int
        Fewer independent distances than this say nothing of one another.
    most : int
        At most so many distances are asked.
    """

    folds: int = 5
    clearly: float = 1.0
    least: int = 10
    most: int = 2000


SETTINGS = ForetellingSettings()


@dataclass(frozen=True)
class Foretold:
    """How far squared distances of rows left out are missed, as a share of the mean of all.

    Parameters
    ----------
    strength : float
        The ridge that misses them least, in units of the mean eigenvalue of K.
    learned, plain, median : float
        By how much with it, with A = cI, and with the median of the distances known.
    used : bool
        Whether the first is clearly the smallest.
    independent : int
        How many distances there were, but for those that follow from others' rows.
    """

    strength: float = np.inf
    learned: float = np.nan
    plain: float = np.nan
    median: float = np.nan
    used: bool = False
    independent: int = 0

    def report(self) -> str:
        """What became of the distances, in a sentence."""
        if np.isnan(self.learned):
            return (
                f"not used: {self.independent} independent distances are too few to tell whether "
                f"they predict others; only their unit is learned"
            )
        told = (
            f"squared distances of rows left out are missed by {self.learned:.0%} with a metric, "
            f"{self.plain:.0%} without, {self.median:.0%} by their median"
        )
        return f"used: {told}" if self.used else f"not used: {told}; only their unit is learned"


def foretell_distances(
    differences: FloatArray,
    targets: FloatArray,
    pairs: IntArray,
    settings: ForetellingSettings = SETTINGS,
) -> Foretold:
    """Judge distances by those of rows left out, and choose the ridge by them."""
    asked = evenly_spaced(len(pairs), settings.most)
    differences, targets, pairs = differences[asked], targets[asked], pairs[asked]
    independent = graph_rank(pairs)
    rows, ends = np.unique(pairs, return_inverse=True)
    ends = ends.reshape(-1, 2)
    fold_of = folds_of_rows(ends, len(rows), settings.folds, np.random.default_rng(0))
    missed, times = np.zeros((len(RIDGES) + 2, len(pairs))), np.zeros(len(pairs))
    for fold in range(settings.folds):
        out = (fold_of[ends] == fold).any(axis=1)
        if out.all() or independent < settings.least:
            return Foretold(independent=independent)
        if out.any():
            missed[:, out] += _missed(differences, targets, out)
            times += out
    missed /= times
    means = missed.mean(axis=1)
    best = int(first_least(means[:-2, None])[0])
    gain = missed[-2:] - missed[best]
    doubt = gain.std(axis=1) / np.sqrt(independent) + _ROUNDING * targets.mean()
    used = bool((gain.mean(axis=1) > settings.clearly * doubt).all())
    learned, plain, median = (float(means[k] / targets.mean()) for k in (best, -2, -1))
    return Foretold(RIDGES[best], learned, plain, median, used, independent)


def _missed(differences: FloatArray, targets: FloatArray, out: BoolArray) -> FloatArray:
    """|t − dᵀAd| of the pairs left out: A by every ridge, A = cI, and the median of t instead.

    Without the cone: A = cI + Σ α_i d_i d_iᵀ, and what comes out negative is zero.
    """
    D, t, D_out, t_out = differences[~out], targets[~out], differences[out], targets[out]
    squares, squares_out = (np.einsum("ij,ij->i", each, each) for each in (D, D_out))
    c = float(squares @ t) / (float(squares @ squares) or 1.0)
    gram = squared_gram(D)
    scale = gram.mean_eigenvalue or 1.0
    K = (D_out @ D.T) ** 2
    told = [
        np.maximum(c * squares_out + K @ gram.solve(t - c * squares, ridge * scale), 0.0)
        for ridge in RIDGES
    ]
    told += [c * squares_out, np.full(len(t_out), np.median(t))]
    return np.abs(np.array(told) - t_out)
