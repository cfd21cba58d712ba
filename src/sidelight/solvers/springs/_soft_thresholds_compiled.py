"""Compiled kernel: a quadratic model with a penalty on sizes, minimised one by one."""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray
from sidelight.core.compiler import njit


@njit(cache=True, nogil=True)
def penalised_step(
    H: FloatArray, slope: FloatArray, share: FloatArray, u: FloatArray, tol: float, sweeps: int
) -> FloatArray:
    """Minimise slopeᵀd + ½dᵀHd + Σ share|u + d| over d."""
    m = len(u)
    d = np.zeros(m)
    image = np.zeros(m)
    for _ in range(sweeps):
        moved = 0.0
        for e in range(m):
            curvature = H[e, e]
            start = u[e] + d[e]
            goal = start - (slope[e] + image[e]) / curvature
            edge = share[e] / curvature
            if goal > edge:
                goal -= edge
            elif goal < -edge:
                goal += edge
            else:
                goal = 0.0
            change = goal - start
            if change != 0.0:
                d[e] += change
                for f in range(m):
                    image[f] += change * H[e, f]
                moved = max(moved, abs(change) * np.sqrt(curvature))
        if moved <= tol:
            break
    return d
