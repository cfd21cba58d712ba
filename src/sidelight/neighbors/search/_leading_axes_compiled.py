"""Compiled loop of the leading axes."""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray
from sidelight.core.compiler import njit

#: What is left of a row is nothing where it is less than this part of it.
_NOTHING = 1e-10


@njit(cache=True, nogil=True)
def orthonormalise(rows: FloatArray) -> None:  # pragma: no cover
    """Make rows orthonormal, one after the other; those that the earlier ones span become zero."""
    n_rows, n_columns = rows.shape
    for i in range(n_rows):
        before = 0.0
        for c in range(n_columns):
            before += rows[i, c] * rows[i, c]
        for _ in range(2):
            for j in range(i):
                product = 0.0
                for c in range(n_columns):
                    product += rows[i, c] * rows[j, c]
                for c in range(n_columns):
                    rows[i, c] -= product * rows[j, c]
        after = 0.0
        for c in range(n_columns):
            after += rows[i, c] * rows[i, c]
        factor = 1.0 / np.sqrt(after) if after > _NOTHING**2 * before else 0.0
        for c in range(n_columns):
            rows[i, c] *= factor
