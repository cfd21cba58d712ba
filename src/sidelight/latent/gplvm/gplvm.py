"""The Gaussian process latent variable model (GP-LVM)."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from sidelight.core.arrays import FloatArray
from sidelight.core.memory import require_memory
from sidelight.core.parameters import COMPONENTS, OneOf, Real, Whole
from sidelight.estimator.base import Embedder, place_in_blocks
from sidelight.estimator.resuming import Resumable
from sidelight.gaussian_process.covariance import COVARIANCES
from sidelight.gaussian_process.observed import ObservedTable
from sidelight.gaussian_process.placing import Rows, place_rows, positive_part
from sidelight.gaussian_process.prediction import Prediction
from sidelight.latent.gplvm.back_constraint import BackConstraint, first_weights
from sidelight.latent.gplvm.objective import GPLVMObjective, State
from sidelight.latent.gplvm.start import START, first_map, places_to_begin
from sidelight.latent.gplvm.table import StandardTable, first_alike

#: "auto": exact up to so many rows, and so many inducing points beyond.
_EXACT_ROWS, _INDUCING = 1000, 100
#: Past steps kept (neighbours in the map move together, which takes many to learn), and those that
#: the gain is averaged over, which is uneven.
_MEMORY, _PATIENCE = 100, 10


class GPLVM(Resumable, Embedder):
    """Gaussian process latent variable model (GP-LVM): every feature a smooth function of the map.

    Where the dual of probabilistic PCA has columns y_j ~ N(0, ZZᵀ + σ²I), linear functions of the
    latent points, the kernel is replaced by one of smooth functions,

        max_{Z, θ}  Σ_j log N(y_j | 0, K + σ²I) + log p(Z) + log p(θ),
        K_ij = α exp(−‖z_i − z_j‖² / 2ℓ²) + β

    (the slides' exponentiated quadratic, with the noise σ²I that they leave out).  No eigenvalue
    problem solves it: latent points and hyper-parameters climb together from a first map along
    closed-form gradients.  Entries that are missing (NaN) are left out of the likelihood, which
    factorises over columns.

    Parameters
    ----------
    n_components : int or "auto"
        Dimensions of the map, ``n_components_``; ``"auto"`` is the intrinsic dimension of X.
    kernel : {"rbf", "linear"}
        Smooth functions of the map, or linear ones: then the optimum is dual probabilistic PCA.
    init : "pca", estimator or array of shape (n_samples, n_components)
        The map to begin with; probabilistic PCA where entries are missing.
    n_inducing : int, None or "auto"
        Inducing points that the process passes through: cost n m² instead of n³ per step.  None
        for the exact likelihood; ``"auto"`` is exact up to 1,000 rows and 100 beyond.
    back_constraint : {None, "rbf", "linear"}
        Whether latent points are free, or a function z = g(y) of the rows, whose weights are
        fitted instead: neighbours in the data stay neighbours in the map.
    prior : float or None
        Standard deviation of latent points under their Gaussian prior, in length scales of the
        kernel; None for maximum likelihood.  With ``kernel="linear"`` there is none.
    tol : float
        Stop when the last ten steps raised the objective by less than this each, per entry.
    max_iter : int
        Most steps.
    warm_start : bool
        Whether ``fit`` goes on where the last one, with the same X and ``side``, was interrupted
        or came to ``max_iter``.  ``history_`` and ``n_iter_`` then tell of what was done since.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Z, of unit variance (with the linear kernel as it is), along its principal axes.
    log_likelihood_ : float
        Of all observed entries in the data's unit; with inducing points the bound on it.
    objective_ : float
        The same with the log priors (but for constants).
    history_ : ndarray of shape (n_iter + 1,)
        The objective at the start and after each step.
    n_iter_ : int
        Steps.
    signal_variance_, bias_variance_, length_scale_, noise_variance_ : float
        α and β in the data's unit squared, ℓ in the map's unit, σ²; with the linear kernel σ².
    inducing_ : ndarray of shape (n_inducing, n_components) or None
        Inducing points, in the map.
    jitter_ : float
        What had to be added to a kernel's diagonal, relative to the data's variance.
    mean_ : ndarray of shape (n_features,)
        Of the columns.

    Notes
    -----
    Columns are centred, not scaled: a column with twice the spread has a say that is larger.
    Columns that do not vary are left out and come back as they are.  The length scale and the
    scale of the map are one thing, so the prior is on z / ℓ, and the map has unit variance.
    Log hyper-parameters have a wide Gaussian prior, and σ² stays above 1e-6 of the variance.
    The objective has many maxima; the one found depends on ``init``, and on nothing else: rows
    are sorted first.

    A new row is placed where it is likeliest, max_z log p(y | z) + log p(z), and depends on
    nothing but itself; with a back constraint, at g(y).  Training rows keep their places.

    References
    ----------
    N. D. Lawrence (2005), "Probabilistic non-linear principal component analysis with Gaussian
    process latent variable models".
    M. K. Titsias (2009), "Variational learning of inducing variables in sparse Gaussian
    processes", for the inducing points.

    Examples
    --------
    An arc is one smooth function of one latent coordinate; half of an item tells the rest.

    >>> import numpy as np
    >>> from sidelight import GPLVM
    >>> angle = np.linspace(0, 2.5, 40)
    >>> arc = np.column_stack([np.cos(angle), np.sin(angle), angle])
    >>> model = GPLVM(1).fit(arc)
    >>> model.impute([[np.nan, np.nan, 1.0]]).round(2)
    array([[0.54, 0.84, 1.  ]])
    """

    _parameters: ClassVar[Any] = {
        "n_components": COMPONENTS,
        "kernel": (OneOf(tuple(COVARIANCES)),),
        "init": (OneOf(("pca",)), START),
        "n_inducing": (OneOf((None, "auto")), Whole(1)),
        "back_constraint": (OneOf((None, "rbf", "linear")),),
        "prior": (OneOf((None,)), Real(0, open_below=True)),
        "tol": (Real(0, open_below=True),),
        "max_iter": (Whole(1),),
        "warm_start": (OneOf((True, False)),),
    }
    _takes_sparse = False
    _takes_missing = True
    _not_saved = ("_process", "_widths")

    def __init__(
        self,
        n_components: int | str = 2,
        *,
        kernel: str = "rbf",
        init: Any = "pca",
        n_inducing: int | str | None = "auto",
        back_constraint: str | None = None,
        prior: float | None = 3.0,
        tol: float = 1e-4,
        max_iter: int = 500,
        warm_start: bool = False,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.init = init
        self.n_inducing = n_inducing
        self.back_constraint = back_constraint
        self.prior = prior
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start

    def fit(self, X: Any, y: Any = None, *, side: Any = None) -> Self:
        """Move latent points and hyper-parameters to a maximum of their posterior.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The data; NaN where an entry is missing.
        y : object
            Ignored.
        side : None
            The GP-LVM takes no side information.

        Returns
        -------
        GPLVM
            The fitted estimator.
        """
        X = np.asarray(self._check_input(X, side)[0], dtype=np.float64)
        for stale in self._not_saved:
            self.__dict__.pop(stale, None)
        self._check_sizes(X)
        self._table = StandardTable.of(X, who=self._name)
        table = ObservedTable.of(self._table.Y)
        self._back, features, m = None, None, self._resolve_inducing(len(X))
        if self.back_constraint is not None:
            self._back = self._back_constraint(table)
            features = self._back.features(self._table.Y)
        objective = GPLVMObjective(
            table,
            COVARIANCES[self.kernel],
            self.n_components_,
            prior=self.prior,
            n_inducing=m,
            features=features,
        )

        def begin() -> FloatArray:
            Z = first_map(self.init, X, self._table, self.n_components_, who=self._name)
            free = Z if features is None else first_weights(features, Z)
            spread = np.linspace(0, len(X) - 1, m).round().astype(np.intp)
            return objective.pack(free, Z[spread] if m else None)

        found = self._descend(
            objective,
            begin,
            objective.n_variables,
            X,
            stage="moving latent points",
            memory=_MEMORY,
            patience=_PATIENCE,
            unit=float(table.n_observed),
        )
        self._settle(objective, found.x)
        self._prediction()
        unit = table.n_observed * np.log(self._table.scale)
        self.history_, self.n_iter_ = -found.history - unit, found.n_iter
        return self

    def _settle(self, objective: GPLVMObjective, x: FloatArray) -> None:
        """Turn the map to its principal axes, measure it in length scales, and keep it."""
        state, weights = objective.unpack(x), objective.weights(x).copy()
        logs = state.parameters.copy()
        unit, middle = 1.0, np.zeros(self.n_components_)
        if "length_scale" in objective.covariance.names:  # only ‖z − z'‖ / ℓ matters
            middle = state.Z.mean(axis=0)
            unit = float(np.std(state.Z - middle)) or 1.0
            logs[objective.covariance.names.index("length_scale")] -= np.log(unit)
        axes = np.linalg.svd(state.Z - middle, full_matrices=False)[2].T
        Z = (state.Z - middle) @ axes
        largest = Z[np.argmax(np.abs(Z), axis=0), np.arange(Z.shape[1])]
        axes = axes * np.where(largest < 0, -1.0, 1.0) / unit
        self._weights = None
        if self._back is not None:
            weights[-1] -= middle
            self._weights = weights @ axes
        Z = ((state.Z - middle) @ axes)[first_alike(self._table.Y, self._table.Y)]
        self.inducing_ = None if state.inducing is None else (state.inducing - middle) @ axes
        self._logs, self._noise = logs, state.noise
        settled = State(Z, self.inducing_, logs, state.noise)
        likelihood, _, self.jitter_ = objective.log_likelihood(settled)
        shift = objective.table.n_observed * np.log(self._table.scale)
        self.log_likelihood_ = likelihood - shift
        self.objective_ = objective.log_posterior(settled) - shift
        for name, log in zip(objective.covariance.names, logs, strict=True):
            squared = self._table.scale**2 if name.endswith("variance") else 1.0
            setattr(self, f"{name}_", float(np.exp(log)) * squared)
        self.noise_variance_ = state.noise * self._table.scale**2
        self.mean_ = self._table.mean
        self._latent = Z
        self.embedding_ = self._table.back_in_order(Z)

    def transform(self, X: Any, *, return_std: bool = False) -> Any:
        """Place rows where they are likeliest, each by itself.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Rows; NaN where an entry is missing.
        return_std : bool
            Whether to say how sure the places are.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            Places in the map; training rows keep theirs.
        std : ndarray of shape (n_samples, n_components)
            Only with ``return_std``: standard deviations, from the curvature of the posterior
            of z at its maximum.
        """
        X = np.asarray(self._check_new(X), dtype=np.float64)
        width = 8 * len(self._prediction().centres)
        both = place_in_blocks(lambda rows: self._place(rows, std=return_std), X, width)
        d = self.n_components_
        return (both[:, :d], both[:, d:]) if return_std else both

    def inverse_transform(self, Z: Any, *, return_std: bool = False) -> Any:
        """Predict the data at places of the map.

        Parameters
        ----------
        Z : array of shape (n_samples, n_components)
            Places in the map.
        return_std : bool
            Whether to say how sure that is.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            Means of the process.
        std : ndarray of shape (n_samples, n_features)
            Only with ``return_std``: standard deviations of an observation, with noise.
        """
        Z = np.asarray(self._check_map(Z), dtype=np.float64)
        process = self._prediction()
        if not return_std:
            return self._table.restore(process.mean(Z))
        mean, variance = process.moments(Z)
        return self._table.restore(mean), self._table.spread(np.sqrt(variance))

    def impute(self, X: Any) -> FloatArray:
        """Fill in missing entries with their prediction at the row's place.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Rows; NaN where an entry is missing.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            The rows, complete.
        """
        expected = self.inverse_transform(np.asarray(self.transform(X)))
        X = np.asarray(self._check_new(X), dtype=np.float64)
        return np.asarray(np.where(np.isnan(X), expected, X))

    def precision(self, Z: Any) -> FloatArray:
        """Compute how sure the model is of the data at places of the map.

        Parameters
        ----------
        Z : array of shape (n_samples, n_components)
            Places in the map.

        Returns
        -------
        ndarray of shape (n_samples,)
            One over the mean predictive variance of the columns: high near the data, and level
            far from it, so that it is no density.
        """
        deviation = self.inverse_transform(Z, return_std=True)[1][:, self._table.kept]
        return np.asarray(1.0 / np.mean(deviation**2, axis=1))

    def density(self, Z: Any) -> FloatArray:
        """Compute the density of the data's places in the map.

        Every training row y_i has its own posterior over places, p(z | y_i), about N(z_i, S_i)
        with S_i from the curvature there; the density is their mean, which integrates to one.

        Parameters
        ----------
        Z : array of shape (n_samples, n_components)
            Places in the map.

        Returns
        -------
        ndarray of shape (n_samples,)
            Densities.
        """
        Z = np.asarray(self._check_map(Z), dtype=np.float64)
        if not hasattr(self, "_widths"):
            self._widths = self._curvature(self._latent, self._table.Y)

        def mixture(places: FloatArray) -> FloatArray:
            away = places[:, None, :] - self._latent[None, :, :]
            squares = np.einsum("mni,nij,mnj->mn", away, self._widths, away)
            heights = np.sqrt(np.linalg.det(self._widths / (2 * np.pi)))
            return np.asarray(np.exp(-0.5 * squares) @ heights)[:, None] / len(heights)

        return place_in_blocks(mixture, Z, 4 * Z.shape[1] * len(self._latent))[:, 0]

    def _check_sizes(self, X: FloatArray) -> None:
        n, p = X.shape
        most = min(n, p) if isinstance(self.init, str) else n
        if self.n_components_ > most:
            raise ValueError(
                f"The 'n_components' parameter of GPLVM must be at most {most} for this start. Got "
                f"{self.n_components_} with n_samples={n}, n_features={p}. Ask for fewer "
                f"components, or give an array as 'init'."
            )
        if self._resolve_inducing(n) == 0:
            require_memory(
                6 * 8.0 * n * n,
                what=f"the {n} × {n} kernel, its inverse and gradient",
                who=self._name,
                instead="Use n_inducing=100.",
            )

    def _resolve_inducing(self, n: int) -> int:
        """How many inducing points there are; none for the exact likelihood."""
        if self.n_inducing is None or (self.n_inducing == "auto" and n <= _EXACT_ROWS):
            return 0
        if self.kernel == "linear":
            if self.n_inducing == "auto":
                return 0
            raise ValueError(
                "The 'n_inducing' parameter of GPLVM is for kernel='rbf'. With kernel='linear' "
                "use ProbabilisticPCA(form='dual'), which has a closed form."
            )
        return min(_INDUCING if self.n_inducing == "auto" else int(self.n_inducing), n)

    def _back_constraint(self, table: ObservedTable) -> BackConstraint:
        if not table.complete:
            raise ValueError(
                "The 'back_constraint' parameter of GPLVM makes places a function of complete "
                f"rows. Got {int((~table.observed).sum())} missing entries. Use "
                "back_constraint=None, or fill them in."
            )
        assert self.back_constraint is not None
        return BackConstraint.of(self.back_constraint, table.values)

    def _prediction(self) -> Prediction:
        """The process given the data; made when it is first asked for."""
        if not hasattr(self, "_process"):
            self._process = Prediction.fit(
                COVARIANCES[self.kernel],
                self._logs,
                self._noise,
                self._latent,
                self.inducing_,
                ObservedTable.of(self._table.Y),
                who=self._name,
            )
        return self._process

    def _rows(self, Y: FloatArray) -> Rows:
        observed = ~np.isnan(Y)
        has_prior = self.prior is not None and self.kernel == "rbf"
        precision = (float(self.prior or 1.0) * self.length_scale_) ** -2 if has_prior else 0.0
        spread = float(np.sqrt(np.mean(self._latent**2))) or 1.0
        unit = min(self.length_scale_, spread) if self.kernel == "rbf" else spread
        filled = np.where(observed, Y, 0.0)
        return Rows(self._prediction(), filled, observed.astype(np.float64), precision, unit)

    def _place(self, X: FloatArray, *, std: bool) -> FloatArray:
        """Places of rows and, if asked for, their standard deviations beside them."""
        Y = self._table.standardise(X)
        Z = np.zeros((len(Y), self.n_components_))
        same = first_alike(Y, self._table.Y)
        known, blank = same >= 0, np.isnan(Y).all(axis=1)
        Z[known] = self._latent[same[known]]
        free = ~known & ~blank
        if self._back is not None and self._weights is not None:
            whole = ~known & ~np.isnan(Y).any(axis=1)
            Z[whole] = self._back.features(Y[whole]) @ self._weights
            free &= ~whole
        if free.any():
            rows = self._rows(Y[free])
            starts = places_to_begin(rows, self._latent, self._table.Y)
            Z[free] = place_rows(rows, starts).Z
        if not std:
            return Z
        curvature = self._curvature(Z, Y)
        return np.hstack([Z, np.sqrt(np.linalg.inv(curvature).diagonal(axis1=1, axis2=2))])

    def _curvature(self, Z: FloatArray, Y: FloatArray) -> FloatArray:
        rows = self._rows(Y)
        gradient = rows.objective(Z)[1]
        floor = max(rows.precision, 1e-6 / rows.scale**2)
        return positive_part(rows.curvature(Z, gradient), floor)
