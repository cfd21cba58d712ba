"""What the measures of quality accept, and what they say when they are given something else."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp

from sidelight.core import (
    ArrayLike,
    FloatArray,
    counted,
    is_frame,
    is_sparse,
    of_moderate_size,
    rows_in,
    unmasked,
)


def as_sparse_points(values: Any, *, name: str, who: str, min_samples: int = 3) -> Any:
    """Check a sparse table with one row per point, and leave it sparse."""
    points = sp.csr_array(values, dtype=np.float64)
    if points.shape[0] < min_samples:
        raise ValueError(_too_few(name, who, min_samples, points.shape[0]))
    if not np.isfinite(points.data).all():
        raise ValueError(
            f"The {name!r} argument of {who} must be finite. Got a NaN or an infinity in a sparse "
            f"array. Leave these rows out of both the data and the map."
        )
    of_moderate_size(points.data, who=who, name=name)
    return points


def as_points(values: ArrayLike, *, name: str, who: str, min_samples: int = 3) -> FloatArray:
    """Check a table with one row per point."""
    if is_sparse(values):
        raise ValueError(
            f"The {name!r} argument of {who} must be dense. Got a sparse array. Use "
            f"{name}.toarray(); of a graph of neighbours, give the distances along it, "
            f"sidelight.similarity.geodesic.geodesic_distances({name})."
        )
    if is_frame(values) or name == "X":
        values, _ = rows_in(values, who=who, name=name)
    try:
        points = np.asarray(unmasked(values))
        if points.dtype.kind == "c":
            raise TypeError("Got complex ones. Give real and imaginary parts as columns.")
        if points.dtype != np.float32:
            points = points.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"The {name!r} argument of {who} must be a table of real numbers. {error}"
        ) from error
    if points.ndim != 2 or points.shape[1] == 0:
        raise ValueError(
            f"The {name!r} argument of {who} must be of shape (n_samples, n_columns) with at least "
            f"one column. Got shape {points.shape} instead. For a single column write "
            f"{name}.reshape(-1, 1)."
        )
    if points.shape[0] < min_samples:
        raise ValueError(_too_few(name, who, min_samples, points.shape[0]))
    finite = np.isfinite(points).all(axis=1)
    if not finite.all():
        row = int(np.argmin(finite))
        raise ValueError(
            f"The {name!r} argument of {who} must be finite. Got a NaN or an infinity in "
            f"{counted(int((~finite).sum()), 'row')}, first in row {row}. Leave these rows out of "
            f"both the data and the map, or fill the missing values in."
        )
    checked: FloatArray = of_moderate_size(points, who=who, name=name)
    return checked


def _too_few(name: str, who: str, least: int, got: int) -> str:
    return (
        f"The {name!r} argument of {who} must have at least {counted(least, 'row')}. "
        f"Got n_samples = {got} instead."
    )


def check_same_length(n_first: int, n_second: int, *, names: tuple[str, str], who: str) -> None:
    """Check that two arguments speak of the same points."""
    if n_first != n_second:
        raise ValueError(
            f"The {names[0]!r} and {names[1]!r} arguments of {who} must have the same number of "
            f"rows. Got {n_first} and {n_second} instead."
        )


def check_n_neighbors(n_neighbors: object, n_samples: int, *, who: str, half: bool = True) -> int:
    """Check the size of a neighbourhood."""
    limit = (n_samples + 1) // 2 if half else n_samples
    if (
        isinstance(n_neighbors, bool)
        or not isinstance(n_neighbors, Integral)
        or not 1 <= int(n_neighbors) < limit
    ):
        interval = "[1, n_samples / 2)" if half else "[1, n_samples)"
        remedy = f"Take at most {limit - 1}." if limit > 1 else "There are too few points."
        raise ValueError(
            f"The 'n_neighbors' parameter of {who} must be an int in {interval}. "
            f"Got {n_neighbors!r} instead, with n_samples = {n_samples}. {remedy}"
        )
    return int(n_neighbors)


def check_max_samples(max_samples: object, *, who: str) -> int | None:
    """Check how many points may be drawn."""
    if max_samples is None:
        return None
    if (
        isinstance(max_samples, bool)
        or not isinstance(max_samples, Integral)
        or int(max_samples) < 2
    ):
        raise ValueError(
            f"The 'max_samples' parameter of {who} must be None or an int of at least 2. "
            f"Got {max_samples!r} instead."
        )
    return int(max_samples)
