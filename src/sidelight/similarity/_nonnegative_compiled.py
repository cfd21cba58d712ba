"""Compiled kernel: many small quadratic problems over non-negative vectors, by an active set.

C. L. Lawson and R. J. Hanson (1974), "Solving least squares problems", chapter 23.
"""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray
from sidelight.core.compiler import njit


@njit(cache=True, nogil=True)
def nonnegative_minimisers(G: FloatArray) -> FloatArray:
    """Minimise ½vᵀGv − 1ᵀv over v ≥ 0 for every matrix of a stack."""
    m, k = G.shape[0], G.shape[1]
    found = np.zeros((m, k))
    for item in range(m):
        A = G[item]
        v = found[item]
        inside = np.zeros(k, dtype=np.bool_)
        for _ in range(3 * k):
            slope = 1.0 - A @ v
            enter, steepest = -1, 1e-10
            for j in range(k):
                if not inside[j] and slope[j] > steepest:
                    enter, steepest = j, slope[j]
            if enter < 0:
                break
            inside[enter] = True
            while True:
                chosen = np.flatnonzero(inside)
                size = len(chosen)
                B = np.empty((size, size))
                for a in range(size):
                    for b in range(size):
                        B[a, b] = A[chosen[a], chosen[b]]
                target = np.linalg.solve(B, np.ones(size))
                share, leaves = 1.0, -1
                for a in range(size):
                    if target[a] <= 0.0:
                        along = v[chosen[a]] / (v[chosen[a]] - target[a])
                        if along < share:
                            share, leaves = along, chosen[a]
                for a in range(size):
                    v[chosen[a]] += share * (target[a] - v[chosen[a]])
                if leaves < 0:
                    break
                v[leaves] = 0.0
                inside[leaves] = False
    return found
