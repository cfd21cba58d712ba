"""Compiled loops of a quasi-Newton step: every sum in one order, on every processor."""

from __future__ import annotations

import numpy as np

from sidelight.core.compiler import njit


@njit(cache=True, nogil=True)
def product(a, b):  # type: ignore[no-untyped-def]
    """Compute Σ_i a_i b_i."""
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@njit(cache=True, nogil=True)
def add(vector, share, other):  # type: ignore[no-untyped-def]
    """Add a share of another vector to a vector."""
    for i in range(len(vector)):
        vector[i] += share * other[i]


@njit(cache=True, nogil=True)
def downhill(slope, steps, changes, bends, order):  # type: ignore[no-untyped-def]
    """Compute −H g from steps s_k, changes y_k of the gradient and s_kᵀy_k, the oldest first.

    The recursion of J. Nocedal (1980), "Updating quasi-Newton matrices with limited storage".
    """
    direction = -slope
    shares = np.empty(len(order))
    for k in range(len(order) - 1, -1, -1):
        at = order[k]
        shares[k] = product(steps[at], direction) / bends[at]
        add(direction, -shares[k], changes[at])
    if len(order):
        at = order[-1]
        direction *= bends[at] / product(changes[at], changes[at])
    for k in range(len(order)):
        at = order[k]
        add(direction, shares[k] - product(changes[at], direction) / bends[at], steps[at])
    return direction
