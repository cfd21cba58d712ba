"""Compiled loop: the sum over all alignments of two sequences, row by row, with its scale apart."""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray, IntArray
from sidelight.core.compiler import njit


@njit(cache=True, nogil=True)
def log_alignments(
    symbols: IntArray,
    starts: IntArray,
    first: IntArray,
    second: IntArray,
    gap: float,
    mismatch: float,
    found: FloatArray,
) -> None:
    """Compute log M of pairs of sequences, which lie one after another in ``symbols``.

    Every row of the table is divided by its largest entry, so that long sequences neither overflow
    nor vanish.
    """
    for pair in range(len(first)):
        s = symbols[starts[first[pair]] : starts[first[pair] + 1]]
        t = symbols[starts[second[pair]] : starts[second[pair] + 1]]
        row = np.empty(len(t) + 1)
        row[0] = 1.0
        for j in range(len(t)):
            row[j + 1] = gap * row[j]
        scale = 0.0
        for i in range(len(s)):
            corner = row[0]
            row[0] = gap * corner
            largest = row[0]
            for j in range(len(t)):
                above = row[j + 1]
                matched = 1.0 if s[i] == t[j] else mismatch
                row[j + 1] = gap * (above - gap * corner) + gap * row[j] + matched * corner
                corner = above
                largest = max(largest, row[j + 1])
            if largest == 0.0:
                break
            for j in range(len(t) + 1):
                row[j] /= largest
            scale += np.log(largest)
        last = row[len(t)]
        found[pair] = scale + np.log(last) if last > 0.0 else -np.inf
