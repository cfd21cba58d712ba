"""What can be said of data at a glance: how many dimensions they fill, pieces, density."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core import FloatArray, counted, evenly_spaced, is_sparse

#: So many rows are looked at, and so many neighbours of each.
_LOOKED_AT, _NEIGHBORS = 1_000, 10
#: Differences of density below this are not worth a word.
_UNEVEN = 10.0


def portrait(X: Any, *, pieces: Any = None, compared: str = "") -> str:
    """A sentence about data: feature vectors, or how rows are ``compared``, each with each.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(400, 2)) @ np.ones((2, 5)) * [1, 2, 3, 4, 5]
    >>> portrait(X)
    '400 rows of 5 numbers that fill about 1 dimension.'
    >>> portrait(np.where(np.eye(4) > 0, np.nan, 1.0))
    '4 rows of 4 numbers, 25 % of them missing.'
    """
    if compared:
        said = _of_pairs(X, compared)
    elif is_sparse(X):
        said = f"{_size(X)}, {_percent(X.nnz / max(np.prod(X.shape), 1))} of them not zero"
    elif X.dtype.kind == "f" and np.isnan(X).any():
        said = f"{_size(X)}, {_percent(np.isnan(X).mean())} of them missing"
    else:
        return _of_vectors(X, _pieces(pieces))
    return f"{said}{_pieces(pieces)}."


def _of_vectors(X: Any, pieces: str) -> str:
    from sidelight.quality import intrinsic_dimension

    some = np.asarray(X[evenly_spaced(len(X), _LOOKED_AT)], dtype=np.float64)
    # nothing that is said depends on the unit, and a power of two changes no bit
    some = np.ldexp(some, -int(np.frexp(np.abs(some).max(initial=0.0))[1]))
    said = _size(X)
    if len(np.unique(some, axis=0)) > 2 * _NEIGHBORS:
        d = max(1, round(float(intrinsic_dimension(some, method="mle", n_neighbors=_NEIGHBORS))))
        said += f" that fill about {counted(d, 'dimension')}"
    said += pieces
    uneven = _unevenness(some)
    if uneven >= _UNEVEN:
        said += f"; the sparsest tenth lies {uneven:.0f} times as far apart as the densest"
    return said + "."


def _of_pairs(X: Any, compared: str) -> str:
    if is_sparse(X):
        return f"{counted(X.shape[0], 'row')} and {X.nnz:,} {compared} between neighbours"
    return f"{counted(len(X), 'row')} and the {compared} between them"


def _size(X: Any) -> str:
    return f"{counted(X.shape[0], 'row')} of {counted(X.shape[1], 'number')}"


def _percent(share: float) -> str:
    return "less than 1 %" if share < 0.005 else f"{100 * share:.0f} %"


def _pieces(pieces: Any) -> str:
    n_pieces = 1 if pieces is None else int(np.max(pieces)) + 1
    return f", in {n_pieces:,} pieces" if n_pieces > 1 else ""


def _unevenness(X: FloatArray) -> float:
    """How much farther their neighbours are from the sparsest tenth than from the densest."""
    from scipy.spatial import cKDTree

    if len(X) < 5 * _NEIGHBORS:
        return 1.0
    radii = np.asarray(cKDTree(X).query(X, _NEIGHBORS + 1)[0])[:, -1]
    dense, sparse = np.percentile(radii, [10.0, 90.0])
    return float(sparse / dense) if dense > 0 else 1.0
