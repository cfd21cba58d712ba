"""Principal component analysis (PCA), direct and dual (section 1.1)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sidelight.core import (
    COMPONENTS_JUDGED,
    FloatArray,
    Matching,
    OneOf,
    as_dense,
    check_parameters,
    is_sparse,
    require_memory,
    row_blocks,
    unchanged_if_refused,
)
from sidelight.estimator import BY_LIKELIHOOD, Embedder, Map, Told
from sidelight.mapping import GramKernel, LinearBack, Projection
from sidelight.similarity import (
    column_mean,
    gram_matrix,
    mean_and_scatter,
    scatter_operator,
    total_scatter,
)
from sidelight.solvers.eigen import Eigenpairs, column_signs, largest_eigenpairs
from sidelight.spectral.directions import Pairs, projected, seen_from_rows
from sidelight.spectral.few_axes import FewAxes, few_axes

#: A scatter or Gram matrix of up to this order is formed; beyond, it is only applied.
_FORMED_ORDER = 3000
#: Rows of more bytes are not kept for ``kernel()``: copying them would cost more than it is worth.
_KEPT_BYTES = 2**24
#: A scatter matrix of up to this order is kept where the rows are not, so that blocks can go on.
_KEPT_ORDER = 512
#: So many rows are kept of blocks, those farthest from the mean: signs are told by extremes.
_FARTHEST = 64
#: Bytes of rows that are centred together: they stay in the cache.
_AT_ONCE = 1e6


class PCA(Embedder):
    """Principal component analysis (PCA): the directions of largest variance.

    Maximises the variance kept, U = argmax tr(Uᵀ S U) under UᵀU = I with S = Σ (x_i − m)(x_i − m)ᵀ,
    which the leading eigenvectors of S do (Table 1.1).  With fewer rows than columns the same
    directions come from the Gram matrix K of the centred rows, U = X V Λ^{−½} (dual PCA, Table
    1.2); the shape decides.  Where both are large, where X is sparse, or where a few directions
    stand out of very many rows in single precision, neither matrix is formed.

    Parameters
    ----------
    n_components : int, float, "auto", "cv" or None
        How many directions, ``n_components_``; a share of the variance to keep, in (0, 1);
        ``"auto"`` for those that stand out of white noise (the hard threshold of Gavish and Donoho
        2014 on singular values); ``"cv"`` for the fewest under which rows left out are likeliest,
        within a standard error, as a Gaussian density (:class:`ProbabilisticPCA`); or all of them.
    method : {"auto", "direct", "dual", "operator"}
        Eigenvectors of S (of dense X), of K, or of S applied without forming it.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The training rows in the map (after ``fit``; not after ``partial_fit``).
    cv_scores_ : ndarray of shape (n_tried,) or None
        The mean log density of rows left out with 1, 2 … components, where ``n_components="cv"``.
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

    Two directions and noise: rows left out ask for as many.

    >>> rng = np.random.default_rng(0)
    >>> two = rng.standard_normal((60, 2)) @ [[3.0, 0.0, 0.0, 1.0], [0.0, 2.0, 1.0, 0.0]]
    >>> PCA("cv").fit(two + 0.3 * rng.standard_normal((60, 4))).n_components_
    2
    """

    _judges_front: ClassVar[bool] = True
    _left_out: ClassVar[Any] = BY_LIKELIHOOD
    _parameters: ClassVar[Any] = {
        "n_components": (
            *COMPONENTS_JUDGED,
            Matching(lambda v: isinstance(v, float) and 0 < v < 1, "a float in (0, 1)"),
            OneOf((None,)),
        ),
        "method": (OneOf(("auto", "direct", "dual", "operator")),),
    }

    _kernel_is_written: ClassVar[bool] = False

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
        side : Condition, Pairs, Attributes, Distances, Relation, Anchors or a list, optional
            What is known: taken out of the features, or learned as a metric, in front; the
            finished map is brought to anchors.

        Returns
        -------
        PCA
            The fitted estimator.
        """
        return self._fit_told(self._tell(*self._check_input(X, side)))

    @classmethod
    def _of_checked(cls, X: Any, n_components: int | str | None) -> Self:
        """Fit to rows that another estimator has gone through already."""
        return cls(n_components)._fit_told(Told(X, {}, {}, None))

    def _fit_told(self, told: Told) -> Self:
        """Fit to checked rows, behind what acts in front."""
        X = told.points
        n, p = X.shape
        form = self._form(X)
        S: Any
        few = self._few_axes(X, form)
        with np.errstate(over="ignore", invalid="ignore"):  # the total tells
            if few is not None:
                mean, S, total = few.mean, None, few.total
            elif form == "direct":
                mean, S = mean_and_scatter(X)
                total = float(np.trace(S))
            else:
                mean = column_mean(X)
                S = gram_matrix(as_dense(X), mean) if form == "dual" else scatter_operator(X, mean)
                total = float(np.trace(S)) if form == "dual" else total_scatter(X, mean)
        _check_total(total, X)
        pairs: Pairs = few.pairs if few is not None else self._leading(S, n, p)
        self.n_components_ = len(pairs.values)
        found_by = seen_from_rows if form == "dual" else projected
        directions, places = found_by(X, mean, pairs)
        kernel = GramKernel(X, mean) if self._keeps(X) else None
        found = _described(directions.T, mean, pairs.values, total, n)
        back = told.behind(found.back)
        self._adopt(told, replace(found, points=places, kernel=kernel, back=back))
        if kernel is None and form == "direct" and p <= _KEPT_ORDER:
            self._seen = Seen(n, mean, S, _extreme(X, mean, places))
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Take in one more block of rows, exactly: the scatter matrix is updated.

        After ``fit`` it goes on from the rows of the fit.  Signs are told by the rows of each block
        that lie farthest out.

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
        with unchanged_if_refused(self):
            seen = self._seen_so_far()
            if seen is None:
                X, _ = self._check_input(X, None, min_samples=1)
            else:
                X = self._checked(X, reset=False)
            X = as_dense(X)
            with np.errstate(over="ignore", invalid="ignore"):  # the total tells
                block = Seen(X.shape[0], *mean_and_scatter(X), X)
                block = block.joined(seen)
            _check_total(float(np.trace(block.scatter)))
            self._fit_to(block)
            self.__dict__.pop("embedding_", None)
        return self

    def _seen_so_far(self) -> Seen | None:
        """What the rows so far leave behind, of blocks or of a fit."""
        if "_map" not in vars(self):
            return None
        if self._front or self._behind is not None:
            raise ValueError(
                "PCA.partial_fit takes blocks of rows as they are, and this PCA was fitted with "
                "side information. Fit all rows at once: fit(X, side=...)."
            )
        seen: Seen | None = getattr(self, "_seen", None)
        if seen is not None:
            return seen
        kernel = self._map.kernel
        if not isinstance(kernel, GramKernel):
            raise ValueError(
                "PCA.partial_fit cannot go on from this fit: its rows are gone, since the table "
                "was large or the model was read from a file. Give all blocks to partial_fit, the "
                "first one too; clone(model) begins afresh."
            )
        X = as_dense(kernel.rows)
        return Seen(X.shape[0], *mean_and_scatter(X), X)

    def _fit_to(self, seen: Seen) -> Self:
        """Fit to rows that were seen in blocks."""
        check_parameters(self, self._parameters)
        if self.n_components == "cv":
            raise ValueError(
                "n_components='cv' of PCA leaves rows out of all, and blocks of rows are gone when "
                "the next comes. Use fit(X), n_components='auto' or a number."
            )
        self.cv_scores_ = None
        pairs = self._leading(seen.scatter, max(seen.n, 2), len(seen.mean))
        self.n_components_ = len(pairs.values)
        total = float(np.trace(seen.scatter))
        directions = pairs.vectors
        if seen.far is not None:
            places = (seen.far - seen.mean) @ directions
            signs = column_signs(places)
            directions, places = directions * signs, places * signs
            seen = replace(seen, far=_extreme(seen.far, seen.mean, places))
        self._seen, self.n_features_in_ = seen, len(seen.mean)
        self._front, self.side_metrics_, self.side_report_ = (), [], ()
        self.__dict__.pop("_behind", None)
        self._wear(_described(directions.T, seen.mean, pairs.values, total, seen.n))
        return self

    def _turn(self, signs: FloatArray) -> Self:
        """Turn directions about that were fitted to blocks."""
        seen = self._seen
        total = float(np.trace(seen.scatter))
        directions = self.components_ * signs[:, None]
        self._wear(_described(directions, seen.mean, self.eigenvalues_, total, seen.n))
        return self

    def kernel(self) -> FloatArray:
        """Compute the kernel that PCA is kernel PCA of: inner products of the centred rows.

        Returns
        -------
        ndarray of shape (n_samples, n_samples)
            K.
        """
        check_is_fitted(self)
        if self._map.kernel is None:
            raise ValueError(
                "PCA.kernel() needs the training rows, and this PCA does not have them: it was "
                "fitted in blocks or to a large table, or loaded from a file. The same kernel is "
                "KernelPCA(kernel='linear').fit(X).kernel()."
            )
        n = len(self.embedding_)
        require_memory(
            16.0 * n * n,
            what=f"the {n} × {n} kernel",
            who="PCA.kernel",
            instead="Ask for the kernel of fewer rows.",
        )
        return self._map.kernel()

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])

    def _form(self, X: Any) -> str:
        n, p = X.shape
        if is_sparse(X) and self.method == "direct":
            raise ValueError(
                "The 'method' parameter of PCA must be 'auto', 'dual' or 'operator' for sparse X, "
                "whose scatter matrix is not formed. Got 'direct' instead. Use 'operator', or "
                "give X.toarray()."
            )
        if self.method != "auto":
            return self.method
        large = min(n, p) > _FORMED_ORDER and isinstance(self.n_components, (int, np.integer))
        if is_sparse(X) or large:
            return "operator"
        return "dual" if n < p else "direct"

    def _leading(self, S: Any, n: int, p: int) -> Eigenpairs:
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
            if self.n_components == "cv":
                wanted = self.n_components_
            elif isinstance(self.n_components, str):
                from sidelight.quality import components_above_noise

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
        return pairs

    def _few_axes(self, X: Any, form: str) -> FewAxes | None:
        """A few axes of many rows, where they can be had without the scatter matrix."""
        wanted = self.n_components
        if form != "direct" or self.method != "auto" or not isinstance(wanted, (int, np.integer)):
            return None
        return few_axes(X, int(wanted))

    def _keeps(self, X: Any) -> bool:
        return bool((X.data if is_sparse(X) else X).nbytes <= _KEPT_BYTES)

    def _dimensions_for(self, X: Any) -> int:
        return 0  # found with the eigenvalues

    def _of_dimensions(self, n_components: int) -> Any:
        from sidelight.spectral.probabilistic_pca import ProbabilisticPCA

        return ProbabilisticPCA(n_components)

    @property
    def _side_checks(self) -> dict[str, Any]:
        return {}


@dataclass(frozen=True)
class Seen:
    """What blocks of rows leave behind: how many, their mean and their scatter.

    Parameters
    ----------
    n : int
        Rows.
    mean : ndarray of shape (p,)
        Their mean.
    scatter : ndarray of shape (p, p)
        Σ (x − m)(x − m)ᵀ.
    far : ndarray of shape (k, p), optional
        Rows among which the farthest in any direction are looked for.
    """

    n: int
    mean: FloatArray
    scatter: FloatArray
    far: FloatArray | None = None

    def joined(self, other: Seen | None) -> Seen:
        """The same of both together (Chan, Golub and LeVeque 1979)."""
        if other is None:
            return self
        shift, n = self.mean - other.mean, self.n + other.n
        scatter = other.scatter + self.scatter + np.outer(shift, shift) * (other.n * self.n / n)
        far = [rows for rows in (other.far, self.far) if rows is not None]
        return Seen(n, other.mean + shift * (self.n / n), scatter, np.vstack(far) if far else None)


def _extreme(X: FloatArray, mean: FloatArray, places: FloatArray) -> FloatArray:
    """The rows that lie farthest out: along the axes of the map both ways, and from the mean."""
    if len(X) <= _FARTHEST:
        return np.array(X)
    lengths, centre = np.empty(len(X), dtype=X.dtype), mean.astype(X.dtype)
    for block in row_blocks(len(X), 8.0 * X.shape[1], budget=_AT_ONCE):
        centred = X[block] - centre
        np.einsum("ij,ij->i", centred, centred, out=lengths[block])
    farthest = np.argpartition(lengths, -_FARTHEST)[-_FARTHEST:]
    ends = [end(axis) for axis in places.T for end in (np.argmax, np.argmin)]
    rows = np.unique(np.concatenate([ends, farthest]))
    return np.array(X[rows])


def _described(
    directions: FloatArray, mean: FloatArray, values: FloatArray, total: float, n: int
) -> Map:
    """The linear map along the directions, and the variance it explains."""
    values = np.maximum(values, 0.0)
    facts = {
        "components_": directions,
        "mean_": mean,
        "eigenvalues_": values,
        "explained_variance_": values / max(n - 1, 1),
        "explained_variance_ratio_": values / (total if total > 0 else 1.0),
        "n_samples_seen_": n,
    }
    projection = Projection(directions, mean, len(directions))
    return Map(None, projection, facts, back=LinearBack(directions, mean))


def _check_total(total: float, X: Any = None) -> None:
    """Refuse rows whose squares are lost; of blocks, which may hardly differ, if too large."""
    if not np.isfinite(total) or (X is not None and total == 0 and _differ(X)):
        raise ValueError(
            "PCA cannot use X: squares of its entries overflow or vanish. Measure in other units, "
            "such as X / abs(X).max(), and in float64."
        )


def _differ(X: Any) -> bool:
    return bool((X.max(axis=0) != X.min(axis=0)).max())
