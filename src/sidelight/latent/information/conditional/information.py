"""Conditional information (latent-factor thesis, eq. 3.24): what the map tells beside a factor.

With a kernel V between the values x of the factor, and k, K those of the map and the data,

    Î(Y; Z | X) = (1/N) Σ_a log (P_a V_a / (Q_a R_a)),
    P_a = Σ_b k_ab K_ab V_ab,  Q_a = Σ_b k_ab V_ab,  R_a = Σ_b K_ab V_ab,  V_a = Σ_b V_ab.

Rows count as far as they are alike in the factor.  Where V tells values apart completely, each of
them has a map of its own, free to turn, which is shown on its own axes; where it does not, the
data's kernel still vanishes between items that the factor has moved apart, and these are pushed
apart.  To match items across values is the business of the conditional embedding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from sidelight.core import FloatArray, IntArray, require_memory
from sidelight.latent.density import KnownFactor, squared_distances
from sidelight.latent.descending import step_aside
from sidelight.latent.information.conditional.map import (
    ConditionalMap,
    first_steps,
    in_given_order,
)
from sidelight.latent.information.path import START_SPREAD, Onset, Path, find_onset, first_penalty
from sidelight.latent.information.penalties import Penalty
from sidelight.side import Condition
from sidelight.similarity import gaussian_similarity

_STEPS = 15
#: The last bandwidth, where none is given, as a share of the mean squared distance of two items.
_SHARE = 8.0
_FLOOR = 1e-12


def kernel_of_values(condition: Condition, factor: KnownFactor) -> FloatArray:
    """V: how alike any two values of a factor are.

    Classes are the same or not.  Numbers are as near as a Gaussian says, as wide as they spread or
    as wide as is given; round a circle along the chord.  A function of one's own says it itself.
    """
    x, width = factor.coordinates, condition.kernel
    if callable(width):
        return _kernel_of_ones_own(condition)
    if factor.kind == "classes" or width == "delta":
        return np.asarray((x[:, None] == x[None]).all(axis=2), dtype=np.float64)
    squared = squared_distances(x, x)
    if width is not None:
        if factor.period is not None:
            squared = squared * (factor.period / (2 * np.pi)) ** 2
        else:
            values = x * np.asarray(factor.unit)
            squared = squared_distances(values, values)
        squared = squared / float(width) ** 2
    return gaussian_similarity(squared)


def _kernel_of_ones_own(condition: Condition) -> FloatArray:
    """V by the user's function, checked."""
    values, n = condition.values, len(condition.values)
    V = np.asarray(condition.kernel(values, values), dtype=np.float64)
    if V.shape != (n, n) or not np.all(np.isfinite(V)) or np.any(V < 0):
        raise ValueError(
            f"The 'kernel' of a Condition must give a finite table of {n} × {n} numbers, at least "
            f"0, for {n} values. Got the shape {V.shape}."
        )
    if not np.allclose(V, V.T) or np.any(np.diagonal(V) <= 0):
        raise ValueError(
            "The 'kernel' of a Condition must be symmetric, and every value alike to itself. Got a "
            "table that is not."
        )
    return V


def map_by_conditional_information(
    Y: FloatArray,
    V: FloatArray,
    n_components: int,
    *,
    bandwidth: float | str,
    alpha: float,
    penalty: Penalty,
    max_iter: int,
    tol: float,
    who: str,
) -> ConditionalMap:
    """Maximise the estimate of I(Y; Z | X), whatever the order of the rows."""
    n = len(Y)
    require_memory(
        48.0 * n * n,
        what=f"the kernels of {n} × {n} pairs",
        who=who,
        instead="Fit a part of the rows, and place the others with transform.",
    )
    order = np.lexsort(Y.T[::-1])
    Y, V = Y[order], V[np.ix_(order, order)]
    pairs = ConditionalInformation(squared_distances(Y, Y), V)
    scale = float(pairs.dissimilarities.mean())
    last = scale / _SHARE if isinstance(bandwidth, str) else float(bandwidth)
    alike: Any = sp.csr_array(V > 0)
    compared = connected_components(alike, directed=False)[1]
    onset = _onset_of_each(pairs, scale, n_components, compared, who)
    path = Path.between((scale, first_penalty(onset, alpha)), (last, alpha), _STEPS)
    found = path.follow(
        pairs,
        START_SPREAD * onset.directions,
        penalty,
        leave_one_out=False,
        first=0,
        max_iter=max_iter,
        tol=tol,
        judge=None,
        who=who,
        aside=step_aside(Y, n_components),
    )
    none = np.zeros((n, n_components))

    def information(Z: FloatArray, h: float = float(path.bandwidths[found.step])) -> float:
        K = pairs.kernel(h)
        told, nothing = (pairs.information(points, K)[0] for points in (Z, none))
        return told - nothing

    taken = first_steps(path, len(found.values))
    nothing = [pairs.information(none, pairs.kernel(float(h)))[0] for h in taken.bandwidths]
    done = ConditionalMap(
        found.x.reshape(none.shape),
        information,
        taken,
        -found.values - np.array(nothing),
        found.n_iter,
        found.interrupted,
        np.asarray(compared),
    )
    return in_given_order(done, order)


def _onset_of_each(
    pairs: ConditionalInformation, h: float, n_components: int, compared: IntArray, who: str
) -> Onset:
    """Where rows leave the origin, group by group of rows that are compared with one another.

    Eigenvectors of all together are those of a few groups, and the others would leave a saddle by
    what rounding tells them.
    """
    directions = np.zeros((len(compared), n_components))
    least = np.full(n_components, np.inf)
    for group in range(int(compared.max()) + 1):
        rows = np.flatnonzero(compared == group)
        d = min(n_components, len(rows) - 1)
        if d < 1:
            continue
        alone = pairs.among(rows)
        found = find_onset(alone, alone.kernel(h), len(rows), d, leave_one_out=False, who=who)
        directions[rows, :d] = found.directions
        least[:d] = np.minimum(least[:d], found.penalties)
    least = np.where(np.isfinite(least), least, 0.0)
    return Onset(least, directions)


@dataclass(frozen=True)
class ConditionalInformation:
    """The conditional mutual information with a kernel between values.

    Parameters
    ----------
    dissimilarities : ndarray of shape (n, n)
        Of the data.
    V : ndarray of shape (n, n)
        Kernel values between the values of the factor.
    """

    dissimilarities: FloatArray
    V: FloatArray

    def among(self, rows: IntArray) -> ConditionalInformation:
        """The same of some rows."""
        table = np.ix_(rows, rows)
        return ConditionalInformation(self.dissimilarities[table], self.V[table])

    def kernel(self, bandwidth: float) -> FloatArray:
        """Compute exp(−d / h) of the data."""
        return gaussian_similarity(self.dissimilarities, bandwidth)

    def information(
        self, Z: FloatArray, K: FloatArray, *, leave_one_out: bool = False
    ) -> tuple[float, FloatArray]:
        """Compute Σ_a log Σ_b k_ab K_ab V_ab − log Σ_b k_ab V_ab and its gradient."""
        k = gaussian_similarity(squared_distances(Z, Z))
        if leave_one_out:
            np.fill_diagonal(k, 0.0)
        both = K * self.V
        joint, latent = (k * both).sum(axis=1) + _FLOOR, (k * self.V).sum(axis=1) + _FLOOR
        value = float(np.sum(np.log(joint) - np.log(latent)))
        G = both / joint[:, None] - self.V / latent[:, None]
        C = k * (G + G.T)
        return value, np.asarray(2 * (C @ Z - C.sum(axis=1)[:, None] * Z))
