"""The density of rows under a Gaussian field: each node once more, given all the others.

Under the field every feature of the rows is a draw from N(ȳ, K), with precision P = K⁻¹, and what
node i is given all other nodes has the density

    p(x | Y without y_i) = N(x | m_i, v_i I),  m_i = y_i − (P (Y − ȳ))_i / P_ii,  v_i = 1 / P_ii,

the factor of the pseudolikelihood.  A row may stand at the place of any of them: p(x) is the mean
over the rows of N(x | m_i, c v_i I).  The springs (or weights) of a node were fitted to it, so that
v_i is too small for others; c is that under which rows left out of the field are likeliest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

from sidelight.core import (
    BoolArray,
    FloatArray,
    IntArray,
    as_dense,
    evenly_spaced,
    require_memory,
    row_blocks,
)
from sidelight.estimator import KernelOfRows, Map, OfRows
from sidelight.neighbors import distance_blocks
from sidelight.solvers import best_of

#: At most so many rows are left out, and log c lies between these.
_JUDGED, _WIDENINGS = 500, (-3.0, 15.0)
#: Tables of so many rows by all: squares and variances, and what their likelihood is summed of.
_TABLES = 7


@dataclass(frozen=True)
class FieldDensity:
    """A mixture of Gaussians around the conditional means of all nodes.

    Parameters
    ----------
    means : ndarray of shape (n, p)
        m_i.
    variances : ndarray of shape (n,)
        c v_i, of a feature.
    shares : ndarray of shape (n,)
        How large a share of the rows each node is.
    varying : ndarray of shape (p,)
        Which features vary: the others are as they are.
    who : str
        The estimator, for messages.
    """

    means: FloatArray
    variances: FloatArray
    shares: FloatArray
    varying: BoolArray
    who: str

    @classmethod
    def of(
        cls, rows: FloatArray, counts: IntArray, precision: sp.csr_array, *, who: str
    ) -> FieldDensity:
        """Of the distinct rows of a field, with the precision of a feature."""
        shares, varying = counts / counts.sum(), np.ptp(rows, axis=0) > 0
        means, variances = conditionals(rows, shares @ rows, precision)
        n, judged = len(rows), min(len(rows), _JUDGED)
        require_memory(
            _TABLES * 8.0 * judged * n,
            what=f"the {judged} × {n:,} tables of rows that are left out of the field",
            who=who,
            instead="Fit it to fewer rows.",
        )
        left_out = LeftOut.of(rows[:, varying], shares, precision)
        return cls(means, left_out.widening() * variances, shares, varying, who)

    def log_density(self, X: FloatArray) -> FloatArray:
        """log p(x) in the features that vary."""
        means, X = self.means[:, self.varying], X[:, self.varying]
        heights = np.log(self.shares) - 0.5 * X.shape[1] * np.log(2 * np.pi * self.variances)
        found = np.empty(len(X))
        for block, D in distance_blocks(means, X, "euclidean", who=self.who):
            found[block] = logsumexp(heights - D**2 / (2 * self.variances), axis=1)
        return found

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Rows: a node, and what it is given the others."""
        nodes = rng.choice(len(self.shares), size=n, p=self.shares)
        noise = self.varying * rng.standard_normal((n, self.means.shape[1]))
        return np.asarray(self.means[nodes] + np.sqrt(self.variances[nodes])[:, None] * noise)


def conditionals(
    rows: FloatArray, mean: FloatArray, precision: sp.csr_array
) -> tuple[FloatArray, FloatArray]:
    """m_i and v_i of every node given all others."""
    stiffness = precision.diagonal()
    return rows - (precision @ (rows - mean)) / stiffness[:, None], 1 / stiffness


@dataclass(frozen=True)
class LeftOut:
    """Some rows, each seen from the conditionals of all nodes but itself in the field without it.

    Parameters
    ----------
    squares : ndarray of shape (n_judged, n)
        ‖y_i − m_j‖², m_j the mean of node j given all but i; infinite where j is i.
    variances : ndarray of shape (n_judged, n)
        Of a feature of node j given all but i.
    shares : ndarray of shape (n,)
        Of the nodes.
    n_features : int
        How many vary.
    """

    squares: FloatArray
    variances: FloatArray
    shares: FloatArray
    n_features: int

    @classmethod
    def of(cls, rows: FloatArray, shares: FloatArray, precision: sp.csr_array) -> LeftOut:
        """Marginalise the field over each of at most so many rows, evenly spaced."""
        n, p = rows.shape
        judged = evenly_spaced(n, _JUDGED)
        away = rows - shares @ rows
        means, variances = conditionals(away, np.zeros(p), precision)
        squares = np.empty((len(judged), n))
        for block, D in distance_blocks(means, away[judged], "euclidean", who=""):
            squares[block] = D**2
        spread = np.tile(variances, (len(judged), 1))
        ties = sp.coo_array(precision[judged])
        for block in row_blocks(len(ties.data), 48.0 * p, budget=1e8):
            at, j, link = ties.coords[0][block], ties.coords[1][block], ties.data[block]
            i, own = judged[at], 1 / variances
            # of nodes i and j together, given the rest: precision and precision times mean
            determinant = np.where(i == j, 1.0, own[i] * own[j] - link**2)
            at_i = own[i, None] * means[i] + link[:, None] * away[j]
            at_j = own[j, None] * means[j] + link[:, None] * away[i]
            centre = (own[i, None] * at_j - link[:, None] * at_i) / determinant[:, None]
            apart = away[i] - centre
            found = np.einsum("ij,ij->i", apart, apart)
            squares[at, j] = np.where(i == j, np.inf, found)
            spread[at, j] = np.where(i == j, 1.0, own[i] / determinant)
        return cls(squares, spread, shares, p)

    def log_likelihood(self, widening: float) -> float:
        """The mean log density of the rows with all variances c times as large."""
        wide = widening * self.variances
        logs = np.log(self.shares) - 0.5 * self.n_features * np.log(2 * np.pi * wide)
        return float(logsumexp(logs - self.squares / (2 * wide), axis=1).mean())

    def widening(self) -> float:
        """c, under which the rows are likeliest."""
        grid = np.linspace(*_WIDENINGS, 40)
        best = best_of(range(len(grid)), lambda step: -self.log_likelihood(np.exp(grid[step])))
        bounds = (grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)])
        found = minimize_scalar(
            lambda log_c: -self.log_likelihood(float(np.exp(log_c))),
            bounds=bounds,
            method="bounded",
            options={"xatol": 1e-3},
        )
        return float(np.exp(found.x))


def density_of_field(found: Map, *, any_metric: bool, who: str) -> FieldDensity:
    """The density of rows of a map that comes from a field over them, found once and kept with it.

    With ``any_metric`` the field is that of the rows themselves, whatever finds neighbours.
    """
    kept: FieldDensity | None = found.derived.get("density")
    if kept is not None:
        return replace(kept, who=who)
    place, kernel = found.place, found.kernel
    assert isinstance(place, OfRows)
    assert isinstance(kernel, KernelOfRows)
    points, field = place.points, kernel.of_points
    rows = points.features if any_metric else points.vectors
    if rows is None:
        raise ValueError(
            f"{who} needs a field of feature vectors, and this one was fitted to distances of "
            f"another kind. Fit it with metric='euclidean', to features."
        )
    rows = np.asarray(as_dense(rows), dtype=np.float64)
    known: Any = field
    density = FieldDensity.of(rows, place.distinct.counts, known.p * known.precision, who=who)
    found.derived["density"] = density
    return density
