"""The density of rows whatever their place: log p(y) = log ∫ p(y | z) N(z | m, C) dz.

By Gauss–Hermite quadrature around places from which a row is likely, in the axes and widths of the
curvature there (Naylor and Smith 1982).  Several places share the integral: around place k with
curvature q_k it is that of the integrand times q_k / Σ_l q_l, so that places which are the same
count once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from sidelight.core import FloatArray
from sidelight.gaussian_process.placing import Rows, place_rows, positive_part

#: Nodes along the axis of a map of one dimension, and nodes in all of a map of more.
_NODES, _NODES_IN_ALL = 21, 30


def log_marginal(
    rows: Rows, starts: FloatArray, mean: FloatArray, covariance: FloatArray
) -> FloatArray:
    """Compute log p(y) of what is observed of every row."""
    d, precision = len(mean), np.asarray(np.linalg.inv(covariance))
    constant = -0.5 * (float(np.linalg.slogdet(covariance)[1]) + d * np.log(2 * np.pi))

    def log_joint(Z: FloatArray) -> tuple[FloatArray, FloatArray]:
        value, gradient = rows.prediction.log_density(Z, rows.Y, rows.observed)
        away = (Z - mean) @ precision
        squares = np.einsum("ij,ij->i", away, Z - mean)
        return value + constant - 0.5 * squares, gradient - away

    nodes, log_weights = _nodes(d)
    peaks = []
    for place in _likely_places(rows, starts, mean + np.sqrt(2) * nodes @ _root(covariance).T):
        bent = rows.curvature(place, rows.objective(place)[1]) - rows.precision * np.eye(d)
        curvature = positive_part(bent + precision, float(np.linalg.eigvalsh(precision)[0]))
        peaks.append(Peak.at(place, curvature, log_joint, rows.scale))
    found = []
    for peak in peaks:
        for node, log_weight in zip(nodes, log_weights, strict=True):
            Z = peak.centre + np.sqrt(2) * peak.widths @ node
            heights = np.stack([other.log_height(Z) for other in peaks])
            shared = peak.log_height(Z) - logsumexp(heights, axis=0)
            found.append(log_joint(Z)[0] + shared + peak.log_volume + node @ node + log_weight)
    return np.asarray(logsumexp(np.stack(found), axis=0))


@dataclass(frozen=True)
class Peak:
    """Where rows are likely, as Gaussians N(z*, L Lᵀ), one for each row.

    Parameters
    ----------
    centre : ndarray of shape (m, d)
        z*.
    widths : ndarray of shape (m, d, d)
        L, of the inverse curvature.
    axes : ndarray of shape (m, d, d)
        L⁻¹.
    log_volume : ndarray of shape (m,)
        log(2^{d/2} |L|).
    """

    centre: FloatArray
    widths: FloatArray
    axes: FloatArray
    log_volume: FloatArray

    @classmethod
    def at(
        cls,
        Z: FloatArray,
        curvature: FloatArray,
        log_joint: Callable[[FloatArray], tuple[FloatArray, FloatArray]],
        most: float,
    ) -> Peak:
        """At a Newton step, of bounded length, from places that are likely under another prior."""
        step = np.linalg.solve(curvature, log_joint(Z)[1][:, :, None])[:, :, 0]
        length = np.maximum(np.linalg.norm(step, axis=1), 1e-300)
        values, vectors = np.linalg.eigh(curvature)
        roots = np.sqrt(values)
        return cls(
            Z + np.minimum(1.0, most / length)[:, None] * step,
            vectors / roots[:, None, :],
            roots[:, :, None] * vectors.transpose(0, 2, 1),
            0.5 * Z.shape[1] * np.log(2) - np.log(roots).sum(axis=1),
        )

    def log_height(self, Z: FloatArray) -> FloatArray:
        """The log of its Gaussian at one place for each row, but for a constant."""
        turned = np.einsum("mij,mj->mi", self.axes, Z - self.centre)
        return np.asarray(-0.5 * np.einsum("mi,mi->m", turned, turned) - self.log_volume)


def _likely_places(rows: Rows, starts: FloatArray, grid: FloatArray) -> list[FloatArray]:
    """Where rows are likeliest from starts of their own, from all over the map, and from afar."""
    near = place_rows(rows, starts).Z
    everywhere = np.broadcast_to(grid, (len(near), *grid.shape))
    squares = ((near[:, None, :] - grid) ** 2).sum(axis=2)
    afar = np.argsort(-squares, axis=1, kind="stable")[:, : max(1, len(grid) // 2)]
    return [near, place_rows(rows, everywhere).Z, place_rows(rows, grid[afar]).Z]


def _nodes(d: int) -> tuple[FloatArray, FloatArray]:
    """Nodes t and log weights, ∫ f(t) exp(−‖t‖²) dt ≈ Σ w f(t), on a grid that is affordable."""
    count = max(1, min(_NODES, int(_NODES_IN_ALL ** (1 / d) + 1e-9)))
    t, w = np.polynomial.hermite.hermgauss(count)
    grid = np.stack(np.meshgrid(*[np.arange(count)] * d, indexing="ij"), axis=-1).reshape(-1, d)
    return t[grid], np.log(w)[grid].sum(axis=1)


def _root(covariance: FloatArray) -> FloatArray:
    return np.asarray(np.linalg.cholesky(covariance))
