"""Tables of distances that somebody else computed: checked once, never copied."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from sidelight.core import FloatArray, row_blocks, unmasked
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
            f"The {name!r} parameter of {who} must hold the distances to all {n_samples} row(s) "
            f"of X with metric='precomputed'. Got {table.shape[1]} column(s) instead."
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
