"""Compiled loops between points and a mesh in two dimensions: as ``_mesh_compiled``, written out.

The mesh of a plane has an axis of one node before the two others.
"""

from __future__ import annotations

import numpy as np

from sidelight.core.compiler import njit
from sidelight.latent.neighbor_embedding.repulsion._splines_compiled import (
    cell_of,
    spline,
    spline_slopes,
)


@njit(cache=True, nogil=True)
def spread(Y, first, last, origin, per_unit, density):  # type: ignore[no-untyped-def]
    """Add the unit charges of the points ``first : last`` to a mesh."""
    mesh = density[0]
    for i in range(first, last):
        column, t = cell_of(Y[i, 0], origin[0], per_unit)
        row, u = cell_of(Y[i, 1], origin[1], per_unit)
        w0, w1, w2, w3 = spline(t)
        charges = spline(u)
        c0 = np.uint64(column)  # unsigned: no place is counted from the end
        c1, c2, c3 = np.uint64(column + 1), np.uint64(column + 2), np.uint64(column + 3)
        for b in range(4):
            line, charge = mesh[np.uint64(row + b)], charges[b]
            line[c0] += np.float32(charge * w0)
            line[c1] += np.float32(charge * w1)
            line[c2] += np.float32(charge * w2)
            line[c3] += np.float32(charge * w3)


@njit(cache=True, nogil=True)
def read(Y, first, last, origin, per_unit, field, values, gradients):  # type: ignore[no-untyped-def]
    """Read a field and its gradient at the points ``first : last``."""
    mesh = field[0]
    for i in range(first, last):
        column, t = cell_of(Y[i, 0], origin[0], per_unit)
        row, u = cell_of(Y[i, 1], origin[1], per_unit)
        w0, w1, w2, w3 = spline(t)
        s0, s1, s2, s3 = spline_slopes(t)
        by_row, by_slope = spline(u), spline_slopes(u)
        c0, c1 = np.uint64(column), np.uint64(column + 1)
        c2, c3 = np.uint64(column + 2), np.uint64(column + 3)
        value, along, across = 0.0, 0.0, 0.0
        for b in range(4):
            line = mesh[np.uint64(row + b)]
            f0, f1, f2, f3 = line[c0], line[c1], line[c2], line[c3]
            on_line = (w0 * f0 + w1 * f1) + (w2 * f2 + w3 * f3)
            value += by_row[b] * on_line
            across += by_slope[b] * on_line
            along += by_row[b] * ((s0 * f0 + s1 * f1) + (s2 * f2 + s3 * f3))
        values[i] = value
        gradients[i, 0], gradients[i, 1] = along * per_unit, across * per_unit


@njit(cache=True, nogil=True)
def leave_out_itself(Y, first, last, origin, per_unit, table, values, gradients):  # type: ignore[no-untyped-def]
    """Take off what every point reads of its own charge, linearly between entries of a table."""
    own = table[0]
    n_cells = own.shape[0] - 1
    for i in range(first, last):
        _, t = cell_of(Y[i, 0], origin[0], per_unit)
        _, u = cell_of(Y[i, 1], origin[1], per_unit)
        t, u = t * n_cells, u * n_cells
        column, row = int(t), int(u)
        t, u = t - column, u - row
        c, r = np.uint64(column), np.uint64(row)
        c_next, r_next = np.uint64(column + 1), np.uint64(row + 1)
        here, beside, above, across = own[r, c], own[r, c_next], own[r_next, c], own[r_next, c_next]
        a, b, e, f = (1.0 - u) * (1.0 - t), (1.0 - u) * t, u * (1.0 - t), u * t
        values[i] -= (a * here[0] + b * beside[0]) + (e * above[0] + f * across[0])
        along_x = (a * here[1] + b * beside[1]) + (e * above[1] + f * across[1])
        along_y = (a * here[2] + b * beside[2]) + (e * above[2] + f * across[2])
        gradients[i, 0] -= along_x * per_unit
        gradients[i, 1] -= along_y * per_unit
