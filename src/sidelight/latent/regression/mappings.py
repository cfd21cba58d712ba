"""The regression from the map to data, and the projection of new rows onto it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import FloatArray, IntArray, as_dense, row_blocks
from sidelight.estimator import Map, matches, of_all_rows
from sidelight.latent.regression.reconstruction import gaussian_weights
from sidelight.neighbors import each_row
from sidelight.solvers.descent import lowest_rows
from sidelight.solvers.eigen import column_signs, settled_axes


@dataclass(frozen=True)
class Frame:
    """The data seen from their mean, and where columns outnumber rows along as many axes.

    Turning the data changes no distance.

    Parameters
    ----------
    mean : ndarray of shape (p,)
        The mean.
    axes : ndarray of shape (p, n), optional
        Orthonormal axes that hold all rows.
    """

    mean: FloatArray
    axes: FloatArray | None

    @classmethod
    def of(cls, X: FloatArray) -> Frame:
        """The frame of a dense table."""
        mean = X.mean(axis=0)
        return cls(mean, np.linalg.qr((X - mean).T)[0] if X.shape[1] > len(X) else None)

    def __call__(self, X: Any) -> FloatArray:
        """Rows, as they are seen in it."""
        centred = as_dense(X).astype(np.float64, copy=False) - self.mean
        return np.asarray(centred if self.axes is None else centred @ self.axes)

    def back(self, rows: FloatArray) -> FloatArray:
        """Rows as they came."""
        return np.asarray((rows if self.axes is None else rows @ self.axes.T) + self.mean)


@dataclass(frozen=True)
class LinearRegression:
    """f(z) = Wz, rows relative to the frame.

    Parameters
    ----------
    frame : Frame
        Of the data.
    loadings : ndarray of shape (p, d)
        W = Xᵀ Z.
    """

    frame: Frame
    loadings: FloatArray

    def __call__(self, Z: FloatArray) -> FloatArray:
        """What lies at places of the map."""
        return self.frame.back(Z @ self.loadings.T)


@dataclass(frozen=True)
class LinearProjection:
    """New rows where a linear regression comes closest to them.

    Parameters
    ----------
    regression : LinearRegression
        f.
    """

    regression: LinearRegression

    def __call__(self, X: Any) -> FloatArray:
        """Place rows by least squares."""
        f = self.regression
        rows = (f.frame(X[block]) for block in row_blocks(X.shape[0], 8.0 * X.shape[1]))
        return np.vstack([np.linalg.lstsq(f.loadings, some.T, rcond=None)[0].T for some in rows])


@dataclass(frozen=True)
class GaussianRegression:
    """f(z) = Σ_j b(z, z_j) x_j with the weights of a Gaussian kernel regression.

    Parameters
    ----------
    frame : Frame
        Of the data.
    rows : ndarray of shape (n, p)
        The training rows in it.
    places : ndarray of shape (n, d)
        Where they are in the map.
    middle : ndarray of shape (d,)
        The place that the penalty pulls to.
    unit : float
        The length in the map of a unit of the Gaussian's exponent.
    """

    frame: Frame
    rows: FloatArray
    places: FloatArray
    middle: FloatArray
    unit: float

    def __call__(self, Z: FloatArray) -> FloatArray:
        """What lies at places of the map."""
        weights = gaussian_weights(self.measured(Z), self.measured(self.places))
        return self.frame.back(weights @ self.rows)

    def measured(self, Z: FloatArray) -> FloatArray:
        """Places as the regression measures them."""
        return np.asarray((Z - self.middle) / self.unit)


@dataclass(frozen=True)
class OntoRegression:
    """New points where the regression comes closest: argmin_z ‖x − f(z)‖² + λv‖z − z̄‖².

    Parameters
    ----------
    among : Points
        The training points; one of them that comes again is where it is.
    regression : GaussianRegression
        f.
    pull : float
        λv.
    """

    among: Any
    regression: GaussianRegression
    pull: float

    def __call__(self, new: Any) -> FloatArray:
        """Place new points, each by itself."""
        f = self.regression
        match, which = matches(self.among.nearest(1, new))
        places: FloatArray = f.places[which]
        others, rows = np.flatnonzero(~match), f.frame(new.rows)
        for block in row_blocks(len(others), 40.0 * f.places.size):
            some = others[block]
            places[some] = self._project(rows[some], which[some])
        return places

    def _project(self, rows: FloatArray, nearest: IntArray) -> FloatArray:
        f, pull = self.regression, self.pull
        Y, targets, d = f.measured(f.places), f.rows, f.places.shape[1]

        def error(z: FloatArray, which: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
            B = gaussian_weights(z, Y)
            fit = B @ targets
            residual = fit - rows[which]
            # f moves with z as the weights' covariance of points and items says
            mean = B @ Y
            J = np.stack(
                [2 * ((B * Y[:, l]) @ targets - mean[:, [l]] * fit) for l in range(d)], axis=1
            )
            value = np.einsum("mp,mp->m", residual, residual)
            value += pull * np.einsum("md,md->m", z, z)
            gradient = 2 * np.einsum("mdp,mp->md", J, residual) + 2 * pull * z
            return value, gradient, 2 * np.einsum("mdp,mep->mde", J, J) + 2 * pull * np.eye(d)

        fits = gaussian_weights(Y, Y) @ targets
        closest = np.argmin(np.einsum("ij,ij->i", fits, fits) - 2 * rows @ fits.T, axis=1)
        return f.middle + f.unit * lowest_rows(error, [Y[closest], Y[nearest]])


def linear_map(frame: Frame, rows: FloatArray, Z: FloatArray) -> Map:
    """The map of a linear regression, turned so that its loadings are orthogonal."""
    turned = Z @ settled_axes(rows.T @ Z)
    places = np.asarray(turned * column_signs(turned))
    line = LinearRegression(frame, rows.T @ places)
    return Map(places, LinearProjection(line), {}, None, line)


def gaussian_map(
    points: Any, frame: Frame, Z: FloatArray, unit: float, pull: float, *, about_mean: bool
) -> Map:
    """The map of a Gaussian regression; points are pulled to their mean, or to the origin."""
    middle = Z.mean(axis=0) if about_mean else np.zeros(Z.shape[1])
    surface = GaussianRegression(frame, frame(points.rows), Z, middle, unit)
    found = Map(Z, OntoRegression(points, surface, pull), {}, None, surface)
    return of_all_rows(found, points, each_row(len(Z)))
