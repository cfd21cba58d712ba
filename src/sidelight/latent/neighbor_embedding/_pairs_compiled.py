"""Compiled sums over pairs of points of a map: along edges, springs, and over all pairs.

Sums are added up in one order, without contraction, so that they have the same bits everywhere.
"""

from __future__ import annotations

import numpy as np

from sidelight.core.compiler import njit
from sidelight.core.compiler._lanes_compiled import LANES as EDGES
from sidelight.latent.neighbor_embedding._edges_compiled import pull_of_edges, stretch_of_edges
from sidelight.latent.neighbor_embedding._tail_compiled import logarithm, tail

#: Rows whose sums over all others are added up side by side.
LANES = 64


@njit(cache=True, nogil=True)
def pull(indptr, indices, weights, Y, per_dof, first, last, forces):  # type: ignore[no-untyped-def]
    """Set forces_i = Σ_j P_ij (y_i − y_j) / (1 + ‖y_i − y_j‖²/ν) for the rows ``first : last``."""
    d = Y.shape[1]
    if d == 2:
        for i in range(first, last):
            begin, end = indptr[i], indptr[i + 1]
            if end >= EDGES:
                pull_of_edges(indices, weights, Y, i, begin, end, per_dof, forces)
            else:
                some, its = _eight(indices, weights, end)
                begin += EDGES - end
                pull_of_edges(some, its, Y, i, begin, EDGES, per_dof, forces)
        return
    for i in range(first, last):
        for axis in range(d):
            forces[i, axis] = 0.0
        for edge in range(indptr[i], indptr[i + 1]):
            j = indices[edge]
            squared = 0.0
            for axis in range(d):
                squared += (Y[i, axis] - Y[j, axis]) ** 2
            w = weights[edge] / (1.0 + per_dof * squared)
            for axis in range(d):
                forces[i, axis] += w * (Y[i, axis] - Y[j, axis])


@njit(cache=True, nogil=True)
def _eight(indices, weights, last):  # type: ignore[no-untyped-def]
    """Copies of the first few edges of all at the end of eight: so many are read at a time."""
    some, its = np.zeros(EDGES, dtype=indices.dtype), np.zeros(EDGES, dtype=weights.dtype)
    for edge in range(last):
        some[EDGES - last + edge], its[EDGES - last + edge] = indices[edge], weights[edge]
    return some, its


@njit(cache=True, nogil=True)
def stretch(indptr, indices, weights, Y, dof, first, last, sums):  # type: ignore[no-untyped-def]
    """Set sums_i = −Σ_j P_ij log w(‖y_i − y_j‖²) for the rows ``first : last``."""
    d = Y.shape[1]
    if d == 2 and not np.isinf(dof):
        for i in range(first, last):
            begin, end = indptr[i], indptr[i + 1]
            if end >= EDGES:
                total = stretch_of_edges(indices, weights, Y, i, begin, end, 1.0 / dof)
            else:
                some, its = _eight(indices, weights, end)
                begin += EDGES - end
                total = stretch_of_edges(some, its, Y, i, begin, EDGES, 1.0 / dof)
            sums[i] = dof * total
        return
    for i in range(first, last):
        total = 0.0
        for edge in range(indptr[i], indptr[i + 1]):
            j = indices[edge]
            squared = 0.0
            for axis in range(d):
                squared += (Y[i, axis] - Y[j, axis]) ** 2
            if np.isinf(dof):
                total += weights[edge] * squared
            else:
                total += weights[edge] * dof * logarithm(1.0 + squared / dof)
        sums[i] = total


@njit(cache=True, nogil=True)
def pull_together(indices, P, Y, A, dof, first, last, cost, weight, middle):  # type: ignore[no-untyped-def]
    """Set Σ_j p_j ν log(1 + s_j/ν), Σ_j a_j and Σ_j a_j y_j, a_j = p_j/(1 + s_j/ν), of places A."""
    d = Y.shape[1]
    for i in range(first, last):
        c, w = 0.0, 0.0
        middle[i, :] = 0.0
        for k in range(indices.shape[1]):
            if P[i, k] == 0.0:
                continue
            j, squared = indices[i, k], 0.0
            for axis in range(d):
                squared += (A[i, axis] - Y[j, axis]) ** 2
            if np.isinf(dof):
                a = P[i, k]
                c += P[i, k] * squared
            else:
                a = P[i, k] / (1.0 + squared / dof)
                c += P[i, k] * dof * logarithm(1.0 + squared / dof)
            w += a
            for axis in range(d):
                middle[i, axis] += a * Y[j, axis]
        cost[i], weight[i] = c, w


@njit(cache=True, nogil=True)
def push(A, Y, dof, first, last, values, slopes):  # type: ignore[no-untyped-def]
    """Set φ(a_i) = Σ_j w(‖a_i − y_j‖²) and its gradient for the places ``first : last``."""
    n, d = Y.shape
    if d == 2 and dof == 1.0:
        push_in_a_plane(A, Y, first, last, values, slopes)
        return
    s, w, phi = np.empty(LANES), np.empty(LANES), np.empty(LANES)
    gap, slope = np.empty((d, LANES)), np.empty((d, LANES))
    for left in range(first, last, LANES):
        width = min(LANES, last - left)
        phi[:], slope[:] = 0.0, 0.0
        for j in range(n):
            s[:] = 0.0
            for axis in range(d):
                for i in range(width):
                    gap[axis, i] = A[left + i, axis] - Y[j, axis]
                    s[i] += gap[axis, i] * gap[axis, i]
            if dof == 1.0:
                for i in range(width):
                    v = 1.0 / (1.0 + s[i])
                    phi[i] += v
                    w[i] = v * v
            else:
                for i in range(width):
                    v = tail(s[i], dof)
                    phi[i] += v
                    w[i] = v / (1.0 + s[i] / dof)
            for axis in range(d):
                for i in range(width):
                    slope[axis, i] -= 2.0 * w[i] * gap[axis, i]
        for i in range(width):
            values[left + i] = phi[i]
            for axis in range(d):
                slopes[left + i, axis] = slope[axis, i]


@njit(cache=True, nogil=True)
def push_in_a_plane(A, Y, first, last, values, slopes):  # type: ignore[no-untyped-def]
    """The same for ν = 1 in two dimensions, in one go over lanes of fixed width."""
    x, y, phi = np.zeros(LANES), np.zeros(LANES), np.empty(LANES)
    along_x, along_y = np.empty(LANES), np.empty(LANES)
    for left in range(first, last, LANES):
        width = min(LANES, last - left)
        for i in range(width):
            x[i], y[i] = A[left + i, 0], A[left + i, 1]
        phi[:], along_x[:], along_y[:] = 0.0, 0.0, 0.0
        for j in range(Y.shape[0]):
            other_x, other_y = Y[j, 0], Y[j, 1]
            for i in range(LANES):
                dx, dy = x[i] - other_x, y[i] - other_y
                v = 1.0 / (1.0 + dx * dx + dy * dy)
                phi[i] += v
                along_x[i] += v * v * dx
                along_y[i] += v * v * dy
        for i in range(width):
            values[left + i] = phi[i]
            slopes[left + i, 0], slopes[left + i, 1] = -2.0 * along_x[i], -2.0 * along_y[i]


@njit(cache=True, nogil=True)
def total(values):  # type: ignore[no-untyped-def]
    """Add up numbers, one after the other."""
    sum_ = 0.0
    for value in values:
        sum_ += value
    return sum_


@njit(cache=True, nogil=True)
def entropy(p):  # type: ignore[no-untyped-def]
    """Σ p log p."""
    sum_ = 0.0
    for value in p:
        if value > 0.0:
            sum_ += value * logarithm(np.float64(value))
    return sum_


@njit(cache=True, nogil=True)
def advance(Y, pulls, slopes, pace, fixed, velocity, first, last):  # type: ignore[no-untyped-def]
    """Move the points ``first : last`` down the gradient, with momentum, and no farther than that.

    ``pace``: what pulls and ∇φ are multiplied with, the momentum, and the longest step.
    """
    by_pull, by_slope, momentum, longest = pace
    for i in range(first, last):
        if fixed[i]:
            continue
        squared = 0.0
        for axis in range(Y.shape[1]):
            v = momentum * velocity[i, axis]
            v -= by_pull * pulls[i, axis] + by_slope * slopes[i, axis]
            velocity[i, axis] = v
            squared += v * v
        shorter = 1.0
        if squared > longest * longest:
            shorter = longest / np.sqrt(squared)
        for axis in range(Y.shape[1]):
            velocity[i, axis] *= shorter
            Y[i, axis] += velocity[i, axis]


@njit(cache=True, nogil=True)
def unit_of(Y, left, right, lengths):  # type: ignore[no-untyped-def]
    """Give u = Σ d t / Σ t²."""
    along, squares = 0.0, 0.0
    for s in range(len(left)):
        squared = 0.0
        for axis in range(Y.shape[1]):
            squared += (Y[left[s], axis] - Y[right[s], axis]) ** 2
        along += np.sqrt(squared) * lengths[s]
        squares += lengths[s] * lengths[s]
    return along / squares


@njit(cache=True, nogil=True)
def relax(Y, left, right, lengths, degree, settings):  # type: ignore[no-untyped-def]
    """Move y_i ← y_i − ω/(2 m_i) Σ_s (1 − t_s/d_s)(y_i − y_j), m_i its springs, until all fit.

    A sum of squared misses does not grow by it while ω < 2.  ``settings``: sweeps at most, the
    relative miss at which they end, and ω.
    """
    sweeps, near_enough, omega = settings
    d = Y.shape[1]
    moves = np.empty_like(Y)
    for _ in range(sweeps):
        moves[:] = 0.0
        worst = 0.0
        for s in range(len(left)):
            i, j, squared = left[s], right[s], 0.0
            for axis in range(d):
                squared += (Y[i, axis] - Y[j, axis]) ** 2
            length = np.sqrt(squared)
            worst = max(worst, abs(length - lengths[s]) / lengths[s])
            if length < 1e-9 * lengths[s]:  # in one place: any way out will do
                moves[i, 0] += 0.5 * lengths[s]
                moves[j, 0] -= 0.5 * lengths[s]
                continue
            by = 0.5 * (1.0 - lengths[s] / length)
            for axis in range(d):
                away = by * (Y[i, axis] - Y[j, axis])
                moves[i, axis] -= away
                moves[j, axis] += away
        if worst < near_enough:
            return
        for i in range(len(Y)):
            for axis in range(d):
                Y[i, axis] += omega * moves[i, axis] / degree[i]
