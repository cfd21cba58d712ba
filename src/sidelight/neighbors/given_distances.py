"""Tables of distances that somebody else computed: checked once, never copied."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
import scipy.sparse as sp

from sidelight.core import FloatArray, counted, is_sparse, row_blocks, unmasked, warn
from sidelight.neighbors.checked_rows import check_finite

SYMMETRY_TOLERANCE = 1e-8


def check_distances(D: Any, *, who: str) -> FloatArray:
    """Check a square table of distances.

    It must be finite, non-negative and symmetric, ``|d_ij − d_ji| ≤ 1e-8 max d``, with a zero
    diagonal.  The checks go block by block; the table is not copied.

    Examples
    --------
    >>> import numpy as np
    >>> check_distances(np.array([[0.0, 3.0], [3.0, 0.0]]), who="Isomap").max()
    np.float64(3.0)
    """
    table = _real_table(D, who=who, name="X", shape="(n_samples, n_samples)")
    if table.shape[0] != table.shape[1]:
        raise ValueError(
            f"The 'X' parameter of {who} must be a square table of distances with "
            f"metric='precomputed'. Got shape {table.shape} instead. Give the distances between "
            "all pairs of rows, or another metric for rows of features."
        )
    largest = _check_non_negative(table, who=who, name="X")
    diagonal = np.diagonal(table)
    if diagonal.any():
        worst = int(np.argmax(diagonal))
        raise ValueError(
            f"The 'X' parameter of {who} must have a zero diagonal with metric='precomputed'. "
            f"Got a distance of {diagonal[worst]:g} from row {worst} to itself instead. "
            "If these are similarities, turn them into distances; else use "
            "numpy.fill_diagonal(X, 0)."
        )
    gap, i, j = _worst_asymmetry(table)
    if gap > SYMMETRY_TOLERANCE * largest:
        raise ValueError(
            f"The 'X' parameter of {who} must be symmetric with metric='precomputed'. "
            f"Got {table[i, j]:g} from row {i} to row {j} but {table[j, i]:g} back, the worst "
            "pair. Use (X + X.T) / 2 if either direction will do."
        )
    return table


def check_distance_block(D: Any, n_samples: int, *, who: str, name: str = "queries") -> FloatArray:
    """Check the distances from new points to all known rows."""
    table = _real_table(D, who=who, name=name, shape="(n_queries, n_samples)")
    if table.shape[1] != n_samples:
        raise ValueError(
            f"The {name!r} parameter of {who} must hold the distances to all "
            f"{counted(n_samples, 'row')} "
            f"of X with metric='precomputed'. Got {counted(table.shape[1], 'column')} instead."
        )
    _check_non_negative(table, who=who, name=name)
    return table


def _real_table(D: Any, *, who: str, name: str, shape: str) -> FloatArray:
    if sp.issparse(D):
        raise ValueError(
            f"The {name!r} parameter of {who} must be a dense table of distances with "
            "metric='precomputed'. Got a sparse matrix instead, whose absent entries say nothing. "
            "Use .toarray() if they mean zero; of a graph of neighbours, take a method that starts "
            "from one, such as Isomap, or give the distances along it, "
            "sidelight.similarity.geodesic.geodesic_distances(graph)."
        )
    table = np.asarray(unmasked(D))
    if table.ndim != 2 or table.dtype.kind not in "biuf":
        raise ValueError(
            f"The {name!r} parameter of {who} must be a real table of distances of shape {shape} "
            f"with metric='precomputed'. Got dtype {table.dtype} and shape {table.shape} instead."
        )
    return table if table.dtype.kind == "f" else table.astype(np.float64)


def _check_non_negative(D: FloatArray, *, who: str, name: str) -> float:
    if D.size == 0:
        raise ValueError(
            f"The {name!r} parameter of {who} must have at least one row. "
            f"Got shape {D.shape} instead."
        )
    check_finite(D, who=who, name=name)
    if D.min() < 0:
        i, j = divmod(int(np.argmin(D)), D.shape[1])
        raise ValueError(
            f"The {name!r} parameter of {who} must hold distances, which are not negative, with "
            f"metric='precomputed'. Got {D[i, j]:g} between rows {i} and {j}, the worst pair. "
            "If these are similarities, turn them into distances first."
        )
    return float(D.max())


def _worst_asymmetry(D: FloatArray) -> tuple[float, int, int]:
    """Find the pair that differs most from its mirror image, tile by tile above the diagonal."""
    n = D.shape[0]
    blocks = row_blocks(n, 1.0, budget=256.0)
    worst = (0.0, 0, 0)
    for b, rows in enumerate(blocks):
        for columns in blocks[b:]:
            difference = np.abs(D[rows, columns] - D[columns, rows].T)
            place = int(np.argmax(difference))
            i, j = divmod(place, difference.shape[1])
            if difference[i, j] > worst[0]:
                worst = (float(difference[i, j]), rows.start + i, columns.start + j)
    return worst


#: Tables are taken that are as symmetric as this, beside the largest distance.
_ROUNDING = 1e-8
_LOOKS = "X is square and symmetric with zeros on its diagonal, as a table of distances is."
#: Whether what is not called a table of distances is meant to be none.
_AS_TOLD = ContextVar("what X is has been told", default=False)


def as_distances(X: Any) -> Any:
    """The table of distances that an array is by its looks; None where it does not look like one.

    Rounding is forgiven: |d_ij − d_ji| and |d_ii| up to 1e-8 of the largest (somewhat more in
    single precision), and taken out where there is any.
    """
    shape = np.shape(X)
    square = len(shape) == 2 and shape[0] == shape[1] and shape[0] >= 3
    if not square or is_sparse(X) or np.iscomplexobj(X):
        return None
    try:
        table = np.asarray(X)
        table = table if table.dtype.kind == "f" else table.astype(np.float64)
    except (TypeError, ValueError):  # the estimator says what is wrong with it
        return None
    largest, least = float(table.max()), float(table.min())
    if not 0 < largest < np.inf:
        return None
    tolerance = max(_ROUNDING, 8 * float(np.finfo(table.dtype).eps)) * largest
    if least < -tolerance or np.abs(table.diagonal()).max() > tolerance:
        return None
    gap = _asymmetry(table)
    if not gap <= tolerance:
        return None
    if gap <= _ROUNDING * largest and least == 0 and not table.diagonal().any():
        return X  # as it is: so much every method takes
    clean = np.maximum((table + table.T) / 2, 0)
    np.fill_diagonal(clean, 0)
    return clean


def _asymmetry(D: Any) -> float:
    """The largest |d_ij − d_ji|, block by block."""
    blocks = row_blocks(len(D), 8.0 * len(D))
    return float(max(np.abs(D[rows] - D[:, rows].T).max() for rows in blocks))


def said_of_distances(n: int) -> str:
    """What is said where such a table is read as what it seems."""
    return (
        f"{_LOOKS} It is read as the distances among {n} rows; metric='euclidean' (on the command "
        f"line --metric euclidean) reads it as features."
    )


def warn_of_distances(X: Any, *, who: str = "") -> None:
    """Warn of a table of distances that is about to be read as feature vectors."""
    if _AS_TOLD.get() or as_distances(X) is None:
        return
    n, name = np.shape(X)[0], f"{who}: " * bool(who)
    line = "" if who else " (on the command line --metric precomputed)"
    warn(
        f"{name}{_LOOKS} It is read as {n} vectors of {n} features. If it holds distances, say "
        f"metric='precomputed'{line}."
    )


def as_features(X: Any, *, table: bool, who: str) -> Any:
    """X as it is, doubted where nobody called it a table and it looks like one of distances."""
    if not table:
        warn_of_distances(X, who=who)
    return X


@contextmanager
def read_as_told() -> Iterator[None]:
    """Let nobody doubt what X is: whoever began this has looked, and said what they found."""
    before = _AS_TOLD.set(True)
    try:
        yield
    finally:
        _AS_TOLD.reset(before)
