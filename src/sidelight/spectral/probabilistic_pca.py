"""Probabilistic principal component analysis: PCA as a Gaussian density."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sidelight.core.arrays import FloatArray
from sidelight.core.parameters import COMPONENTS, OneOf, Real, Whole
from sidelight.estimator.base import Embedder
from sidelight.similarity.scatter import gram_matrix
from sidelight.solvers.expectation_maximisation import (
    LatentPosterior,
    fit_with_missing,
    latent_posterior,
)
from sidelight.spectral.pca import PCA

_LOG_2PI = float(np.log(2 * np.pi))


class ProbabilisticPCA(Embedder):
    """Probabilistic principal component analysis (PPCA): x = W z + μ + ε, z ~ N(0, I).

    With noise ε ~ N(0, σ²I) the rows have density N(μ, C), C = WWᵀ + σ²I.  The likelihood is
    largest at W = U (Λ − σ²I)^½ with U, Λ the leading eigenpairs of the covariance (divided by
    n), and σ² the mean of the eigenvalues left out.  Rows with missing entries (NaN) are fitted
    by expectation maximisation on what is observed.  The dual form integrates over W instead of
    z: the columns have density N(0, ZZᵀ + σ²I), and Z is fitted.

    Parameters
    ----------
    n_components : int or "auto"
        Dimensions of the latent space, ``n_components_``; with as many as features nothing is left
        to the noise.  ``"auto"`` takes the likeliest, less the penalty of the Bayesian information
        criterion; with missing entries at most 20.
    form : {"primal", "dual"}
        Whether latent points are integrated out and W is fitted, or the other way round.
    tol : float
        With missing entries: stop when the log likelihood rises by less than this, relatively.
    max_iter : int
        With missing entries: the most iterations.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Posterior means E[z | x] (dual: the fitted latent points).
    components_ : ndarray of shape (n_components, n_features)
        Wᵀ, rows orthogonal, longest first (dual: the posterior mean of W given Z).
    mean_ : ndarray of shape (n_features,)
        μ.
    noise_variance_ : float
        σ².
    log_likelihood_ : float
        Of all observed entries.
    eigenvalues_ : ndarray of shape (n_components,)
        Of the model covariance C in the directions of W (dual: of ZZᵀ + σ²I).
    history_ : ndarray of shape (n_iter + 1,)
        The log likelihood at the start and after each iteration, where there were any.
    n_iter_ : int
        How many iterations there were; one for the closed form.

    Notes
    -----
    Where the rows lie exactly in the subspace (or it is the whole space) σ² would be zero: it is
    kept above 1e-12 of the mean variance, so that the likelihood stays finite.  A
    row with no observed entry is placed at the origin, the prior's mean.

    References
    ----------
    M. E. Tipping and C. M. Bishop (1999), "Probabilistic principal component analysis".
    N. D. Lawrence (2005), "Probabilistic non-linear principal component analysis with Gaussian
    process latent variable models", for the dual form.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight import ProbabilisticPCA
    >>> X = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, np.nan], [6.0, 7.0], [1.0, 2.1]])
    >>> ppca = ProbabilisticPCA(1).fit(X)
    >>> float(ppca.impute(X)[2, 1].round(1))
    5.0
    """

    _parameters: ClassVar[Any] = {
        "n_components": COMPONENTS,
        "form": (OneOf(("primal", "dual")),),
        "tol": (Real(0, open_below=True),),
        "max_iter": (Whole(1),),
    }
    _takes_sparse = False
    _takes_missing = True
    _not_saved = ("_fit_X",)

    def __init__(
        self,
        n_components: int | str = 2,
        *,
        form: str = "primal",
        tol: float = 1e-9,
        max_iter: int = 1000,
    ) -> None:
        self.n_components = n_components
        self.form = form
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any = None, *, side: Any = None) -> Self:
        """Fit the density by maximum likelihood.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The data; NaN where an entry is missing.
        y : object
            Ignored.
        side : None
            PPCA takes no side information.

        Returns
        -------
        ProbabilisticPCA
            The fitted estimator.
        """
        X = np.asarray(self._check_input(X, side)[0], dtype=np.float64)
        n, p = X.shape
        if self.n_components_ > min(n, p):
            raise ValueError(
                f"The 'n_components' parameter of ProbabilisticPCA must be at most "
                f"min(n_samples, n_features)={min(n, p)}. Got {self.n_components_} with "
                f"n_samples={n}, n_features={p}. Ask for fewer components."
            )
        observed = ~np.isnan(X)
        if observed.all():
            self.n_iter_ = 1
            self._fit_dual(X) if self.form == "dual" else self._fit_primal(X)
        else:
            self._fit_missing(X, observed)
        self._fit_X = X
        return self

    def _choose_components(self, X: FloatArray) -> int:
        from sidelight.quality.components import components_by_likelihood

        if np.isnan(X).any():
            return super()._choose_components(X)
        varying = int(np.count_nonzero(np.ptp(X, axis=0)))
        return components_by_likelihood(PCA(None).fit(X).eigenvalues_, len(X), max(varying, 1))

    def _fit_primal(self, X: FloatArray) -> None:
        n, p = X.shape
        pca = PCA(self.n_components_).fit(X)
        variances = pca.eigenvalues_ / n
        total = pca.eigenvalues_.sum() / max(pca.explained_variance_ratio_.sum(), 1e-300) / n
        rest = max(float(total - variances.sum()), 0.0) / max(p - self.n_components_, 1)
        self.noise_variance_ = max(rest, 1e-12 * (total / p or 1.0))
        self.mean_ = pca.mean_
        self.eigenvalues_ = np.maximum(variances, self.noise_variance_)
        spread = np.sqrt(self.eigenvalues_ - self.noise_variance_)
        self.components_ = spread[:, None] * pca.components_
        # E[z | x] = M⁻¹ Wᵀ (x − μ), M = WᵀW + σ²I = Λ
        self.embedding_ = self._condition(X).mean
        self.log_likelihood_ = float(self._condition(X).log_density.sum())

    def _fit_dual(self, X: FloatArray) -> None:
        n, p = X.shape
        pca = PCA(self.n_components_).fit(X)
        values = pca.eigenvalues_ / p
        centred = X - pca.mean_
        total = float(np.sum(centred**2)) / p
        rest = max(total - float(values.sum()), 0.0) / max(n - self.n_components_, 1)
        self.noise_variance_ = max(rest, 1e-12 * (total / n or 1.0))
        self.mean_ = pca.mean_
        self.eigenvalues_ = np.maximum(values, self.noise_variance_)
        spread = np.sqrt(self.eigenvalues_ - self.noise_variance_)
        # z = V (Λ − σ²)^½, and the data's own directions give V = Xc U (pΛ)^{−½}
        self._backward = pca.components_.T * (spread / np.sqrt(p * self.eigenvalues_))
        self.embedding_ = centred @ self._backward
        self.components_ = (spread * np.sqrt(p) / np.sqrt(self.eigenvalues_))[
            :, None
        ] * pca.components_
        log_det = np.log(self.eigenvalues_).sum()
        log_det += (n - self.n_components_) * np.log(self.noise_variance_)
        quadratic = (values / self.eigenvalues_).sum() + rest * (n - self.n_components_) / (
            self.noise_variance_
        )
        self.log_likelihood_ = float(-0.5 * p * (n * _LOG_2PI + log_det + quadratic))

    def _fit_missing(self, X: FloatArray, observed: Any) -> None:
        if self.form == "dual":
            raise ValueError(
                "form='dual' of ProbabilisticPCA needs complete rows. Got "
                f"{int((~observed).sum())} missing entries. Use form='primal'."
            )
        empty = np.flatnonzero(~observed.any(axis=0))
        if len(empty):
            raise ValueError(
                f"ProbabilisticPCA needs at least one observed entry in every column of X. "
                f"Column(s) {empty[:5].tolist()} hold none. Remove them."
            )
        blank = int((~observed.any(axis=1)).sum())
        if blank:
            warnings.warn(
                f"{blank} rows of X have no observed entry; ProbabilisticPCA places them at the "
                f"origin of the map, the prior's mean.",
                UserWarning,
                stacklevel=3,
            )
        result = fit_with_missing(
            X, observed, self.n_components_, tol=self.tol, max_iter=self.max_iter
        )
        self.mean_, self.noise_variance_ = result.mean, result.noise_variance
        # the likelihood does not know a rotation of z: take the principal axes
        U, lengths, _ = np.linalg.svd(result.loadings, full_matrices=False)
        self.components_ = (U * lengths).T
        self.eigenvalues_ = lengths**2 + result.noise_variance
        self._fix_axes(self._condition(X).mean)
        self.embedding_ = self._condition(X).mean
        self.log_likelihood_ = float(self._condition(X).log_density.sum())
        self.history_, self.n_iter_ = result.history, len(result.history) - 1

    def _fix_axes(self, Z: FloatArray) -> None:
        decisive = np.argmax(np.abs(Z), axis=0)
        signs = np.sign(Z[decisive, np.arange(Z.shape[1])])
        self.components_ *= np.where(signs == 0, 1.0, signs)[:, None]

    def transform(self, X: Any) -> FloatArray:
        """Compute the posterior mean E[z | what is observed of x].

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Rows; NaN where an entry is missing.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Places in the map.
        """
        X = np.asarray(self._check_new(X), dtype=np.float64)
        if self.form == "dual":
            if np.isnan(X).any():
                raise ValueError(
                    "form='dual' of ProbabilisticPCA needs complete rows, and X has missing "
                    "entries. Use form='primal'."
                )
            return np.asarray((X - self.mean_) @ self._backward)
        return self._condition(X).mean

    def posterior(self, X: Any) -> tuple[FloatArray, FloatArray]:
        """Compute the posterior of the latent points, N(E[z | x], σ² M⁻¹).

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Rows; NaN where an entry is missing.

        Returns
        -------
        mean : ndarray of shape (n_samples, n_components)
            E[z | x].
        covariance : ndarray of shape (n_samples, n_components, n_components)
            Larger where less is observed.
        """
        posterior = self._condition(self._primal_rows(X, "posterior"))
        return posterior.mean, posterior.covariance

    def inverse_transform(self, Z: Any) -> FloatArray:
        """Compute the mean of x given z.

        Parameters
        ----------
        Z : array of shape (n_samples, n_components)
            Places in the map.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            W z + μ.
        """
        return np.asarray(self._check_map(Z) @ self.components_ + self.mean_)

    def impute(self, X: Any) -> FloatArray:
        """Fill in missing entries with their expectation given the observed ones.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Rows; NaN where an entry is missing.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            The rows, complete.
        """
        return self._fill(self._primal_rows(X, "impute"))

    def score_samples(self, X: Any) -> FloatArray:
        """Compute the log density of what is observed of each row.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Rows; NaN where an entry is missing.

        Returns
        -------
        ndarray of shape (n_samples,)
            log N(x | μ, C).
        """
        return self._condition(self._primal_rows(X, "score_samples")).log_density

    def score(self, X: Any, y: Any = None) -> float:
        """Compute the mean log density of the rows.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Rows.
        y : object
            Ignored.

        Returns
        -------
        float
            The mean of ``score_samples``.
        """
        return float(self.score_samples(X).mean())

    def density(self, Z: Any) -> FloatArray:
        """Compute the prior density of places in the map, N(z | 0, I).

        Parameters
        ----------
        Z : array of shape (n_samples, n_components)
            Places in the map.

        Returns
        -------
        ndarray of shape (n_samples,)
            Densities.
        """
        Z = self._check_map(Z)
        exponent = -0.5 * (np.einsum("ij,ij->i", Z, Z) + Z.shape[1] * _LOG_2PI)
        return np.asarray(np.exp(exponent))

    def kernel(self) -> FloatArray:
        """Compute the kernel that this is kernel PCA of: inner products of the centred rows.

        Missing entries count with their expectation.

        Returns
        -------
        ndarray of shape (n_samples, n_samples)
            K; the map is its leading eigenvectors, each with a length of its own.
        """
        check_is_fitted(self)
        if not hasattr(self, "_fit_X"):
            raise ValueError(
                "ProbabilisticPCA.kernel() needs the training rows, and a model loaded from a "
                "file does not have them. Fit it with fit(X)."
            )
        filled = self._fit_X if self.form == "dual" else self._fill(self._fit_X)
        return gram_matrix(filled, filled.mean(axis=0))

    def _condition(self, X: FloatArray) -> LatentPosterior:
        """The posterior of the latent points given what is observed of the rows."""
        return latent_posterior(
            X, ~np.isnan(X), self.components_.T, self.mean_, self.noise_variance_
        )

    def _fill(self, X: FloatArray) -> FloatArray:
        expected = self._condition(X).mean @ self.components_ + self.mean_
        return np.asarray(np.where(np.isnan(X), expected, X))

    def _primal_rows(self, X: Any, method: str) -> FloatArray:
        if self.form == "dual":
            raise ValueError(
                f"ProbabilisticPCA.{method} is of form='primal': the dual form has no density of "
                f"single rows."
            )
        return np.asarray(self._check_new(X), dtype=np.float64)
