"""Compiled kernel: a step of Chebyshev's recurrence for a sparse matrix and some vectors."""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray, IntArray
from sidelight.core.compiler import njit

#: Columns that are worked on together: a cache line of the block, in registers.
LANES = 8


@njit(cache=True, nogil=True)
def chebyshev_step(
    indptr: IntArray,
    indices: IntArray,
    data: FloatArray,
    now: FloatArray,
    before: FloatArray,
    centre: float,
    factor: float,
    first: int,
    last: int,
) -> None:  # pragma: no cover
    """Put ``factor (A − centre) now − before`` in the place of ``before``, rows first to last."""
    total = np.empty(LANES)
    for group in range(0, now.shape[1], LANES):
        for i in range(first, last):
            for lane in range(LANES):
                total[lane] = -centre * now[i, group + lane]
            for entry in range(indptr[i], indptr[i + 1]):
                j, value = indices[entry], data[entry]
                for lane in range(LANES):
                    total[lane] += value * now[j, group + lane]
            for lane in range(LANES):
                before[i, group + lane] = factor * total[lane] - before[i, group + lane]
