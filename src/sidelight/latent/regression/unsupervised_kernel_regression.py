"""Unsupervised kernel regression (latent-factor thesis section 2.3.2)."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np

from sidelight.core.arrays import FloatArray, IntArray, as_dense
from sidelight.core.memory import require_memory
from sidelight.core.parameters import COMPONENTS, RANDOM_STATE, OneOf, Real, Whole
from sidelight.estimator.base import Embedder, place_in_blocks
from sidelight.latent.descending.anchored import Anchored
from sidelight.latent.descending.pinned import pins_of
from sidelight.latent.descending.starts import START, STARTS, starting_points
from sidelight.latent.regression.reconstruction import (
    GaussianReconstruction,
    LinearReconstruction,
    gaussian_weights,
)
from sidelight.neighbors import distinct_rows, nearest_neighbors
from sidelight.similarity.neighbor_choice import wide_bandwidth
from sidelight.solvers.descent.rowwise import minimise_rows
from sidelight.solvers.eigen.eigenpairs import column_signs

#: Scales tried for a start, in units that make the points' mean squared distance one: the scale
#: of the points is the inverse bandwidth of the regression.
_SCALES = np.geomspace(0.3, 100.0, 24)
#: New rows are placed with at least this penalty.
_LEAST_PENALTY = 1e-6
#: A map with less variance than this, in units of the kernel's width, tells nothing apart.
_ONE_PLACE = 1e-6


class UnsupervisedKernelRegression(Anchored, Embedder):
    """Unsupervised kernel regression (UKR): points from which the items can be told.

    A regression from the map to the data, f(z) = Σ_j b(z, z_j) x_j, is fitted without knowing the
    points z_j: they minimise its error

        E(Z) = (1/n) Σ_i ‖x_i − Σ_j b(z_i, z_j) x_j‖²  (eq. 2.19)

    with b(z, z_j) = exp(−‖z − z_j‖²) / Σ_k exp(−‖z − z_k‖²).  An item that took part in its own
    reconstruction could be told from its point alone if the points moved far apart; it is left
    out (b_ii = 0), or a penalty keeps the points together.  With the linear basis b = zᵀz_j the
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
        Whether a Gaussian reconstruction leaves the item itself out.
    penalty : float
        λ of the term λv·(1/n) Σ_i ‖z_i − z̄‖², v the variance of the data, added to a Gaussian
        reconstruction's error (a linear one needs none).  Zero is the form of the paper, in which
        the points of noisy data drift apart until each is told from its nearest neighbour alone;
        it is refused where nothing is left out.
    start : {"auto", "classical", "backward", "random"} or ndarray of shape (n, n_components)
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
    random_state : int, Generator or None
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
        E without it: what a left-out item is missed by, squared, on average.
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
        "start": (OneOf(("auto",)), *START),
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
        start: Any = "auto",
        max_iter: int = 2000,
        tol: float = 1e-12,
        warm_start: bool = False,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.leave_one_out = leave_one_out
        self.penalty = penalty
        self.start = start
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
        side : Anchors, optional
            Positions that are known for some rows.

        Returns
        -------
        UnsupervisedKernelRegression
            The fitted estimator.
        """
        X, known = self._check_input(X, side)
        self._items, n, d = X, X.shape[0], self.n_components_
        self._check_choice(n, anchored="Anchors" in known)
        distinct = distinct_rows(X, who=self._name)
        pins = pins_of(known.get("Anchors"), distinct, d, copies=True, who=self._name)
        dense = as_dense(X).astype(np.float64, copy=False)
        self._mean = dense.mean(axis=0)
        centred = dense - self._mean
        # turning the data changes no distance: at most n columns are needed
        self._basis = np.linalg.qr(centred.T)[0] if centred.shape[1] > n else None
        rows = centred if self._basis is None else centred @ self._basis
        self._variance = float(np.einsum("ij,ij->", rows, rows)) / n
        if self._variance == 0:
            raise ValueError(
                f"{self._name} needs at least two distinct rows. Got {n} rows that are all the "
                f"same (n_samples={n}): there is nothing to be told from points."
            )
        if self.kernel == "linear":
            objective: Any = LinearReconstruction(rows)
        else:
            objective = GaussianReconstruction(
                rows, leave_one_out=self.leave_one_out, penalty=self.penalty * self._variance
            )

        def begin() -> FloatArray:
            return min(self._starts(rows, objective), key=lambda Z: float(objective(Z)[0]))

        found = self._descend_pinned(
            objective,
            n / self._variance,
            begin,
            pins,
            (X, known),
            stage="unsupervised kernel regression",
        )
        self.objective_ = found.value * self._variance / n
        self.history_ = found.history * self._variance / n
        self.n_iter_ = found.n_iter
        Z = pins.points(found.x)
        if float(Z.var(axis=0).sum()) < _ONE_PLACE:
            warnings.warn(
                f"All points of {self._name} came to one place: with n_samples={n} no item can be "
                f"told from the others better than by their mean. Lower penalty={self.penalty:g}, "
                f"or give more rows.",
                UserWarning,
                stacklevel=2,
            )
        spread = float(Z.var(axis=0).sum())
        self.reconstruction_error_ = self.objective_ - objective.penalty * spread
        self.embedding_, self.unit_ = pins.settle(found.x)
        if self.kernel == "linear":
            self.embedding_ = _by_loadings(Z, rows)
        self._middle = self.embedding_.mean(axis=0) if known else np.zeros(d)
        self._rows = rows
        return self

    def transform(self, X: Any) -> FloatArray:
        """Project new rows: each is placed where the regression comes closest to it.

        Parameters
        ----------
        X : array or sparse array of shape (n_samples, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Their places; a training row's is its own.
        """
        X = self._check_new(X)
        return place_in_blocks(self._place, X, self.embedding_.size)

    def inverse_transform(self, Z: Any) -> FloatArray:
        """Go back from the map to data by the regression itself, f(z).

        Parameters
        ----------
        Z : array of shape (n_samples, n_components)
            Positions in the map.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            What would lie there.
        """
        Z = self._check_map(Z)
        if self.kernel == "linear":
            rows = Z @ self._loadings.T
        else:
            rows = gaussian_weights(self._in_own_unit(Z), self._in_own_unit()) @ self._rows
        return np.asarray((rows if self._basis is None else rows @ self._basis.T) + self._mean)

    @property
    def _loadings(self) -> FloatArray:
        return np.asarray(self._rows.T @ self.embedding_)

    def _in_own_unit(self, Z: FloatArray | None = None) -> FloatArray:
        """Places, or those of the training rows, as the regression measures them."""
        return np.asarray(((self.embedding_ if Z is None else Z) - self._middle) / self.unit_)

    def _check_choice(self, n: int, *, anchored: bool) -> None:
        if self.n_components_ > n:
            raise ValueError(
                f"The 'n_components' parameter of {self._name} must be at most n_samples={n}. "
                f"Got {self.n_components_} instead."
            )
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

    def _starts(self, rows: FloatArray, objective: Any) -> list[FloatArray]:
        kinds: tuple[Any, ...] = (self.start,)
        if isinstance(self.start, str) and self.start == "auto":
            # a linear regression needs no other than PCA
            kinds = STARTS[:2] if self.kernel == "gaussian" else STARTS[:1]
        squares = np.einsum("ij,ij->i", rows, rows)
        D = np.sqrt(np.maximum(squares[:, None] + squares - 2 * rows @ rows.T, 0.0))
        np.fill_diagonal(D, 0.0)
        points = []
        for kind in kinds:
            if isinstance(kind, str) and kind == "backward" and self.n_components_ >= len(rows):
                continue
            Z = starting_points(
                kind,
                D,
                self.n_components_,
                bandwidth=wide_bandwidth(D),
                random_state=self.random_state,
                who=self._name,
            )
            points.append(self._scaled(Z, objective) if isinstance(kind, str) else Z)
        return points

    def _scaled(self, Z: FloatArray, objective: Any) -> FloatArray:
        """Give a start the scale at which the error is least."""
        if self.kernel == "linear":
            lengths = np.linalg.norm(Z, axis=0)
            return np.asarray(Z / np.where(lengths > 0, lengths, 1.0))
        Z = Z / max(float(np.sqrt(2 * Z.var(axis=0).sum())), 1e-300)
        errors = [objective(scale * Z)[0] for scale in _SCALES]
        return np.asarray(_SCALES[int(np.argmin(errors))] * Z)

    def _place(self, X: Any) -> FloatArray:
        rows = as_dense(X).astype(np.float64, copy=False) - self._mean
        rows = rows if self._basis is None else rows @ self._basis
        if self.kernel == "linear":
            return np.asarray(np.linalg.lstsq(self._loadings, rows.T, rcond=None)[0].T)
        near = nearest_neighbors(self._items, 1, queries=X, who=self._name)
        nearest, match = near.indices[:, 0], near.distances[:, 0] == 0
        places = self.embedding_[nearest]
        if not match.all():
            places[~match] = self._project(rows[~match], nearest[~match])
        return places

    def _project(self, rows: FloatArray, nearest: IntArray) -> FloatArray:
        Y, targets, d = self._in_own_unit(), self._rows, self.n_components_
        # far outside f hardly changes any more: a row beyond it would have no place
        pull = max(self.penalty, _LEAST_PENALTY) * self._variance

        def error(z: FloatArray, which: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
            B = gaussian_weights(z, Y)
            fit = B @ targets
            residual = fit - rows[which]
            # f moves with z as the weights' covariance of points and items says
            mean = B @ Y
            J = np.stack(
                [2 * ((B * Y[:, l]) @ targets - mean[:, [l]] * fit) for l in range(Y.shape[1])], 1
            )
            value = np.einsum("mp,mp->m", residual, residual)
            value += pull * np.einsum("md,md->m", z, z)
            gradient = 2 * np.einsum("mdp,mp->md", J, residual) + 2 * pull * z
            return value, gradient, 2 * np.einsum("mdp,mep->mde", J, J) + 2 * pull * np.eye(d)

        fits = gaussian_weights(Y, Y) @ targets
        closest = np.argmin(np.einsum("ij,ij->i", fits, fits) - 2 * rows @ fits.T, axis=1)
        found = [minimise_rows(error, Y[start]) for start in (closest, nearest)]
        every = np.arange(len(rows))
        errors = [error(places, every)[0] for places in found]
        return self._middle + self.unit_ * np.where((errors[0] <= errors[1])[:, None], *found)


def _by_loadings(Z: FloatArray, rows: FloatArray) -> FloatArray:
    """Turn the points of a linear regression so that its loadings are orthogonal."""
    turn = np.linalg.svd(rows.T @ Z, full_matrices=False)[2].T
    turned = Z @ turn
    return np.asarray(turned * column_signs(turned))
