"""Compiled loops between points and a mesh: charges spread by cubic B-splines, fields read by them.

The mesh has three axes.  An axis that a map does not have is one node wide.
"""

from __future__ import annotations

import numpy as np

from sidelight.core.compiler import njit
from sidelight.latent.neighbor_embedding.repulsion._splines_compiled import (
    cell_of,
    spline,
    spline_slopes,
)


@njit(cache=True, nogil=True, inline="always")
def _set(w, four):  # type: ignore[no-untyped-def]
    w[0], w[1], w[2], w[3] = four


@njit(cache=True, nogil=True)
def bounds(Y, low, high):  # type: ignore[no-untyped-def]
    """Set the least and the largest coordinates of points."""
    low[:], high[:] = Y[0], Y[0]
    for i in range(len(Y)):
        for axis in range(Y.shape[1]):
            low[axis] = min(low[axis], Y[i, axis])
            high[axis] = max(high[axis], Y[i, axis])


@njit(cache=True, nogil=True)
def spread(Y, first, last, origin, per_unit, density):  # type: ignore[no-untyped-def]
    """Add the unit charges of the points ``first : last`` to a mesh."""
    d = Y.shape[1]
    w = np.zeros((3, 4))
    w[:, 0] = 1.0
    node = np.zeros(3, dtype=np.int64)
    n_planes, n_rows = (4 if d > 2 else 1), (4 if d > 1 else 1)
    for i in range(first, last):
        for axis in range(d):
            place = 2 - axis
            node[place], t = cell_of(Y[i, axis], origin[axis], per_unit)
            _set(w[place], spline(t))
        column = node[2]
        w0, w1, w2, w3 = w[2, 0], w[2, 1], w[2, 2], w[2, 3]
        for a in range(n_planes):
            for b in range(n_rows):
                line = density[node[0] + a, node[1] + b]
                charge = w[0, a] * w[1, b]
                line[column] += charge * w0
                line[column + 1] += charge * w1
                line[column + 2] += charge * w2
                line[column + 3] += charge * w3


@njit(cache=True, nogil=True)
def read(Y, first, last, origin, per_unit, field, values, slopes):  # type: ignore[no-untyped-def]
    """Read a field and its gradient at the points ``first : last``."""
    d = Y.shape[1]
    w, s = np.zeros((3, 4)), np.zeros((3, 4))
    w[:, 0] = 1.0
    node = np.zeros(3, dtype=np.int64)
    n_planes, n_rows = (4 if d > 2 else 1), (4 if d > 1 else 1)
    for i in range(first, last):
        for axis in range(d):
            place = 2 - axis
            node[place], t = cell_of(Y[i, axis], origin[axis], per_unit)
            _set(w[place], spline(t))
            _set(s[place], spline_slopes(t))
        column = node[2]
        w0, w1, w2, w3 = w[2, 0], w[2, 1], w[2, 2], w[2, 3]
        s0, s1, s2, s3 = s[2, 0], s[2, 1], s[2, 2], s[2, 3]
        value, along, across, above = 0.0, 0.0, 0.0, 0.0
        for a in range(n_planes):
            for b in range(n_rows):
                line = field[node[0] + a, node[1] + b]
                f0, f1, f2, f3 = line[column], line[column + 1], line[column + 2], line[column + 3]
                on_line = w0 * f0 + w1 * f1 + w2 * f2 + w3 * f3
                value += w[0, a] * w[1, b] * on_line
                along += w[0, a] * w[1, b] * (s0 * f0 + s1 * f1 + s2 * f2 + s3 * f3)
                across += w[0, a] * s[1, b] * on_line
                above += s[0, a] * w[1, b] * on_line
        values[i] = value
        slopes[i, 0] = along * per_unit
        if d > 1:
            slopes[i, 1] = across * per_unit
        if d > 2:
            slopes[i, 2] = above * per_unit


@njit(cache=True, nogil=True)
def write_own(stencil, d, table):  # type: ignore[no-untyped-def]
    """Set what a point reads of its own charge, by where it is in its cell: φ and ∇φ per node.

    A spline at lag k of itself, A_k = Σ_a w_a w_{a+k}, times the mesh's own answer to one charge.
    """
    w, s = np.zeros(4), np.zeros(4)
    A, D = np.zeros((3, 4)), np.zeros((3, 4))
    A[:, 0] = 1.0
    n_planes, n_rows = (4 if d > 2 else 1), (4 if d > 1 else 1)
    n_cells = table.shape[2] - 1
    for place in np.ndindex(table.shape[0], table.shape[1], table.shape[2]):
        for axis in range(3 - d, 3):
            _set(w, spline(place[axis] / n_cells))
            _set(s, spline_slopes(place[axis] / n_cells))
            for k in range(4):
                own, slope = 0.0, 0.0
                for a in range(4 - k):
                    own += w[a] * w[a + k]
                    slope += s[a] * w[a + k]
                    if k > 0:
                        own += w[a] * w[a + k]
                        slope += w[a] * s[a + k]
                A[axis, k], D[axis, k] = own, slope
        value, along, across, above = 0.0, 0.0, 0.0, 0.0
        for a in range(n_planes):
            for b in range(n_rows):
                on_line, slope = 0.0, 0.0
                for c in range(4):
                    on_line += A[2, c] * stencil[a, b, c]
                    slope += D[2, c] * stencil[a, b, c]
                value += A[0, a] * A[1, b] * on_line
                along += A[0, a] * A[1, b] * slope
                across += A[0, a] * D[1, b] * on_line
                above += D[0, a] * A[1, b] * on_line
        own = table[place]
        own[0], own[1], own[2], own[3] = value, along, across, above


@njit(cache=True, nogil=True)
def leave_out_itself(Y, first, last, origin, per_unit, table, values, slopes):  # type: ignore[no-untyped-def]
    """Take off what every point reads of its own charge, which is not quite w(0) and pushes it.

    It is read from a table, linearly between its entries.
    """
    d = Y.shape[1]
    n_cells = table.shape[2] - 1
    cell, w = np.zeros(3, dtype=np.int64), np.zeros((3, 2))
    w[:, 0] = 1.0
    n_planes, n_rows = (2 if d > 2 else 1), (2 if d > 1 else 1)
    for i in range(first, last):
        for axis in range(d):
            place = 2 - axis
            _, t = cell_of(Y[i, axis], origin[axis], per_unit)
            at = t * n_cells
            cell[place] = min(int(at), n_cells - 1)
            w[place, 1] = at - cell[place]
            w[place, 0] = 1.0 - w[place, 1]
        value, along, across, above = 0.0, 0.0, 0.0, 0.0
        for a in range(n_planes):
            for b in range(n_rows):
                for c in range(2):
                    part = w[0, a] * w[1, b] * w[2, c]
                    own = table[cell[0] + a, cell[1] + b, cell[2] + c]
                    value += part * own[0]
                    along += part * own[1]
                    across += part * own[2]
                    above += part * own[3]
        values[i] -= value
        slopes[i, 0] -= along * per_unit
        if d > 1:
            slopes[i, 1] -= across * per_unit
        if d > 2:
            slopes[i, 2] -= above * per_unit
