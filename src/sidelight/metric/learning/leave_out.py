"""How strong should pairs act?  Leave-one-pair-out, in closed form.

Leaving a pair out changes S̃ or D̃ by a matrix of rank one.  With a = dᵀAd and h = dᵀS̃⁻¹d, a
similar pair that was left out lies at a/(1 − ch)², c = γ/(κ|𝒮|), and a dissimilar one at
a − c_o h², c_o = γe_o/((e_o + ν)κ|𝒪|).  One eigendecomposition of M_s serves every γ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg
from scipy.stats import rankdata

from sidelight.core import FloatArray, evenly_spaced
from sidelight.metric.learning.safe_pairs import PRIOR_PAIRS, EquivalenceProblem
from sidelight.metric.learning.scatter import mean_scatter

#: Strengths tried beside γ₀.
STRENGTHS = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
#: Below this many independent similar pairs leave-one-out is too noisy to choose by.
ENOUGH_PAIRS = 40
#: Strengths are judged by at most this many pairs of each kind.
JUDGED_PAIRS = 500


@dataclass(frozen=True)
class HeldOut:
    """Squared distances of pairs in metrics that were learned without them.

    Parameters
    ----------
    similar : ndarray of shape (m_s,)
        Of similar pairs.
    dissimilar : ndarray of shape (m_o,)
        Of dissimilar pairs, or of pairs drawn at random where there are none.
    """

    similar: FloatArray
    dissimilar: FloatArray

    def score(self) -> tuple[float, float]:
        """Compute how often a dissimilar pair lies farther apart than a similar one (AUC)."""
        m, n = len(self.similar), len(self.dissimilar)
        ranks = rankdata(np.concatenate([self.dissimilar, self.similar]))
        area = float((ranks[:n].sum() - n * (n + 1) / 2) / (m * n))
        q1, q2 = area / (2 - area), 2 * area**2 / (1 + area)
        variance = area * (1 - area) + (n - 1) * (q1 - area**2) + (m - 1) * (q2 - area**2)
        return area, float(np.sqrt(max(variance, 0.0) / (m * n)))


class PairSpectrum:
    """The pairs in the eigenvectors of M_s, where S̃ is diagonal for every γ.

    Parameters
    ----------
    problem : EquivalenceProblem
        With similar pairs.
    random_differences : ndarray of shape (l, r)
        Differences of rows drawn at random, used where there are no dissimilar pairs.
    """

    def __init__(self, problem: EquivalenceProblem, random_differences: FloatArray) -> None:
        values, vectors = scipy.linalg.eigh(mean_scatter(problem.similar), check_finite=False)
        self._problem = problem
        self._values = np.maximum(values, 0)
        self._between = vectors.T @ problem.between @ vectors
        self._similar = _spread_out(problem.similar) @ vectors
        known = len(problem.dissimilar) > 0
        apart = problem.dissimilar if known else random_differences
        self._dissimilar = _spread_out(apart) @ vectors

    def held_out(self, strength: float) -> HeldOut:
        """Compute the distance of every pair in the metric learned without it."""
        problem = self._problem
        weight = strength / problem.spread.kappa
        shrink = 1 / (1 + weight * self._values)

        def lengths(differences: FloatArray) -> tuple[FloatArray, FloatArray]:
            solved = differences * shrink
            a = np.einsum("ij,ij->i", solved + weight * (solved @ self._between), solved)
            return np.asarray(a), np.asarray(np.einsum("ij,ij->i", solved, differences))

        a, h = lengths(self._similar)
        similar = a / (1 - weight / len(problem.similar) * h) ** 2
        a, h = lengths(self._dissimilar)
        if len(problem.dissimilar):
            e = problem.dissimilar_rank
            a = a - weight * e / ((e + PRIOR_PAIRS) * len(problem.dissimilar)) * h**2
        return HeldOut(np.asarray(similar), a)


def _spread_out(differences: FloatArray) -> FloatArray:
    """At most so many pairs to judge by, evenly from all of them."""
    return np.asarray(differences[evenly_spaced(len(differences), JUDGED_PAIRS)])


def choose_strength(problem: EquivalenceProblem, random_differences: FloatArray) -> float:
    """Choose γ: γ₀ = e_s/(e_s + 30), or a larger one that held-out pairs speak for."""
    e = problem.similar_rank
    if len(problem.similar) == 0:
        return 1.0
    modest = e / (e + PRIOR_PAIRS)
    if e < ENOUGH_PAIRS or len(random_differences) + len(problem.dissimilar) == 0:
        return modest
    spectrum = PairSpectrum(problem, random_differences)
    candidates = [modest, *(s for s in STRENGTHS if s > 1.5 * modest)]
    scores = [spectrum.held_out(strength).score() for strength in candidates]
    best, error = max(scores)
    return next(s for s, (area, _) in zip(candidates, scores, strict=True) if area >= best - error)
