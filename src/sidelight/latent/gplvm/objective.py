"""The objective of the GP-LVM as a function of one vector, with its gradient.

The vector holds what makes the latent points (Z itself, or the weights W of a back constraint),
the inducing points where there are any, and the logarithms of the hyper-parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sidelight.core import FloatArray
from sidelight.gaussian_process import Covariance, ObservedTable, exact_likelihood, inducing_bound
from sidelight.latent.descending import NOTHING_ADJACENT, Adjacent
from sidelight.latent.gplvm.back_constraint import first_weights

#: σ² never falls below this share of the data's variance.
NOISE_FLOOR = 1e-6
#: Log hyper-parameters are Gaussian about where they start, with this standard deviation.
_LOG_SPREAD = 3.0
#: Beyond these logarithms hyper-parameters have no squares: a step that goes there is too long.
_LARGEST_LOG = 230.0


@dataclass(frozen=True)
class State:
    """What the vector says.

    Parameters
    ----------
    Z : ndarray of shape (n, d)
        Latent points.
    inducing : ndarray of shape (m, d) or None
        Inducing points.
    parameters : ndarray of shape (n_parameters,)
        Logarithms of the covariance's parameters.
    noise : float
        σ².
    """

    Z: FloatArray
    inducing: FloatArray | None
    parameters: FloatArray
    noise: float


class GPLVMObjective:
    """Minus the log posterior of latent points and hyper-parameters.

        −log p(Y | Z, θ) + ‖Z‖² / 2v²ℓ² + Σ (log θ − log θ₀)² / 2s²,

    where the length scale ℓ has no prior of its own: only Z / ℓ matters.

    Parameters
    ----------
    table : ObservedTable
        Y, centred and of unit variance.
    covariance : Covariance
        k.
    n_components : int
        d.
    prior : float or None
        v, the standard deviation of latent points in units of the length scale; None for no
        priors at all, as with a covariance that has no length scale.
    n_inducing : int
        m; 0 for the exact likelihood.
    features : ndarray of shape (n, m) or None
        φ(Y) of a back constraint: Z = φ(Y) W.
    beside : Adjacent
        What rows that follow one another cost.
    about_mean : bool
        Whether the prior is on latent points as seen from their mean, and not from the origin:
        where some of them are held, the others cannot move the mean there.
    """

    def __init__(
        self,
        table: ObservedTable,
        covariance: Covariance,
        n_components: int,
        *,
        prior: float | None = None,
        n_inducing: int = 0,
        features: FloatArray | None = None,
        beside: Adjacent = NOTHING_ADJACENT,
        about_mean: bool = False,
    ) -> None:
        self.table, self.covariance, self.d = table, covariance, n_components
        self.prior = prior if "length_scale" in covariance.names else None
        self.n_inducing, self.features, self.beside = n_inducing, features, beside
        self.about_mean = about_mean
        n = table.values.shape[0]
        free = n if features is None else features.shape[1]
        self.cuts = np.cumsum([free * n_components, n_inducing * n_components])
        self.centre = np.append(covariance.start(), np.log(0.1))
        #: hyper-parameters feel all entries at once: a unit of the vector is a small step of them
        self.unit = 1.0 / np.sqrt(n)
        self.jitter = 0.0

    @property
    def n_variables(self) -> int:
        """The length of the vector."""
        return int(self.cuts[-1]) + len(self.centre)

    def pack(self, free: FloatArray, inducing: FloatArray | None) -> FloatArray:
        """Write a start as a vector; hyper-parameters begin at their defaults."""
        middle = np.empty(0) if inducing is None else inducing.ravel()
        return np.concatenate([free.ravel(), middle, self.centre / self.unit])

    def vector_of(self, Z: FloatArray) -> FloatArray:
        """Write a first map as a vector; inducing points begin at rows evenly spread."""
        free = Z if self.features is None else first_weights(self.features, Z)
        spread = np.linspace(0, len(Z) - 1, self.n_inducing).round().astype(np.intp)
        return self.pack(free, Z[spread] if self.n_inducing else None)

    def unpack(self, x: FloatArray) -> State:
        """Read a vector."""
        free, middle, last = np.split(x, self.cuts)
        Z = free.reshape(-1, self.d)
        if self.features is not None:
            Z = self.features @ Z
        inducing = middle.reshape(-1, self.d) if self.n_inducing else None
        logs = last * self.unit
        return State(Z, inducing, logs[:-1], NOISE_FLOOR + float(np.exp(logs[-1])))

    def moved(self, x: FloatArray, move: Callable[[FloatArray], FloatArray]) -> FloatArray:
        """The vector with free latent points, and inducing ones, moved."""
        free, middle, last = np.split(x, self.cuts)
        there = [move(part.reshape(-1, self.d)).ravel() for part in (free, middle) if part.size]
        return np.concatenate([*there, last])

    def weights(self, x: FloatArray) -> FloatArray:
        """Read the weights of the back constraint."""
        return x[: self.cuts[0]].reshape(-1, self.d)

    def log_likelihood(self, state: State) -> tuple[float, State, float]:
        """Compute log p(Y | Z) (or its bound) and its gradient."""
        return self._bounded(state) if self.n_inducing else self._exact(state)

    def _exact(self, state: State) -> tuple[float, State, float]:
        Z, theta = state.Z, state.parameters
        K = self.covariance(theta, Z, Z)
        found = exact_likelihood(K, state.noise, self.table)
        # the transpose of a symmetric K lies in memory as the slope does
        flow = self.covariance.pull_back(theta, Z, Z, K.T, found.slope)
        gradient = State(flow.left + flow.right, None, flow.parameters, found.noise_slope)
        return found.value, gradient, found.jitter

    def _bounded(self, state: State) -> tuple[float, State, float]:
        Z, U, theta, k = state.Z, state.inducing, state.parameters, self.covariance
        assert U is not None
        K_mm, K_mn = k(theta, U, U), k(theta, U, Z)
        found = inducing_bound(K_mm, K_mn, k.diagonal(theta, Z), state.noise, self.table)
        own = k.pull_back(theta, U, U, K_mm, found.inducing_slope)
        across = k.pull_back(theta, U, Z, K_mn, found.cross_slope)
        direct, by_diagonal = k.pull_back_diagonal(theta, Z, found.diagonal_slope)
        gradient = State(
            across.right + direct,
            own.left + own.right + across.left,
            own.parameters + across.parameters + by_diagonal,
            found.noise_slope,
        )
        return found.value, gradient, found.jitter

    def log_posterior(self, state: State) -> float:
        """Compute the log likelihood with the log priors, but for constants."""
        return self.log_likelihood(state)[0] + self._log_prior(state)[0]

    def _log_prior(self, state: State) -> tuple[float, FloatArray, FloatArray]:
        """The log prior and its gradient in Z and in the logarithms; the length scale has none."""
        by_logs = np.zeros(len(self.centre))
        apart, by_apart = self.beside(state.Z)
        if self.prior is None:
            return -apart, -by_apart, by_logs
        # at the floor nothing is left of the noise but rounding
        excess = max(state.noise - NOISE_FLOOR, 1e-12 * NOISE_FLOOR)
        logs = np.append(state.parameters, np.log(excess))
        away = (logs - self.centre) / _LOG_SPREAD
        where = self.covariance.names.index("length_scale")
        away[where] = 0.0
        by_logs -= away / _LOG_SPREAD
        precision = float(np.exp(-2 * state.parameters[where])) / self.prior**2
        Z = state.Z - state.Z.mean(axis=0) if self.about_mean else state.Z
        spread = float(np.sum(Z**2)) * precision
        by_logs[where] += spread
        log_prior = -0.5 * (spread + float(away @ away)) - apart
        return log_prior, -precision * Z - by_apart, by_logs

    def __call__(self, x: FloatArray) -> tuple[float, FloatArray]:
        if (np.abs(x[self.cuts[-1] :]) * self.unit > _LARGEST_LOG).any():
            return np.inf, np.zeros_like(x)
        state = self.unpack(x)
        value, gradient, self.jitter = self.log_likelihood(state)
        prior, by_Z, by_logs = self._log_prior(state)
        by_Z += gradient.Z
        by_logs += np.append(gradient.parameters, gradient.noise * (state.noise - NOISE_FLOOR))
        free = by_Z if self.features is None else self.features.T @ by_Z
        middle = np.empty(0) if gradient.inducing is None else gradient.inducing.ravel()
        slope = np.concatenate([free.ravel(), middle, by_logs * self.unit])
        return -(value + prior), -slope
