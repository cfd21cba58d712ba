"""Compiled loop: the rows of a sparse matrix in another order, and their columns with them."""

from __future__ import annotations

from sidelight.core.compiler import njit


@njit(cache=True, nogil=True)
def reorder(indptr, indices, data, order, rank, new_indptr, new_indices, new_data):  # type: ignore[no-untyped-def]
    """Write row ``order[i]`` as row i, its columns by their ranks."""
    for i in range(len(order)):
        to = new_indptr[i]
        for edge in range(indptr[order[i]], indptr[order[i] + 1]):
            new_indices[to] = rank[indices[edge]]
            new_data[to] = data[edge]
            to += 1
