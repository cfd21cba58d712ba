"""The Gaussian process latent variable model (GP-LVM)."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from sidelight.core import (
    COMPONENTS_JUDGED,
    FloatArray,
    OneOf,
    Real,
    Whole,
    refuse_without_effect,
    require_memory,
)
from sidelight.estimator import (
    BY_SLOW_LIKELIHOOD,
    Embedder,
    Map,
    Unfinished,
    behind_front,
    course_of,
    descend,
    deviations_behind_front,
    mean_score,
    pick_up,
    sample_rows,
    score_rows,
)
from sidelight.gaussian_process import COVARIANCES, ObservedTable
from sidelight.latent.descending import (
    ADJACENT,
    MADE_OR_GIVEN,
    Adjacent,
    Held,
    adjacent_in,
    descend_held,
    pins_of,
)
from sidelight.latent.gplvm.back_constraint import BackConstraint
from sidelight.latent.gplvm.objective import GPLVMObjective, State
from sidelight.latent.gplvm.process import LatentProcess, settled
from sidelight.latent.gplvm.start import first_map
from sidelight.latent.gplvm.table import StandardTable, first_alike
from sidelight.neighbors import DistinctRows
from sidelight.side import Anchors
from sidelight.solvers.descent import Descent

#: "auto": exact up to so many rows, and so many inducing points beyond.
_EXACT_ROWS, _INDUCING = 1000, 100
#: Past steps kept (neighbours in the map move together, which takes many to learn), and those that
#: the gain is averaged over, which is uneven.
_MEMORY, _PATIENCE = 100, 10
#: A tolerance that asks for the maximum itself, whose last digits Newton steps find; set on forty
#: sets of forty digits.  Of twenty sets of MNIST, rows 5,000 on, maps are then the same to 2e-8
#: under three kernels of BLAS, but for two that come to another maximum; without Newton steps
#: fourteen differ by more than 1e-6.  A usual climb ends where these go to any of many maxima.
_TO_THE_MAXIMUM = 1e-7


class GPLVM(Embedder):
    """Gaussian process latent variable model (GP-LVM): every feature a smooth function of the map.

    Where the dual of probabilistic PCA has columns y_j ~ N(0, ZZᵀ + σ²I), linear functions of the
    latent points, the kernel is replaced by one of smooth functions,

        max_{Z, θ}  Σ_j log N(y_j | 0, K + σ²I) + log p(Z) + log p(θ),
        K_ij = α exp(−‖z_i − z_j‖² / 2ℓ²) + β

    (the slides' exponentiated quadratic, with the noise σ²I that they leave out).  No eigenvalue
    problem solves it: latent points and hyper-parameters climb together from a first map along
    closed-form gradients.  Entries that are missing (NaN) are left out of the likelihood, which
    factorises over columns.

    Anchors are kept exactly, in coordinates of their own: the map without them is found first, and
    its anchored rows are moved to where anchors go, together as large as they are there, and held,
    while all others and the hyper-parameters climb again.

    Parameters
    ----------
    n_components : int, "auto" or "cv"
        Dimensions of the map, ``n_components_``; ``"auto"`` is the intrinsic dimension of X,
        ``"cv"`` the smallest under which rows left out are likeliest, within a standard error.
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
        kernel; None for maximum likelihood.  With ``kernel="linear"`` there is none, and it is
        refused.
    tol : float
        Stop when the last ten steps raised the objective by less than this each, per entry; with
        1e-7 or less, at the maximum itself.
    max_iter : int
        Most steps.
    warm_start : bool
        Whether ``fit`` goes on where the last one, with the same X and ``side``, was interrupted
        or came to ``max_iter``.  ``history_`` and ``n_iter_`` then tell of what was done since.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Z, of unit variance (with the linear kernel as it is), along its principal axes; with
        anchors in their coordinates, and so are ``length_scale_`` and ``inducing_`` where their
        rows were held.
    cv_scores_ : ndarray of shape (n_tried,) or None
        The mean log density of rows left out with 1, 2 … components, where ``n_components="cv"``.
    log_likelihood_ : float
        Of all observed entries in the data's unit; with inducing points the bound on it.
    objective_ : float
        The same with the log priors (but for constants).
    history_ : ndarray of shape (n_iter + 1,)
        The objective at the start and after each step.
    n_iter_ : int
        Steps.
    signal_variance_, bias_variance_, length_scale_, noise_variance_ : float
        α and β in the data's unit squared, ℓ in the map's unit, σ²; with the linear kernel σ²
        alone, the others None.
    inducing_ : ndarray of shape (n_inducing, n_components) or None
        Inducing points, in the map.
    jitter_ : float
        What had to be added to a kernel's diagonal, relative to the data's variance.
    mean_ : ndarray of shape (n_features,)
        Of the columns.

    Notes
    -----
    Columns are centred, not scaled: a column with a larger spread counts for more.
    Columns that do not vary are left out and come back as they are.  The length scale and the
    scale of the map are one thing, so the prior is on z / ℓ, and the map has unit variance.
    Log hyper-parameters have a wide Gaussian prior, and σ² stays above 1e-6 of the variance.
    The objective has many maxima; the one found depends on ``init``, and after an interrupt on
    where the fit was left, and on nothing else: rows are sorted first.  Around a maximum of noisy
    data lie flat valleys, in which the climb ends by ``tol``: where, may differ between processors
    by a few thousandths of the map.  ``tol=1e-7`` goes to the maximum, the last of the way by
    Newton steps, at about seven times the cost; data without any noise have none.

    A new row is placed where it is likeliest, max_z log p(y | z) + log p(z), and depends on
    nothing but itself; with a back constraint, at g(y).  Training rows keep their places.

    :meth:`score_samples` and :meth:`sample` are of p(y) = ∫ N(y | μ(z), s²(z)) N(z | z̄, C) dz, the
    process at places that are spread as those of the training rows are (z̄ and C their mean and
    covariance); in up to four dimensions by quadrature around the likeliest places, by their
    curvature alone in more.  Columns that do not vary are left out.

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

    _left_out: ClassVar[Any] = BY_SLOW_LIKELIHOOD
    _parameters: ClassVar[Any] = {
        "n_components": COMPONENTS_JUDGED,
        "kernel": (OneOf(tuple(COVARIANCES)),),
        "init": (OneOf(("pca",)), *MADE_OR_GIVEN),
        "n_inducing": (OneOf((None, "auto")), Whole(1)),
        "back_constraint": (OneOf((None, "rbf", "linear")),),
        "prior": (OneOf((None,)), Real(0, open_below=True)),
        "tol": (Real(0, open_below=True),),
        "max_iter": (Whole(1),),
        "warm_start": (OneOf((True, False)),),
    }
    _takes_sparse = False
    _takes_missing = True

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
        side : side information or list of it, optional
            What is known: taken out of the features, or learned as a metric, in front, which needs
            complete rows; a Sequence as a prior that keeps adjacent rows near, where their order
            shows in the data; where some rows go, which are held there while the others move.
            With ``kernel="linear"`` or a back constraint the finished map is brought there.

        Returns
        -------
        GPLVM
            The fitted estimator.
        """
        X, known = self._check_input(X, side)
        told = self._tell(np.asarray(X, dtype=np.float64), known)
        X = told.points
        self._check_choice(X)
        table = StandardTable.of(X, who=self._name)
        back = self._back_constraint(table.Y)
        told, beside = adjacent_in(told, X, ADJACENT.process * len(X), who=self._name)
        beside = beside.renumbered(np.argsort(table.order))
        objective = self._objective_of(table, back, beside)
        found, held, left = self._descend(objective, X, table, beside, told.known.get("Anchors"))
        state, weights = settled(objective, found.x, table.Y)
        process = LatentProcess(table, self.kernel, state, self.prior, back, weights)
        _ = process.prediction  # refused here where it needs too much memory
        places = table.back_in_order(state.Z)
        told = told.held(places, who=self._name) if held else told.not_held()
        facts = self._facts(objective, state, table, found)
        if told.brought is not None:  # in the unit and the coordinates of the anchors
            facts["length_scale_"] *= told.brought.turn.scale
            inducing = facts["inducing_"]
            facts["inducing_"] = None if inducing is None else told.brought.turn(inducing)
        return self._adopt(told, Map(places, process, facts), left)

    def _descend(
        self,
        objective: GPLVMObjective,
        X: FloatArray,
        table: StandardTable,
        beside: Adjacent,
        anchors: Anchors | None,
    ) -> tuple[Descent, bool, Unfinished | None]:
        """Move latent points; with anchors, again with their rows held, and say whether so."""

        def begin() -> FloatArray:
            first = first_map(self.init, X, table, self.n_components_, who=self._name)
            return objective.vector_of(first)

        course = {
            **course_of(self, "moving latent points"),
            "memory": _MEMORY,
            "patience": _PATIENCE,
            "unit": float(objective.table.n_observed),
            "polished": self.tol <= _TO_THE_MAXIMUM,
        }
        if anchors is None:
            found, left = descend(
                objective, begin, pick_up(self, X, objective.n_variables), **course
            )
            return found, False, left
        same = np.unique(first_alike(X, X), return_inverse=True, return_counts=True)
        pins = pins_of(
            anchors, DistinctRows(*same), self.n_components_, copies=True, who=self._name
        ).renumbered(np.argsort(table.order))

        return descend_held(
            objective,
            begin,
            self._objective_of(table, None, beside, about_mean=True),
            lambda x: Held.of(pins, objective.unpack(x).Z),
            lambda x, held: (x, objective.moved(x, held.bent)),
            pick_up(self, (X, anchors), objective.n_variables),
            **course,
        )

    def _places_behind(self, kind: str, known: dict[str, Any]) -> bool:
        tied = self.kernel == "linear" or self.back_constraint is not None
        return tied or super()._places_behind(kind, known)

    def _objective_of(
        self,
        table: StandardTable,
        back: BackConstraint | None,
        beside: Adjacent,
        *,
        about_mean: bool = False,
    ) -> GPLVMObjective:
        """Minus the log posterior that the parameters ask for, of this table."""
        return GPLVMObjective(
            ObservedTable.of(table.Y),
            COVARIANCES[self.kernel],
            self.n_components_,
            prior=self.prior,
            n_inducing=self._resolve_inducing(len(table.Y)),
            features=None if back is None else back.features(table.Y),
            beside=beside,
            about_mean=about_mean,
        )

    def _facts(
        self, objective: GPLVMObjective, state: State, table: StandardTable, found: Descent
    ) -> dict[str, Any]:
        """What was found, in the data's unit."""
        likelihood, _, jitter = objective.log_likelihood(state)
        shift, square = objective.table.n_observed * np.log(table.scale), table.scale**2
        names = [f"{name}_" for name in objective.covariance.names]
        found_logs = dict(zip(names, np.exp(state.parameters).tolist(), strict=True))
        units = {"signal_variance_": square, "length_scale_": 1.0, "bias_variance_": square}
        return {
            **{name: found_logs[name] * units[name] if names else None for name in units},
            "noise_variance_": state.noise * square,
            "inducing_": state.inducing,
            "jitter_": jitter,
            "mean_": table.mean,
            "log_likelihood_": likelihood - shift,
            "objective_": objective.log_posterior(state) - shift,
            "history_": -found.history - shift,
            "n_iter_": found.n_iter,
        }

    @property
    def _process(self) -> LatentProcess:
        """The process that places rows."""
        process = self._map.place
        assert isinstance(process, LatentProcess)
        return process

    sample, score_samples, score = sample_rows, score_rows, mean_score

    def _density_of_rows(self, method: str) -> LatentProcess:
        return self._process

    def transform(self, X: Any, *, return_std: bool = False, condition: Any = None) -> Any:
        """Place rows where they are likeliest, each by itself.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Rows; NaN where an entry is missing.
        return_std : bool
            Whether to say how sure the places are.
        condition : Condition or list of them, optional
            The values of a known factor for these rows, where one was taken out in front.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            Places in the map; training rows keep theirs.
        std : ndarray of shape (n_samples, n_components)
            Only with ``return_std``: standard deviations, from the curvature of the posterior
            of z at its maximum.
        """
        X = np.asarray(self._new_rows(X, condition), dtype=np.float64)
        Z = self._process(X)
        if not return_std:
            return self._bring(Z)
        J, S = self._stretch(Z), self._process.covariances(X, Z)
        spread = np.einsum("nij,njk,nik->ni", J, S, J)
        return self._bring(Z), np.sqrt(spread)

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
        if not return_std:
            return behind_front(self._process.mean(Z), self._front, who=self._name)
        mean, std = self._process.moments(Z)
        return behind_front(mean, self._front, who=self._name), deviations_behind_front(
            std, self._front
        )

    def impute(self, X: Any, *, condition: Any = None) -> FloatArray:
        """Fill in missing entries with their prediction at the row's place.

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
        own = np.asarray(self._new_rows(X, condition), dtype=np.float64)
        X = np.asarray(self._check_new(X), dtype=np.float64)
        expected = behind_front(self._process.mean(self._process(own)), self._front)
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
        Z = np.asarray(self._check_map(Z), dtype=np.float64)
        deviation = self._process.moments(Z)[1][:, self._process.table.kept]
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
        return np.asarray(self._process.density(Z) / np.abs(np.linalg.det(self._stretch(Z))))

    def _of_dimensions(self, n_components: int) -> Self:
        if isinstance(self.init, str):
            return super()._of_dimensions(n_components)  # type: ignore[no-any-return]
        raise ValueError(
            f"The 'init' parameter of {self._name} must be 'pca' with n_components='cv', which "
            f"tries maps of 1, 2 … dimensions of some of the rows. Got "
            f"{type(self.init).__name__} instead. Leave it out, or give n_components as a number."
        )

    def _check_choice(self, X: FloatArray) -> None:
        if self.kernel == "linear" and self.prior is not None:
            refuse_without_effect(self, ("prior",), "with kernel='linear'")
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

    def _back_constraint(self, Y: FloatArray) -> BackConstraint | None:
        if self.back_constraint is None:
            return None
        missing = int(np.isnan(Y).sum())
        if missing:
            raise ValueError(
                "The 'back_constraint' parameter of GPLVM makes places a function of complete "
                f"rows. Got {missing} missing entries. Use back_constraint=None, or fill them in."
            )
        return BackConstraint.of(self.back_constraint, Y)
