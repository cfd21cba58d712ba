"""Compiled loop: edges between rows of groups that differ are weakened."""

from __future__ import annotations

from sidelight.core.compiler import njit


@njit(cache=True, nogil=True)
def _differ(indptr, indices, one, other):  # type: ignore[no-untyped-def]
    """Whether two groups are said to differ; the others of a group are sorted."""
    low, high = indptr[one], indptr[one + 1]
    while low < high:
        middle = (low + high) // 2
        if indices[middle] < other:
            low = middle + 1
        else:
            high = middle
    return low < indptr[one + 1] and indices[low] == other


@njit(cache=True, nogil=True)
def weaken(  # type: ignore[no-untyped-def]
    indptr, indices, weights, groups, shares, differ_indptr, differ_indices, strength
):
    """Multiply edges by 1 − strength Σ U_ig U_jh over the groups g, h that differ."""
    kept = groups.shape[1]
    for i in range(len(indptr) - 1):
        for edge in range(indptr[i], indptr[i + 1]):
            j, apart = indices[edge], 0.0
            for a in range(kept):
                if groups[i, a] < 0:
                    continue
                for b in range(kept):
                    if groups[j, b] >= 0 and _differ(
                        differ_indptr, differ_indices, groups[i, a], groups[j, b]
                    ):
                        apart += shares[i, a] * shares[j, b]
            weights[edge] *= 1.0 - strength * min(apart, 1.0)
