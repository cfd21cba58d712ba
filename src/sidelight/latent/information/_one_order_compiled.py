"""The same sums over all pairs, added up in one order: the same bits on every processor.

They take about half as long again as those that a processor may add up as it likes, and are for
points that are left out of their own sums: of the very many optima of those the last bit chooses.
"""

from __future__ import annotations

import numpy as np

from sidelight.core.compiler import njit
from sidelight.latent.information._gaussian_sums_compiled import BLOCK, distances, exp_minus
from sidelight.latent.neighbor_embedding._tail_compiled import logarithm

#: The same operations, none of them contracted with the next.  What is kept of a compiled function
#: is kept under its source, whatever its options: these are not kept, but for where they are used.
_exp_minus = njit(nogil=True)(exp_minus.py_func)
_distances = njit(nogil=True)(distances.py_func)


@njit(cache=True, nogil=True)
def _added_up(numbers, width):  # type: ignore[no-untyped-def]
    """Add up the first numbers of a block, of which the others are lost: its halves, and theirs."""
    numbers[width:] = 0.0
    half = BLOCK // 2
    while half:
        for i in range(half):
            numbers[i] += numbers[half + i]
        half //= 2
    return numbers[0]


@njit(cache=True, nogil=True)
def pair_sums(Z, K, first, last, joint, latent):  # type: ignore[no-untyped-def]
    """Add Σ_b k(z_a, z_b) K_ab to ``joint`` and Σ_b k(z_a, z_b) to ``latent``, b ≠ a."""
    n = Z.shape[1]
    squared, own_joint, own_latent = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK)
    for a in range(first, last):
        row = a * n - (a * (a + 1)) // 2 - a - 1
        for left in range(a + 1, n, BLOCK):
            width = min(BLOCK, n - left)
            _distances(Z, a, left, width, squared)
            values = K[row + left : row + left + width]
            columns_joint = joint[left : left + width]
            columns_latent = latent[left : left + width]
            for i in range(width):
                own_latent[i] = _exp_minus(squared[i])
            for i in range(width):
                own_joint[i] = own_latent[i] * values[i]
                columns_joint[i] += own_joint[i]
                columns_latent[i] += own_latent[i]
            joint[a] += _added_up(own_joint, width)
            latent[a] += _added_up(own_latent, width)


@njit(cache=True, nogil=True)
def pair_forces(Z, K, u, v, first, last, forces):  # type: ignore[no-untyped-def]
    """Add Σ_b k(z_a, z_b) ((u_a + u_b) K_ab − v_a − v_b) (z_b − z_a) to ``forces``, d × n."""
    q, n = Z.shape
    squared, pull, steps = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK)
    for a in range(first, last):
        row = a * n - (a * (a + 1)) // 2 - a - 1
        for left in range(a + 1, n, BLOCK):
            width = min(BLOCK, n - left)
            _distances(Z, a, left, width, squared)
            values = K[row + left : row + left + width]
            us, vs = u[left : left + width], v[left : left + width]
            for i in range(width):
                pull[i] = _exp_minus(squared[i])
            for i in range(width):
                pull[i] *= (u[a] + us[i]) * values[i] - v[a] - vs[i]
            for j in range(q):
                zs, column = Z[j, left : left + width], forces[j, left : left + width]
                z = Z[j, a]
                for i in range(width):
                    steps[i] = pull[i] * (zs[i] - z)
                    column[i] -= steps[i]
                forces[j, a] += _added_up(steps, width)


@njit(cache=True, nogil=True)
def log_ratios(joint, latent):  # type: ignore[no-untyped-def]
    """Compute log P_a − log Q_a."""
    ratios = np.empty(len(joint))
    for a in range(len(joint)):
        ratios[a] = logarithm(joint[a]) - logarithm(latent[a])
    return ratios
