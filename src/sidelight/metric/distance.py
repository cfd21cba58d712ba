"""A metric from known distances (thesis section 3.5)."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from sidelight.core import FloatArray, Interruption, OneOf, Real, Whole
from sidelight.metric.base import LearnedMetric
from sidelight.metric.learning import (
    ConeFit,
    FeatureSpace,
    InnerMetric,
    Space,
    SpannedSpace,
    choose_ridge,
    fit_with_ridge,
    fit_without_ridge,
    spanning_forest,
    squared_gram,
    squared_lengths,
)
from sidelight.side import Distances, describe
from sidelight.solvers import RidgeSystem


class DistanceMetric(LearnedMetric):
    """Learn a metric from distances that are known for some pairs.

    Minimises Σ (‖x_i − x_j‖²_A − d_ij²)² + ρ‖A − cI‖²_F over A ⪰ 0, where c fits the distances
    best among the multiples of the Euclidean metric.  Distances enter squared: the thesis prints
    d_ij.

    Parameters
    ----------
    ridge : "auto" or float
        ρ, in units of the mean of ‖x_i − x_j‖⁴.  ``"auto"`` chooses it by leaving pairs out, not
        below 0.01, which is right for few or noisy distances.  Zero is the thesis's problem, right
        for distances that are exact.
    kernel : {None, "linear", "rbf", "polynomial", "cosine", "precomputed"} or callable
        Learn in the feature space of a kernel (section 3.4); None: on the features themselves.
    gamma : float or "scale"
        γ of the kernels rbf and polynomial; ``"scale"`` is 1 / Σ_j var(x_j).
    degree : float
        Of the polynomial kernel.
    coef0 : float
        Of the polynomial kernel.
    tol : float
        The duality gap at which to stop, as a fraction of Σ d_ij⁴.
    max_iter : int
        Steps at most.
    random_state : int, Generator, RandomState or None
        For the draw of rows that a kernel is expanded in, in large problems.

    Attributes
    ----------
    metric_ : ndarray of shape (n_features, n_features)
        A; in the kernel form 𝒜.
    strength_ : float
        ρ, in the units of ``ridge``.
    ridge_ : float
        ρ itself.
    objective_ : float
        The minimum.
    dual_bound_ : float
        A bound that no metric can get below.
    gap_ : float
        ``objective_ − dual_bound_``, as a fraction of Σ d_ij⁴.
    n_iter_ : int
        Solutions computed: the one without the constraint A ⪰ 0, and every Newton step after it.
    contradictions_ : tuple of Contradiction
        Given distances that cannot all be true, worst first.

    Notes
    -----
    Without the constraint A ⪰ 0 the solution is kernel ridge regression with (d_iᵀd_j)² between
    the pairs' differences.  If it is not positive semidefinite, the dual, in one variable per
    pair, is solved by Newton's method (:mod:`sidelight.metric.learning.distance_cone`).  Outside
    the span of the differences A = cI.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.metric import DistanceMetric
    >>> from sidelight.side import Distances
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> side = Distances([(0, 1), (0, 2), (1, 2)], [1.0, 2.0, 5**0.5])
    >>> DistanceMetric(ridge=0).fit(X, side=side).metric_.round(4) + 0.0
    array([[1., 0.],
           [0., 4.]])
    """

    _parameters: ClassVar[Any] = {
        "ridge": (OneOf(("auto",)), Real(0)),
        "tol": (Real(0, open_below=True),),
        "max_iter": (Whole(1),),
    }

    def __init__(
        self,
        ridge: float | str = "auto",
        *,
        kernel: Any = None,
        gamma: float | str = "scale",
        degree: float = 3,
        coef0: float = 1,
        tol: float = 1e-9,
        max_iter: int = 100,
        random_state: Any = 0,
    ) -> None:
        self.ridge = ridge
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, *, side: Any = None) -> Self:
        """Learn the metric.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The data; with ``kernel="precomputed"`` the kernel matrix (n_samples, n_samples).
        y : object
            Ignored.
        side : Distances or list of Distances, optional
            How far apart some rows are.  Without any the metric is the Euclidean one.

        Returns
        -------
        DistanceMetric
            The fitted estimator.
        """
        reports: dict[str, Any] = {}
        X, known = self._begin(X, side, strict=False, reports=reports)
        self.contradictions_ = reports.get("Distances", ())
        if not known:
            self._keep_fit(0.0, 0.0, 0.0, 0.0, 1)
            self._keep_identity(X)
            return self
        self._warn_of_contradictions()
        distances = known["Distances"]
        space = self._open(X, distances)
        Z = space.coordinates(X[distances.rows])
        first, second = np.searchsorted(distances.rows, distances.pairs).T
        differences = Z[first] - Z[second]
        targets, lengths, euclidean = self._scaled(distances, differences)
        gram = squared_gram(differences / lengths**0.5)
        fitted, ridge = self._fit_scaled(
            differences / lengths**0.5, distances.values**2 / targets, euclidean, gram
        )
        # back from differences of mean length one and targets of mean one
        loss = 2 * targets**2
        unit = targets / lengths
        self._keep_fit(
            ridge,
            ridge * gram.mean_eigenvalue * lengths**2,
            loss * fitted.bound,
            fitted.gap / (0.5 * float(np.sum((distances.values**2 / targets) ** 2))),
            1 + fitted.n_iter,
        )
        self._keep(
            space, InnerMetric(fitted.metric * unit, euclidean * unit, loss * fitted.objective)
        )
        return self

    def _fit_scaled(
        self, differences: FloatArray, targets: FloatArray, euclidean: float, gram: RidgeSystem
    ) -> tuple[ConeFit, float]:
        """Solve in the span of the differences, outside which A = cI."""
        m, r = differences.shape
        basis = np.linalg.qr(differences.T)[0] if m < r else np.eye(r)
        spanned = differences @ basis if m < r else differences
        centre = euclidean * np.eye(spanned.shape[1])
        strength = 0.0
        options: dict[str, Any] = {"tol": self.tol, "max_iter": self.max_iter}
        if self.ridge == 0:
            found = fit_without_ridge(spanned, targets, centre, gram, **options)
        else:
            missing = targets - squared_lengths(spanned, centre)
            strength = choose_ridge(gram, missing) if self.ridge == "auto" else float(self.ridge)
            ridge = strength * gram.mean_eigenvalue
            found = fit_with_ridge(spanned, targets, centre, ridge, gram, **options)
        self._warn_of_the_end(found)
        if m < r:
            whole = SpannedSpace(basis).matrix(found.metric, euclidean)
            found = replace(found, metric=whole)
        return found, strength

    def _scaled(self, distances: Distances, differences: FloatArray) -> tuple[float, float, float]:
        """The mean of d_ij², the mean of ‖x_i − x_j‖², and c after division by both."""
        squares = np.einsum("ij,ij->i", differences, differences)
        targets = float(np.mean(distances.values**2))
        lengths = float(squares.mean())
        if targets == 0:
            raise ValueError(
                f"The Distances given to {self._name} are all zero, so the metric would be zero. "
                f"To say that rows belong together use Pairs(similar=…) and EquivalenceMetric."
            )
        if lengths == 0:
            raise ValueError(
                f"The rows of X named by the Distances given to {self._name} are pairwise equal, "
                f"so no metric can tell them apart."
            )
        g, t = squares / lengths, distances.values**2 / targets
        return targets, lengths, float(g @ t / (g @ g))

    def _open(self, X: FloatArray, distances: Distances) -> Space:
        """Take all features, or the span of the differences where that is smaller."""
        if self.kernel is not None:
            return self._open_kernel(X, distances.rows)[0]
        first, second = spanning_forest(distances.pairs).T
        if len(first) >= X.shape[1]:
            return FeatureSpace(X.shape[1])
        return SpannedSpace(np.linalg.qr((X[first] - X[second]).T)[0])

    def _keep_fit(
        self, strength: float, ridge: float, bound: float, gap: float, n_iter: int
    ) -> None:
        self.strength_ = strength
        self.ridge_ = ridge
        self.report_ = f"fitted with the ridge {ridge:g}, within {gap:.2g} of the optimum"
        self.dual_bound_ = bound
        self.gap_ = gap
        self.n_iter_ = n_iter

    def _warn_of_the_end(self, found: ConeFit) -> None:
        share = found.gap / found.objective if found.objective > 0 else 0.0
        if found.interrupted:
            Interruption.warn(
                f"{self._name} was interrupted; the best metric so far is kept, whose objective "
                f"is within {100 * share:.2g} % of the optimum.",
                stacklevel=4,
            )
        elif not found.converged:
            warnings.warn(
                f"{self._name} did not reach its tolerance: the objective is within "
                f"{100 * share:.2g} % of the optimum. Raise 'max_iter' or 'tol', or use a ridge.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _warn_of_contradictions(self) -> None:
        if self.contradictions_:
            warnings.warn(
                f"The Distances given to {self._name} cannot all be true: "
                f"{describe(self.contradictions_)}. They are fitted as well as possible.",
                UserWarning,
                stacklevel=3,
            )
