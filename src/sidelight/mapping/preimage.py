"""Pre-images: from a point of the feature space back to an item that maps near to it.

A position z of the map stands for P = Σ_i γ_i φ(x_i) in feature space.  Three ways to an x with
φ(x) ≈ P: a fixed-point iteration on the gradient of ‖φ(x) − P‖², the distances of P to the
training items turned into input distances and solved for a position, and a ridge regression from
the map to the items.

References
----------
S. Mika et al. (1999), "Kernel PCA and de-noising in feature spaces".
J. T. Kwok and I. W. Tsang (2004), "The pre-image problem in kernel methods".
G. Bakır, J. Weston and B. Schölkopf (2004), "Learning to find pre-images".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg

from sidelight.core import FloatArray
from sidelight.similarity import GaussianKernel
from sidelight.solvers import RidgeSystem, best_of

#: Rates of the kernel that are tried, over the map's variance.
_RATES = (0.3, 1.0, 3.0, 10.0)


def expansion_coefficients(
    Z: FloatArray, points: FloatArray, values: FloatArray, counts: FloatArray
) -> FloatArray:
    """Write positions of the map as P = Σ_i γ_i φ(x_i), uncentred.

    With φ̃ the centred features, P = mean + Σ_p z_p u_p, u_p = Σ_i z_ip φ̃(x_i) / λ_p.
    """
    extent = values > 1e-12 * max(float(values.max(initial=0.0)), np.finfo(float).tiny)
    scale = np.where(extent, 1 / np.where(extent, values, 1.0), 0.0)
    coefficients = (Z * scale) @ (counts[:, None] * points).T
    weights = counts / counts.sum()
    return np.asarray(
        coefficients + (1 - coefficients.sum(axis=1, keepdims=True)) * weights[None, :]
    )


def fixed_point_preimage(
    gamma: FloatArray,
    items: FloatArray,
    kernel: GaussianKernel,
    start: FloatArray,
    *,
    tol: float = 1e-8,
    max_iter: int = 200,
) -> FloatArray:
    """Iterate x ← Σ_i γ_i k(x, x_i) x_i / Σ_i γ_i k(x, x_i), Mika et al.'s rule.

    A step is taken only where it brings φ(x) closer to P (the rule is a step along the gradient of
    Σ γ_i k(x, x_i), which the pre-image maximises, but may overshoot or divide by nothing).
    """
    x = np.array(start, dtype=np.float64)
    closeness = np.einsum("ij,ij->i", gamma, kernel(x, items))
    spread = float(np.std(items)) or 1.0
    active = np.arange(len(x))
    for _ in range(max_iter):
        pull = gamma[active] * kernel(x[active], items)
        total = pull.sum(axis=1, keepdims=True)
        safe = np.abs(total) > 1e-12
        target = np.where(safe, (pull @ items) / np.where(safe, total, 1.0), x[active])
        step = target - x[active]
        better = np.zeros(len(active), dtype=bool)
        for shrink in (1.0, 0.5, 0.25, 0.125):
            trial = np.where(better[:, None], target, x[active] + shrink * step)
            reached = np.einsum("ij,ij->i", gamma[active], kernel(trial, items))
            improved = ~better & (reached > closeness[active])
            target[improved] = trial[improved]
            closeness[active[improved]] = reached[improved]
            better |= improved
            if better.all():
                break
        moved = np.abs(target - x[active]).max(axis=1) > tol * spread
        x[active[better]] = target[better]
        active = active[better & moved]
        if not len(active):
            break
    return x


def distance_preimage(
    gamma: FloatArray,
    items: FloatArray,
    kernel: GaussianKernel,
    kernel_of_items: FloatArray,
    *,
    n_neighbors: int = 10,
) -> FloatArray:
    """Turn feature-space distances into input distances and solve for the position.

    k(x, x_i) = ½(1 + ‖P‖² − ‖P − φ(x_i)‖²) = ⟨P, φ(x_i)⟩ up to the length of P; with the kernel's
    inverse −log k / γ = ‖x − x_i‖² the position is trilaterated from the nearest items.
    """
    inner = gamma @ kernel_of_items
    length = np.sqrt(np.maximum(np.einsum("ij,ij->i", inner, gamma), 1e-300))
    cosine = np.clip(inner / length[:, None], 1e-12, 1.0)
    squared = -np.log(cosine) / kernel.gamma
    k = min(n_neighbors, items.shape[0])
    near = np.argsort(squared, axis=1, kind="stable")[:, :k]
    found = np.empty((len(gamma), items.shape[1]))
    for row in range(len(gamma)):
        corners = items[near[row]]
        centre = corners.mean(axis=0)
        U, s, Vt = np.linalg.svd(corners - centre, full_matrices=False)
        keep = s > 1e-9 * max(s[0], np.finfo(float).tiny)
        coordinates = U[:, keep] * s[keep]
        # Gower: −½(d² − ‖c‖²) centred = C q, with q the position in the corners' span
        known = squared[row, near[row]] - np.einsum("ij,ij->i", coordinates, coordinates)
        position = np.linalg.lstsq(-2 * coordinates, known - known.mean(), rcond=None)[0]
        found[row] = centre + position @ Vt[keep]
    return found


@dataclass(frozen=True)
class RidgePreimage:
    """Kernel ridge regression from the map to the items.

    Parameters
    ----------
    points : ndarray of shape (n, d)
        Positions in the map.
    kernel : GaussianKernel
        A kernel on the map.
    coefficients : ndarray of shape (n, p)
        Dual coefficients.
    mean : ndarray of shape (p,)
        The mean item, which far positions fall back to.
    """

    points: FloatArray
    kernel: GaussianKernel
    coefficients: FloatArray
    mean: FloatArray

    @classmethod
    def fit(cls, points: FloatArray, items: FloatArray, *, ridge: float | None) -> RidgePreimage:
        """Learn the regression; the ridge is chosen by leave-one-out."""
        variance = float(points.var(axis=0).sum()) or 1.0
        mean = items.mean(axis=0)
        target = items - mean
        ridges = np.geomspace(1e-8, 1, 9) if ridge is None else np.array([ridge])

        def fitted(rate: float) -> tuple[float, float, GaussianKernel]:
            kernel = GaussianKernel(rate / variance)
            system = RidgeSystem.of(kernel(points, points))
            alpha = system.best_ridge(target, ridges)
            return system.left_out_error(target, alpha), float(alpha), kernel

        # the kernel's width and the ridge are chosen together; one decomposition per width
        _, alpha, kernel = best_of(map(fitted, _RATES), lambda found: found[0])
        K = kernel(points, points)
        K[np.diag_indices_from(K)] += alpha
        return cls(points, kernel, scipy.linalg.solve(K, target, assume_a="pos"), mean)

    def __call__(self, Z: FloatArray) -> FloatArray:
        """Predict the items at positions of the map."""
        return np.asarray(self.kernel(Z, self.points) @ self.coefficients + self.mean)
