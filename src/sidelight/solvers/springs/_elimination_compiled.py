"""Compiled kernels: eliminate the nodes of a net of springs, and the covariances along its edges.

The matrix is L + diag(e), L the Laplacian of springs λ ≥ 0 and e ≥ 0 what ties each node to the
ground.  A pivot is the sum of what still holds its node, so that nothing is ever subtracted and
all pivots are exact to a few units in the last place, however small e is (the elimination of
Grassmann, Taksar and Heyman for Markov chains).  The inverse is computed on the pattern of the
factor alone (Takahashi, Fagan and Chen), less the constant that the last node has.
"""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray, IntArray
from sidelight.core.compiler import njit


@njit(cache=True, nogil=True)
def eliminate(
    indptr: IntArray,
    indices: IntArray,
    springs: FloatArray,
    grounds: FloatArray,
    pivots: FloatArray,
    excess: FloatArray,
) -> None:
    """Factor L + diag(grounds) = P D Pᵀ, P a unit triangle whose entries are −``springs``."""
    n = len(grounds)
    work = np.zeros(n)
    first = np.full(n, -1, dtype=np.int64)  # of the columns that reach row k, by a chain
    following = np.full(n, -1, dtype=np.int64)
    at = np.zeros(n, dtype=np.int64)
    ground = grounds.copy()
    for k in range(n):
        for q in range(indptr[k], indptr[k + 1]):
            work[indices[q]] = springs[q]
        j = first[k]
        while j >= 0:
            after = following[j]
            here, end = at[j], indptr[j + 1]
            share = springs[here]
            pull = share * pivots[j]
            for q in range(here + 1, end):
                work[indices[q]] += pull * springs[q]
            ground[k] += share * ground[j]
            at[j] = here + 1
            if here + 1 < end:
                row = indices[here + 1]
                following[j] = first[row]
                first[row] = j
            j = after
        total = ground[k]
        for q in range(indptr[k], indptr[k + 1]):
            springs[q] = work[indices[q]]
            work[indices[q]] = 0.0
            total += springs[q]
        pivots[k] = total
        excess[k] = ground[k] / total
        for q in range(indptr[k], indptr[k + 1]):
            springs[q] /= total
        at[k] = indptr[k]
        if indptr[k] < indptr[k + 1]:
            row = indices[indptr[k]]
            following[k] = first[row]
            first[row] = k


@njit(cache=True, nogil=True)
def selected_inverse(
    indptr: IntArray,
    indices: IntArray,
    shares: FloatArray,
    pivots: FloatArray,
    excess: FloatArray,
    covariances: FloatArray,
    variances: FloatArray,
) -> None:
    """Compute the inverse on the pattern of the factor, less its last entry everywhere.

    Taking off that entry, which is large where the ground is weak, leaves all differences
    K_ii + K_jj − 2K_ij what they are, and free of cancellation.
    """
    n = len(pivots)
    work = np.zeros(n)
    marked = np.full(n, -1, dtype=np.int64)
    top = 1.0 / pivots[n - 1]
    variances[n - 1] = 0.0
    for j in range(n - 2, -1, -1):
        lost = top * excess[j]
        start, end = indptr[j], indptr[j + 1]
        for q in range(start, end):
            marked[indices[q]] = j
            work[indices[q]] = shares[q]
        for q in range(start, end):
            covariances[q] = 0.0
        # row i of K times the shares, both triangles of K from one pass over its columns
        for q in range(start, end):
            k = indices[q]
            share = shares[q]
            total = share * variances[k]
            here = q + 1
            for r in range(indptr[k], indptr[k + 1]):
                i = indices[r]
                if marked[i] == j:
                    while indices[here] != i:
                        here += 1
                    covariances[here] += share * covariances[r]
                    total += work[i] * covariances[r]
            covariances[q] += total
        own = 1.0 / pivots[j] - lost
        for q in range(start, end):
            covariances[q] -= lost
            own += shares[q] * covariances[q]
        variances[j] = own
