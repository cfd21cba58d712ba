"""Kernel principal component analysis (section 1.2)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sidelight.core.arrays import FloatArray, is_sparse
from sidelight.core.errors import NotEuclideanWarning
from sidelight.core.memory import require_memory
from sidelight.core.parameters import COMPONENTS, FUNCTION, OneOf, Real
from sidelight.estimator.base import Embedder, as_dense, place_in_blocks
from sidelight.mapping.nystrom import extend_by_kernel, kernel_coordinates
from sidelight.mapping.preimage import (
    RidgePreimage,
    distance_preimage,
    expansion_coefficients,
    fixed_point_preimage,
)
from sidelight.mapping.smoother import KernelSmoother
from sidelight.similarity.centring import Centring
from sidelight.similarity.kernels import (
    KERNEL_NAMES,
    GaussianKernel,
    LinearKernel,
    kernel_matrix,
    kernel_panels,
    resolve_kernel,
)
from sidelight.similarity.panels import SymmetricPanels
from sidelight.similarity.scatter import column_mean
from sidelight.solvers.eigen.eigenpairs import largest_eigenpairs


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
        What the kernel matrix is stored in; ``"auto"`` is float32 from 4,000 rows on.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map.
    eigenvalues_ : ndarray of shape (n_components,)
        Leading eigenvalues of the centred kernel.
    gamma_ : float
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
        return KernelParameter(vars(self)["kernel"], self._centred_kernel)

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
        side : None
            Kernel PCA takes no side information.
        items : array of shape (n_samples, n_items_features), optional
            The items behind a precomputed kernel, so that ``inverse_transform`` has something to
            go back to.

        Returns
        -------
        KernelPCA
            The fitted estimator.
        """
        given = vars(self)["kernel"] == "precomputed"
        X, _ = self._check_input(X, side, pairwise='kernel="precomputed"' if given else "")
        n = X.shape[0]
        self._check_components(n)
        self._items = self._check_items(items, n) if given else X
        K: FloatArray | SymmetricPanels
        K = self._check_kernel(as_dense(X)) if given else self._kernel_of(X)
        self._centring = Centring.of(K)
        operator = self._centring.operator(K)
        tol = 1e-6 if K.dtype == np.float32 else 1e-9
        pairs = largest_eigenpairs(operator, self.n_components_, n=n, tol=tol, who="KernelPCA")
        self.eigenvalues_ = pairs.values
        self.embedding_ = kernel_coordinates(pairs.values, pairs.vectors)
        self._warn_if_indefinite(pairs.values, pairs.lowest)
        return self

    def transform(self, X: Any) -> FloatArray:
        """Place new items by their kernel with the training items.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            New items; with a precomputed kernel the block k(new, training).

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Their places.
        """
        return place_in_blocks(self._place, self._check_new(X), len(self.embedding_))

    def _place(self, X: Any) -> FloatArray:
        rows = as_dense(X) if vars(self)["kernel"] == "precomputed" else self._k(X, self._items)
        return extend_by_kernel(rows, self._centring, self.embedding_, self.eigenvalues_)

    def inverse_transform(self, Z: Any) -> FloatArray:
        """Find items that map near to the given positions (pre-images).

        Parameters
        ----------
        Z : array of shape (n_samples, n_components)
            Positions in the map.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Pre-images.
        """
        Z = self._check_map(Z)
        items = as_dense(self._training_items()).astype(np.float64)
        way = self._way_back()
        if way == "ridge":
            if not hasattr(self, "_regression"):
                self._regression = RidgePreimage.fit(self.embedding_, items, ridge=self.ridge)
            return self._regression(Z)
        if way == "smoother":
            return super().inverse_transform(Z)
        gamma = expansion_coefficients(
            Z, self.embedding_, self.eigenvalues_, self._centring.multiplicities
        )
        if way == "linear":
            return np.asarray(gamma @ items)
        assert isinstance(self._k, GaussianKernel)
        if way == "distances":
            return distance_preimage(gamma, items, self._k, kernel_matrix(self._k, items))
        start = KernelSmoother.fit(self.embedding_, items)(Z)
        return fixed_point_preimage(gamma, items, self._k, start)

    def _way_back(self) -> str:
        kernel = getattr(self, "_k", None)
        if self.preimage == "auto":
            if isinstance(kernel, LinearKernel):
                return "linear"
            return "fixed_point" if isinstance(kernel, GaussianKernel) else "smoother"
        needs_gaussian = self.preimage in ("fixed_point", "distances")
        if needs_gaussian and not isinstance(kernel, GaussianKernel):
            raise ValueError(
                f"preimage={self.preimage!r} of KernelPCA needs kernel='rbf'. Got kernel="
                f"{vars(self)['kernel']!r}. Use preimage='ridge' or preimage='smoother'."
            )
        return self.preimage

    def _kernel_of(self, X: Any) -> SymmetricPanels:
        n = X.shape[0]
        self._k = resolve_kernel(
            vars(self)["kernel"], X, gamma=self.gamma, degree=self.degree, coef0=self.coef0
        )
        if hasattr(self._k, "gamma"):
            self.gamma_ = self._k.gamma
        single = n >= SINGLE_PRECISION_FROM if self.dtype == "auto" else self.dtype == "float32"
        dtype = np.float32 if single else np.float64
        require_memory(
            n * n * np.dtype(dtype).itemsize * 0.6,
            what=f"the {n} × {n} kernel matrix",
            who="KernelPCA",
            instead="Fit a sample of the rows and transform() the others.",
        )
        # centred rows have short lengths, and rounding is relative to them
        centred = X if is_sparse(X) else X - column_mean(X).astype(X.dtype)
        shift_free = isinstance(self._k, GaussianKernel)
        return kernel_panels(self._k, centred if shift_free else X, dtype=dtype)

    def _centred_kernel(self) -> FloatArray:
        check_is_fitted(self)
        if vars(self)["kernel"] == "precomputed":
            return self._centring.matrix(self._given)
        K = kernel_matrix(self._k, self._items)
        return self._centring.matrix(K)

    def _choose_components(self, X: Any) -> int:
        if vars(self)["kernel"] != "precomputed":
            return super()._choose_components(X)
        from sidelight.quality.components import components_of_neighborhoods

        K = as_dense(X)
        lengths = np.diagonal(K)
        D = np.sqrt(np.maximum(lengths[:, None] - 2 * K + lengths, 0.0))
        np.fill_diagonal(D, 0.0)
        return components_of_neighborhoods((D + D.T) / 2, metric="precomputed", who=self._name)

    def _check_components(self, n: int) -> None:
        if self.n_components_ > n:
            raise ValueError(
                f"The 'n_components' parameter of KernelPCA must be at most n_samples={n}. "
                f"Got {self.n_components_} instead."
            )

    def _check_kernel(self, K: FloatArray) -> FloatArray:
        scale = float(np.abs(K).max()) or 1.0
        gap = np.abs(K - K.T)
        if gap.max() > 1e-8 * scale:
            i, j = np.unravel_index(int(gap.argmax()), K.shape)
            raise ValueError(
                f"With kernel='precomputed', KernelPCA expects X to be symmetric. Got "
                f"X[{i}, {j}] = {K[i, j]:g} and X[{j}, {i}] = {K[j, i]:g}. Use (X + X.T) / 2 if "
                f"the difference is noise."
            )
        self._given = K
        return K

    def _warn_if_indefinite(self, values: FloatArray, lowest: float) -> None:
        if values[0] <= 0 or lowest < -1e-6 * values[0]:
            warnings.warn(
                f"The kernel given to KernelPCA is not positive semidefinite: its smallest "
                f"eigenvalue is at most {lowest:.3g}, its largest {values[0]:.3g}. Directions with "
                f"a negative eigenvalue are left out of the map.",
                NotEuclideanWarning,
                stacklevel=3,
            )
