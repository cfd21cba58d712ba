"""Compiled loops: places on the Z-order curve, and sparse matrices with rows in another order."""

from __future__ import annotations

import numpy as np

from sidelight.core.compiler import njit


@njit(cache=True, nogil=True)
def interleave(cells, n_bits, codes):  # type: ignore[no-untyped-def]
    """Take the bits of coordinates in turns, those of the first axis lowest."""
    d = cells.shape[1]
    for i in range(len(cells)):
        code = np.uint64(0)
        for axis in range(d):
            bits = np.uint64(cells[i, axis])
            for bit in range(n_bits):
                at = np.uint64(bit * d + axis)
                code |= ((bits >> np.uint64(bit)) & np.uint64(1)) << at
        codes[i] = code


@njit(cache=True, nogil=True)
def reorder(indptr, indices, data, order, rank, new_indptr, new_indices, new_data):  # type: ignore[no-untyped-def]
    """Write row ``order[i]`` as row i, its columns by their ranks."""
    for i in range(len(order)):
        to = new_indptr[i]
        for edge in range(indptr[order[i]], indptr[order[i] + 1]):
            new_indices[to] = rank[indices[edge]]
            new_data[to] = data[edge]
            to += 1
