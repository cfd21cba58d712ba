"""The fitted process over the map: places of rows, what lies at places, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sidelight.core import FloatArray, blas_threads_that_pay, row_blocks
from sidelight.gaussian_process import (
    COVARIANCES,
    ObservedTable,
    Prediction,
    Rows,
    log_marginal,
    place_rows,
    positive_part,
)
from sidelight.latent.gplvm.back_constraint import BackConstraint
from sidelight.latent.gplvm.objective import GPLVMObjective, State
from sidelight.latent.gplvm.start import places_to_begin
from sidelight.latent.gplvm.table import StandardTable, first_alike
from sidelight.similarity import gaussian_similarity
from sidelight.solvers.eigen import column_signs, settled_axes

#: The climb ends in flat valleys, where a length is open by so much: see the notes of GPLVM.
_VALLEY = 1e-3


@dataclass(frozen=True)
class LatentProcess:
    """Columns that are smooth functions of the map, given the data.

    Parameters
    ----------
    table : StandardTable
        The data.
    kernel : str
        The name of the covariance.
    state : State
        Latent points of the table's rows, inducing points, hyper-parameters.
    prior : float or None
        v, the standard deviation of latent points in units of the length scale.
    back : BackConstraint, optional
        The functions of rows that places are a combination of.
    weights : ndarray of shape (m, d), optional
        Which combination.
    """

    table: StandardTable
    kernel: str
    state: State
    prior: float | None
    back: BackConstraint | None
    weights: FloatArray | None

    @cached_property
    def prediction(self) -> Prediction:
        """The process given the data; made when it is first asked for, and as in the fit."""
        with blas_threads_that_pay(self.table.Y):
            return Prediction.fit(
                COVARIANCES[self.kernel],
                self.state.parameters,
                self.state.noise,
                self.state.Z,
                self.state.inducing,
                ObservedTable.of(self.table.Y),
                who="GPLVM",
            )

    @cached_property
    def precisions(self) -> FloatArray:
        """S_i⁻¹, the curvature of log p(z | y_i) at every latent point, (n, d, d)."""
        with blas_threads_that_pay(self.table.Y):
            return self._curvature(self.state.Z, self.table.Y)

    def __call__(self, X: FloatArray) -> FloatArray:
        """Place rows where they are likeliest; training rows keep their places."""
        return np.vstack([self._place(self.table.standardise(X[b])) for b in self._blocks(X)])

    def covariances(self, X: FloatArray, Z: FloatArray) -> FloatArray:
        """How sure the places of rows are, by the curvature of the posterior there, (n, d, d)."""
        found = []
        for block in self._blocks(X):
            curvature = self._curvature(Z[block], self.table.standardise(X[block]))
            found.append(np.linalg.inv(curvature))
        return np.concatenate(found)

    def mean(self, Z: FloatArray) -> FloatArray:
        """What lies at places."""
        return self.table.restore(self.prediction.mean(Z))

    def moments(self, Z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """What lies at places, and the standard deviation of an observation."""
        mean, variance = self.prediction.moments(Z)
        return self.table.restore(mean), self.table.spread(np.sqrt(variance))

    def density(self, Z: FloatArray) -> FloatArray:
        """The mean of N(z | z_i, S_i) over training rows."""
        latent, widths = self.state.Z, self.precisions
        heights = np.sqrt(np.linalg.det(widths / (2 * np.pi))) / len(latent)
        densities = []
        for block in row_blocks(len(Z), 32.0 * latent.size, budget=2e8):
            away = Z[block, None, :] - latent[None, :, :]
            squares = np.einsum("mni,nij,mnj->mn", away, widths, away)
            densities.append(gaussian_similarity(squares, 2.0) @ heights)
        return np.concatenate(densities)

    @property
    def places(self) -> tuple[FloatArray, FloatArray]:
        """The mean of the latent points and their covariance C, positive definite."""
        Z = self.state.Z
        away = Z - Z.mean(axis=0)
        C = away.T @ away / len(Z)
        return Z.mean(axis=0), C + 1e-9 * (np.trace(C) or 1.0) * np.eye(len(C))

    def log_density(self, X: FloatArray) -> FloatArray:
        """log p(y) = log ∫ N(y | μ(z), s²(z)) N(z | z̄, C) dz of what is observed of rows."""
        blocks = self._blocks(X)
        return np.concatenate([self._log_density(self.table.standardise(X[b])) for b in blocks])

    def _log_density(self, Y: FloatArray) -> FloatArray:
        found, seen = np.zeros(len(Y)), ~np.isnan(Y)
        some = seen.any(axis=1)
        if some.any():
            rows = self._rows(Y[some])
            starts = places_to_begin(rows, self.state.Z, self.table.Y)
            found[some] = log_marginal(rows, starts, *self.places)
        return np.asarray(found - seen.sum(axis=1) * np.log(self.table.scale))

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Rows y ~ N(μ(z), s²(z)) at places z ~ N(z̄, C)."""
        centre, C = self.places
        Z = centre + rng.standard_normal((n, len(C))) @ np.linalg.cholesky(C).T
        noise = rng.standard_normal((n, len(self.table.mean)))
        drawn = []
        for block in self._blocks(Z):
            mean, deviation = self.moments(Z[block])
            drawn.append(mean + deviation * noise[block])
        return np.vstack(drawn)

    def _blocks(self, X: FloatArray) -> list[slice]:
        return row_blocks(len(X), 64.0 * len(self.prediction.centres), budget=2e8)

    def _place(self, Y: FloatArray) -> FloatArray:
        latent = self.state.Z
        Z = np.zeros((len(Y), latent.shape[1]))
        same = first_alike(Y, self.table.Y)
        known, blank = same >= 0, np.isnan(Y).all(axis=1)
        Z[known] = latent[same[known]]
        free = ~known & ~blank
        if self.back is not None and self.weights is not None:
            whole = ~known & ~np.isnan(Y).any(axis=1)
            Z[whole] = self.back.features(Y[whole]) @ self.weights
            free &= ~whole
        if free.any():
            rows = self._rows(Y[free])
            Z[free] = place_rows(rows, places_to_begin(rows, latent, self.table.Y)).Z
        return Z

    def _rows(self, Y: FloatArray) -> Rows:
        """Rows, the prior on their places, and a length in the map."""
        observed = ~np.isnan(Y)
        precision, unit = 0.0, float(np.sqrt(np.mean(self.state.Z**2))) or 1.0
        names = COVARIANCES[self.kernel].names
        if "length_scale" in names:
            length = float(np.exp(self.state.parameters[names.index("length_scale")]))
            precision = 0.0 if self.prior is None else (float(self.prior) * length) ** -2
            unit = min(length, unit)
        filled = np.where(observed, Y, 0.0)
        return Rows(self.prediction, filled, observed.astype(np.float64), precision, unit)

    def _curvature(self, Z: FloatArray, Y: FloatArray) -> FloatArray:
        rows = self._rows(Y)
        gradient = rows.objective(Z)[1]
        floor = max(rows.precision, 1e-6 / rows.scale**2)
        return positive_part(rows.curvature(Z, gradient), floor)


def settled(
    objective: GPLVMObjective, x: FloatArray, Y: FloatArray
) -> tuple[State, FloatArray | None]:
    """Turn the map to its principal axes and measure it in length scales; copies are together.

    The weights of a back constraint, where there is one, go with it.
    """
    state = objective.unpack(x)
    logs, d = state.parameters.copy(), state.Z.shape[1]
    unit, middle = 1.0, np.zeros(d)
    if "length_scale" in objective.covariance.names:  # only ‖z − z'‖ / ℓ matters
        middle = state.Z.mean(axis=0)
        unit = float(np.std(state.Z - middle)) or 1.0
        logs[objective.covariance.names.index("length_scale")] -= np.log(unit)
    axes = settled_axes(state.Z - middle, near=_VALLEY)
    axes = axes * column_signs((state.Z - middle) @ axes, alike=_VALLEY) / unit
    Z = ((state.Z - middle) @ axes)[first_alike(Y, Y)]
    inducing = None if state.inducing is None else (state.inducing - middle) @ axes
    weights = None
    if objective.features is not None:
        weights = objective.weights(x).copy()
        weights[-1] -= middle
        weights = weights @ axes
    return State(Z, inducing, logs, state.noise), weights
