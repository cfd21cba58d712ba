"""Find the place in the map from which a new row is likeliest, every row by itself.

    max_z  log p(y | z) − ‖z‖² / 2v²

by damped Newton steps on all rows at once, from the places of the training rows that are nearest
in the data.  The Hessian is taken from differences of the exact gradient; it decides how fast a
row arrives, not where.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidelight.core import FloatArray, IntArray
from sidelight.gaussian_process.prediction import Prediction
from sidelight.solvers import first_least

#: Starts looked at, and of these how many are followed to their maximum.
N_LOOKED_AT, N_FOLLOWED = 8, 2
#: Steps of Newton at most, and how small a step ends them, in units of the start's spread.
_MAX_STEPS, _LAST_STEP = 60, 1e-12
_DIFFERENCE = 1e-4


@dataclass(frozen=True)
class Placement:
    """Where rows belong.

    Parameters
    ----------
    Z : ndarray of shape (m, d)
        The places.
    value : ndarray of shape (m,)
        The maxima reached.
    curvature : ndarray of shape (m, d, d)
        Minus the Hessian there, made positive: the inverse of a covariance.
    """

    Z: FloatArray
    value: FloatArray
    curvature: FloatArray


@dataclass(frozen=True)
class Rows:
    """New rows and the process that is asked for them.

    Parameters
    ----------
    prediction : Prediction
        The process.
    Y : ndarray of shape (m, p)
        Rows, zero where nothing is observed.
    observed : ndarray of shape (m, p)
        One where something is, else zero.
    precision : float
        1/v² of the prior on places; 0 for none.
    scale : float
        A length in the map.
    """

    prediction: Prediction
    Y: FloatArray
    observed: FloatArray
    precision: float
    scale: float

    def some(self, index: IntArray) -> Rows:
        """Give some of the rows."""
        return Rows(
            self.prediction, self.Y[index], self.observed[index], self.precision, self.scale
        )

    def objective(self, Z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Compute what is maximised, and its gradient."""
        value, gradient = self.prediction.log_density(Z, self.Y, self.observed)
        value = value - 0.5 * self.precision * np.einsum("ij,ij->i", Z, Z)
        return value, gradient - self.precision * Z

    def curvature(self, Z: FloatArray, gradient: FloatArray) -> FloatArray:
        """Compute minus the Hessian by differences of the gradient."""
        d = Z.shape[1]
        H = np.empty((len(Z), d, d))
        step = _DIFFERENCE * self.scale
        for axis in range(d):
            moved = Z.copy()
            moved[:, axis] += step
            H[:, axis] = (gradient - self.objective(moved)[1]) / step
        return 0.5 * (H + H.transpose(0, 2, 1))


def place_rows(rows: Rows, starts: FloatArray) -> Placement:
    """Place rows from the most promising of several starts."""
    m, n_starts, _ = starts.shape
    values = np.column_stack([rows.objective(starts[:, s])[0] for s in range(n_starts)])
    order = np.argsort(-values, axis=1, kind="stable")[:, :N_FOLLOWED]
    every: IntArray = np.arange(m)
    found = [_climb(rows, starts[every, start]) for start in order.T]
    highest = first_least(-np.array([placed.value for placed in found]))
    return Placement(
        np.stack([placed.Z for placed in found])[highest, every],
        np.stack([placed.value for placed in found])[highest, every],
        np.stack([placed.curvature for placed in found])[highest, every],
    )


def positive_part(H: FloatArray, floor: float) -> FloatArray:
    """Turn negative curvature round, and keep all of it above a floor."""
    values, vectors = np.linalg.eigh(H)
    values = np.maximum(np.abs(values), floor)
    return np.asarray(np.einsum("mij,mj,mkj->mik", vectors, values, vectors))


def _climb(rows: Rows, start: FloatArray) -> Placement:
    Z = start.copy()
    value, gradient = rows.objective(Z)
    curvature = np.empty((len(Z), Z.shape[1], Z.shape[1]))
    damping = np.zeros(len(Z))
    active = np.arange(len(Z))
    stale = np.ones(len(Z), dtype=bool)
    least = 1e-3 / rows.scale**2
    for _ in range(_MAX_STEPS):
        if not len(active):
            break
        fresh = active[stale[active]]
        if len(fresh):
            H = rows.some(fresh).curvature(Z[fresh], gradient[fresh])
            curvature[fresh] = positive_part(H, least)
            stale[fresh] = False
        here = curvature[active]
        size = np.trace(here, axis1=1, axis2=2)
        raised = here + (damping[active] * size)[:, None, None] * np.eye(Z.shape[1])
        step = np.linalg.solve(raised, gradient[active][:, :, None])[:, :, 0]
        length = np.linalg.norm(step, axis=1)
        step *= np.minimum(1.0, rows.scale / np.maximum(length, 1e-300))[:, None]
        trial = Z[active] + step
        new_value, new_gradient = rows.some(active).objective(trial)
        # at the end values are equal to rounding: there the gradient decides
        flat = np.abs(new_value - value[active]) <= 1e-13 * (1 + np.abs(value[active]))
        smaller = np.linalg.norm(new_gradient, axis=1) < np.linalg.norm(gradient[active], axis=1)
        good = np.where(flat, smaller, new_value > value[active])
        moved = active[good]
        Z[moved], value[moved], gradient[moved] = trial[good], new_value[good], new_gradient[good]
        stale[moved] = True
        damping[moved] = np.where(damping[moved] < 1e-4, 0.0, damping[moved] * 0.1)
        held = active[~good]
        damping[held] = np.maximum(10 * damping[held], 1e-3)
        small = np.linalg.norm(step, axis=1) <= _LAST_STEP * rows.scale
        active = active[~(small | (~good & flat))]
    if stale.any():
        last = np.flatnonzero(stale)
        H = rows.some(last).curvature(Z[last], gradient[last])
        curvature[last] = positive_part(H, least)
    return Placement(Z, value, curvature)
