"""Kernels of functions that are weighted sums of bumps: a few of them, random ones, or all.

f(y) = Σ_k w_k φ_k(y) with independent w_k of mean zero and variance 1/m has the covariance
(1/m) Σ_k φ_k(y) φ_k(y') (slides, "Basis functions" and "An infinite basis").  The bumps are
φ_k(y) = exp(−‖y − c_k‖²/ℓ²).  With few centres the covariance decays to zero away from them; with
centres all across space the sum becomes the integral (πℓ²/2)^{p/2} exp(−‖y − y'‖²/2ℓ²): the
Gaussian kernel.  Waves √2 cos(ωᵀy + b) with random ω ~ N(0, I/ℓ²) and phases are another basis of
the same kernel, one that reaches everywhere.

Each is a kernel of rows and other rows, and goes wherever a kernel of one's own does:
``KernelPCA(kernel=…)``, learned metrics.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.spatial.distance import cdist

from sidelight.core import FloatArray, Real, Whole, random_generator
from sidelight.similarity.gaussian import gaussian_similarity
from sidelight.similarity.kernels import GaussianKernel


def _positive(value: Any, name: str, who: str) -> float:
    if not Real(0, open_below=True).admits(value):
        raise ValueError(
            f"The '{name}' argument of {who} must be {Real(0, open_below=True)}. Got {value!r} "
            f"instead."
        )
    return float(value)


def _table(rows: Any, name: str, who: str) -> FloatArray:
    table = np.asarray(rows, dtype=np.float64)
    if table.ndim != 2 or not np.isfinite(table).all():
        raise ValueError(
            f"The '{name}' argument of {who} must be a table of finite numbers, (m, n_features). "
            f"Got an array of shape {table.shape}."
        )
    return table


class FeatureKernel:
    """A kernel by its features: k(y, y') = ⟨features(y), features(y')⟩."""

    def features(self, Y: Any) -> FloatArray:
        """Give the features of rows.

        Parameters
        ----------
        Y : array of shape (n, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n, m)
            Features.
        """
        raise NotImplementedError

    def __call__(self, Y: Any, other: Any) -> FloatArray:
        """Compute the kernel of rows and other rows.

        Parameters
        ----------
        Y, other : array of shape (n, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n, n_other)
            K.
        """
        return np.asarray(self.features(Y) @ self.features(other).T)

    def diagonal(self, Y: Any) -> FloatArray:
        """Compute k(y, y).

        Parameters
        ----------
        Y : array of shape (n, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n,)
            The squared lengths of their features.
        """
        return np.asarray(np.sum(self.features(Y) ** 2, axis=1))

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


@dataclass(frozen=True, eq=False, repr=False)
class BasisKernel(FeatureKernel):
    """The kernel of sums of bumps around centres: k(y, y') = (1/m) Σ_k φ_k(y) φ_k(y').

    Parameters
    ----------
    centres : array of shape (m, n_features)
        Where the bumps are.
    length_scale : float
        ℓ of φ_k(y) = exp(−‖y − c_k‖²/ℓ²).

    Examples
    --------
    Away from the centres the kernel decays to zero, and so do all functions drawn from it.

    >>> import numpy as np
    >>> from sidelight.similarity import BasisKernel
    >>> kernel = BasisKernel(np.array([[-1.0], [0.0], [1.0]]), length_scale=1.0)
    >>> Y = np.array([[0.0], [4.0]])
    >>> kernel(Y, Y).diagonal().round(4)
    array([0.4236, 0.    ])
    """

    centres: FloatArray
    length_scale: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "centres", _table(self.centres, "centres", "BasisKernel"))
        _positive(self.length_scale, "length_scale", "BasisKernel")

    def features(self, Y: Any) -> FloatArray:
        """Give φ(y)/√m, whose inner products are the kernel.

        Parameters
        ----------
        Y : array of shape (n, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n, m)
            Features.
        """
        squared = cdist(_table(Y, "Y", "BasisKernel"), self.centres, "sqeuclidean")
        return np.asarray(
            gaussian_similarity(squared, self.length_scale**2) / len(self.centres) ** 0.5
        )


@dataclass(frozen=True)
class InfiniteBasisKernel:
    """The kernel of sums of bumps all across space: k(y, y') = exp(−‖y − y'‖²/2ℓ²).

    It is ∫ φ_c(y) φ_c(y') dc / (πℓ²/2)^{p/2}, so that k(y, y) = 1.

    Parameters
    ----------
    length_scale : float
        ℓ of the bumps φ_c(y) = exp(−‖y − c‖²/ℓ²).

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.similarity import InfiniteBasisKernel
    >>> InfiniteBasisKernel(length_scale=1.0)(np.array([[0.0]]), np.array([[2.0]])).round(4)
    array([[0.1353]])
    """

    length_scale: float = 1.0

    def __post_init__(self) -> None:
        _positive(self.length_scale, "length_scale", "InfiniteBasisKernel")

    def __call__(self, Y: Any, other: Any) -> FloatArray:
        """Compute the kernel of rows and other rows.

        Parameters
        ----------
        Y, other : array of shape (n, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n, n_other)
            K.
        """
        A, B = (_table(rows, "Y", "InfiniteBasisKernel") for rows in (Y, other))
        return GaussianKernel(0.5 / self.length_scale**2)(A, B)

    def diagonal(self, Y: Any) -> FloatArray:
        """Compute k(y, y) = 1.

        Parameters
        ----------
        Y : array of shape (n, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n,)
            Ones.
        """
        return np.ones(len(Y))


@dataclass(frozen=True, eq=False, repr=False)
class RandomBasisKernel(FeatureKernel):
    """The kernel of sums of random waves: k(y, y') = (2/m) Σ_k cos(ω_kᵀy + b_k) cos(ω_kᵀy' + b_k).

    Its mean is exp(−‖y − y'‖²/2ℓ²), from which it differs by about 1/√m.

    Parameters
    ----------
    frequencies : array of shape (m, n_features)
        ω.
    phases : array of shape (m,)
        b.

    References
    ----------
    A. Rahimi and B. Recht (2008), "Random features for large-scale kernel machines".

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.similarity import RandomBasisKernel
    >>> kernel = RandomBasisKernel.drawn(4000, n_features=2, length_scale=1.0, random_state=0)
    >>> Y = np.array([[0.0, 0.0], [1.0, 0.0]])
    >>> round(float(kernel(Y, Y)[0, 1]), 1), round(float(np.exp(-0.5)), 1)
    (0.6, 0.6)
    """

    frequencies: FloatArray
    phases: FloatArray

    @classmethod
    def drawn(
        cls, m: int, n_features: int, *, length_scale: float = 1.0, random_state: Any = 0
    ) -> Self:
        """Draw the waves.

        Parameters
        ----------
        m : int
            How many.
        n_features : int
            Columns of the rows that are compared.
        length_scale : float
            ℓ of the Gaussian kernel that they converge to.
        random_state : int, Generator, RandomState or None
            For the draws.

        Returns
        -------
        RandomBasisKernel
            The kernel.
        """
        for name, value in (("m", m), ("n_features", n_features)):
            if not Whole(1).admits(value):
                raise ValueError(
                    f"The '{name}' argument of RandomBasisKernel.drawn must be {Whole(1)}. Got "
                    f"{value!r} instead."
                )
        scale = _positive(length_scale, "length_scale", "RandomBasisKernel.drawn")
        rng = random_generator(random_state)
        return cls(rng.standard_normal((m, n_features)) / scale, rng.uniform(0, 2 * np.pi, m))

    def features(self, Y: Any) -> FloatArray:
        """Give √(2/m) cos(ωᵀy + b), whose inner products are the kernel.

        Parameters
        ----------
        Y : array of shape (n, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n, m)
            Features.
        """
        waves = _table(Y, "Y", "RandomBasisKernel") @ self.frequencies.T + self.phases
        return np.asarray(np.sqrt(2 / len(self.phases)) * np.cos(waves))
