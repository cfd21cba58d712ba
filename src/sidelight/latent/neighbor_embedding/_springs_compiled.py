"""Compiled sweeps over springs, added up in one order, so that they have the same bits everywhere.

A sweep is a step of majorisation: no sum of squared misses grows by it.
"""

from __future__ import annotations

import numpy as np

from sidelight.core.compiler import njit


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

    ``settings``: sweeps at most, the relative miss at which they end, and ω.
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
