"""Principal component analysis (PCA), direct and dual (section 1.1)."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from sidelight.core.arrays import FloatArray, is_sparse
from sidelight.core.memory import require_memory
from sidelight.core.parameters import COMPONENTS, Matching, OneOf, check_parameters
from sidelight.estimator.base import Embedder, as_dense
from sidelight.similarity.scatter import (
    column_mean,
    gram_matrix,
    mean_and_scatter,
    scatter_operator,
)
from sidelight.solvers.eigen.eigenpairs import column_signs, largest_eigenpairs

#: A scatter or Gram matrix of up to this order is formed; beyond, it is only applied.
_FORMED_ORDER = 3000


class PCA(Embedder):
    """Principal component analysis (PCA): the directions of largest variance.

    Maximises the variance kept, U = argmax tr(Uᵀ S U) under UᵀU = I with S = Σ (x_i − m)(x_i − m)ᵀ,
    which the leading eigenvectors of S do (Table 1.1).  With fewer rows than columns the same
    directions come from the Gram matrix K of the centred rows, U = X V Λ^{−½} (dual PCA, Table
    1.2); the shape decides.  Where both are large, or X is sparse, neither matrix is formed.

    Parameters
    ----------
    n_components : int, float, "auto" or None
        How many directions, ``n_components_``; a share of the variance to keep, in (0, 1);
        ``"auto"`` for those that stand out of white noise (the hard threshold of Gavish and Donoho
        2014 on singular values); or all of them.
    method : {"auto", "direct", "dual", "operator"}
        Eigenvectors of S, of K, or of S applied without forming it.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The training rows in the map (after ``fit``; not after ``partial_fit``).
    components_ : ndarray of shape (n_components, n_features)
        The directions, orthonormal rows.
    mean_ : ndarray of shape (n_features,)
        m.
    eigenvalues_ : ndarray of shape (n_components,)
        The leading eigenvalues of S and of K = ``kernel()``.
    explained_variance_ : ndarray of shape (n_components,)
        ``eigenvalues_ / (n_samples − 1)``.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        Shares of the total variance.
    n_samples_seen_ : int
        How many rows went in.

    Notes
    -----
    Signs are such that the largest coordinate of the map in each direction is positive.  The
    eigenvalues are those of the squared singular values, so that directions with a share of the
    variance below 1e-15 (float32 data: 1e-7) are rounding.

    References
    ----------
    H. Hotelling (1933), "Analysis of a complex of statistical variables into principal
    components".

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight import PCA
    >>> X = np.array([[0.0, 0.0], [3.0, 4.0], [12.0, 16.0]])
    >>> PCA(n_components=1).fit_transform(X).round(4)
    array([[-8.3333],
           [-3.3333],
           [11.6667]])
    """

    _parameters: ClassVar[Any] = {
        "n_components": (
            *COMPONENTS,
            Matching(lambda v: isinstance(v, float) and 0 < v < 1, "a float in (0, 1)"),
            OneOf((None,)),
        ),
        "method": (OneOf(("auto", "direct", "dual", "operator")),),
    }
    _not_saved = ("_fit_X",)  # only kernel() needs the training rows

    def __init__(self, n_components: int | float | str | None = 2, *, method: str = "auto") -> None:
        self.n_components = n_components
        self.method = method

    def fit(self, X: Any, y: Any = None, *, side: Any = None) -> Self:
        """Find the directions of largest variance.

        Parameters
        ----------
        X : array or sparse array of shape (n_samples, n_features)
            The data.
        y : object
            Ignored.
        side : None
            PCA takes no side information.

        Returns
        -------
        PCA
            The fitted estimator.
        """
        X, _ = self._check_input(X, side)
        n, p = X.shape
        form = self._form(X)
        if form == "direct":
            self.mean_, S = mean_and_scatter(X)
            pairs = self._leading(S, n, p)
            total = float(np.trace(S))
        else:
            self.mean_ = column_mean(X)
            total = _total_scatter(X, self.mean_)
        if form == "operator":
            pairs = self._leading(scatter_operator(X, self.mean_), n, p)
        if form == "dual":
            pairs = self._leading(gram_matrix(as_dense(X), self.mean_), n, p)
            lengths = np.sqrt(np.maximum(pairs.values, 0))
            back = as_dense(X).T @ pairs.vectors - np.outer(self.mean_, pairs.vectors.sum(axis=0))
            directions = _orthonormal_columns(back, lengths)
            self.embedding_ = pairs.vectors * lengths
        else:
            scores = np.asarray(X @ pairs.vectors.astype(X.dtype))
            signs = column_signs(scores, self.mean_ @ pairs.vectors)
            directions = pairs.vectors * signs
            self.embedding_ = scores * signs
            self.embedding_ -= self.mean_ @ directions
        self.components_ = directions.T
        self.n_samples_seen_ = n
        self._describe(pairs.values, total)
        self._fit_X = X
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Take in one more block of rows, exactly: the scatter matrix is updated.

        Parameters
        ----------
        X : ndarray of shape (n_block, n_features)
            Some rows.
        y : object
            Ignored.

        Returns
        -------
        PCA
            The estimator, fitted to all rows seen so far.
        """
        first = not hasattr(self, "_scatter")
        if first:
            X, _ = self._check_input(X, None, min_samples=1)
        else:
            check_parameters(self, self._parameters)
            X = self._checked(X, reset=False)
        X = as_dense(X)
        n = X.shape[0]
        mean, scatter = mean_and_scatter(X)
        if first:
            seen, self.mean_, self._scatter = n, mean, scatter
        else:
            # Chan, Golub and LeVeque (1979): the scatter of a union
            shift = mean - self.mean_
            seen = self.n_samples_seen_ + n
            self._scatter = (
                self._scatter + scatter + np.outer(shift, shift) * (self.n_samples_seen_ * n / seen)
            )
            self.mean_ = self.mean_ + shift * (n / seen)
        self.n_samples_seen_ = seen
        for stale in ("embedding_", "_fit_X"):
            self.__dict__.pop(stale, None)
        pairs = self._leading(self._scatter, max(seen, 2), X.shape[1])
        self.components_ = pairs.vectors.T
        self._describe(pairs.values, float(np.trace(self._scatter)))
        return self

    def transform(self, X: Any) -> FloatArray:
        """Project rows on the directions.

        Parameters
        ----------
        X : array or sparse array of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Uᵀ(x − m).
        """
        X = self._check_new(X)
        # float32 rows are multiplied in float32
        scores = X @ self.components_.T.astype(X.dtype, copy=False)
        return np.asarray(scores - self.mean_ @ self.components_.T)

    def inverse_transform(self, Z: Any) -> FloatArray:
        """Rebuild rows from their projections.

        Parameters
        ----------
        Z : array of shape (n_samples, n_components)
            Positions in the map.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            m + U z.
        """
        return np.asarray(self._check_map(Z) @ self.components_ + self.mean_)

    def kernel(self) -> FloatArray:
        """Compute the kernel that PCA is kernel PCA of: inner products of the centred rows.

        Returns
        -------
        ndarray of shape (n_samples, n_samples)
            K.
        """
        if not hasattr(self, "_fit_X"):
            raise ValueError(
                "PCA.kernel() needs the training rows, and this PCA no longer has them (it was "
                "fitted in blocks, or loaded from a file). Fit it with fit(X)."
            )
        n = self._fit_X.shape[0]
        require_memory(
            16.0 * n * n,
            what=f"the {n} × {n} kernel",
            who="PCA.kernel",
            instead="Ask for the kernel of fewer rows.",
        )
        return gram_matrix(as_dense(self._fit_X), self.mean_)

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])

    def _form(self, X: Any) -> str:
        n, p = X.shape
        if self.method != "auto":
            return "operator" if is_sparse(X) and self.method == "direct" else self.method
        large = min(n, p) > _FORMED_ORDER and isinstance(self.n_components, int)
        if is_sparse(X) or large:
            return "operator"
        return "dual" if n < p else "direct"

    def _leading(self, S: Any, n: int, p: int) -> Any:
        """Keep as many eigenpairs as were asked for."""
        most = min(n, p)
        if isinstance(self.n_components, (int, np.integer)):
            if self.n_components > most:
                raise ValueError(
                    f"The 'n_components' parameter of PCA must be at most "
                    f"min(n_samples, n_features)={most}. Got {self.n_components} with "
                    f"n_samples={n}, n_features={p}. Ask for fewer components."
                )
            wanted = int(self.n_components)
        else:
            wanted = most
        order = p if callable(S) else S.shape[0]
        pairs = largest_eigenpairs(S, wanted, n=order, who="PCA")
        if isinstance(self.n_components, (float, str)):
            if isinstance(self.n_components, str):
                from sidelight.quality.components import components_above_noise

                wanted = components_above_noise(pairs.values, n, p)
            else:
                shares = np.cumsum(np.maximum(pairs.values, 0))
                wanted = 1 + int(np.searchsorted(shares, self.n_components * shares[-1]))
            pairs = type(pairs)(
                pairs.values[:wanted],
                pairs.vectors[:, :wanted],
                pairs.residuals[:wanted],
                pairs.lowest,
            )
        self.n_components_ = len(pairs.values)
        return pairs

    def _dimensions_for(self, X: Any) -> int:
        return 0  # found with the eigenvalues

    def _describe(self, values: FloatArray, total: float) -> None:
        self.eigenvalues_ = np.maximum(values, 0.0)
        self.explained_variance_ = self.eigenvalues_ / max(self.n_samples_seen_ - 1, 1)
        self.explained_variance_ratio_ = self.eigenvalues_ / (total if total > 0 else 1.0)


def _total_scatter(X: Any, mean: FloatArray) -> float:
    if is_sparse(X):
        return float(X.multiply(X).sum() - X.shape[0] * (mean @ mean))
    squares = np.einsum("ij,ij->j", X, X, dtype=np.float64)
    return float(squares.sum() - X.shape[0] * (mean @ mean))


def _orthonormal_columns(back: FloatArray, lengths: FloatArray) -> FloatArray:
    """U = X V Λ^{−½}, completed by any orthonormal directions where Λ vanishes."""
    extent = lengths > 1e-7 * max(float(lengths.max(initial=0.0)), np.finfo(float).tiny)
    directions = back / np.where(extent, lengths, 1.0)
    if not extent.all():
        rng = np.random.default_rng(0)
        missing = rng.standard_normal((back.shape[0], int((~extent).sum())))
        found = directions[:, extent]
        missing -= found @ (found.T @ missing)
        directions[:, ~extent] = np.linalg.qr(missing)[0]
    return np.asarray(directions)
