"""Compiled loops along the edges of a graph: by how much the groups of two rows differ."""

from __future__ import annotations

from sidelight.core.compiler import njit


@njit(cache=True, nogil=True)
def _said(indptr, indices, values, one, other):  # type: ignore[no-untyped-def]
    """How surely two groups differ, 0 where nothing says so; the others of a group are sorted."""
    low, high = indptr[one], indptr[one + 1]
    while low < high:
        middle = (low + high) // 2
        if indices[middle] < other:
            low = middle + 1
        else:
            high = middle
    if low < indptr[one + 1] and indices[low] == other:
        return values[low]
    return 0.0


@njit(cache=True, nogil=True)
def _apart(groups, shares, i, j, differ):  # type: ignore[no-untyped-def]
    """Σ U_ig U_jh D_gh over the groups of two rows."""
    total = 0.0
    for a in range(groups.shape[1]):
        if groups[i, a] < 0:
            continue
        for b in range(groups.shape[1]):
            if groups[j, b] >= 0:
                said = _said(differ[0], differ[1], differ[2], groups[i, a], groups[j, b])
                total += shares[i, a] * shares[j, b] * said
    return min(total, 1.0)


@njit(cache=True, nogil=True)
def weaken(indptr, indices, weights, groups, shares, differ, strength):  # type: ignore[no-untyped-def]
    """Multiply edges by 1 − strength Σ U_ig U_jh D_gh."""
    for i in range(len(indptr) - 1):
        for edge in range(indptr[i], indptr[i + 1]):
            apart = _apart(groups, shares, i, indices[edge], differ)
            weights[edge] *= 1.0 - strength * apart


@njit(cache=True, nogil=True)
def lengthen(indptr, indices, lengths, groups, shares, differ, strength):  # type: ignore[no-untyped-def]
    """Multiply edges by 1 + strength Σ U_ig U_jh D_gh."""
    for i in range(len(indptr) - 1):
        for edge in range(indptr[i], indptr[i + 1]):
            apart = _apart(groups, shares, i, indices[edge], differ)
            lengths[edge] *= 1.0 + strength * apart
