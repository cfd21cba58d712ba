"""Several relations in one latent space, each with a scale of its own for every dimension.

E(Z, R) = Σ_c λ_c E_c(Z_c R_c) (latent-factor thesis eq. 4.3, 4.4, 4.8): Z_c are the points of the
items that relation c speaks of, R_c a diagonal matrix, E_c the mismatch of neighbour embedding.
With G_c the gradient of E_c at the scaled points, ∂E/∂Z_c = λ_c G_c R_c and
∂E/∂R_c = λ_c Σ_i G_c,i ∘ z_i (eq. 4.5 to 4.7, corrected).

A penalty ρ Σ_c (1/n) Σ_i ‖R_c z_i‖², over *all* items, makes a relation pay for dimensions along
which items lie far apart of which it does not speak.  Without it relations over parts of the items
can use the same dimension for different things, as long as the parts are far from each other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidelight.core import FloatArray, IntArray
from sidelight.latent.neighbors import NeighborMismatch


@dataclass(frozen=True)
class Related:
    """One relation, ready to be compared with points.

    Parameters
    ----------
    rows : ndarray of shape (m,)
        The items that it speaks of.
    mismatch : NeighborMismatch
        Of the m items.
    weight : float
        λ_c.
    """

    rows: IntArray
    mismatch: NeighborMismatch
    weight: float = 1.0


class RelationalObjective:
    """The objective as a function of one vector: the points, then the scales.

    One relation alone has no scales of its own: R = I.

    Parameters
    ----------
    relations : list of Related
        At least one.
    n : int
        Items.
    d : int
        Dimensions.
    penalty : float
        ρ.
    """

    def __init__(self, relations: list[Related], n: int, d: int, *, penalty: float = 0.0) -> None:
        self.relations, self.n, self.d = relations, n, d
        self.penalty = penalty
        self.scaled = len(relations) > 1

    @staticmethod
    def count_variables(n: int, d: int, n_relations: int) -> int:
        """The length of the vector."""
        return (n + (n_relations if n_relations > 1 else 0)) * d

    def pack(self, Z: FloatArray, R: FloatArray) -> FloatArray:
        """Put points and scales into one vector."""
        return np.concatenate([Z.ravel(), R.ravel()]) if self.scaled else Z.ravel()

    def unpack(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Take the vector apart."""
        Z = x[: self.n * self.d].reshape(self.n, self.d)
        if not self.scaled:
            return Z, np.ones((1, self.d))
        return Z, x[self.n * self.d :].reshape(-1, self.d)

    def parts(self, Z: FloatArray, R: FloatArray) -> FloatArray:
        """Compute the mismatch of each relation, without its weight."""
        return np.array(
            [c.mismatch(Z[c.rows] * r)[0] for c, r in zip(self.relations, R, strict=True)]
        )

    def __call__(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Compute n·E and its gradient."""
        Z, R = self.unpack(x)
        value, by_points, by_scales = 0.0, np.zeros_like(Z), np.zeros_like(R)
        for c, relation in enumerate(self.relations):
            points = Z[relation.rows]
            part, G = relation.mismatch(points * R[c])
            value += relation.weight * part
            by_points[relation.rows] += relation.weight * G * R[c]  # no row occurs twice
            by_scales[c] = relation.weight * np.einsum("ij,ij->j", G, points)
        if self.scaled and self.penalty > 0:
            spread, used = np.mean(Z**2, axis=0), np.sum(R**2, axis=0)
            value += self.penalty * float(spread @ used)
            by_points += (2 * self.penalty / self.n) * used * Z
            by_scales += 2 * self.penalty * spread * R
        return self.n * value, self.n * self.pack(by_points, by_scales)
