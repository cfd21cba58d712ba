"""Covariance functions of a Gaussian process over a map, and what flows back through them.

A covariance is a function of two sets of points and of a few parameters on a logarithmic scale.
``pull_back`` takes ∂f/∂K of some f and gives the gradient of f in points and parameters, so that
likelihoods know nothing of covariances and covariances nothing of likelihoods.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from sidelight.core import FloatArray
from sidelight.similarity import half_squares


@dataclass(frozen=True)
class Flow:
    """A gradient that went back through a covariance.

    Parameters
    ----------
    left : ndarray of shape (m, d)
        With respect to the points of the rows of K.
    right : ndarray of shape (n, d)
        With respect to those of its columns.
    parameters : ndarray of shape (n_parameters,)
        With respect to the logarithms of the parameters.
    """

    left: FloatArray
    right: FloatArray
    parameters: FloatArray


class Covariance(Protocol):
    """A covariance function with parameters on a logarithmic scale."""

    names: ClassVar[tuple[str, ...]]

    def start(self) -> FloatArray:
        """Give parameters to begin with, for data and map of unit variance."""
        ...

    def __call__(self, parameters: FloatArray, A: FloatArray, B: FloatArray) -> FloatArray:
        """Compute k(a_i, b_j)."""
        ...

    def diagonal(self, parameters: FloatArray, A: FloatArray) -> FloatArray:
        """Compute k(a_i, a_i)."""
        ...

    def pull_back(
        self,
        parameters: FloatArray,
        A: FloatArray,
        B: FloatArray,
        K: FloatArray,
        slope: FloatArray,
    ) -> Flow:
        """Send ∂f/∂K back to points and parameters."""
        ...

    def pull_back_diagonal(
        self, parameters: FloatArray, A: FloatArray, slope: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Send ∂f/∂k(a_i, a_i) back to points and parameters."""
        ...


@dataclass(frozen=True)
class ExponentiatedQuadratic:
    """Smooth functions and a constant: k(a, b) = α exp(−‖a − b‖² / 2ℓ²) + β.

    The parameters are (log α, log ℓ, log β).
    """

    names: ClassVar[tuple[str, ...]] = ("signal_variance", "length_scale", "bias_variance")

    def start(self) -> FloatArray:
        """Give α = 1, ℓ = 1, β = 0.1."""
        return np.log([1.0, 1.0, 0.1])

    def __call__(self, parameters: FloatArray, A: FloatArray, B: FloatArray) -> FloatArray:
        _, length, bias = np.exp(parameters)
        K = half_squares(A / length, B / length)
        # exp(log α − d²/2): the scale goes in before the exponential, and costs no pass
        K += parameters[0]
        np.exp(K, out=K)
        K += bias
        return K

    def diagonal(self, parameters: FloatArray, A: FloatArray) -> FloatArray:
        """Compute α + β."""
        return np.full(A.shape[0], float(np.exp(parameters[0]) + np.exp(parameters[2])))

    def pull_back(
        self,
        parameters: FloatArray,
        A: FloatArray,
        B: FloatArray,
        K: FloatArray,
        slope: FloatArray,
    ) -> Flow:
        """Send ∂f/∂K back: with H = ∂f/∂K ∘ (K − β), ∂f/∂A = (HB − diag(H1) A) / ℓ²."""
        _, length, bias = np.exp(parameters)
        K -= bias
        H = np.multiply(K, slope, out=K)
        HB, HA = H @ B, H.T @ A
        rows, columns = H.sum(axis=1), H.sum(axis=0)
        left = (HB - rows[:, None] * A) / length**2
        right = (HA - columns[:, None] * B) / length**2
        # Σ_ij H_ij ‖a_i − b_j‖² / ℓ² from the same sums
        by_length = -float(np.sum(A * left) + np.sum(B * right))
        by_bias = bias * float(slope.sum())
        return Flow(left, right, np.array([float(rows.sum()), by_length, by_bias]))

    def pull_back_diagonal(
        self, parameters: FloatArray, A: FloatArray, slope: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Send ∂f/∂k(a, a) back: it depends on α and β alone."""
        total = float(slope.sum())
        signal, _, bias = np.exp(parameters)
        return np.zeros_like(A), np.array([total * signal, 0.0, total * bias])


@dataclass(frozen=True)
class LinearCovariance:
    """Linear functions: k(a, b) = aᵀb.  It has no parameters: a scale is the points' own."""

    names: ClassVar[tuple[str, ...]] = ()

    def start(self) -> FloatArray:
        """Give no parameters."""
        return np.empty(0)

    def __call__(self, parameters: FloatArray, A: FloatArray, B: FloatArray) -> FloatArray:
        return np.asarray(A @ B.T)

    def diagonal(self, parameters: FloatArray, A: FloatArray) -> FloatArray:
        """Compute ‖a‖²."""
        return np.asarray(np.einsum("ij,ij->i", A, A))

    def pull_back(
        self,
        parameters: FloatArray,
        A: FloatArray,
        B: FloatArray,
        K: FloatArray,
        slope: FloatArray,
    ) -> Flow:
        """Send ∂f/∂K back: ∂f/∂A = ∂f/∂K B."""
        return Flow(np.asarray(slope @ B), np.asarray(slope.T @ A), np.empty(0))

    def pull_back_diagonal(
        self, parameters: FloatArray, A: FloatArray, slope: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Send ∂f/∂k(a, a) back: 2a times it."""
        return 2 * slope[:, None] * A, np.empty(0)


#: By the name that estimators take.
COVARIANCES: dict[str, Covariance] = {
    "rbf": ExponentiatedQuadratic(),
    "linear": LinearCovariance(),
}
