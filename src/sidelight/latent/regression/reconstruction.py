"""The reconstruction error of items by kernel regression on their own latent points.

E(Z) = (1/n) Σ_i ‖x_i − Σ_j b_ij x_j‖² (latent-factor thesis eq. 2.19).  With
b_ij = e_ij / Σ_k e_ik, e_ij = exp(−‖z_i − z_j‖²), r_i the residuals and
C_ij = b_ij (r_iᵀx_j − r_iᵀΣ_k b_ik x_k), the gradient is (4/n) Σ_j (C_ij + C_ji)(z_i − z_j); with
the linear basis b_ij = z_iᵀz_j it is −(2/n) (AᵀZ + AZ), A_ij = r_iᵀx_j.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sidelight.core import FloatArray
from sidelight.similarity import gaussian_shares
from sidelight.solvers import best_of

#: Scales that are tried, in units that make the points' mean squared distance one.
_SCALES = np.geomspace(0.3, 100.0, 24)


#: From points to a term of the objective and its gradient.
OfPoints = Callable[[FloatArray], tuple[float, FloatArray]]


def nothing_beside(Z: FloatArray) -> tuple[float, FloatArray]:
    """No further term."""
    return 0.0, np.zeros_like(Z)


def gaussian_weights(Z: FloatArray, Y: FloatArray, *, leave_one_out: bool = False) -> FloatArray:
    """Compute the weights of a kernel regression on points Y, at places Z."""
    squared = np.einsum("ij,ij->i", Y, Y) - 2 * Z @ Y.T
    squared += np.einsum("ij,ij->i", Z, Z)[:, None]
    if leave_one_out:
        np.fill_diagonal(squared, np.inf)
    return gaussian_shares(squared)


class GaussianReconstruction:
    """The error with the weights of a Gaussian kernel regression, as a function of the points.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Items.
    leave_one_out : bool
        Whether an item takes no part in its own reconstruction.
    penalty : float
        λ of the term λ·(1/n) Σ_i ‖z_i − z̄‖², z̄ the mean of the points.
    beside : callable, optional
        A further term: from points to its value and gradient.
    """

    def __init__(
        self,
        X: FloatArray,
        *,
        leave_one_out: bool,
        penalty: float,
        beside: OfPoints = nothing_beside,
    ) -> None:
        self.X, self.leave_one_out, self.penalty = X, leave_one_out, penalty
        self.beside = beside

    def __call__(self, Z: FloatArray) -> tuple[float, FloatArray]:
        """Compute the error and its gradient."""
        n, X = len(Z), self.X
        B = gaussian_weights(Z, Z, leave_one_out=self.leave_one_out)
        fit = B @ X
        residual = X - fit
        C = residual @ X.T
        C -= np.einsum("ij,ij->i", residual, fit)[:, None]
        C *= B
        C += C.T
        gradient = (4.0 / n) * (C.sum(axis=1)[:, None] * Z - C @ Z)
        value = float(np.einsum("ij,ij->", residual, residual)) / n
        away = Z - Z.mean(axis=0)
        value += self.penalty * float(np.einsum("ij,ij->", away, away)) / n
        more, slope = self.beside(Z)
        return value + more, gradient + (2.0 * self.penalty / n) * away + slope

    def at_best_scale(self, Z: FloatArray) -> FloatArray:
        """Give points the scale, the inverse bandwidth of the regression, of the least error."""
        Z = Z / max(float(np.sqrt(2 * Z.var(axis=0).sum())), 1e-300)
        return np.asarray(best_of(_SCALES, lambda scale: self(scale * Z)[0]) * Z)


class LinearReconstruction:
    """The error with linear basis functions, b_ij = z_iᵀz_j (eq. 2.20).

    E(Z) = (1/n) ‖X − ZZᵀX‖² is least over all Z, with no constraint on them, where ZZᵀ projects
    onto the leading principal components: ZZᵀX has rank d, and no matrix of rank d is closer to X
    than this projection of it (Eckart and Young).

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Items, centred.
    beside : callable, optional
        A further term: from points to its value and gradient.
    """

    def __init__(self, X: FloatArray, beside: OfPoints = nothing_beside) -> None:
        self.X, self.penalty, self.beside = X, 0.0, beside

    def __call__(self, Z: FloatArray) -> tuple[float, FloatArray]:
        """Compute the error and its gradient."""
        n, X = len(Z), self.X
        loadings = X.T @ Z
        residual = X - Z @ loadings.T
        gradient = (-2.0 / n) * (residual @ loadings + X @ (residual.T @ Z))
        value = float(np.einsum("ij,ij->", residual, residual)) / n
        more, slope = self.beside(Z)
        return value + more, gradient + slope

    def at_best_scale(self, Z: FloatArray) -> FloatArray:
        """Give each coordinate unit length, which is best for orthogonal ones."""
        lengths = np.linalg.norm(Z, axis=0)
        return np.asarray(Z / np.where(lengths > 0, lengths, 1.0))
