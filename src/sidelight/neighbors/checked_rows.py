"""What the searches accept, checked once, in words that name who asked."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from sidelight.core import (
    FloatArray,
    counted,
    explain_table,
    is_sparse,
    of_moderate_size,
    unmasked,
)

#: Squares of larger numbers overflow, and those of the inverse vanish.
_SQUARED = 1e152
# FloatArray | sp.csr_array: what both can do (indexing, products, dtype) the stubs of SciPy do not
# say of a union.
Points: TypeAlias = Any


def check_points(X: Any, *, who: str, name: str = "X") -> Points:
    """Check rows of features and bring them to float32 or float64."""
    rows: Points
    values: Any
    if is_sparse(X):
        rows = sp.csr_array(X)
        values = rows.data
    else:
        try:
            rows = np.asarray(unmasked(X))
        except ValueError as error:
            raise explain_table(error, X, who=who, name=name) from error
        values = rows
    if rows.ndim != 2:
        raise ValueError(
            f"The {name!r} parameter of {who} must be a table of shape (n_samples, n_features). "
            f"Got an array of {counted(rows.ndim, 'dimension')} instead. Reshape it: "
            f"{name}.reshape(-1, 1) for one feature, {name}.reshape(1, -1) for one sample."
        )
    if rows.shape[0] == 0 or rows.shape[1] == 0:
        raise ValueError(
            f"The {name!r} parameter of {who} must have at least one row and one column. "
            f"Got shape {rows.shape} instead."
        )
    if values.dtype.kind not in "biuf":
        try:
            if values.dtype.kind == "c":
                raise TypeError("complex")
            rows = rows.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(
                f"The {name!r} parameter of {who} must hold real numbers. "
                f"Got dtype {values.dtype} instead. Encode it as numbers first."
            ) from None
    dtype = np.result_type(rows.dtype, np.float32)
    rows = rows.astype(dtype if dtype == np.float32 else np.float64, copy=False)
    if isinstance(rows, np.ndarray):
        rows = np.ascontiguousarray(rows)
        check_finite(rows, who=who, name=name)
    else:
        check_finite(rows.data, who=who, name=name)
    return rows


def check_finite(values: FloatArray, *, who: str, name: str) -> None:
    """Refuse NaN and infinity."""
    # A sum is finite unless a term is not, or it overflows: one pass and no table of booleans.
    with np.errstate(over="ignore", invalid="ignore"):
        total = values.sum(dtype=np.float64)
    if np.isfinite(total) or np.isfinite(values).all():
        return
    what = "NaN" if np.isnan(values).any() else "infinity"
    raise ValueError(
        f"The {name!r} parameter of {who} must be finite. Input contains {what}. "
        "Drop or impute those values first."
    )


def check_queries(queries: Any, X: Points, *, who: str) -> Points:
    """Check that queries have the columns of the rows they are compared with."""
    rows = check_points(queries, who=who, name="queries")
    if rows.shape[1] != X.shape[1]:
        raise ValueError(
            f"The 'queries' parameter of {who} must have the {counted(X.shape[1], 'column')} of X. "
            f"Got {rows.shape[1]} instead. Give both the same features in the same order."
        )
    if is_sparse(X) and not is_sparse(rows):
        return sp.csr_array(rows)
    if is_sparse(rows) and not is_sparse(X):
        return np.asarray(rows.toarray())
    return rows


def require_squares(rows: Points, *, who: str, name: str = "X") -> None:
    """Refuse rows of which Euclidean distances overflow or vanish."""
    of_moderate_size(rows, who=who, name=name, limit=_SQUARED)


def check_n_neighbors(n_neighbors: Any, n_available: int, *, who: str, among: str) -> int:
    """Check a number of neighbours."""
    is_count = isinstance(n_neighbors, Integral) and not isinstance(n_neighbors, bool | np.bool_)
    if is_count and 1 <= int(n_neighbors) <= n_available:
        return int(n_neighbors)
    raise ValueError(
        f"The 'n_neighbors' parameter of {who} must be an int in [1, {among}. "
        f"Got {n_neighbors!r} instead. It may choose among {counted(n_available, 'row')}: "
        "ask for fewer, or give more rows."
        if is_count
        else f"The 'n_neighbors' parameter of {who} must be an int in [1, {among}. "
        f"Got {n_neighbors!r} instead. Give a whole number such as 10."
    )


def check_radius(radius: Any, *, who: str) -> float:
    """Check a radius."""
    is_number = isinstance(radius, Real) and not isinstance(radius, bool | np.bool_)
    if is_number and 0.0 < float(radius) < np.inf:
        return float(radius)
    raise ValueError(
        f"The 'radius' parameter of {who} must be a float in (0, inf). Got {radius!r} instead. "
        "Give it in the units of the distances."
    )
