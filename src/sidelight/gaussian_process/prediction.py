"""What a Gaussian process fitted over a map says at other places: means and variances.

Both forms of the model predict alike, from centres c_i (all latent points, or the inducing ones):

    μ(z) = Aᵀ k(C, z),     s_j²(z) = k(z, z) − k(C, z)ᵀ M_j k(C, z) + σ²

with A = K⁻¹Y and M = K⁻¹ of the columns' observed rows; or, with inducing points,
A = Σ⁻¹K_mn Y/σ² and M = K_mm⁻¹ − Σ⁻¹, where Σ = K_mm + K_mn K_nm / σ².
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from sidelight.core import FloatArray, IntArray, require_memory
from sidelight.gaussian_process.covariance import Covariance
from sidelight.gaussian_process.factorisation import factorise
from sidelight.gaussian_process.inducing import factorise_inducing
from sidelight.gaussian_process.observed import ObservedTable

#: Rows whose log density is computed at once.
_CHUNK = 64


@dataclass(frozen=True)
class SharedVariance:
    """Columns whose variance is the same function of the place.

    Parameters
    ----------
    columns : ndarray of shape (c,)
        The columns.
    rows : ndarray of shape (r,) or None
        The centres that know of them; None for all.
    root : ndarray of shape (r, r)
        R with M = RᵀR, what the centres take away from the prior variance: ‖R k‖² loses half as
        many digits as kᵀMk.
    """

    columns: IntArray
    rows: IntArray | None
    root: FloatArray


@dataclass(frozen=True)
class Slopes:
    """The derivative of some f with respect to a prediction.

    Parameters
    ----------
    mean : ndarray of shape (m, p)
        ∂f/∂μ.
    variance : ndarray of shape (m, p)
        ∂f/∂s².
    """

    mean: FloatArray
    variance: FloatArray


class Prediction:
    """Means and variances of every column at any place.

    Parameters
    ----------
    covariance : Covariance
        k.
    parameters : ndarray of shape (n_parameters,)
        Logarithms of its parameters.
    noise : float
        σ².
    centres : ndarray of shape (c, d)
        C.
    A : ndarray of shape (c, p)
        Coefficients of the means.
    variances : tuple of SharedVariance
        Every column is in one.
    """

    def __init__(
        self,
        covariance: Covariance,
        parameters: FloatArray,
        noise: float,
        centres: FloatArray,
        A: FloatArray,
        variances: tuple[SharedVariance, ...],
    ) -> None:
        self.covariance, self.parameters, self.noise = covariance, parameters, noise
        self.centres, self.A, self.variances = centres, A, variances

    @classmethod
    def fit(
        cls,
        covariance: Covariance,
        parameters: FloatArray,
        noise: float,
        Z: FloatArray,
        inducing: FloatArray | None,
        table: ObservedTable,
        *,
        who: str,
    ) -> Prediction:
        """Condition the process on the data."""
        centres = Z if inducing is None else inducing
        require_memory(
            8.0 * (len(table.groups) + 2) * len(centres) ** 2,
            what=f"an inverse kernel for each of {len(table.groups)} patterns of missing entries",
            who=who,
            instead="Use n_inducing, or fill in what is missing.",
        )
        K = covariance(parameters, centres, Z)
        A = np.zeros((len(centres), table.values.shape[1]))
        if inducing is not None:
            base = factorise_inducing(covariance(parameters, inducing, inducing))[0]
            root = solve_triangular(base.lower, np.eye(len(inducing)), lower=True)
            # in coordinates where K_mm is I, which its own rounding does not blur
            K = root @ K
        variances = []
        for group in table.groups:
            if inducing is None:
                block = K.copy() if group.rows is None else K[np.ix_(group.rows, group.rows)]
                block.flat[:: len(block) + 1] += noise
                lower = factorise(block).lower
                R = solve_triangular(lower, np.eye(len(block)), lower=True)
                rows: IntArray | None = group.rows
                taken = slice(None) if rows is None else rows
                A[np.ix_(np.arange(len(A))[taken], group.columns)] = R.T @ (R @ group.values)
            else:
                V = K if group.rows is None else K[:, group.rows]
                grown, axes = np.linalg.eigh(V @ V.T / noise)
                grown = np.maximum(grown, 0)  # of B − I, where B = I + VVᵀ/σ²
                turned = axes.T @ root
                R, rows = np.sqrt(grown / (1 + grown))[:, None] * turned, None
                inner = (axes.T @ (V @ group.values)) / (1 + grown)[:, None]
                A[:, group.columns] = turned.T @ inner / noise
            variances.append(SharedVariance(group.columns, rows, np.ascontiguousarray(R)))
        return cls(covariance, parameters, noise, centres, A, tuple(variances))

    def mean(self, Z: FloatArray) -> FloatArray:
        """Compute μ at places."""
        return np.asarray(self.covariance(self.parameters, Z, self.centres) @ self.A)

    def moments(self, Z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Compute μ and s² at places, with the noise of an observation."""
        K = self.covariance(self.parameters, Z, self.centres)
        return K @ self.A, self._variance(Z, K)[0]

    def pull_back(
        self, Z: FloatArray, K: FloatArray, images: list[FloatArray], slopes: Slopes
    ) -> FloatArray:
        """Send ∂f/∂(μ, s²) back to the places."""
        by_K = slopes.mean @ self.A.T
        for shared, image in zip(self.variances, images, strict=True):
            total = slopes.variance[:, shared.columns].sum(axis=1)
            rows = slice(None) if shared.rows is None else shared.rows
            by_K[:, rows] -= 2 * total[:, None] * (image @ shared.root)
        direct, _ = self.covariance.pull_back_diagonal(
            self.parameters, Z, slopes.variance.sum(axis=1)
        )
        flow = self.covariance.pull_back(self.parameters, Z, self.centres, K, by_K)
        return flow.left + direct

    def _variance(self, Z: FloatArray, K: FloatArray) -> tuple[FloatArray, list[FloatArray]]:
        variance: FloatArray = np.empty((len(Z), self.A.shape[1]))
        prior = self.covariance.diagonal(self.parameters, Z)
        images: list[FloatArray] = []
        for shared in self.variances:
            known = K if shared.rows is None else K[:, shared.rows]
            images.append(known @ shared.root.T)
            taken = np.einsum("ij,ij->i", images[-1], images[-1])
            # rounding must not make less than nothing of what is left
            variance[:, shared.columns] = (np.maximum(prior - taken, 0) + self.noise)[:, None]
        return variance, images

    def log_density(
        self, Z: FloatArray, Y: FloatArray, observed: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Compute log p(y_i | z_i) of what is observed of rows, and its gradient in z_i."""
        values, gradients = [], []
        for begin in range(0, len(Z), _CHUNK):
            # always as many rows: a product's rounding depends on its size, and must not depend on
            # who else is asked for
            short = np.minimum(np.arange(begin, begin + _CHUNK), len(Z) - 1)
            value, gradient = self._chunk(Z[short], Y[short], observed[short])
            kept = min(_CHUNK, len(Z) - begin)
            values.append(value[:kept])
            gradients.append(gradient[:kept])
        return np.concatenate(values), np.concatenate(gradients)

    def _chunk(
        self, Z: FloatArray, Y: FloatArray, observed: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        K = self.covariance(self.parameters, Z, self.centres)
        variance, images = self._variance(Z, K)
        residual = observed * (Y - K @ self.A)
        pull = residual / variance
        terms = observed * np.log(2 * np.pi * variance) + residual * pull
        slopes = Slopes(pull, 0.5 * (pull * pull - observed / variance))
        return -0.5 * terms.sum(axis=1), self.pull_back(Z, K, images, slopes)
