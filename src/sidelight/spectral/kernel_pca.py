"""Kernel principal component analysis (section 1.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np

from sidelight.core import (
    COMPONENTS,
    FUNCTION,
    FloatArray,
    NotEuclideanWarning,
    OneOf,
    Real,
    as_dense,
    of_moderate_size,
    refuse_without_effect,
    require_memory,
    warn,
)
from sidelight.estimator import (
    Embedder,
    Map,
    Told,
    dimensions_of_points,
    learned_in_front,
    points_of,
)
from sidelight.mapping import (
    ByKernel,
    CentredKernel,
    ComparedRows,
    KernelTable,
    Nystrom,
    Preimage,
    scale_kernel,
)
from sidelight.similarity import (
    KERNEL_NAMES,
    Centring,
    GaussianKernel,
    LinearKernel,
    SymmetricPanels,
    refuse_unused_kernel_parameters,
    require_finite_kernel,
    resolve_kernel,
    seen_from_centre,
)
from sidelight.solvers.eigen import Eigenpairs


class KernelParameter:
    """The parameter ``kernel`` of an estimator that also has a method of that name.

    It compares and prints as the value given, and ``estimator.kernel()`` computes the matrix.

    Parameters
    ----------
    value : str or callable
        What was given.
    matrix : callable
        Computes the kernel matrix of the training items.
    """

    def __init__(self, value: Any, matrix: Callable[[], FloatArray]) -> None:
        self.value = value
        self._matrix = matrix

    def __call__(self, *rows: Any) -> Any:
        return self.value(*rows) if rows else self._matrix()

    def __eq__(self, other: object) -> bool:
        return bool(self.value == (other.value if isinstance(other, KernelParameter) else other))

    def __hash__(self) -> int:
        return hash(self.value)

    def __repr__(self) -> str:
        return repr(self.value)


#: From this many rows on, ``dtype="auto"`` stores the kernel in float32.
SINGLE_PRECISION_FROM = 4000


class KernelPCA(Embedder):
    """Kernel principal component analysis: PCA in the feature space of a kernel.

    The leading eigenvectors of the centred kernel K̃ = (I − 11ᵀ/n) K (I − 11ᵀ/n), scaled by the
    roots of their eigenvalues, are the projections on the principal directions of φ(x).  Every
    spectral method of this library is kernel PCA on its own ``kernel()`` (section 1.8).

    Parameters
    ----------
    n_components : int or "auto"
        Dimensions of the map, ``n_components_``; ``"auto"`` is the intrinsic dimension of X.
    kernel : {"rbf", "linear", "polynomial", "cosine", "precomputed"} or callable
        The kernel; with ``"precomputed"`` X is the n × n kernel matrix and new items come as the
        rectangular block k(new, training).
    gamma : float or "scale"
        γ of rbf and polynomial; ``"scale"`` is 1 / Σ_j var(x_j).
    degree : float
        Of the polynomial.
    coef0 : float
        Of the polynomial.
    preimage : {"auto", "fixed_point", "distances", "ridge", "smoother"}
        How ``inverse_transform`` goes back: see :mod:`sidelight.mapping.preimage`.  ``"auto"``:
        exactly for the linear kernel, by fixed point for rbf, by the smoother otherwise.
    ridge : float, optional
        α of ``preimage="ridge"``; chosen by leave-one-out by default.
    dtype : {"auto", "float32", "float64"}
        What the kernel matrix is stored in, where it is not given; ``"auto"`` is float32 from
        4,000 rows on.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map.
    eigenvalues_ : ndarray of shape (n_components,)
        Leading eigenvalues of the centred kernel.
    gamma_ : float or None
        The γ used, for the kernels that have one.

    References
    ----------
    B. Schölkopf, A. Smola and K.-R. Müller (1998), "Nonlinear component analysis as a kernel
    eigenvalue problem".

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight import KernelPCA
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> kpca = KernelPCA(1, kernel="rbf", gamma=0.5).fit(X)
    >>> float(kpca.eigenvalues_[0].round(4)), float(np.trace(kpca.kernel()).round(4))
    (1.1117, 1.498)
    """

    _judges_front: ClassVar[bool] = True
    _parameters: ClassVar[Any] = {
        "n_components": COMPONENTS,
        "kernel": (OneOf((*KERNEL_NAMES, "precomputed")), FUNCTION),
        "gamma": (OneOf(("scale",)), Real(0, open_below=True)),
        "degree": (Real(0, open_below=True),),
        "coef0": (Real(-np.inf),),
        "preimage": (OneOf(("auto", "fixed_point", "distances", "ridge", "smoother")),),
        "ridge": (OneOf((None,)), Real(0, open_below=True)),
        "dtype": (OneOf(("auto", "float32", "float64")),),
    }

    def __init__(
        self,
        n_components: int | str = 2,
        *,
        kernel: Any = "rbf",
        gamma: float | str = "scale",
        degree: float = 3,
        coef0: float = 1,
        preimage: str = "auto",
        ridge: float | None = None,
        dtype: str = "auto",
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.preimage = preimage
        self.ridge = ridge
        self.dtype = dtype

    @property
    def kernel(self) -> Any:
        """The parameter; called without arguments, the centred kernel matrix.

        Returns
        -------
        KernelParameter
            ``kernel == "rbf"`` compares the parameter, ``kernel()`` computes the n × n matrix whose
            leading eigenvectors are the map.
        """
        return KernelParameter(vars(self)["kernel"], self._kernel)

    @kernel.setter
    def kernel(self, value: Any) -> None:
        self.__dict__["kernel"] = value.value if isinstance(value, KernelParameter) else value

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Give the parameters, as scikit-learn does.

        Parameters
        ----------
        deep : bool
            No parameter has parameters of its own.

        Returns
        -------
        dict
            Names and values.
        """
        return {**super().get_params(deep), "kernel": vars(self)["kernel"]}

    def fit(self, X: Any, y: Any = None, *, side: Any = None, items: Any = None) -> Self:
        """Find the principal directions in feature space.

        Parameters
        ----------
        X : array or sparse array of shape (n_samples, n_features)
            The data; with ``kernel="precomputed"`` the kernel matrix (n_samples, n_samples).
        y : object
            Ignored.
        side : Condition, Pairs, Attributes, Distances, Relation, Anchors or a list, optional
            What is known: taken out of the features, or learned as a metric, in front; the
            finished map is brought to anchors.
        items : array of shape (n_samples, n_items_features), optional
            The items behind a precomputed kernel, so that ``inverse_transform`` has something to
            go back to.

        Returns
        -------
        KernelPCA
            The fitted estimator.
        """
        told, items = self._hear_kernel(X, side, items)
        compared = self._compared(told.points)
        K = compared.panels(self._dtype(told.points.shape[0]))
        with np.errstate(invalid="ignore"):  # one entry that is not finite is in a mean
            centring = Centring.of(K)
        require_finite_kernel(centring.column_means, who=self._name)
        pairs, places = scale_kernel(K, centring, self._check_components(len(K)), who=self._name)
        rounding = compared.rounding(_largest(K, centring), K.dtype)
        self._warn_if_indefinite(pairs, len(K) * rounding, compared)
        values = _beyond_rounding(pairs.values, rounding, len(K))
        nystrom = Nystrom(centring, np.where(values, places, 0.0), values)
        found = Map(
            nystrom.points,
            ByKernel(compared, nystrom),
            {"eigenvalues_": values, "gamma_": compared.gamma},
            CentredKernel(compared, nystrom),
            told.behind(self._way_back(compared, nystrom, items)),
        )
        return self._adopt(told, found)

    def _hear_kernel(self, X: Any, side: Any, items: Any) -> tuple[Told, Any]:
        """What the fit was told, checked, and the items that the way back leads to."""
        self._refuse_unused()
        given = self._given
        X, known = self._check_input(X, side, pairwise='kernel="precomputed"' * given)
        X = of_moderate_size(X, who=self._name)
        if not given:
            told = self._tell(X, known, metric="euclidean", items=X)
            return told, told.points
        if learned_in_front(known):
            raise ValueError(
                f"Side information gives {self._name} a metric learned from feature vectors, so "
                f"kernel must not be 'precomputed'. Got kernel='precomputed': give X itself, or "
                f"learn the kernel's metric before."
            )
        if items is None:
            idle = ["preimage", "ridge"]
            refuse_without_effect(self, idle, "with kernel='precomputed' and without 'items'")
        items = self._check_items(items, X.shape[0])
        return self._tell(X, known, metric="precomputed", items=items), items

    @property
    def _given(self) -> bool:
        """Whether X is the kernel matrix."""
        return bool(vars(self)["kernel"] == "precomputed")

    def _refuse_unused(self) -> None:
        refuse_unused_kernel_parameters(self, vars(self)["kernel"])
        if self._given:
            refuse_without_effect(self, ["dtype"], "with kernel='precomputed'")
        if self.preimage != "ridge":
            refuse_without_effect(self, ["ridge"], f"with preimage={self.preimage!r}")

    def _compared(self, X: Any) -> KernelTable | ComparedRows:
        """The items, and how any two of them are compared."""
        if self._given:
            return KernelTable(_checked_kernel(as_dense(X)))
        kernel = resolve_kernel(
            vars(self)["kernel"], X, gamma=self.gamma, degree=self.degree, coef0=self.coef0
        )
        # rounding is relative to the lengths of rows
        kernel, centre = seen_from_centre(kernel, X)
        return ComparedRows(kernel, X if centre is None else X - centre, centre)

    def _dtype(self, n: int) -> Any:
        single = n >= SINGLE_PRECISION_FROM if self.dtype == "auto" else self.dtype == "float32"
        dtype = np.float32 if single else np.float64
        if not self._given:
            require_memory(
                n * n * np.dtype(dtype).itemsize * 0.6,
                what=f"the {n} × {n} kernel matrix",
                who="KernelPCA",
                instead="Fit a sample of the rows and transform() the others.",
            )
        return dtype

    def _way_back(self, compared: Any, nystrom: Nystrom, items: Any) -> Any:
        """The pre-image asked for, or that which suits the kernel."""
        kernel, way = getattr(compared, "kernel", None), self.preimage
        if way == "auto":
            gaussian = "fixed_point" if isinstance(kernel, GaussianKernel) else "smoother"
            way = "linear" if isinstance(kernel, LinearKernel) else gaussian
        elif way in ("fixed_point", "distances") and not isinstance(kernel, GaussianKernel):
            raise ValueError(
                f"preimage={self.preimage!r} of KernelPCA needs kernel='rbf'. Got kernel="
                f"{vars(self)['kernel']!r}. Use preimage='ridge' or preimage='smoother'."
            )
        if items is None or way == "smoother":
            return None
        return Preimage(way, nystrom, items, kernel, self.ridge)

    def _choose_components(self, X: Any) -> int:
        if not self._given:
            return super()._choose_components(X)
        K = as_dense(X)
        lengths = np.diagonal(K)
        D = np.sqrt(np.maximum(lengths[:, None] - 2 * K + lengths, 0.0))
        np.fill_diagonal(D, 0.0)
        return dimensions_of_points(points_of((D + D.T) / 2, "precomputed", who=self._name))

    def _check_components(self, n: int) -> int:
        if self.n_components_ > n:
            raise ValueError(
                f"The 'n_components' parameter of KernelPCA must be at most n_samples={n}. "
                f"Got {self.n_components_} instead."
            )
        return self.n_components_

    def _warn_if_indefinite(self, pairs: Eigenpairs, lost: float, compared: Any) -> None:
        """Say where the centred kernel has negative eigenvalues, or what rounding has made of it.

        Entries that are off by r move eigenvalues by n r at most, which is ``lost``.
        """
        largest, lowest = float(pairs.values[0]), pairs.lowest
        remedy = (
            "Compare rows by what they differ in: subtract X.mean(axis=0) before a kernel of one's "
            "own is computed, or use kernel='rbf' with a gamma that suits their distances."
        )
        if abs(largest) <= lost and lowest >= -lost:
            if compared.differ():
                warn(
                    f"The kernel of KernelPCA says nothing about X: centred, its largest "
                    f"eigenvalue {largest:.3g} is no more than the rounding of its values, up to "
                    f"{lost:.3g}. All rows are placed at the origin. {remedy}"
                )
        elif -lost <= lowest < -1e-6 * largest:
            warn(
                f"The kernel of KernelPCA is known to few digits once centred: the rounding of its "
                f"values changes eigenvalues by up to {lost:.3g}, and the largest is "
                f"{largest:.3g}. {remedy}"
            )
        elif largest <= 0 or lowest < -1e-6 * largest:
            warn(
                f"The kernel given to KernelPCA is not positive semidefinite: its smallest "
                f"eigenvalue is at most {lowest:.3g}, its largest {largest:.3g}. Directions with "
                f"a negative eigenvalue are left out of the map.",
                NotEuclideanWarning,
            )


def _largest(K: FloatArray | SymmetricPanels, centring: Centring) -> float:
    """The size of the kernel's values: no value of a kernel is above its diagonal."""
    return float(max(np.abs(K.diagonal()).max(), np.abs(centring.column_means).max()))


def _beyond_rounding(values: FloatArray, rounding: float, n: int) -> FloatArray:
    """The eigenvalues, zero for those that rounding makes by chance, or all of them.

    Entries that are off by r by chance move eigenvalues by √n r, and a solver is off in every
    eigenvalue by what rounds the largest.
    """
    if values[0] <= n * rounding:
        return np.minimum(values, 0.0)
    solved = float(np.finfo(np.float64).eps) * values[0]
    return np.where(np.abs(values) > np.sqrt(n) * (rounding + solved), values, 0.0)


def _checked_kernel(K: FloatArray) -> FloatArray:
    scale = float(np.abs(K).max()) or 1.0
    gap = np.abs(K - K.T)
    if gap.max() > 1e-8 * scale:
        i, j = np.unravel_index(int(gap.argmax()), K.shape)
        raise ValueError(
            f"With kernel='precomputed', KernelPCA expects X to be symmetric. Got "
            f"X[{i}, {j}] = {K[i, j]:g} and X[{j}, {i}] = {K[j, i]:g}. Use (X + X.T) / 2 if "
            f"the difference is noise."
        )
    return K
