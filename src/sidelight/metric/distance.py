"""A metric from known distances (thesis section 3.5)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from sidelight.core import FloatArray, Interruption, OneOf, Real, Whole
from sidelight.metric.base import NOTHING_KNOWN, LearnedMetric
from sidelight.metric.learning import (
    ConeFit,
    FeatureSpace,
    InnerMetric,
    Space,
    SpannedSpace,
    fit_with_ridge,
    fit_without_ridge,
    foretell_distances,
    spanning_forest,
    squared_gram,
)
from sidelight.side import Distances, describe
from sidelight.solvers import RidgeSystem


@dataclass(frozen=True)
class _Scaled:
    """Differences of rows, divided by their mean length, and distances by theirs.

    Parameters
    ----------
    differences : ndarray of shape (m, r)
        Of mean squared length one.
    squares : ndarray of shape (m,)
        Squared distances, of mean one.
    euclidean : float
        c in these units.
    target, length : float
        The mean of d_ij², and that of ‖x_i − x_j‖².
    """

    differences: FloatArray
    squares: FloatArray
    euclidean: float
    target: float
    length: float

    @property
    def unit(self) -> float:
        """What a metric in these units is multiplied by."""
        return self.target / self.length

    @property
    def loss(self) -> float:
        """What half a sum of squares in these units is multiplied by."""
        return 2 * self.target**2


class DistanceMetric(LearnedMetric):
    """Learn a metric from distances that are known for some pairs.

    Minimises Σ (‖x_i − x_j‖²_A − d_ij²)² + ρ‖A − cI‖²_F over A ⪰ 0, where c fits the distances
    best among the multiples of the Euclidean metric.  Distances enter squared: the thesis prints
    d_ij.

    Parameters
    ----------
    ridge : "auto" or float
        ρ, in units of the mean of ‖x_i − x_j‖⁴.  ``"auto"`` chooses it by leaving rows out, not
        below 0.01, which is right for few or noisy distances.  If some distances predict nothing
        about the others, or fewer than ten are independent, only their unit is used, A = cI.  Zero
        is the thesis's problem, right for distances that are exact.
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
        ρ, in the units of ``ridge``; infinite where A = cI.
    ridge_ : float
        ρ itself.
    report_ : str
        What became of the distances.
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
            return self._keep_plain(X)
        self._warn_of_contradictions()
        distances = known["Distances"]
        space = self._open(X, distances)
        problem = self._scaled(distances, _differences(space, X, distances))
        if self.ridge != "auto":
            return self._keep_fitted(space, problem, float(self.ridge), "")
        foretold = foretell_distances(problem.differences, problem.squares, distances.pairs)
        if not foretold.used:
            return self._keep_unit(X, problem, foretold.report())
        return self._keep_fitted(space, problem, foretold.strength, foretold.report())

    def _keep_plain(self, X: FloatArray) -> Self:
        """Take the Euclidean metric, where nothing is known."""
        self._keep_fit(0.0, 0.0, 0.0, 0.0, 1, NOTHING_KNOWN)
        self._keep_identity(X)
        return self

    def _keep_unit(self, X: FloatArray, problem: _Scaled, said: str) -> Self:
        """Take A = cI; where that is zero, rows as they are."""
        d = problem.differences
        missed = problem.euclidean * np.einsum("ij,ij->i", d, d) - problem.squares
        objective = 0.5 * problem.loss * float(missed @ missed)
        self._keep_fit(np.inf, np.inf, objective, 0.0, 1, said)
        self._keep_identity(X, problem.euclidean * problem.unit or 1.0, objective)
        return self

    def _keep_fitted(self, space: Space, problem: _Scaled, strength: float, said: str) -> Self:
        gram = squared_gram(problem.differences)
        fitted = self._fit_scaled(problem, gram, strength)
        ridge = strength * gram.mean_eigenvalue * problem.length**2
        gap = fitted.gap / (0.5 * float(np.sum(problem.squares**2)))
        end = f"fitted with the ridge {ridge:g}, within {gap:.2g} of the optimum"
        said = f"{said}; {end}" if said else end
        unit, loss = problem.unit, problem.loss
        self._keep_fit(strength, ridge, loss * fitted.bound, gap, 1 + fitted.n_iter, said)
        learned = fitted.metric * unit, problem.euclidean * unit, loss * fitted.objective
        self._keep(space, InnerMetric(*learned))
        return self

    def _fit_scaled(self, problem: _Scaled, gram: RidgeSystem, strength: float) -> ConeFit:
        """Solve in the span of the differences, outside which A = cI."""
        differences, targets = problem.differences, problem.squares
        m, r = differences.shape
        basis = np.linalg.qr(differences.T)[0] if m < r else np.eye(r)
        spanned = differences @ basis if m < r else differences
        centre = problem.euclidean * np.eye(spanned.shape[1])
        options: dict[str, Any] = {"tol": self.tol, "max_iter": self.max_iter}
        if strength == 0:
            found = fit_without_ridge(spanned, targets, centre, gram, **options)
        else:
            ridge = strength * gram.mean_eigenvalue
            found = fit_with_ridge(spanned, targets, centre, ridge, gram, **options)
        self._warn_of_the_end(found)
        if m < r:
            whole = SpannedSpace(basis).matrix(found.metric, problem.euclidean)
            found = replace(found, metric=whole)
        return found

    def _scaled(self, distances: Distances, differences: FloatArray) -> _Scaled:
        """The problem in differences of mean length one and targets of mean one."""
        lengths = np.einsum("ij,ij->i", differences, differences)
        target, length = float(np.mean(distances.values**2)), float(lengths.mean())
        if target == 0:
            raise ValueError(
                f"The Distances given to {self._name} are all zero, so the metric would be zero. "
                f"To say that rows belong together use Pairs(similar=…) and EquivalenceMetric."
            )
        if length == 0:
            raise ValueError(
                f"The rows of X named by the Distances given to {self._name} are pairwise equal, "
                f"so no metric can tell them apart."
            )
        g, t = lengths / length, distances.values**2 / target
        return _Scaled(differences / length**0.5, t, float(g @ t / (g @ g)), target, length)

    def _open(self, X: FloatArray, distances: Distances) -> Space:
        """Take all features, or the span of the differences where that is smaller."""
        if self.kernel is not None:
            return self._open_kernel(X, distances.rows)[0]
        first, second = spanning_forest(distances.pairs).T
        if len(first) >= X.shape[1]:
            return FeatureSpace(X.shape[1])
        return SpannedSpace(np.linalg.qr((X[first] - X[second]).T)[0])

    def _keep_fit(
        self, strength: float, ridge: float, bound: float, gap: float, n_iter: int, said: str
    ) -> None:
        self.strength_ = strength
        self.ridge_ = ridge
        self.report_ = said
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


def _differences(space: Space, X: FloatArray, distances: Distances) -> FloatArray:
    """What lies between the rows of each pair, in the coordinates of a space."""
    Z = space.coordinates(X[distances.rows])
    first, second = np.searchsorted(distances.rows, distances.pairs).T
    return np.asarray(Z[first] - Z[second])
