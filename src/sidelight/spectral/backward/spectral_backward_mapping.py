"""Spectral embedding by a backward mapping (latent-factor thesis, section 2.3.2)."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import scipy.linalg

from sidelight.core import (
    COMPONENTS,
    FUNCTION,
    FloatArray,
    OneOf,
    Real,
    as_dense,
    of_moderate_size,
    refuse_without_effect,
    require_memory,
)
from sidelight.estimator import Embedder, Map
from sidelight.mapping import ComparedRows
from sidelight.similarity import column_mean, resolve_kernel
from sidelight.solvers.eigen import DENSE_ORDER, column_signs, largest_eigenpairs
from sidelight.spectral.backward.bases import (
    BackwardKernel,
    Basis,
    ByBasis,
    GivenBasis,
    KernelBasis,
    OwnBasis,
    ProcessBasis,
    RegressionBasis,
    centred,
)

BASES = ("regression", "process", "kernel", "linear", "precomputed")


#: An extent of the map, as a share of that of the codes, that is none.
_ONE_PLACE = 1e-12


class SpectralBackwardMapping(Embedder):
    """Spectral backward mapping: an embedding whose coordinates are functions of the data.

    A linear smoother g(y) = Σ_β b(y, y_β) z_β takes data to the map.  Codes Z are those that it
    gives back best,

        min_Z Σ_α ‖z_α − g(y_α)‖² = ‖(I − B) Z‖²,  B_αβ = b(y_α, y_β),  ZᵀZ = I,  1ᵀZ = 0

    (latent-factor thesis, eqs. 2.24 to 2.27): the smallest eigenvectors of (I − B)ᵀ(I − B) beside
    the constant.  Nothing is asked of B: kernel regression, which is not symmetric, will do as
    well as a Mercer kernel, which makes this kernel PCA, or the mean of a Gaussian process.  The
    map is g(y), of training rows and of new ones alike.

    Parameters
    ----------
    n_components : int or "auto"
        Dimensions of the map, ``n_components_``; ``"auto"`` is the intrinsic dimension of X.
    basis : {"regression", "process", "kernel", "linear", "precomputed"} or callable
        b.  ``"regression"`` is k(y, y_β) / Σ_γ k(y, y_γ); ``"process"`` the mean of a Gaussian
        process with covariance k̃ and noise; ``"kernel"`` k̃ / λ₁, the centred kernel over its
        largest eigenvalue; all with k(y, y') = exp(−γ‖y − y'‖²).  ``"linear"`` is ``"kernel"`` with
        the inner product.  A callable ``basis(A, Y)`` gives b(a_i, y_β), of shape
        (len(A), len(Y)).  With ``"precomputed"`` X is B, and new rows come as b(new, training).
    gamma : float or "scale"
        γ; ``"scale"`` is 1 / Σ_j var(x_j).
    noise : float
        σ² of the process, relative to the mean of k̃(y, y).
    leave_one_out : bool
        Whether z_α has no share in its own prediction.  A narrow kernel, which reproduces anything,
        must then predict each row from the others.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map, g(y_α).
    codes_ : ndarray of shape (n_samples, n_components)
        Z.
    eigenvalues_ : ndarray of shape (n_components,)
        The smallest eigenvalues of (I − B)ᵀ(I − B), orthogonal to the constant.
    reconstruction_error_ : float
        Their sum, ‖(I − B) Z‖².
    gamma_ : float or None
        The γ used, where there is one.

    Notes
    -----
    Where B is symmetric with eigenvalues β in [0, 1], codes are its leading eigenvectors, and the
    map is β_p z_p: ``"kernel"`` and ``"linear"`` are kernel PCA and PCA but for the lengths of the
    axes.  The process has K̃'s eigenvectors too, its axes λ / (λ + σ²) long: components that are
    lost in noise are short.  With ``leave_one_out`` they are others.

    B has n² entries.

    References
    ----------
    R. Memisevic (2008), "Non-linear latent factor models for revealing structure in
    high-dimensional data", PhD thesis, University of Toronto, section 2.3.2.
    P. Meinicke (2000), "Unsupervised learning in a generalized regression framework", PhD thesis,
    Universität Bielefeld.

    Examples
    --------
    On a ring kernel regression gives back cosine and sine best.

    >>> import numpy as np
    >>> from sidelight import SpectralBackwardMapping
    >>> angle = 2 * np.pi * np.arange(12) / 12
    >>> model = SpectralBackwardMapping(2).fit(np.column_stack([np.cos(angle), np.sin(angle)]))
    >>> lengths = np.linalg.norm(model.embedding_, axis=1)
    >>> bool(np.allclose(lengths, lengths[0])), model.eigenvalues_.round(4)
    (True, array([0.0913, 0.0913]))
    """

    _judges_front: ClassVar[bool] = True
    _takes_sparse = False
    _parameters: ClassVar[Any] = {
        "n_components": COMPONENTS,
        "basis": (OneOf(BASES), FUNCTION),
        "gamma": (OneOf(("scale",)), Real(0, open_below=True)),
        "noise": (Real(0, open_below=True),),
        "leave_one_out": (OneOf((True, False)),),
    }

    def __init__(
        self,
        n_components: int | str = 2,
        *,
        basis: Any = "regression",
        gamma: float | str = "scale",
        noise: float = 0.1,
        leave_one_out: bool = False,
    ) -> None:
        self.n_components = n_components
        self.basis = basis
        self.gamma = gamma
        self.noise = noise
        self.leave_one_out = leave_one_out

    def fit(self, X: Any, y: Any = None, *, side: Any = None, items: Any = None) -> Self:
        """Find the codes that the mapping gives back best.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The data; with ``basis="precomputed"`` the table B (n_samples, n_samples).
        y : object
            Ignored.
        side : Condition, Pairs, Attributes, Distances, Relation, Anchors or a list, optional
            What is known: taken out of the features, or learned as a metric, in front; the
            finished map is brought to anchors.
        items : array of shape (n_samples, n_items_features), optional
            The items behind a precomputed table, for ``inverse_transform``.

        Returns
        -------
        SpectralBackwardMapping
            The fitted estimator.
        """
        self._refuse_unused()
        given = self._given
        X, known = self._check_input(X, side, pairwise='basis="precomputed"' * given)
        n = X.shape[0]
        self._check_size(n)
        X = of_moderate_size(X.astype(np.float64), who=self._name)
        if not given and is_one_row(X):
            raise ValueError(
                f"{self._name} needs distinct rows: all {n} rows of X are the same, so that no "
                f"function of them differs."
            )
        items = self._check_items(items, n) if given else X
        metric = "precomputed" if given else "euclidean"
        told = self._tell(X, known, metric=metric, items=items)
        basis = self._basis(as_dense(told.points))
        Z = given_back_best(basis.errors(), self.n_components_, who=self._name)
        rule = ByBasis(basis, basis.coefficients(Z))
        signs = column_signs(rule(told.points))
        Z, rule = signs * Z, ByBasis(basis, signs * rule.coefficients)
        errors = np.sum((basis.errors() @ Z) ** 2, axis=0)
        facts = {
            "codes_": Z,
            "eigenvalues_": errors,
            "reconstruction_error_": float(errors.sum()),
            "gamma_": getattr(getattr(basis, "compared", None), "gamma", None),
        }
        places = rule(told.points)
        if np.ptp(places, axis=0).max() <= _ONE_PLACE * np.ptp(Z, axis=0).max():
            raise ValueError(
                f"{self._name} has all rows in one place: with gamma={facts['gamma_']} its basis "
                f"functions are the same everywhere. Use gamma='scale', or a larger one."
            )
        return self._adopt(told, Map(places, rule, facts, BackwardKernel(basis)))

    def kernel(self) -> FloatArray:
        """Compute the kernel whose leading eigenvectors are the codes, (J (I − B)ᵀ(I − B) J)⁺.

        Returns
        -------
        ndarray of shape (n_samples, n_samples)
            Symmetric, its rows sum to zero.
        """
        return self._kernel()

    def _basis(self, X: FloatArray) -> Basis:
        """The basis functions that the parameters ask for, over these rows."""
        alone = bool(self.leave_one_out)
        if self._given:
            return GivenBasis(X, alone)
        if not isinstance(self.basis, str):
            return OwnBasis(self.basis, X, alone, self._name)
        name = "linear" if self.basis == "linear" else "rbf"
        centre = column_mean(X)
        compared = ComparedRows(resolve_kernel(name, X, gamma=self.gamma), X - centre, centre)
        if self.basis == "regression":
            return RegressionBasis(compared, alone)
        if self.basis == "process":
            return ProcessBasis.of(compared, alone, float(self.noise))
        return KernelBasis.of(compared, alone, who=self._name)

    @property
    def _given(self) -> bool:
        """Whether X is the table of basis functions."""
        return isinstance(self.basis, str) and self.basis == "precomputed"

    def _refuse_unused(self) -> None:
        own = not isinstance(self.basis, str)
        when = "with a basis of one's own" if own else f"with basis={self.basis!r}"
        if own or self.basis != "process":
            refuse_without_effect(self, ["noise"], when)
        if own or self._given or self.basis == "linear":
            refuse_without_effect(self, ["gamma"], when)

    def _check_size(self, n: int) -> None:
        if self.n_components_ >= n:
            raise ValueError(
                f"The 'n_components' parameter of {self._name} must be below n_samples={n}. Got "
                f"{self.n_components_} instead."
            )
        require_memory(
            40.0 * n * n,
            what=f"the {n} × {n} table of basis functions",
            who=self._name,
            instead="Fit a sample of the rows and transform() the others.",
        )

    def _choose_components(self, X: Any) -> int:
        if not self._given:
            return super()._choose_components(X)
        raise ValueError(
            f"n_components='auto' of {self._name} is the intrinsic dimension of X, and a table of "
            f"basis functions has none. Give a number."
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._given
        return tags


def is_one_row(X: Any) -> bool:
    """Whether all rows are the same."""
    return not np.ptp(as_dense(X), axis=0).any()


def given_back_best(F: FloatArray, n_components: int, *, who: str) -> FloatArray:
    """Find Z with ZᵀZ = I, 1ᵀZ = 0 of least ‖F Z‖²: the smallest eigenvectors of J FᵀF J.

    Of many rows they are the largest of (J FᵀF J + sI)⁻¹, s of the size of the eigenvalues that
    are asked for, which a first look with a small s tells.

    Examples
    --------
    >>> import numpy as np
    >>> given_back_best(np.diag([0.0, 1.0, 1.0]), 1, who="").round(4)
    array([[ 0.8165],
           [-0.4082],
           [-0.4082]])
    """
    M = centred(F.T @ F)
    size = float(np.trace(M)) / len(M) or 1.0
    M += size  # the constant, of eigenvalue n tr(M)/n, comes last
    if len(M) <= DENSE_ORDER:
        bound = float(np.abs(M).sum(axis=0).max())
        return largest_eigenpairs(bound * np.eye(len(M)) - M, n_components, who=who).vectors
    rough = _of_inverse(M, 1e-10 * size, n_components, 1e-3, who)
    shift = float(np.einsum("ij,ij->j", rough, M @ rough).max())
    return _of_inverse(M, shift, n_components, 1e-12, who)


def _of_inverse(M: FloatArray, shift: float, n_pairs: int, tol: float, who: str) -> FloatArray:
    shifted = M.copy()
    shifted.flat[:: len(M) + 1] += shift
    factor = scipy.linalg.cho_factor(shifted, overwrite_a=True, check_finite=False)

    def apply(block: FloatArray) -> FloatArray:
        return np.asarray(scipy.linalg.cho_solve(factor, block, check_finite=False))

    return largest_eigenpairs(apply, n_pairs, n=len(M), tol=tol, who=who).vectors
