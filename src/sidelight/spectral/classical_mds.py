"""Classical multidimensional scaling (section 1.5)."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np

from sidelight.core.arrays import FloatArray
from sidelight.core.errors import NotEuclideanWarning
from sidelight.core.memory import require_memory
from sidelight.core.parameters import COMPONENTS, FUNCTION, Matching
from sidelight.estimator.base import Embedder, place_in_blocks
from sidelight.estimator.listening import MetricInformed
from sidelight.mapping.nystrom import extend_by_kernel, kernel_coordinates
from sidelight.neighbors.given_distances import check_distances
from sidelight.neighbors.metrics import check_metric, distance_blocks
from sidelight.similarity.centring import Centring, kernel_from_distances
from sidelight.similarity.panels import SymmetricPanels
from sidelight.solvers.eigen.eigenpairs import largest_eigenpairs, negative_eigenvalues
from sidelight.spectral.pca import PCA

#: Up to this many rows every eigenvalue is computed, so that all negative ones are known.
_WHOLE_SPECTRUM = 1200
_SINGLE_PRECISION_FROM = 4000


class ClassicalMDS(MetricInformed, Embedder):
    """Classical multidimensional scaling (metric MDS, principal coordinates): a map from distances.

    K = −½ (I − 11ᵀ/n) D² (I − 11ᵀ/n), D² the *squared* distances (eq. 1.8, corrected), is the
    centred Gram matrix of any points with these distances; its leading eigenvectors, scaled by
    the roots of their eigenvalues, are the map that fits K best in the least squares sense.  With
    Euclidean distances between feature vectors that is PCA, and nothing n × n is formed.

    Parameters
    ----------
    n_components : int or "auto"
        Dimensions of the map, ``n_components_``; ``"auto"`` is the intrinsic dimension of X, and
        for Euclidean distances what PCA's ``"auto"`` is.
    metric : str or callable
        ``"euclidean"``, any metric of scikit-learn or SciPy, a function of two rows, or
        ``"precomputed"``: X is the n × n table of distances (not squared), and new items come as
        the block of distances from the new items to the training items.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map.
    eigenvalues_ : ndarray of shape (n_components,)
        Leading eigenvalues of K.
    negative_eigenvalues_ : ndarray of shape (n_negative,)
        The negative eigenvalues of K, most negative first: distances that no points in a
        Euclidean space have.  All of them up to 1,200 rows, beyond that the most negative ones.

    References
    ----------
    W. S. Torgerson (1952), "Multidimensional scaling: I. Theory and method".
    J. C. Gower (1968), "Adding a point to vector diagrams in multivariate analysis".

    Examples
    --------
    Three towns on a road, 3 and 1 km apart.

    >>> import numpy as np
    >>> from sidelight import ClassicalMDS
    >>> D = np.array([[0.0, 3.0, 4.0], [3.0, 0.0, 1.0], [4.0, 1.0, 0.0]])
    >>> ClassicalMDS(1, metric="precomputed").fit_transform(D).round(4)
    array([[ 2.3333],
           [-0.6667],
           [-1.6667]])
    """

    _parameters: ClassVar[Any] = {
        "n_components": COMPONENTS,
        "metric": (Matching(lambda v: isinstance(v, str), "the name of a metric"), FUNCTION),
    }

    def __init__(self, n_components: int | str = 2, *, metric: Any = "euclidean") -> None:
        self.n_components = n_components
        self.metric = metric

    def fit(self, X: Any, y: Any = None, *, side: Any = None, items: Any = None) -> Self:
        """Find the map whose distances are those given.

        Parameters
        ----------
        X : array or sparse array of shape (n_samples, n_features)
            The data; with ``metric="precomputed"`` the distances (n_samples, n_samples).
        y : object
            Ignored.
        side : Pairs, Attributes, Distances or a list of them, optional
            What is known: learned as a metric that all distances are measured in.
        items : array of shape (n_samples, n_items_features), optional
            The items behind precomputed distances, for ``inverse_transform``.

        Returns
        -------
        ClassicalMDS
            The fitted estimator.
        """
        given = isinstance(self.metric, str) and self.metric == "precomputed"
        X, known = self._check_input(X, side, pairwise='metric="precomputed"' if given else "")
        self._metric = check_metric(self.metric, who=self._name)
        n = X.shape[0]
        if self.n_components_ > n:
            raise ValueError(
                f"The 'n_components' parameter of ClassicalMDS must be at most n_samples={n}. "
                f"Got {self.n_components_} instead."
            )
        self._items = self._check_items(items, n) if given else X
        X = self._learn_metrics(X, known)
        if isinstance(self._metric, str) and self._metric == "euclidean":
            return self._fit_linear(X)
        K = self._kernel_of(X)
        self._centring = Centring.of(K)
        whole = n <= _WHOLE_SPECTRUM
        tol = 1e-6 if K.dtype == np.float32 else 1e-9
        pairs = largest_eigenpairs(
            self._centring.operator(K),
            n if whole else self.n_components_,
            n=n,
            tol=tol,
            who=self._name,
        )
        self.eigenvalues_ = pairs.values[: self.n_components_]
        self.embedding_ = kernel_coordinates(
            self.eigenvalues_, pairs.vectors[:, : self.n_components_]
        )
        if whole:
            below = pairs.values[::-1]
            self.negative_eigenvalues_ = below[below < -1e-9 * abs(pairs.values[0])]
        elif pairs.lowest < -1e-5 * pairs.values[0]:
            operator = self._centring.operator(K)
            self.negative_eigenvalues_ = negative_eigenvalues(operator, n)
        else:
            self.negative_eigenvalues_ = np.empty(0)
        self._warn_if_not_euclidean()
        return self

    def transform(self, X: Any) -> FloatArray:
        """Place new items by their distances to the training items (Gower's formula).

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            New items; with precomputed distances the block (n_samples, n_training).

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Their places.
        """
        X = self._in_learned_metric(self._check_new(X))
        if hasattr(self, "_pca"):
            return self._pad(self._pca.transform(X))
        return place_in_blocks(self._place, X, len(self.embedding_))

    def _place(self, X: Any) -> FloatArray:
        given = self._metric == "precomputed"
        rows = kernel_from_distances(X if given else self._distances(X, self._items))
        return extend_by_kernel(rows, self._centring, self.embedding_, self.eigenvalues_)

    def inverse_transform(self, Z: Any) -> FloatArray:
        """Go back from the map to data: linearly where the map is linear, else by a smoother.

        Parameters
        ----------
        Z : array of shape (n_samples, n_components)
            Positions in the map.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            What would lie there.
        """
        if hasattr(self, "_pca"):
            Z = self._check_map(Z)
            back = self._pca.inverse_transform(Z[:, : self._pca.components_.shape[0]])
            for metric in reversed(self.side_metrics_):
                back = metric.inverse_transform(back)
            return back
        return super().inverse_transform(Z)

    def kernel(self) -> FloatArray:
        """Compute K = −½ (I − 11ᵀ/n) D² (I − 11ᵀ/n).

        Returns
        -------
        ndarray of shape (n_samples, n_samples)
            The kernel that this is kernel PCA of.
        """
        if hasattr(self, "_pca"):
            return self._pca.kernel()
        D = self._given if self._metric == "precomputed" else None
        K = kernel_from_distances(self._distances(self._items, None) if D is None else D)
        return self._centring.matrix(K)

    def _choose_components(self, X: Any) -> int:
        if self.metric in ("euclidean", "l2"):
            return PCA("auto").fit(X).n_components_
        return super()._choose_components(X)

    def _fit_linear(self, X: Any) -> Self:
        """Take the short way: the Gram matrix of Euclidean distances is that of the rows."""
        self._pca = PCA(min(self.n_components_, *X.shape)).fit(X)
        self.embedding_ = self._pad(self._pca.embedding_)
        self.eigenvalues_ = self._pad(self._pca.eigenvalues_[None, :])[0]
        self.negative_eigenvalues_ = np.empty(0)
        return self

    def _pad(self, Z: FloatArray) -> FloatArray:
        return np.pad(Z, ((0, 0), (0, self.n_components_ - Z.shape[1])))

    def _kernel_of(self, X: Any) -> SymmetricPanels:
        n = X.shape[0]
        dtype = np.float32 if n >= _SINGLE_PRECISION_FROM else np.float64
        require_memory(
            n * n * np.dtype(dtype).itemsize * 0.6,
            what=f"half the {n} × {n} table of distances",
            who=self._name,
            instead="Fit a sample of the rows and transform() the others.",
        )
        if self._metric == "precomputed":
            self._given = check_distances(X, who=self._name)

        def part(rows: slice, columns: slice) -> FloatArray:
            given = self._metric == "precomputed"
            D = self._given[rows, columns] if given else self._distances(X[rows], X[columns])
            return kernel_from_distances(D)

        return SymmetricPanels.filled(part, n, dtype)

    def _distances(self, X: Any, to: Any) -> FloatArray:
        reference = X if to is None else to
        blocks = distance_blocks(reference, X, self._metric, who=self._name)
        return np.vstack([np.asarray(D, dtype=np.float64) for _, D in blocks])

    def _warn_if_not_euclidean(self) -> None:
        worst = -float(self.negative_eigenvalues_[0]) if self.negative_eigenvalues_.size else 0.0
        if worst > self.eigenvalues_[-1]:
            warnings.warn(
                f"The distances given to {self._name} are far from Euclidean: K has "
                f"{len(self.negative_eigenvalues_)} negative eigenvalues, the largest "
                f"{worst:.3g} in size, where the last component kept has "
                f"{self.eigenvalues_[-1]:.3g}. Ask for fewer components, or use distances along "
                f"a graph (Isomap).",
                NotEuclideanWarning,
                stacklevel=3,
            )
