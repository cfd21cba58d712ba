"""What pairs say, as matrices, and the closed forms of the metric that they imply.

With M_s and M_o the mean ddᵀ over similar and dissimilar pairs, T that over all pairs of rows,
κ = tr T²/tr T, e_o the rank of the graph of the dissimilar pairs and ν = 30,

    D = (e_o M_o + νT)/(e_o + ν),   S̃ = I + (γ/κ)M_s,   D̃ = I + (γ/κ)D,

the metric A = S̃⁻¹D̃S̃⁻¹ minimises ½ tr(AS̃AS̃) − tr(AD̃) over A ⪰ 0: at the optimum S̃AS̃ = D̃, and
A is positive definite by itself.  γ = 0 gives I, and so does every direction that neither pairs
nor rows reach.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg

from sidelight.core import FloatArray
from sidelight.metric.learning.scatter import PairScatter, Spread

#: ν: what this many independent dissimilar pairs say weighs as much as T.
PRIOR_PAIRS = 30


@dataclass(frozen=True)
class EquivalenceProblem:
    """Pairs in the coordinates of a space.

    Parameters
    ----------
    similar : PairScatter
        M_s.
    dissimilar : PairScatter
        M_o and e_o.
    spread : Spread
        Of the rows.
    n_outside : int
        Dimensions that the coordinates leave out.
    """

    similar: PairScatter
    dissimilar: PairScatter
    spread: Spread
    n_outside: int = 0

    @property
    def between(self) -> FloatArray:
        """D: how far apart rows that differ lie, drawn towards T."""
        e, nu = self.dissimilar.rank, PRIOR_PAIRS
        mixed = e * self.dissimilar.mean + nu * self.spread.inside
        return np.asarray(mixed / (e + nu))


@dataclass(frozen=True)
class InnerMetric:
    """A metric on the coordinates of a space, and its weight outside.

    Parameters
    ----------
    inner : ndarray of shape (r, r)
        B.
    outside : float
        The weight c.
    objective : float
        The value reached.
    """

    inner: FloatArray
    outside: float
    objective: float

    def scaled_to(self, spread: Spread) -> InnerMetric:
        """Scale the metric so that rows keep their mean squared distance: tr(AT) = tr(T)."""
        inside = float(np.sum(self.inner * spread.inside))
        beyond = self.outside * (spread.total - float(np.trace(spread.inside)))
        factor = spread.total / (inside + beyond) if inside + beyond > 0 else 1.0
        return InnerMetric(self.inner * factor, self.outside * factor, self.objective)


def safe_metric(problem: EquivalenceProblem, strength: float) -> InnerMetric:
    """Compute A = S̃⁻¹D̃S̃⁻¹; of dissimilar pairs alone, (I + γT/κ)⁻¹ # (I + γD/κ).

    The matrix geometric mean # solves min tr(AP) + tr(A⁻¹Q) with P = I + γT/κ, Q = I + γD/κ: the
    directions in which dissimilar pairs differ more than rows in general.
    """
    identity = np.eye(len(problem.spread.inside))
    weight = strength / problem.spread.kappa
    D = identity + weight * problem.between
    if problem.similar.count == 0:
        P = identity + weight * problem.spread.inside
        A, value = geometric_mean_of_inverse(P, D)
        return InnerMetric(A, 1.0, value + 2 * problem.n_outside)
    S = identity + weight * problem.similar.mean
    factor = scipy.linalg.cho_factor(S, check_finite=False)
    half = scipy.linalg.cho_solve(factor, D, check_finite=False)
    A = scipy.linalg.cho_solve(factor, half.T, check_finite=False)
    A = (A + A.T) / 2
    # at the optimum ½ tr(AS̃AS̃) = ½ tr(AD̃); each outside dimension adds ½ − 1
    value = -0.5 * float(np.sum(A * D)) - 0.5 * problem.n_outside
    return InnerMetric(A, 1.0, value)


def geometric_mean_of_inverse(P: FloatArray, Q: FloatArray) -> tuple[FloatArray, float]:
    """Solve APA = Q: A = P⁻¹ # Q = P^{−½}(P^{½}QP^{½})^{½}P^{−½}.

    Examples
    --------
    >>> import numpy as np
    >>> A, value = geometric_mean_of_inverse(np.diag([1.0, 4.0]), np.diag([9.0, 4.0]))
    >>> A.round(3).tolist(), round(value, 3)
    ([[3.0, 0.0], [0.0, 1.0]], 14.0)
    """
    values, vectors = scipy.linalg.eigh(P, check_finite=False)
    root = (vectors * np.sqrt(values)) @ vectors.T
    inverse = (vectors / np.sqrt(values)) @ vectors.T
    middle_values, middle = scipy.linalg.eigh(root @ Q @ root, check_finite=False)
    lengths = np.sqrt(np.maximum(middle_values, 0))
    half = inverse @ (middle * np.sqrt(lengths))
    return half @ half.T, 2 * float(lengths.sum())


def thesis_metric(problem: EquivalenceProblem) -> InnerMetric:
    """Solve (3.1): min tr(AC) over A ⪰ 0, tr A = 1, with C = Σ_𝒮 ddᵀ − Σ_𝒪 ddᵀ.

    The objective is linear, so the minimiser is vvᵀ with v the eigenvector of the smallest
    eigenvalue of C.  Where that eigenvalue is m-fold, every mixture is optimal and V₀V₀ᵀ/m is the
    one that an interior-point method tends to.

    Examples
    --------
    >>> import numpy as np
    >>> spread = Spread(np.eye(2), 2.0, 2.0)
    >>> like = PairScatter.of(np.array([[0.0, 0.0], [3.0, 0.0]]), np.array([[0, 1]]))
    >>> nothing = PairScatter(np.zeros((2, 2)), 0, 0)
    >>> thesis_metric(EquivalenceProblem(like, nothing, spread)).inner
    array([[0., 0.],
           [0., 1.]])
    """
    C = problem.similar.total - problem.dissimilar.total
    values, vectors = scipy.linalg.eigh(C, check_finite=False)
    outside = problem.n_outside > 0  # where C is zero
    lowest = min(float(values[0]) if len(values) else 0.0, 0.0 if outside else np.inf)
    close = 1e-9 * float(np.abs(values).max(initial=0.0))
    smallest = vectors[:, values <= lowest + close]
    tied = outside and lowest >= -close
    multiplicity = smallest.shape[1] + (problem.n_outside if tied else 0)
    inner = smallest @ smallest.T / multiplicity
    return InnerMetric(np.asarray(inner), 1 / multiplicity if tied else 0.0, lowest)
