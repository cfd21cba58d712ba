"""Probabilistic principal component analysis: PCA as a Gaussian density."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from sidelight.core import (
    COMPONENTS_JUDGED,
    BoolArray,
    FloatArray,
    OneOf,
    Real,
    Whole,
    counted,
    of_moderate_size,
    warn,
)
from sidelight.estimator import (
    BY_LIKELIHOOD,
    Embedder,
    Map,
    behind_front,
    mean_score,
    sample_rows,
    score_rows,
)
from sidelight.mapping import GramKernel, LinearBack, Projection
from sidelight.solvers import (
    LatentPosterior,
    fit_with_missing,
    latent_posterior,
)
from sidelight.solvers.eigen import column_signs, settled_axes
from sidelight.spectral.pca import PCA

_LOG_2PI = float(np.log(2 * np.pi))

#: Variances that differ by less than this part are the same.
_ROUNDING = 1e-12


class ProbabilisticPCA(Embedder):
    """Probabilistic principal component analysis (PPCA): x = W z + μ + ε, z ~ N(0, I).

    With noise ε ~ N(0, σ²I) the rows have density N(μ, C), C = WWᵀ + σ²I.  The likelihood is
    largest at W = U (Λ − σ²I)^½ with U, Λ the leading eigenpairs of the covariance (divided by
    n), and σ² the mean of the eigenvalues left out.  Rows with missing entries (NaN) are fitted
    by expectation maximisation on what is observed.  The dual form integrates over W instead of
    z: the columns have density N(0, ZZᵀ + σ²I), and Z is fitted.

    Parameters
    ----------
    n_components : int, "auto" or "cv"
        Dimensions of the latent space, ``n_components_``; with as many as features nothing is left
        to the noise.  ``"auto"`` takes the likeliest, less the penalty of the Bayesian information
        criterion; with missing entries at most 20.  ``"cv"`` takes the smallest under which rows
        left out are likeliest, within a standard error.
    form : {"primal", "dual"}
        Whether latent points are integrated out and W is fitted, or the other way round.
    tol : float
        With missing entries: stop when the log likelihood rises by less than this, relatively.
        Complete rows have a closed form, and this has no effect.
    max_iter : int
        With missing entries: the most iterations.  Complete rows take none.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Posterior means E[z | x] (dual: the fitted latent points).
    cv_scores_ : ndarray of shape (n_tried,) or None
        The mean log density of rows left out with 1, 2 … components, where ``n_components="cv"``.
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

    :meth:`score_samples` and :meth:`sample` are of p(x) = N(x | μ, C).

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

    New rows are drawn from the density, and the unlikely have a low score.

    >>> ppca.sample(3, random_state=0).shape
    (3, 2)
    >>> bool(ppca.score([[3.0, 4.0]]) > ppca.score([[3.0, 9.0]]))
    True

    Of two directions and noise rows left out ask for two.

    >>> rng = np.random.default_rng(0)
    >>> two = rng.standard_normal((60, 2)) @ [[3.0, 0.0, 0.0, 1.0], [0.0, 2.0, 1.0, 0.0]]
    >>> model = ProbabilisticPCA("cv").fit(two + 0.3 * rng.standard_normal((60, 4)))
    >>> model.n_components_, model.cv_scores_[:3].round(1)
    (2, array([-7.6, -5.5, -5.5]))
    """

    _judges_front: ClassVar[bool] = True
    _left_out: ClassVar[Any] = BY_LIKELIHOOD
    _parameters: ClassVar[Any] = {
        "n_components": COMPONENTS_JUDGED,
        "form": (OneOf(("primal", "dual")),),
        "tol": (Real(0, open_below=True),),
        "max_iter": (Whole(1),),
    }
    _takes_sparse = False
    _takes_missing = True
    _kernel_is_written: ClassVar[bool] = False

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
        side : Condition, Pairs, Attributes, Distances, Relation, Anchors or a list, optional
            What is known: taken out of the features, or learned as a metric, in front, which needs
            complete rows; where some rows go, to which the finished map is brought.

        Returns
        -------
        ProbabilisticPCA
            The fitted estimator.
        """
        X, known = self._check_input(X, side)
        told = self._tell(of_moderate_size(X.astype(np.float64), who=self._name), known)
        X = told.points
        n, p = X.shape
        if self.n_components_ > min(n, p):
            raise ValueError(
                f"The 'n_components' parameter of ProbabilisticPCA must be at most "
                f"min(n_samples, n_features)={min(n, p)}. Got {self.n_components_} with "
                f"n_samples={n}, n_features={p}. Ask for fewer components."
            )
        observed = ~np.isnan(X)
        if not observed.all():
            self._check_observed(observed)
            found = self._map_by(*self._fit_missing(X, observed), X)
        elif self.form == "dual":
            found = self._dual_map(X)
        else:
            found = self._map_by(self._primal(X), {"history_": np.empty(0), "n_iter_": 1}, X)
        return self._adopt(told, replace(found, back=told.behind(found.back)))

    def _map_by(self, model: LinearGaussian, facts: dict[str, Any], X: FloatArray) -> Map:
        """The density as a map: its posterior means."""
        posterior = model.condition(X)
        facts = {
            "components_": model.loadings,
            "mean_": model.mean,
            "noise_variance_": model.noise_variance,
            "eigenvalues_": (model.loadings**2).sum(axis=1) + model.noise_variance,
            "log_likelihood_": float(posterior.log_density.sum()),
            **facts,
        }
        filled = model.fill(X)
        kernel = GramKernel(filled, filled.mean(axis=0))
        back = LinearBack(model.loadings, model.mean)
        return Map(posterior.mean, PosteriorMean(model), facts, kernel, back)

    def _of_dimensions(self, n_components: int) -> ProbabilisticPCA:
        # the dual form is no density of rows, and fits the same directions
        return ProbabilisticPCA(n_components, tol=self.tol, max_iter=self.max_iter)

    def _choose_components(self, X: FloatArray) -> int:
        from sidelight.quality import components_by_likelihood

        if np.isnan(X).any():
            return super()._choose_components(X)
        X = of_moderate_size(X, who=self._name)
        varying = int(np.count_nonzero(np.ptp(X, axis=0)))
        return components_by_likelihood(
            PCA._of_checked(X, None).eigenvalues_, len(X), max(varying, 1)
        )

    def _primal(self, X: FloatArray) -> LinearGaussian:
        n, p = X.shape
        pca = PCA._of_checked(X, self.n_components_)
        variances = pca.eigenvalues_ / n
        total = pca.eigenvalues_.sum() / max(pca.explained_variance_ratio_.sum(), 1e-300) / n
        rest = max(float(total - variances.sum()), 0.0) / max(p - self.n_components_, 1)
        noise = max(rest, 1e-12 * (total / p or 1.0))
        # beyond rounding: what varies as the others do is noise on every processor
        beyond = variances - noise > _ROUNDING * variances.max(initial=0.0)
        spread = np.sqrt(np.where(beyond, variances - noise, 0.0))
        if not spread.any():
            warn(
                "ProbabilisticPCA found no direction that varies more than the others: every "
                "row is placed at the origin of the map.",
            )
        return LinearGaussian(spread[:, None] * pca.components_, pca.mean_, noise)

    def _dual_map(self, X: FloatArray) -> Map:
        n, p = X.shape
        pca = PCA._of_checked(X, self.n_components_)
        values = pca.eigenvalues_ / p
        centred = X - pca.mean_
        total = float(np.sum(centred**2)) / p
        rest = max(total - float(values.sum()), 0.0) / max(n - self.n_components_, 1)
        noise = max(rest, 1e-12 * (total / n or 1.0))
        kept = np.maximum(values, noise)
        spread = np.sqrt(kept - noise)
        # z = V (Λ − σ²)^½, and the data's own directions give V = Xc U (pΛ)^{−½}
        backward = Projection(
            (spread / np.sqrt(p * kept))[:, None] * pca.components_, pca.mean_, len(kept)
        )
        loadings = (spread * np.sqrt(p) / np.sqrt(kept))[:, None] * pca.components_
        log_det = np.log(kept).sum() + (n - self.n_components_) * np.log(noise)
        quadratic = (values / kept).sum() + rest * (n - self.n_components_) / noise
        facts = {
            "components_": loadings,
            "mean_": pca.mean_,
            "noise_variance_": noise,
            "eigenvalues_": kept,
            "log_likelihood_": float(-0.5 * p * (n * _LOG_2PI + log_det + quadratic)),
            "history_": np.empty(0),
            "n_iter_": 1,
        }
        return Map(
            backward(X), backward, facts, GramKernel(X, pca.mean_), LinearBack(loadings, pca.mean_)
        )

    def _check_observed(self, observed: BoolArray) -> None:
        if self.form == "dual":
            raise ValueError(
                "form='dual' of ProbabilisticPCA needs complete rows. Got "
                f"{int((~observed).sum())} missing entries. Use form='primal'."
            )
        empty = np.flatnonzero(~observed.any(axis=0))
        if len(empty):
            raise ValueError(
                f"ProbabilisticPCA needs at least one observed entry in every column of X. "
                f"Nothing is observed in the columns {empty[:5].tolist()}. Remove them."
            )
        blank = int((~observed.any(axis=1)).sum())
        if blank:
            warn(
                f"No entry is observed in {counted(blank, 'row')} of X, which ProbabilisticPCA "
                f"places at the origin of the map, the prior's mean."
            )

    def _fit_missing(
        self, X: FloatArray, observed: BoolArray
    ) -> tuple[LinearGaussian, dict[str, Any]]:
        result = fit_with_missing(
            X,
            observed,
            self.n_components_,
            tol=self.tol,
            max_iter=self.max_iter,
            who=self._name,
        )
        # the likelihood does not know a rotation of z: take the principal axes
        loadings = result.loadings @ settled_axes(result.loadings)
        model = LinearGaussian(loadings.T, result.mean, result.noise_variance)
        signs = column_signs(model.condition(X).mean)
        model = replace(model, loadings=signs[:, None] * model.loadings)
        return model, {"history_": result.history, "n_iter_": len(result.history) - 1}

    def posterior(self, X: Any, *, condition: Any = None) -> tuple[FloatArray, FloatArray]:
        """Compute the posterior of the latent points, N(E[z | x], σ² M⁻¹).

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Rows; NaN where an entry is missing.
        condition : Condition or list of them, optional
            As in ``transform``.

        Returns
        -------
        mean : ndarray of shape (n_samples, n_components)
            E[z | x].
        covariance : ndarray of shape (n_samples, n_components, n_components)
            Larger where less is observed.
        """
        model, X = self._model(X, "posterior", condition)
        posterior = model.condition(X)
        J = self._stretch(posterior.mean)
        return self._bring(posterior.mean), J @ posterior.covariance @ J.transpose(0, 2, 1)

    def impute(self, X: Any, *, condition: Any = None) -> FloatArray:
        """Fill in missing entries with their expectation given the observed ones.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Rows; NaN where an entry is missing.
        condition : Condition or list of them, optional
            As in ``transform``.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            The rows, complete.
        """
        model, rows = self._model(X, "impute", condition)
        expected = behind_front(model.fill(rows), self._front)
        X = np.asarray(self._check_new(X), dtype=np.float64)
        return np.asarray(np.where(np.isnan(X), expected, X))

    sample, score_samples, score = sample_rows, score_rows, mean_score

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
        return np.asarray(np.exp(exponent) / np.abs(np.linalg.det(self._stretch(Z))))

    def kernel(self) -> FloatArray:
        """Compute the kernel that this is kernel PCA of: inner products of the centred rows.

        Missing entries count with their expectation.

        Returns
        -------
        ndarray of shape (n_samples, n_samples)
            K; the map is its leading eigenvectors, each with a length of its own.
        """
        return self._kernel()

    def _model(self, X: Any, method: str, condition: Any) -> tuple[LinearGaussian, FloatArray]:
        """The density, and rows that it is asked about."""
        rows = self._rows_to_score(X, condition)
        return self._density_of_rows(method), rows

    def _density_of_rows(self, method: str) -> LinearGaussian:
        rule = self._map.place
        if not isinstance(rule, PosteriorMean):
            raise ValueError(
                f"ProbabilisticPCA.{method} is of form='primal': the dual form has no density of "
                f"single rows."
            )
        return rule.model

    def _check_new(self, X: Any) -> Any:
        X = super()._check_new(X)
        if not isinstance(self._map.place, PosteriorMean) and np.isnan(X).any():
            raise ValueError(
                "form='dual' of ProbabilisticPCA needs complete rows, and X has missing "
                "entries. Use form='primal'."
            )
        return X


@dataclass(frozen=True)
class LinearGaussian:
    """x = Wᵀz + μ + noise: the density N(μ, WᵀW + σ²I).

    Parameters
    ----------
    loadings : ndarray of shape (d, p)
        W.
    mean : ndarray of shape (p,)
        μ.
    noise_variance : float
        σ².
    """

    loadings: FloatArray
    mean: FloatArray
    noise_variance: float

    def condition(self, X: FloatArray) -> LatentPosterior:
        """The posterior of the latent points given what is observed of the rows."""
        return latent_posterior(X, ~np.isnan(X), self.loadings.T, self.mean, self.noise_variance)

    def log_density(self, X: FloatArray) -> FloatArray:
        """log N(x | μ, C) of what is observed of the rows."""
        return self.condition(X).log_density

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Rows Wᵀz + μ + ε."""
        noise = np.sqrt(self.noise_variance) * rng.standard_normal((n, len(self.mean)))
        Z = rng.standard_normal((n, len(self.loadings)))
        return np.asarray(Z @ self.loadings + self.mean + noise)

    def fill(self, X: FloatArray) -> FloatArray:
        """Missing entries at their expectation given the others."""
        if not np.isnan(X).any():
            return X
        expected = self.condition(X).mean @ self.loadings + self.mean
        return np.asarray(np.where(np.isnan(X), expected, X))


@dataclass(frozen=True)
class PosteriorMean:
    """E[z | what is observed of x].

    Parameters
    ----------
    model : LinearGaussian
        The density.
    """

    model: LinearGaussian

    def __call__(self, X: Any) -> FloatArray:
        """Place rows, each by itself."""
        return self.model.condition(np.asarray(X, dtype=np.float64)).mean
