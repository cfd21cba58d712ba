"""Edges of a graph that the user gives, as pairs of rows: checked once."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core import IntArray


def check_edges(edges: Any, n_samples: int, *, who: str) -> IntArray:
    """Check pairs of rows.

    Examples
    --------
    >>> check_edges([[0, 1]], 3, who="").shape
    (1, 2)
    """
    pairs = np.asarray(edges)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not len(pairs) or pairs.dtype.kind not in "iu":
        raise ValueError(
            f"The 'edges' argument of {who}.fit must be integer pairs of rows, of shape "
            f"(n_edges, 2). Got shape {pairs.shape} of {pairs.dtype} instead."
        )
    if pairs.min() < 0 or pairs.max() >= n_samples:
        raise ValueError(
            f"The 'edges' argument of {who}.fit must name rows in [0, {n_samples}). "
            f"Got {pairs.min() if pairs.min() < 0 else pairs.max()} instead."
        )
    if np.any(pairs[:, 0] == pairs[:, 1]):
        row = int(pairs[pairs[:, 0] == pairs[:, 1]][0, 0])
        raise ValueError(
            f"The 'edges' argument of {who}.fit must join different rows. Got ({row}, {row}) "
            f"instead. Leave it out."
        )
    return pairs.astype(np.intp)
