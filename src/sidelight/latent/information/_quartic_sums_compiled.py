"""Sums over neighbouring pairs of latent points of a kernel with finite support, compiled.

k(s) = max(0, 1 − s/2)² of the squared distance s in the latent space.  Pairs that count for the
joint density are those of a sparse matrix of kernel values of the data.  Pairs that count for the
latent density are found in a window: the points come sorted by their first coordinate.
"""

from __future__ import annotations

import numpy as np

from sidelight.core.compiler import njit
from sidelight.latent.information._gaussian_sums_compiled import ANY_ORDER, BLOCK, distances


@njit(cache=True, nogil=True)
def edge_sums(indptr, indices, values, Z, first, last, joint):  # type: ignore[no-untyped-def]
    """Set joint_a = Σ_b K_ab k(z_a, z_b), b ≠ a, for the rows ``first : last``."""
    for a in range(first, last):
        total = 0.0
        for edge in range(indptr[a], indptr[a + 1]):
            b = indices[edge]
            s = 0.0
            for j in range(Z.shape[1]):
                s += (Z[a, j] - Z[b, j]) ** 2
            g = max(0.0, 1.0 - 0.5 * s)
            total += values[edge] * g * g
        joint[a] = total


@njit(cache=True, nogil=True)
def edge_forces(indptr, indices, values, Z, u, first, last, forces):  # type: ignore[no-untyped-def]
    """Set forces_a = Σ_b (u_a + u_b) K_ab g(z_a, z_b) (z_b − z_a), g = −∂k/∂s, for some rows."""
    for a in range(first, last):
        for edge in range(indptr[a], indptr[a + 1]):
            b = indices[edge]
            s = 0.0
            for j in range(Z.shape[1]):
                s += (Z[a, j] - Z[b, j]) ** 2
            g = max(0.0, 1.0 - 0.5 * s)
            pull = (u[a] + u[b]) * values[edge] * g
            for j in range(Z.shape[1]):
                forces[a, j] += pull * (Z[b, j] - Z[a, j])


@njit(cache=True, nogil=True, fastmath=ANY_ORDER)
def window_sums(Z, ends, first, last, latent):  # type: ignore[no-untyped-def]
    """Add Σ_b k(z_a, z_b), a < b < ends_a, to both points; Z is d × n and sorted."""
    squared = np.empty(BLOCK)
    for a in range(first, last):
        own = 0.0
        for left in range(a + 1, ends[a], BLOCK):
            width = min(BLOCK, ends[a] - left)
            distances(Z, a, left, width, squared)
            columns = latent[left : left + width]
            for i in range(width):
                g = max(0.0, 1.0 - 0.5 * squared[i])
                columns[i] += g * g
                own += g * g
        latent[a] += own


@njit(cache=True, nogil=True, fastmath=ANY_ORDER)
def window_forces(Z, ends, v, first, last, forces):  # type: ignore[no-untyped-def]
    """Add Σ_b (v_a + v_b) g(z_a, z_b) (z_b − z_a), a < b < ends_a, to both points."""
    squared = np.empty(BLOCK)
    pull = np.empty(BLOCK)
    for a in range(first, last):
        for left in range(a + 1, ends[a], BLOCK):
            width = min(BLOCK, ends[a] - left)
            distances(Z, a, left, width, squared)
            vs = v[left : left + width]
            for i in range(width):
                pull[i] = (v[a] + vs[i]) * max(0.0, 1.0 - 0.5 * squared[i])
            for j in range(Z.shape[0]):
                zs, column = Z[j, left : left + width], forces[j, left : left + width]
                z, own = Z[j, a], 0.0
                for i in range(width):
                    step = pull[i] * (zs[i] - z)
                    own += step
                    column[i] -= step
                forces[j, a] += own
