"""Which arithmetic a metric needs: Euclidean geometry, or blocks of pairwise distances."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from sidelight.core import BoolArray, FloatArray, IntArray, is_sparse, require_memory, row_blocks
from sidelight.neighbors.checked_rows import Points, check_points, check_queries, require_squares
from sidelight.neighbors.given_distances import check_distance_block, check_distances
from sidelight.neighbors.given_graph import check_graph, check_graph_block, is_graph

Metric: TypeAlias = str | Callable[[FloatArray, FloatArray], float]

_EUCLIDEAN = ("euclidean", "l2")
_METHODS = ("auto", "kd_tree", "blocked", "approximate")
#: What is computed of sparse rows without writing them out.
_OF_SPARSE = ("euclidean", "cosine", "cityblock", "manhattan", "l1")
#: They compare what is there and what is not.
_YES_OR_NO = ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule")
#: By it a row is at a distance from itself, unless it is all yes.
_NOT_OF_ITSELF = "russellrao"
#: They are computed from products, whose rounding leaves a little between equal rows: no more
#: than this share of the largest distance, or than this much of an angle.
_FROM_PRODUCTS = {"euclidean": (1e-6, 0.0), "cosine": (1e-6, 1e-12), "correlation": (1e-6, 1e-12)}
#: What they take from all rows: the variances of the columns, or the inverse of their covariance.
_FROM_ALL_ROWS = {"seuclidean": "V", "mahalanobis": "VI"}


@dataclass(frozen=True, eq=False)
class Weighted:
    """A metric with what it has taken from all rows: some of them are compared as all are.

    Parameters
    ----------
    name : {"seuclidean", "mahalanobis"}
        Which.
    weights : ndarray of shape (p,) or (p, p)
        The variances of the columns, or the inverse of their covariance.
    """

    name: str
    weights: FloatArray

    def __call__(self, x: FloatArray, y: FloatArray) -> float:
        """The distance of two rows."""
        away = np.asarray(x, dtype=np.float64) - y
        if self.name == "seuclidean":
            return float(np.sqrt(np.sum(away**2 / self.weights)))
        return float(np.sqrt(away @ self.weights @ away))

    def __repr__(self) -> str:
        return repr(self.name)


def check_metric(metric: Any, *, who: str) -> Metric:
    """Check that a metric is known."""
    if callable(metric):
        function: Metric = metric
        return function
    if metric in _EUCLIDEAN:
        return "euclidean"
    known = _known_names()
    if not isinstance(metric, str) or metric not in known:
        raise ValueError(
            f"The 'metric' parameter of {who} must be a callable or one of {', '.join(known)}. "
            f"Got {metric!r} instead."
        )
    return metric


def _known_names() -> list[str]:
    from sklearn.metrics.pairwise import distance_metrics
    from sklearn.neighbors import VALID_METRICS

    names = set(distance_metrics()) | set(VALID_METRICS["brute"]) | {"precomputed"}
    # These need a parameter that has no default, or rows with holes.
    return sorted(names - {"nan_euclidean", "wminkowski"})


def check_given(
    X: Any, queries: Any = None, *, metric: Metric, who: str
) -> tuple[Points, Points | None]:
    """Check X, and rows that ask for neighbours in it, as a checked metric reads them."""
    if is_graph(X, metric):
        graph = check_graph(X, who=who)
        if queries is None:
            return graph, None
        return graph, check_graph_block(queries, graph.shape[0], who=who, name="queries")
    if metric == "precomputed":
        table = check_distances(X, who=who)
        if queries is None:
            return table, None
        return table, check_distance_block(queries, len(table), who=who)
    rows = check_points(X, who=who)
    return rows, None if queries is None else check_queries(queries, rows, who=who)


def check_compared(
    X: Any, queries: Any = None, *, metric: Metric, who: str
) -> tuple[Points, Points | None]:
    """Check X and queries as :func:`check_given`, for searches: distances between them are had."""
    rows, wanted = check_given(X, queries, metric=metric, who=who)
    if isinstance(metric, str) and metric in _EUCLIDEAN:
        require_squares(rows, who=who)
        if wanted is not None:
            require_squares(wanted, who=who, name="queries")
    return rows, wanted


def check_method(method: Any, metric: Metric, X: Points, *, who: str) -> str:
    """Check that a way of searching is known and fit for the metric and the rows."""
    # estimators, whose names begin in capitals, have other methods: their parameter is 'neighbors'
    name = "neighbors" if who[:1].isupper() else "method"
    if not isinstance(method, str) or method not in _METHODS:
        raise ValueError(
            f"The '{name}' parameter of {who} must be one of {', '.join(map(repr, _METHODS))}. "
            f"Got {method!r} instead."
        )
    if method in ("kd_tree", "approximate") and not is_euclidean(metric):
        raise ValueError(
            f"The '{name}' parameter of {who} must be 'auto' or 'blocked' with metric={metric!r}. "
            f"Got {method!r} instead."
        )
    if method in ("kd_tree", "approximate") and is_sparse(X):
        raise ValueError(
            f"The '{name}' parameter of {who} must be 'auto' or 'blocked' for sparse rows. "
            f"Got {method!r} instead. Make the rows dense, for instance by PCA, to use it."
        )
    return method


def is_euclidean(metric: Metric) -> bool:
    """Tell whether neighbours under a metric are Euclidean neighbours of mapped rows."""
    return isinstance(metric, str) and metric in ("euclidean", "cosine")


def euclidean_rows(
    X: Points, Q: Points | None, metric: Metric, *, who: str
) -> tuple[Points, Points | None]:
    """Map rows so that Euclidean neighbours are the neighbours under the metric.

    For the cosine distance the rows are scaled to unit length, since
    ``1 − cos(x, y) = ‖x/‖x‖ − y/‖y‖‖² / 2``.  A row of zeros has no direction; it is mapped to an
    axis of its own, at cosine distance one from every other row and zero from rows of zeros.
    Rows in single precision stay so, and rows of X and of Q that are the same stay the same.
    """
    if metric == "euclidean":
        return X, Q
    together = [rows for rows in (X, Q) if rows is not None]
    lengths = [_lengths(rows) for rows in together]
    directionless = any(bool((length == 0).any()) for length in lengths)
    dtype = np.result_type(*(rows.dtype for rows in together))
    for rows in together:
        if not is_sparse(rows):
            require_memory(
                float(dtype.itemsize * rows.shape[0] * (rows.shape[1] + directionless)),
                what=f"the directions of {rows.shape[0]} rows of {rows.shape[1]} numbers",
                who=who,
                instead="Give a sample of the rows, or fewer columns, for instance by PCA.",
            )
    mapped = [_unit(*pair, directionless, dtype) for pair in zip(together, lengths, strict=True)]
    return mapped[0], mapped[1] if Q is not None else None


def euclidean_radius(radius: float, metric: Metric) -> float:
    """Translate a radius under the metric to the mapped rows."""
    return radius if metric == "euclidean" else float(np.sqrt(2.0 * radius))


def from_euclidean(distances: FloatArray, metric: Metric) -> FloatArray:
    """Translate Euclidean distances of mapped rows back to the metric."""
    return distances if metric == "euclidean" else np.square(distances) / 2.0


def without_direction(rows: Points) -> BoolArray:
    """Which rows are of zeros alone, of which the cosine distance knows no more than that."""
    if is_sparse(rows):
        return np.asarray(np.asarray(abs(rows).max(axis=1).toarray()).ravel() == 0)
    return np.asarray(~rows.any(axis=1))


def _lengths(rows: Points) -> FloatArray:
    # Scaled by the largest entry first: squares of small numbers vanish.
    if is_sparse(rows):
        largest = np.asarray(abs(rows).max(axis=1).toarray(), dtype=np.float64).ravel()
        scaled = sp.diags_array(1.0 / np.where(largest > 0, largest, 1.0)) @ rows
        squares = np.asarray(scaled.multiply(scaled).sum(axis=1)).ravel()
        return np.asarray(largest * np.sqrt(squares))
    lengths = np.empty(rows.shape[0])
    for block in _blocks(rows):
        some = rows[block]
        largest = np.abs(some).max(axis=1).astype(np.float64)
        scaled = some / np.where(largest > 0, largest, 1.0)[:, None]
        lengths[block] = largest * np.sqrt(np.einsum("ij,ij->i", scaled, scaled))
    return lengths


def _blocks(rows: FloatArray) -> list[slice]:
    return row_blocks(rows.shape[0], 16.0 * rows.shape[1], budget=4e6)


def _unit(rows: Points, lengths: FloatArray, directionless: bool, dtype: Any) -> Points:
    factors = np.where(lengths > 0, lengths, 1.0)
    if is_sparse(rows):
        zero = (lengths == 0).astype(np.float64)[:, None]
        unit = sp.csr_array(sp.diags_array(1.0 / factors) @ rows)
        return sp.csr_array(sp.hstack([unit, sp.csr_array(zero)])) if directionless else unit
    n_rows, n_columns = rows.shape
    directions = np.empty((n_rows, n_columns + directionless), dtype=dtype)
    for block in _blocks(rows):
        directions[block, :n_columns] = rows[block] / factors[block, None]
    if directionless:
        directions[:, n_columns] = lengths == 0
    return directions


def distance_blocks(
    X: Points,
    Q: Points | None,
    metric: Metric,
    *,
    who: str,
    n_jobs: int | None = None,
    rows: IntArray | None = None,
) -> Iterator[tuple[slice, FloatArray]]:
    """Go through the table of distances in blocks of rows; equal rows are at distance zero."""
    given = metric == "precomputed"
    if not given:
        X, Q = _read_as(metric, X, who), None if Q is None else _read_as(metric, Q, who)
    if metric == "euclidean" and not (is_sparse(X) or is_sparse(Q)):
        # the terms of ‖x‖² − 2xᵀy + ‖y‖² cancel each other where rows are far from zero
        centre = X.mean(axis=0, dtype=np.float64).astype(X.dtype)
        X, Q = X - centre, None if Q is None else Q - centre
    queries = X if Q is None else Q
    pairwise: Any = None
    if not given:
        metric = weighted(metric, X)
        pairwise = partial(_pairwise(), n_jobs=n_jobs, **_as_scikit_learn_has(metric))
    zeros = without_direction(X) if metric == "cosine" else np.zeros(0, dtype=np.bool_)
    n_rows = queries.shape[0] if rows is None else len(rows)
    for block in row_blocks(n_rows, 24.0 * X.shape[0]):
        some = queries[block] if rows is None else queries[rows[block]]
        if given:
            yield block, some
            continue
        distances = np.asarray(pairwise(some, X), dtype=np.float64)
        if not np.isfinite(distances).all():
            raise ValueError(
                f"The 'metric' parameter of {who} must give finite distances. Got NaN or infinity "
                f"from {metric!r} instead. Remove the rows for which it is not defined."
            )
        if isinstance(metric, str) and metric in _FROM_PRODUCTS:
            _leave_nothing_between_equal_rows(distances, some, X, *_FROM_PRODUCTS[metric])
        if metric == "cosine":
            distances[np.ix_(without_direction(some), zeros)] = 0.0
        if metric == _NOT_OF_ITSELF:
            distances[_pairwise()(some, X, metric="hamming") == 0] = 0.0
        yield block, distances


def _read_as(metric: Metric, X: Points, who: str) -> Points:
    """Refuse rows that a metric says nothing of."""
    if is_sparse(X) and isinstance(metric, str) and metric not in _OF_SPARSE:
        raise ValueError(
            f"The 'metric' parameter of {who} must be one of {', '.join(_OF_SPARSE)} for sparse X. "
            f"Got {metric!r} instead. Write the rows out, X.toarray(), to use it."
        )
    if metric == "haversine" and X.shape[1] != 2:
        raise ValueError(
            f"With metric='haversine', {who} expects X to have two columns, latitude and longitude "
            f"in radians. Got {X.shape[1]}."
        )
    if metric in _YES_OR_NO:
        if not np.isin(X, (0, 1)).all():
            raise ValueError(
                f"With metric={metric!r}, {who} expects X to hold 0 and 1, or False and True. Got "
                f"other numbers. If every number but zero means yes, give X != 0."
            )
        return X.astype(np.bool_)
    return X


def _leave_nothing_between_equal_rows(
    distances: FloatArray, Q: Points, X: Points, share: float, least: float
) -> None:
    np.maximum(distances, 0.0, out=distances)
    limit = max(share * float(distances.max(initial=0.0)), least)
    left, right = np.nonzero((distances > 0) & (distances <= limit))
    for block in row_blocks(len(left), 16.0 * X.shape[1]):
        one, other = Q[left[block]], X[right[block]]
        if is_sparse(one) or is_sparse(other):
            same = np.diff(sp.csr_array(one != other).indptr) == 0
        else:
            same = (one == other).all(axis=1)
        distances[left[block][same], right[block][same]] = 0.0


def _pairwise() -> Any:
    from sklearn.metrics import pairwise_distances

    return pairwise_distances


def weighted(metric: Metric, X: Points) -> Metric:
    """A metric with what it takes from all rows, which some of them would get wrong.

    Columns of any unit count alike, Σ⁻¹ = diag(s)⁻¹ R⁺ diag(s)⁻¹ with R the correlations; in one
    that is constant no row differs.

    Examples
    --------
    >>> import numpy as np
    >>> weighted("seuclidean", np.array([[0.0, 1.0], [2.0, 1.0]])).weights
    array([2., 1.])
    """
    if not isinstance(metric, str) or metric not in _FROM_ALL_ROWS or is_sparse(X):
        return metric
    variances = np.var(X, axis=0, ddof=1, dtype=np.float64)
    variances = np.where(variances > 0, variances, 1.0)
    if metric == "seuclidean":
        return Weighted(metric, variances)
    spread = np.sqrt(variances)
    correlations = np.atleast_2d(np.cov(X / spread, rowvar=False))
    inverse = np.linalg.pinv(correlations, hermitian=True)
    return Weighted(metric, inverse / np.outer(spread, spread))


def _as_scikit_learn_has(metric: Metric) -> dict[str, Any]:
    """A metric, and what it is told, in the words of scikit-learn."""
    if isinstance(metric, Weighted):
        return {"metric": metric.name, _FROM_ALL_ROWS[metric.name]: metric.weights}
    return {"metric": metric}
