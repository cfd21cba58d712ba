"""Several relations in one latent space, each with a transformation of its own.

E(Z, R) = Σ_c λ_c E_c(Z_c R_cᵀ) (latent-factor thesis eq. 4.3, 4.4, 4.8): Z_c are the points of the
items that relation c speaks of, R_c a matrix, E_c the mismatch of a method (of neighbour embedding
in the thesis).  With G_c the gradient of E_c at the transformed points, ∂E/∂Z_c = λ_c G_c R_c and
∂E/∂R_c = λ_c G_cᵀ Z_c (eq. 4.5, 4.6, corrected); of a diagonal R_c, a scale for every dimension,
the diagonal of that (eq. 4.7).

A penalty ρ Σ_c (1/n) Σ_i ‖R_c z_i‖², over *all* items, makes a relation pay for dimensions along
which items lie far apart of which it does not speak.  Without it relations over parts of the items
can use the same dimension for different things, as long as the parts are far from each other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidelight.core import FloatArray, IntArray
from sidelight.latent.descending import NOTHING_ADJACENT, Adjacent
from sidelight.latent.relational.bases import Mismatch
from sidelight.latent.relational.placing import seen_through


@dataclass(frozen=True)
class Related:
    """One relation, ready to be compared with points.

    Parameters
    ----------
    rows : ndarray of shape (m,)
        The items that it speaks of.
    mismatch : Mismatch
        Of the m items.
    weight : float
        λ_c.
    """

    rows: IntArray
    mismatch: Mismatch
    weight: float = 1.0


class RelationalObjective:
    """The objective as a function of one vector: the points, then the transformations.

    One relation alone has none of its own: R = I.

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
    full : bool
        Whether R_c is any matrix, (d, d), or diagonal and given as its diagonal, (d,).
    always_penalised : bool
        Whether there is a penalty with one relation alone, too.
    beside : Adjacent
        A term of the points, of one relation alone.
    """

    def __init__(
        self,
        relations: list[Related],
        n: int,
        d: int,
        *,
        penalty: float = 0.0,
        full: bool = False,
        always_penalised: bool = False,
        beside: Adjacent = NOTHING_ADJACENT,
    ) -> None:
        self.relations, self.n, self.d, self.beside = relations, n, d, beside
        self.scaled = len(relations) > 1
        self.full = full and self.scaled
        self.penalty = penalty if self.scaled or always_penalised else 0.0

    @staticmethod
    def count_variables(n: int, d: int, n_relations: int, *, full: bool = False) -> int:
        """The length of the vector."""
        of_one = (d if full else 1) * (n_relations > 1)
        return (n + n_relations * of_one) * d

    def pack(self, Z: FloatArray, R: FloatArray) -> FloatArray:
        """Put points and transformations into one vector."""
        return np.concatenate([Z.ravel(), R.ravel()]) if self.scaled else Z.ravel()

    def unpack(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Take the vector apart."""
        Z = x[: self.n * self.d].reshape(self.n, self.d)
        if not self.scaled:
            return Z, np.ones((1, self.d))
        return Z, x[self.n * self.d :].reshape(-1, *(self.d,) * (1 + self.full))

    def parts(self, Z: FloatArray, R: FloatArray) -> FloatArray:
        """Compute the mismatch of each relation, without its weight."""
        return np.array(
            [
                c.mismatch(seen_through(r, Z[c.rows]))[0]
                for c, r in zip(self.relations, R, strict=True)
            ]
        )

    def __call__(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Compute n·E and its gradient."""
        Z, R = self.unpack(x)
        value, by_points, by_R = 0.0, np.zeros_like(Z), np.zeros_like(R)
        for c, relation in enumerate(self.relations):
            points = Z[relation.rows]
            part, G = relation.mismatch(seen_through(R[c], points))
            value += relation.weight * part
            # no row occurs twice; backwards R itself does what Rᵀ did
            by_points[relation.rows] += relation.weight * seen_through(R[c].T, G)
            products = G.T @ points if self.full else np.einsum("ij,ij->j", G, points)
            by_R[c] = relation.weight * products
        if self.penalty > 0:
            value = self._penalise(Z, R, by_points, by_R) + value
        if len(self.beside.pairs):
            near, slope = self.beside(Z)
            value, by_points = value + near, by_points + slope
        return self.n * value, self.n * self.pack(by_points, by_R)

    def _penalise(
        self, Z: FloatArray, R: FloatArray, by_points: FloatArray, by_R: FloatArray
    ) -> float:
        """ρ Σ_c tr(R_c S R_cᵀ) with S = ZᵀZ/n; its slopes are added."""
        rho = self.penalty
        if not self.full:
            spread, used = np.mean(Z**2, axis=0), np.sum(R**2, axis=0)
            by_points += (2 * rho / self.n) * used * Z
            by_R += 2 * rho * spread * R
            return rho * float(spread @ used)
        S, A = Z.T @ Z / self.n, np.einsum("cij,cik->jk", R, R)
        by_points += (2 * rho / self.n) * Z @ A
        by_R += 2 * rho * R @ S
        return rho * float(np.sum(S * A))
