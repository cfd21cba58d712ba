"""Rows of a table of distances, made when they are asked for, accurate enough to be ranked.

Only a block of rows exists at any time.  In few dimensions coordinates are subtracted directly.  In
many, ``‖x‖² + ‖y‖² − 2 x·y`` of the centred data is a matrix product and far quicker, but loses the
digits of a distance that is small beside the norms; those pairs are computed again directly, so
that every distance is good to about twelve digits, where ranks need nine.  Sparse data are neither
centred nor written out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from sidelight.core import ArrayLike, FloatArray, IntArray, as_dense, is_sparse, require_memory
from sidelight.neighbors import Metric, check_metric, distance_blocks, distinct_rows
from sidelight.quality.inputs import as_points, as_sparse_points, check_same_length

# Distances that are computed by subtraction whatever the number of dimensions.
_DIRECT: dict[str, Any] = {
    "manhattan": "cityblock",
    "cityblock": "cityblock",
    "chebyshev": "chebyshev",
    "canberra": "canberra",
    "braycurtis": "braycurtis",
    "hamming": "hamming",
    "sqeuclidean": "sqeuclidean",
}
# Other names of these.
_ALIASES = {"l2": "euclidean", "minkowski": "euclidean", "l1": "cityblock"}
METRICS = ("euclidean", "precomputed", "cosine", "correlation", *_DIRECT)
# What products of sparse rows are enough for.
_OF_SPARSE = ("euclidean", "cosine")

# Up to here the direct sum takes less time than the product and its passes over the block.
_DIRECT_COLUMNS = 16
# A squared distance below this part of the squared norms has lost three digits or more.
_CANCELLED = 1e-3
# Rows in a block times columns: a few arrays of four megabytes.
_BLOCK_ELEMENTS = 1 << 19
# Numbers of a sparse row that are not zero, in such blocks.
_SPARSE_NUMBERS = 256


@dataclass(frozen=True)
class DistanceRows:
    """The rows of an n × n table of distances, on demand.

    Parameters
    ----------
    points : ndarray or sparse array of shape (n, d), or ndarray of shape (n, n)
        Coordinates, or the table itself for ``metric="precomputed"``.
    metric : str
        One of :data:`METRICS`.
    squared_norms : ndarray of shape (n,) or None
        Of the points, where distances come from a matrix product.
    who : str
        The function, for messages.
    """

    points: Any
    metric: str
    squared_norms: FloatArray | None
    who: str

    @property
    def n_samples(self) -> int:
        """How many points there are."""
        return int(self.points.shape[0])

    @property
    def is_table(self) -> bool:
        """Whether the distances were given, and nothing else is known of the points."""
        return _is_table(self.metric)

    def take(self, index: IntArray) -> DistanceRows:
        """Some of the points, among themselves."""
        points = self.points[np.ix_(index, index)] if self.is_table else self.points[index]
        norms = None if self.squared_norms is None else self.squared_norms[index]
        return replace(self, points=points, squared_norms=norms)

    def distinct(self) -> IntArray:
        """Find the points that do not repeat an earlier one."""
        kind = self.metric if self.is_table else "euclidean"
        return distinct_rows(self.points, metric=kind, who=self.who).rows

    def rows(self, index: IntArray) -> FloatArray:
        """Compute the distances from some points to all."""
        distances: FloatArray
        if self.is_table:
            distances = self.points[index].astype(np.float64)
        elif self.metric in _DIRECT:
            distances = cdist(self.points[index], self.points, _DIRECT[self.metric])
        elif self.squared_norms is None:
            distances = cdist(self.points[index], self.points)
        else:
            distances = np.sqrt(self._squared_by_product(index))
        if self.metric in ("cosine", "correlation"):
            # points are of unit length: 1 − x·y = ‖x − y‖² / 2, without its cancellation
            distances *= distances
            distances *= 0.5
        if not np.isfinite(distances).all():
            raise ValueError(
                f"{self.who} met {self.metric} distances in X or Z that are not finite. Scale the "
                "data so that their squares do not overflow."
            )
        return np.abs(distances, out=distances)

    def _squared_by_product(self, index: IntArray) -> FloatArray:
        norms = self.squared_norms
        assert norms is not None
        scale = norms[index, None] + norms
        squared = self._products(index)
        squared *= -2.0
        squared += scale
        scale *= _CANCELLED
        row, column = np.nonzero(squared < scale)
        per_pair = _SPARSE_NUMBERS if is_sparse(self.points) else self.points.shape[1]
        step = max(1, (4 * _BLOCK_ELEMENTS) // per_pair)
        for start in range(0, row.size, step):
            i, j = row[start : start + step], column[start : start + step]
            squared[i, j] = _squared_lengths(self.points[index[i]] - self.points[j])
        return squared

    def _products(self, index: IntArray) -> FloatArray:
        if is_sparse(self.points):  # the smaller factor is the one that is turned over
            return np.ascontiguousarray((self.points @ self.points[index].T).toarray().T)
        return np.asarray(self.points[index] @ self.points.T)

    def blocks(self, index: IntArray) -> list[IntArray]:
        """Cut points into blocks whose rows are quick to work on."""
        step = max(1, _BLOCK_ELEMENTS // self.n_samples)
        return [index[start : start + step] for start in range(0, index.size, step)]


def distance_rows(X: ArrayLike, metric: Metric, *, name: str = "X", who: str) -> DistanceRows:
    """Prepare the distances between all points; those of any other metric in one table."""
    metric = _as_measured(metric)
    if not isinstance(metric, str) or metric not in METRICS:
        rows = as_points(X, name=name, who=who).astype(np.float64, copy=False)
        X, metric = _table_of(rows, check_metric(metric, who=who), who=who), "precomputed"
    points = as_points(X, name=name, who=who)
    if _is_table(metric):
        _check_distance_table(points, name=name, who=who)
        return DistanceRows(points, metric, None, who)
    points = points.astype(np.float64, copy=False)
    if metric in ("cosine", "correlation"):
        points = _unit_rows(points, metric, name=name, who=who)
    norms: FloatArray | None = None
    if metric not in _DIRECT and points.shape[1] > _DIRECT_COLUMNS:
        points = points - points.mean(axis=0)
        norms = _squared_lengths(points)
    return DistanceRows(points, metric, norms, who)


def is_by_rows(metric: Any) -> bool:
    """Whether a metric compares rows, and is computed row by row, without a table of all."""
    return _as_measured(metric) in METRICS and not _is_table(metric)


def _is_table(metric: Any) -> bool:
    """Whether distances are given, and none are to be computed."""
    return isinstance(metric, str) and metric == "precomputed"


def _as_measured(metric: Any) -> Any:
    """A metric by the name that it has here."""
    return _ALIASES.get(metric, metric) if isinstance(metric, str) else metric


def _table_of(points: FloatArray, metric: Metric, *, who: str) -> FloatArray:
    """All distances by a metric that nothing quicker is known of, a function of one's own, say."""
    n, called = len(points), metric if isinstance(metric, str) else "given"
    require_memory(
        24.0 * n * n,
        what=f"the {n:,} × {n:,} table of {called} distances",
        who=who,
        instead=f"Judge some of the rows, or take one of {', '.join(METRICS)}, row by row.",
    )
    table = np.empty((n, n))
    for rows, block in distance_blocks(points, None, metric, who=who):
        table[rows] = block
    np.fill_diagonal(table, 0.0)
    return table


def name_of_metric(metric: Any) -> str:
    """What a metric is called."""
    return metric if isinstance(metric, str) else getattr(metric, "__name__", repr(metric))


def compared_distances(
    X: ArrayLike, Z: ArrayLike, metric: Metric, *, who: str
) -> tuple[DistanceRows, DistanceRows]:
    """Prepare the distances in the data and the Euclidean ones in its map."""
    data = _sparse_rows(X, metric, who=who) if is_sparse(X) else distance_rows(X, metric, who=who)
    mapped = distance_rows(Z, "euclidean", name="Z", who=who)
    check_same_length(data.n_samples, mapped.n_samples, names=("X", "Z"), who=who)
    return data, mapped


def _sparse_rows(X: Any, metric: Metric, *, who: str) -> DistanceRows:
    """Prepare the distances between sparse rows, written out only where the metric needs it."""
    metric = _as_measured(metric)
    if not isinstance(metric, str) or metric not in _OF_SPARSE:
        if not _is_table(metric):
            require_memory(
                8.0 * X.shape[0] * X.shape[1],
                what=f"{name_of_metric(metric)} distances between the {X.shape[0]:,} sparse rows",
                who=who,
                instead=f"Of sparse rows as they are there is {' and '.join(_OF_SPARSE)}.",
            )
            X = as_dense(X)
        return distance_rows(X, metric, who=who)
    points = as_sparse_points(X, name="X", who=who)
    norms = _squared_lengths(points)
    if metric == "cosine":
        _require_lengths(norms, metric, name="X", who=who)
        points = points.multiply(1 / np.sqrt(norms)[:, None]).tocsr()
        norms = _squared_lengths(points)
    return DistanceRows(points, metric, norms, who)


def _squared_lengths(points: Any) -> FloatArray:
    if is_sparse(points):
        return np.asarray(points.multiply(points).sum(axis=1)).ravel()
    return np.asarray(np.einsum("nd,nd->n", points, points))


def _unit_rows(points: FloatArray, metric: str, *, name: str, who: str) -> FloatArray:
    if metric == "correlation":
        points = points - points.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    _require_lengths(lengths, metric, name=name, who=who)
    unit: FloatArray = points / lengths
    return unit


def _require_lengths(lengths: FloatArray, metric: str, *, name: str, who: str) -> None:
    if not lengths.all():
        kind = "constant" if metric == "correlation" else "zero"
        raise ValueError(
            f"The {name!r} argument of {who} has a {kind} row (row {int(np.argmin(lengths))}), "
            f"whose {metric} distances are undefined. Leave it out or choose another metric."
        )


def _check_distance_table(table: FloatArray, *, name: str, who: str) -> None:
    problem = None
    if table.shape[0] != table.shape[1]:
        problem = f"got shape {table.shape}"
    elif table.min() < 0:
        problem = f"got the negative entry {table.min():.3g}"
    else:
        tolerance = 1e-5 * float(table.max())
        step = max(1, _BLOCK_ELEMENTS // table.shape[0])
        asymmetry = max(
            float(np.abs(table[a : a + step] - table[:, a : a + step].T).max())
            for a in range(0, table.shape[0], step)
        )
        if np.abs(np.diagonal(table)).max() > tolerance:
            problem = "its diagonal is not zero"
        elif asymmetry > tolerance:
            problem = f"it differs from its transpose by {asymmetry:.3g}"
    if problem is not None:
        raise ValueError(
            f"The {name!r} argument of {who} must be a square, symmetric table of non-negative "
            f"distances with a zero diagonal for metric='precomputed'; {problem}. Give the data "
            "themselves with another metric, or symmetrise the table."
        )
