"""How a known number moves the items: r(x + δ) = exp(δ G) r(x).

Seen at different values of a factor, the same thing may look so different that no distance tells it
from another.  What the factor does is however much the same for all things: a turn by ten degrees
moves the pixels of a cup and of a car alike.  The residuals r of the items are therefore carried
by one rotation, whose generator G (antisymmetric, so that lengths are kept) is learned from items
that match already, and with it items further apart are matched.

In the eigenvectors of iG = Q diag(ω) Qᴴ a rotation is a phase, exp(δ G) = Q diag(e^{−iωδ}) Qᴴ, and
all items are compared by products of matrices.

References
----------
R. P. N. Rao and D. L. Ruderman (1999), "Learning Lie groups for invariant visual perception".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidelight.core import ComplexArray, FloatArray, IntArray


@dataclass(frozen=True)
class MatchedPairs:
    """Items a and b that match, how far apart their values are, and how surely they match.

    Parameters
    ----------
    first, second : ndarray of shape (m,)
        The items.
    differences : ndarray of shape (m,)
        x_b − x_a.
    weights : ndarray of shape (m,)
        Of each pair's error.
    """

    first: IntArray
    second: IntArray
    differences: FloatArray
    weights: FloatArray


@dataclass(frozen=True)
class RotationByNumber:
    """A rotation that depends on a number.

    Parameters
    ----------
    generator : ndarray of shape (q, q)
        G, antisymmetric.
    """

    generator: FloatArray

    @classmethod
    def none(cls, n_axes: int) -> RotationByNumber:
        """Move nothing."""
        return cls(np.zeros((n_axes, n_axes)))

    def _waves(self) -> tuple[FloatArray, ComplexArray]:
        rates, axes = np.linalg.eigh(1j * self.generator)
        return rates, axes

    def carried(self, R: FloatArray, differences: FloatArray) -> FloatArray:
        """Carry each item by a difference of its own."""
        rates, axes = self._waves()
        phases = np.exp(-1j * np.outer(differences, rates))
        return np.asarray(((R @ axes.conj()) * phases @ axes.T).real)

    def squared_distances(self, R: FloatArray, x: FloatArray, period: float | None) -> FloatArray:
        """Compare all items, each carried to the value of the other by the shorter way."""
        rates, axes = self._waves()
        at_zero = (R @ axes.conj()) * np.exp(1j * np.outer(x, rates))
        products = (at_zero @ at_zero.conj().T).real
        if period is not None:
            turns = -np.rint((x[None, :] - x[:, None]) / period)
            round_once = (at_zero * np.exp(-1j * period * rates)) @ at_zero.conj().T
            products = np.where(turns == 1, round_once.real, products)
            products = np.where(turns == -1, round_once.real.T, products)
        squares = np.einsum("ij,ij->i", R, R)
        return np.asarray(np.maximum(squares[:, None] + squares - products - products.T, 0.0))

    def learned_from(
        self, R: FloatArray, pairs: MatchedPairs, *, ridge: float = 1e-2
    ) -> RotationByNumber:
        """Take a step towards min Σ w ‖exp(δ G) r_a − r_b‖² + λ‖G‖².

        Both items of a pair are carried to the middle between their values, u and v; what is left
        asks for a change H of the generator with δ H (u + v)/2 = v − u, by least squares.
        """
        half = pairs.differences / 2
        u = self.carried(R[pairs.first], half)
        v = self.carried(R[pairs.second], -half)
        middle = (u + v) * half[:, None]
        weighted = middle * pairs.weights[:, None]
        A, B = weighted.T @ middle, (v - u).T @ weighted
        weight = ridge * np.trace(A) / len(A)
        # antisymmetric H:  H A + A H + 2 λ (G + H) = B − Bᵀ
        lengths, V = np.linalg.eigh(A)
        asked = V.T @ (B - B.T - 2 * weight * self.generator) @ V
        step = V @ (asked / (lengths[:, None] + lengths + 2 * weight + 1e-300)) @ V.T
        return RotationByNumber(self.generator + (step - step.T) / 2)
