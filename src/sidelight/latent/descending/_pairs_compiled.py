"""Compiled loops over pairs of latent points, a few rows at a time.

Each row is summed by itself and in one order, so that the number of threads changes nothing.
"""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray
from sidelight.core.compiler import njit

_SUMS = {"reassoc", "contract", "nsz"}


@njit(cache=True, nogil=True, fastmath=_SUMS)
def negative_squares(Yt: FloatArray, first: int, last: int, out: FloatArray) -> None:
    """Fill rows ``first`` to ``last`` of ``out`` with −‖y_i − y_j‖², from the columns of Y."""
    d, n = Yt.shape
    for i in range(first, last):
        row = out[i]
        for j in range(n):
            row[j] = 0.0
        for axis in range(d):
            centre, column = Yt[axis, i], Yt[axis]
            for j in range(n):
                step = centre - column[j]
                row[j] -= step * step


@njit(cache=True, nogil=True, fastmath=_SUMS)
def neighbor_forces(
    Yt: FloatArray,
    first: int,
    last: int,
    E: FloatArray,
    w: FloatArray,
    P: FloatArray,
    forces: FloatArray,
    pulls: FloatArray,
) -> None:
    """Sum Σ_j (P_ij − E_ij (w_i + w_j)) (y_i − y_j) and Σ_j P_ij ‖y_i − y_j‖² over each row."""
    d, n = Yt.shape
    net = np.empty(n)
    for i in range(first, last):
        e, p, own = E[i], P[i], w[i]
        for j in range(n):
            net[j] = p[j] - e[j] * (own + w[j])
        pull = 0.0
        for axis in range(d):
            centre, column = Yt[axis, i], Yt[axis]
            force = 0.0
            for j in range(n):
                step = centre - column[j]
                force += net[j] * step
                pull += p[j] * (step * step)
            forces[axis, i] = force
        pulls[i] = pull


@njit(cache=True, nogil=True, fastmath=_SUMS)
def stress_forces(
    Yt: FloatArray,
    first: int,
    last: int,
    D: FloatArray,
    c: FloatArray,
    forces: FloatArray,
    stresses: FloatArray,
) -> None:
    """Sum Σ_j c_j (d_ij − δ_ij)²/d_ij and its forces over each row, δ_ij = ‖y_i − y_j‖.

    A pair at distance zero in the data is the point itself.
    """
    d, n = Yt.shape
    square, net = np.empty(n), np.empty(n)
    for i in range(first, last):
        target = D[i]
        for j in range(n):
            square[j] = 0.0
        for axis in range(d):
            centre, column = Yt[axis, i], Yt[axis]
            for j in range(n):
                step = centre - column[j]
                square[j] += step * step
        stress = 0.0
        for j in range(n):
            length = np.sqrt(square[j])
            wanted = target[j] if target[j] > 0 else 1.0
            there = 1.0 if target[j] > 0 else 0.0
            gap = there * c[j] * (length - wanted) / wanted
            stress += gap * (length - wanted)
            # two points on one spot push each other nowhere
            net[j] = gap / length if length > 0 else 0.0
        for axis in range(d):
            centre, column = Yt[axis, i], Yt[axis]
            force = 0.0
            for j in range(n):
                force += net[j] * (centre - column[j])
            forces[axis, i] = force
        stresses[i] = stress
