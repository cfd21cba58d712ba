"""What can be said of data at a glance: how many dimensions they fill, pieces, density."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core import FloatArray, evenly_spaced

#: So many rows are looked at, and so many neighbours of each.
_LOOKED_AT, _NEIGHBORS = 1_000, 10
#: Differences of density below this are not worth a word.
_UNEVEN = 10.0


def portrait(X: Any, *, pieces: Any = None) -> str:
    """A sentence about a table of feature vectors without gaps.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(400, 2)) @ np.ones((2, 5)) * [1, 2, 3, 4, 5]
    >>> portrait(X)
    '400 rows of 5 numbers that fill about 1 dimension.'
    """
    from sidelight.quality import intrinsic_dimension

    n, p = X.shape
    some = np.asarray(X[evenly_spaced(n, _LOOKED_AT)], dtype=np.float64)
    said = f"{n:,} rows of {p:,} numbers"
    if len(np.unique(some, axis=0)) > 2 * _NEIGHBORS:
        d = max(1, round(float(intrinsic_dimension(some, method="mle", n_neighbors=_NEIGHBORS))))
        said += f" that fill about {d} dimension{'s' if d > 1 else ''}"
    if pieces is not None and int(np.max(pieces)) > 0:
        said += f", in {int(np.max(pieces)) + 1} pieces"
    uneven = _unevenness(some)
    if uneven >= _UNEVEN:
        said += f"; the sparsest tenth lies {uneven:.0f} times as far apart as the densest"
    return said + "."


def _unevenness(X: FloatArray) -> float:
    """How much farther their neighbours are from the sparsest tenth than from the densest."""
    from scipy.spatial import cKDTree

    if len(X) < 5 * _NEIGHBORS:
        return 1.0
    radii = np.asarray(cKDTree(X).query(X, _NEIGHBORS + 1)[0])[:, -1]
    dense, sparse = np.percentile(radii, [10.0, 90.0])
    return float(sparse / dense) if dense > 0 else 1.0
