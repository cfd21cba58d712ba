"""Unsupervised kernel regression (latent-factor thesis section 2.3.2)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from sidelight.core import (
    COMPONENTS,
    RANDOM_STATE,
    FloatArray,
    OneOf,
    Real,
    Whole,
    as_dense,
    refuse_without_effect,
    require_memory,
    warn,
)
from sidelight.estimator import Embedder, course_of, facts_of, pick_up
from sidelight.latent.descending import (
    ADJACENT,
    INIT,
    Adjacent,
    adjacent_in,
    check_components,
    descend_pinned,
    pins_of,
    starting_points,
    ways_by_distances,
)
from sidelight.latent.regression.mappings import Frame, gaussian_map, linear_map
from sidelight.latent.regression.reconstruction import GaussianReconstruction, LinearReconstruction
from sidelight.similarity import wide_bandwidth
from sidelight.solvers import best_of

#: New rows are placed with at least this penalty: far outside f hardly changes any more, and a row
#: beyond it would have no place.
_LEAST_PENALTY = 1e-6
#: A map with less variance than this, in units of the kernel's width, tells nothing apart.
_ONE_PLACE = 1e-6


class UnsupervisedKernelRegression(Embedder):
    """Unsupervised kernel regression (UKR): points from which the items can be predicted.

    A regression from the map to the data, f(z) = Σ_j b(z, z_j) x_j, is fitted without knowing the
    points z_j: they minimise its error

        E(Z) = (1/n) Σ_i ‖x_i − Σ_j b(z_i, z_j) x_j‖²  (eq. 2.19)

    with b(z, z_j) = exp(−‖z − z_j‖²) / Σ_k exp(−‖z − z_k‖²).  If an item took part in its own
    reconstruction, points far apart would reconstruct every item from itself; so it is left out
    (b_ii = 0), or a penalty keeps the points together.  With the linear basis b = zᵀz_j the
    solution is PCA (eq. 2.20 to 2.23).

    Anchors are kept exactly, in coordinates of their own, with Gaussian basis functions: of all
    maps with the anchored rows where they go, together as large as they are without anchors, this
    is the one with the least error.

    Parameters
    ----------
    n_components : int or "auto"
        Dimensions of the map, ``n_components_``; ``"auto"`` is the intrinsic dimension of X.
    kernel : {"gaussian", "linear"}
        The basis functions.
    leave_one_out : bool
        Whether a Gaussian reconstruction leaves the item itself out; refused with a linear one.
    penalty : float
        λ of the term λv·(1/n) Σ_i ‖z_i − z̄‖², v the variance of the data, added to a Gaussian
        reconstruction's error (a linear one needs none, and takes none).  Zero is the form of the
        paper, in which the points of noisy data drift apart until each item is predicted from its
        nearest neighbour alone; it is refused where nothing is left out.
    init : {"auto", "classical", "backward", "random"} or ndarray of shape (n, n_components)
        Where the descent begins: classical scaling (PCA), the smoothest backward mapping, random
        points, or given ones; ``"auto"`` is the one of the first two with the smaller error.
        The scale of all but given points is the one with the smallest error.
    max_iter : int
        Most iterations.
    tol : float
        Stop when an iteration lowers n·E by less than this, relative to the variance of the data.
    warm_start : bool
        Whether ``fit`` goes on where the last one, with the same X and ``side``, was interrupted
        or came to ``max_iter``.  ``history_`` and ``n_iter_`` then tell of what was done since.
    random_state : int, Generator, RandomState or None
        For a random start.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map, centred, along its principal axes; with the linear basis orthonormal columns, in
        the order of the variance that they carry; with anchors in their coordinates.
    unit_ : float
        The length in the map of a unit of the Gaussian's exponent: 1 unless anchors say otherwise.
    objective_ : float
        E, with the penalty.
    reconstruction_error_ : float
        E without it: the mean squared error of an item that was left out.
    history_ : ndarray of shape (n_iter_ + 1,)
        E at the start and after each iteration.
    n_iter_ : int
        Iterations.

    Notes
    -----
    The text imposes ZᵀZ = I (corrected: its tr(ZᵀZ) = I) to find PCA; the constraint is not
    needed.  A new row is placed where the regression comes closest to it,
    argmin_z ‖x − f(z)‖² + λv‖z − z̄‖², of two descents the better one.

    References
    ----------
    P. Meinicke, S. Klanke, R. Memisevic and H. Ritter (2005), "Principal surfaces from unsupervised
    kernel regression".

    Examples
    --------
    The linear basis leaves the variance that PCA leaves.

    >>> import numpy as np
    >>> from sidelight import PCA, UnsupervisedKernelRegression
    >>> X = np.random.default_rng(0).standard_normal((40, 5)) * [3, 2, 1, 0.5, 0.1]
    >>> linear = UnsupervisedKernelRegression(2, kernel="linear").fit(X)
    >>> rest = X - PCA(2).fit(X).inverse_transform(PCA(2).fit_transform(X))
    >>> round(linear.objective_, 6) == round(float((rest**2).sum() / 40), 6)
    True
    """

    _parameters: ClassVar[Any] = {
        "n_components": COMPONENTS,
        "kernel": (OneOf(("gaussian", "linear")),),
        "leave_one_out": (OneOf((True, False)),),
        "penalty": (Real(0),),
        "init": (OneOf(("auto",)), *INIT),
        "max_iter": (Whole(1),),
        "tol": (Real(0, open_below=True),),
        "warm_start": (OneOf((True, False)),),
        "random_state": (RANDOM_STATE,),
    }

    def __init__(
        self,
        n_components: int | str = 2,
        *,
        kernel: str = "gaussian",
        leave_one_out: bool = True,
        penalty: float = 1e-3,
        init: Any = "auto",
        max_iter: int = 2000,
        tol: float = 1e-12,
        warm_start: bool = False,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.leave_one_out = leave_one_out
        self.penalty = penalty
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, *, side: Any = None) -> Self:
        """Move the points until the items can best be told from them.

        Parameters
        ----------
        X : array or sparse array of shape (n_samples, n_features)
            The data.
        y : object
            Ignored.
        side : side information or list of it, optional
            Positions that are known for some rows; a Sequence as a term that keeps adjacent rows
            near, where their order shows in the data; all else acts in front.

        Returns
        -------
        UnsupervisedKernelRegression
            The fitted estimator.
        """
        told = self._hear(X, side)
        points, who, n, d = told.points, self._name, told.points.n, self.n_components_
        self._check_choice(n, points.rows.shape[1], anchored="Anchors" in told.known)
        pins = pins_of(told.known.get("Anchors"), points.distinct(), d, copies=True, who=who)
        frame = Frame.of(as_dense(points.rows).astype(np.float64, copy=False))
        rows = frame(points.rows)
        variance = float(np.einsum("ij,ij->", rows, rows)) / n
        told, beside = adjacent_in(told, points, ADJACENT.regression * variance, who=who)
        error = self._error_of(rows, variance, beside)
        found, left = descend_pinned(
            error,
            n / variance,
            lambda: best_of(self._starts(rows, error), lambda Z: float(error(Z)[0])),
            pins,
            pick_up(self, (points.rows, told.known), pins.n_variables),
            **course_of(self, "unsupervised kernel regression"),
            polished=True,
        )
        Z, (wanted, unit) = pins.points(found.x), pins.settle(found.x)
        if self.kernel == "linear":
            made = linear_map(frame, rows, Z)
        else:
            pull = max(self.penalty, _LEAST_PENALTY) * variance
            anchored = "Anchors" in told.known
            made = gaussian_map(points, frame, wanted, unit, pull, about_mean=anchored)
        facts = {"unit_": unit, **facts_of(found, n / variance)}
        facts["reconstruction_error_"] = facts["objective_"] - self._terms(Z, error, beside)
        made = replace(made.with_facts(**facts), back=told.behind(made.back))
        return self._adopt(told, made, left)

    def _error_of(
        self, rows: FloatArray, variance: float, beside: Adjacent
    ) -> GaussianReconstruction | LinearReconstruction:
        """E as a function of the points."""
        if variance == 0:
            n = len(rows)
            raise ValueError(
                f"{self._name} needs at least two distinct rows. Got {n} rows that are all the "
                f"same (n_samples={n}): there is nothing to be told from points."
            )
        if self.kernel == "linear":
            return LinearReconstruction(rows, beside)
        return GaussianReconstruction(
            rows,
            leave_one_out=self.leave_one_out,
            penalty=self.penalty * variance,
            beside=beside,
        )

    def _terms(self, Z: FloatArray, error: Any, beside: Adjacent) -> float:
        """What E holds besides the error: the penalty, and adjacent rows."""
        spread = float(Z.var(axis=0).sum())
        if spread < _ONE_PLACE:
            warn(
                f"All points of {self._name} came to one place: with n_samples={len(Z)} no item "
                f"can be told from the others better than by their mean. Lower penalty="
                f"{self.penalty:g}, or give more rows."
            )
        return float(error.penalty * spread + beside(Z)[0])

    def _check_choice(self, n: int, n_features: int, *, anchored: bool) -> None:
        check_components(self.n_components_, n, who=self._name)
        if self.kernel == "linear" and self.n_components_ > n_features:
            raise ValueError(
                f"The 'n_components' parameter of {self._name} must be at most n_features="
                f"{n_features} with kernel='linear', whose points lie in the data. Got "
                f"{self.n_components_}. Ask for fewer, or use kernel='gaussian'."
            )
        if self.kernel == "linear":
            refuse_without_effect(self, ("leave_one_out", "penalty"), "with kernel='linear'")
        if self.kernel == "linear" and anchored:
            raise ValueError(
                f"{self._name} with kernel='linear' cannot keep Anchors: its points have no scale "
                f"and no angles. Use kernel='gaussian'."
            )
        if self.kernel == "gaussian" and not self.leave_one_out and self.penalty == 0:
            raise ValueError(
                f"{self._name} with leave_one_out=False needs a positive 'penalty'. Got 0: points "
                f"far apart would then reconstruct every item from itself, without error."
            )
        require_memory(
            32.0 * n * n,
            what=f"four tables of {n} × {n} numbers",
            who=self._name,
            instead="Fit a sample of the rows and transform() the others.",
        )

    def _starts(
        self, rows: FloatArray, error: GaussianReconstruction | LinearReconstruction
    ) -> list[FloatArray]:
        n, d = len(rows), self.n_components_
        squares = np.einsum("ij,ij->i", rows, rows)
        D = np.sqrt(np.maximum(squares[:, None] + squares - 2 * rows @ rows.T, 0.0))
        np.fill_diagonal(D, 0.0)
        width, rng = wide_bandwidth(D), self.random_state
        ways = ways_by_distances(D, d, bandwidth=width, random_state=rng, who=self._name)
        if not isinstance(self.init, str):
            return [starting_points(self.init, ways, (n, d), who=self._name)]
        kinds: tuple[str, ...] = (self.init,)
        if self.init == "auto":
            # a linear regression needs no other than PCA, and n points no more than n axes
            several = self.kernel == "gaussian" and d < n
            kinds = ("classical", "backward") if several else ("classical",)
        return [error.at_best_scale(ways[kind]()) for kind in kinds]
