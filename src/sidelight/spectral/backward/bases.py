"""Basis functions of a backward mapping, g(y) = Σ_β b(y, y_β) z_β, and what rows miss of it.

Every basis says two things: F = I − B, so that the error of codes Z on the training rows is
‖F Z‖², and how g is computed anywhere, g(y) = φ(y) C with coefficients C of the codes.  With rows
left out, row α of B leaves z_α out of its own prediction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.linalg

from sidelight.core import FloatArray, row_blocks
from sidelight.mapping import ComparedRows
from sidelight.similarity import Centring, gaussian_shares, half_squares, pseudo_inverse
from sidelight.solvers.eigen import largest_eigenpairs


class Basis(Protocol):
    """Basis functions over the training rows."""

    def errors(self) -> FloatArray:
        """F = I − B of the training rows."""
        ...

    def coefficients(self, Z: FloatArray) -> FloatArray:
        """C of codes Z."""
        ...

    def values(self, X: Any) -> FloatArray:
        """φ of rows."""
        ...


@dataclass(frozen=True)
class RegressionBasis:
    """Kernel regression: b(y, y_β) = k(y, y_β) / Σ_γ k(y, y_γ), with a Gaussian k.

    Parameters
    ----------
    compared : ComparedRows
        The training rows and k.
    leave_one_out : bool
        Whether rows are left out of their own prediction.
    """

    compared: ComparedRows
    leave_one_out: bool

    def errors(self) -> FloatArray:
        """I − B, whose rows sum to zero."""
        squares = self._squares(self.compared.rows)
        if self.leave_one_out:
            np.fill_diagonal(squares, np.inf)
        return _identity_less(gaussian_shares(squares, 1 / self._gamma))

    def coefficients(self, Z: FloatArray) -> FloatArray:
        """The codes."""
        return Z

    def values(self, X: FloatArray) -> FloatArray:
        """b(y, y_β)."""
        assert self.compared.centre is not None
        return gaussian_shares(self._squares(X - self.compared.centre), 1 / self._gamma)

    @property
    def _gamma(self) -> float:
        gamma = self.compared.gamma
        assert gamma is not None
        return gamma

    def _squares(self, X: FloatArray) -> FloatArray:
        return np.asarray(-2 * half_squares(X, self.compared.rows))


@dataclass(frozen=True)
class KernelBasis:
    """A centred kernel, b(y, y_β) = k̃(y, y_β) / λ₁, so that the largest eigenvalue of B is one.

    Parameters
    ----------
    compared : ComparedRows
        The training rows and k.
    leave_one_out : bool
        Whether rows are left out of their own prediction.
    means : ndarray of shape (n,)
        Of the columns of the kernel matrix.
    largest : float
        λ₁.
    """

    compared: ComparedRows
    leave_one_out: bool
    means: FloatArray
    largest: float

    @classmethod
    def of(cls, compared: ComparedRows, leave_one_out: bool, *, who: str) -> KernelBasis:
        """Of compared rows."""
        K = compared.table()
        pairs = largest_eigenpairs(Centring.of(K).operator(K), 1, n=len(K), who=who)
        return cls(compared, leave_one_out, K.mean(axis=0), float(pairs.values[0]))

    def errors(self) -> FloatArray:
        """I − K̃/λ₁."""
        F = _identity_less(centred(self.compared.table()) / self.largest)
        if self.leave_one_out:
            np.fill_diagonal(F, 1.0)
        return F

    def coefficients(self, Z: FloatArray) -> FloatArray:
        """Z/λ₁."""
        return Z / self.largest

    def values(self, X: FloatArray) -> FloatArray:
        """k(y, y_β), less what all training rows have in common; codes sum to zero."""
        return self.compared.of_new(X) - self.means


@dataclass(frozen=True)
class ProcessBasis:
    """The mean of a Gaussian process given the codes, b(y, ·) = k̃(y, ·) (K̃ + σ²I)⁻¹.

    Parameters
    ----------
    compared : ComparedRows
        The training rows and k.
    leave_one_out : bool
        Whether rows are left out of their own prediction.
    means : ndarray of shape (n,)
        Of the columns of the kernel matrix.
    noise : float
        σ².
    """

    compared: ComparedRows
    leave_one_out: bool
    means: FloatArray
    noise: float

    @classmethod
    def of(cls, compared: ComparedRows, leave_one_out: bool, noise: float) -> ProcessBasis:
        """Of compared rows, with noise relative to the mean of k̃(y, y)."""
        K = compared.table()
        variance = float(np.trace(K) / len(K) - K.mean())
        return cls(compared, leave_one_out, K.mean(axis=0), noise * variance)

    def errors(self) -> FloatArray:
        """I − B = σ²Q with Q = (K̃ + σ²I)⁻¹; what others miss of a row is (Qz)_α / Q_αα."""
        Q: Any = scipy.linalg.inv(self._covariance(), check_finite=False)
        Q = (Q + Q.T) / 2
        scale = 1 / np.diagonal(Q)[:, None] if self.leave_one_out else self.noise
        return np.asarray(scale * Q)

    def coefficients(self, Z: FloatArray) -> FloatArray:
        """QZ."""
        C = scipy.linalg.solve(self._covariance(), Z, assume_a="pos", check_finite=False)
        return np.asarray(C - C.mean(axis=0))

    def values(self, X: FloatArray) -> FloatArray:
        """k(y, y_β), less what all training rows have in common; coefficients sum to zero."""
        return self.compared.of_new(X) - self.means

    def _covariance(self) -> FloatArray:
        K = centred(self.compared.table())
        K.flat[:: len(K) + 1] += self.noise
        return K


@dataclass(frozen=True)
class OwnBasis:
    """Basis functions of the user's.

    Parameters
    ----------
    function : callable
        ``function(A, Y)`` gives b(a_i, y_β), an array of shape (len(A), len(Y)).
    rows : ndarray of shape (n, p)
        The training rows.
    leave_one_out : bool
        Whether rows are left out of their own prediction.
    who : str
        The estimator, for messages.
    """

    function: Callable[[FloatArray, FloatArray], Any]
    rows: FloatArray
    leave_one_out: bool
    who: str

    def errors(self) -> FloatArray:
        """I − B."""
        return _own_errors(self.values(self.rows), self.leave_one_out)

    def coefficients(self, Z: FloatArray) -> FloatArray:
        """The codes."""
        return Z

    def values(self, X: FloatArray) -> FloatArray:
        """b(y, y_β)."""
        B = np.asarray(self.function(X, self.rows), dtype=np.float64)
        if B.shape != (len(X), len(self.rows)) or not np.isfinite(B).all():
            raise ValueError(
                f"The 'basis' parameter of {self.who} must give finite numbers b(a_i, y_j), an "
                f"array of shape ({len(X)}, {len(self.rows)}) for so many rows. Got shape "
                f"{B.shape}{'' if np.isfinite(B).all() else ' with NaN or infinity'}."
            )
        return B


@dataclass(frozen=True)
class GivenBasis:
    """A table B that was given; new rows come with theirs.

    Parameters
    ----------
    B : ndarray of shape (n, n)
        b(y_α, y_β).
    leave_one_out : bool
        Whether rows are left out of their own prediction.
    """

    B: FloatArray
    leave_one_out: bool

    def errors(self) -> FloatArray:
        """I − B."""
        return _own_errors(self.B.copy(), self.leave_one_out)

    def coefficients(self, Z: FloatArray) -> FloatArray:
        """The codes."""
        return Z

    def values(self, X: FloatArray) -> FloatArray:
        """What was given."""
        return np.asarray(X, dtype=np.float64)


@dataclass(frozen=True)
class ByBasis:
    """Rows, known or new, at g(y) = φ(y) C.

    Parameters
    ----------
    basis : Basis
        φ.
    coefficients : ndarray of shape (n, d)
        C.
    """

    basis: Any
    coefficients: FloatArray

    def __call__(self, X: Any) -> FloatArray:
        """Place rows, a block at a time."""
        X = np.asarray(X, dtype=np.float64)
        blocks = row_blocks(len(X), 16.0 * len(self.coefficients), budget=2e8)
        return np.vstack([self.basis.values(X[block]) @ self.coefficients for block in blocks])


@dataclass(frozen=True)
class BackwardKernel:
    """The kernel whose leading eigenvectors are the codes: (J FᵀF J)⁺, J = I − 11ᵀ/n.

    Parameters
    ----------
    basis : Basis
        F.
    """

    basis: Any

    def __call__(self) -> FloatArray:
        """Compute it."""
        F = self.basis.errors()
        return pseudo_inverse(centred(F.T @ F), np.ones(len(F)))


def centred(K: FloatArray) -> FloatArray:
    """J K J of a symmetric matrix."""
    means = K.mean(axis=0)
    return np.asarray(K - means - means[:, None] + means.mean())


def _own_errors(B: FloatArray, leave_one_out: bool) -> FloatArray:
    if leave_one_out:
        np.fill_diagonal(B, 0.0)
    return _identity_less(B)


def _identity_less(B: FloatArray) -> FloatArray:
    np.negative(B, out=B)
    B.flat[:: len(B) + 1] += 1
    return B
