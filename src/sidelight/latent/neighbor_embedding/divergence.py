"""The divergence of a map from the affinities of the data, and its gradient.

With w(s) = (1 + s/ν)^{−ν} of squared distances, and Q_ij = w(s_ij)/Z the affinities in the map,

    E(Y) = KL(P ‖ Q) = Σ_ij P_ij log(P_ij / Q_ij) = Σ P log P − Σ P log w + m log Z,
    ∂E/∂y_i = 4 Σ_j P_ij (1 + s_ij/ν)^{−1} (y_i − y_j) + 2 m ∇φ(y_i)/Z,   m = Σ P = 1

(van der Maaten and Hinton 2008 for ν = 1; Kobak et al. 2019).  For ν = ∞ it is that of symmetric
stochastic neighbour embedding.

References
----------
L. van der Maaten and G. Hinton (2008), "Visualizing data using t-SNE".
D. Kobak, G. Linderman, S. Steinerberger, Y. Kluger and P. Berens (2019), "Heavy-tailed kernels
reveal a finer cluster structure in t-SNE visualisations".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp

from sidelight.core import FloatArray, Threads, shares
from sidelight.latent.neighbor_embedding.affinities import Affinities
from sidelight.latent.neighbor_embedding.repulsion import Field

#: Points that a thread takes at once.
_SHARE = 8_192
#: Z is no less.
LEAST = float(np.finfo(float).tiny)
#: From points and degrees of freedom to the field that they make.
FieldOf: TypeAlias = Callable[[FloatArray, float, Threads], Field]


@dataclass(frozen=True)
class Forces:
    """What acts on the points.

    Parameters
    ----------
    pulls : ndarray of shape (n, d)
        n Σ_j P_ij (1 + s_ij/ν)^{−1} (y_i − y_j).
    slopes : ndarray of shape (n, d)
        ∇φ(y_i).
    Z : float
        Σ_{i≠j} w(s_ij).
    mass : float
        m.
    """

    pulls: FloatArray
    slopes: FloatArray
    Z: float
    mass: float

    @property
    def gradient(self) -> FloatArray:
        """∂E/∂Y."""
        return (4.0 / len(self.pulls)) * self.pulls + (2.0 * self.mass / self.Z) * self.slopes


@dataclass(frozen=True)
class Divergence:
    """E as a function of the points.

    Parameters
    ----------
    affinities : Affinities
        P.
    dof : float
        ν.
    field_of : callable
        How the repulsion is summed up.
    pool : Threads
        Who does the work.
    """

    affinities: Affinities
    dof: float
    field_of: FieldOf
    pool: Threads

    def forces(self, Y: FloatArray, graph: sp.csr_array | None = None) -> Forces:
        """What acts on points; they may be in another order, with their graph."""
        from sidelight.latent.neighbor_embedding._pairs_compiled import pull, total

        graph = self.affinities.graph if graph is None else graph
        Y = np.ascontiguousarray(Y)
        pulls = np.empty_like(Y)
        told = (graph.indptr, graph.indices, graph.data, Y, 1.0 / self.dof)
        self.pool.run([(pull, (*told, s.start, s.stop, pulls)) for s in cuts(len(Y))])
        values, slopes = self.field_of(Y, self.dof, self.pool).among(Y, self.pool)
        Z = max(total(values), LEAST)
        return Forces(pulls, slopes, Z, self.affinities.mass)

    def value(self, Y: FloatArray, Z: float, graph: sp.csr_array | None = None) -> float:
        """E, where Z is known."""
        from sidelight.latent.neighbor_embedding._pairs_compiled import stretch, total

        graph = self.affinities.graph if graph is None else graph
        Y = np.ascontiguousarray(Y)
        sums = np.empty(len(Y))
        told = (graph.indptr, graph.indices, graph.data, Y, self.dof)
        self.pool.run([(stretch, (*told, s.start, s.stop, sums)) for s in cuts(len(Y))])
        away = total(sums) / len(Y)
        return float(self.affinities.entropy + away + self.affinities.mass * np.log(Z))

    def __call__(self, Y: FloatArray) -> tuple[float, FloatArray]:
        """E and its gradient."""
        forces = self.forces(Y)
        return self.value(Y, forces.Z), forces.gradient


def cuts(n: int) -> list[slice]:
    """The points in shares, cut alike for any number of threads."""
    return shares(n, max(1, -(-n // _SHARE)))
