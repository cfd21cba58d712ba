"""Sums over all pairs of latent points of a Gaussian kernel, compiled.

Pairs a < b are visited once and count for both points.  Points come as columns of a d × n array, so
that the loops over b run over neighbouring numbers; kernel values of the data come as the packed
upper triangle, row by row.  Every function works on a range of rows and adds to sums of its own, so
that threads never meet and their number never shows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir

from sidelight.core.compiler import intrinsic, njit, types

BLOCK = 256
"""Columns handled together: their distances stay in the first cache."""

#: Sums may be taken in any fixed order, so that they fill the lanes of a vector.
ANY_ORDER = {"reassoc", "contract", "nsz"}

_LOG2_E = 1.4426950408889634
_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
_ROUND = 6755399441055744.0  # 1.5 · 2⁵²: adding it leaves the nearest integer in the low bits
_LARGEST = 708.0


@intrinsic
def _as_integer(typing_context: Any, number: Any) -> Any:
    """The bits of a double as an integer."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.int64(types.float64), generate


@intrinsic
def _as_double(typing_context: Any, number: Any) -> Any:
    """The bits of an integer as a double."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), generate


@njit(cache=True, nogil=True, fastmath={"contract"})
def exp_minus(x):  # type: ignore[no-untyped-def]
    """Compute exp(−x) for x ≥ 0 to a few units in the last place, without a branch.

    A call of the library's exponential would keep the loops around it scalar.
    """
    x = min(x, _LARGEST)
    shifted = _ROUND - x * _LOG2_E
    n = shifted - _ROUND
    f = (-x - n * _LN2_HIGH) - n * _LN2_LOW
    p = 1.0 / 479001600.0
    p = p * f + 1.0 / 39916800.0
    p = p * f + 1.0 / 3628800.0
    p = p * f + 1.0 / 362880.0
    p = p * f + 1.0 / 40320.0
    p = p * f + 1.0 / 5040.0
    p = p * f + 1.0 / 720.0
    p = p * f + 1.0 / 120.0
    p = p * f + 1.0 / 24.0
    p = p * f + 1.0 / 6.0
    p = p * f + 0.5
    p = p * f + 1.0
    p = p * f + 1.0
    return p * _as_double((_as_integer(shifted) + 1023) << 52)


@njit(cache=True, nogil=True, fastmath=ANY_ORDER)
def pair_sums(Z, K, first, last, joint, latent):  # type: ignore[no-untyped-def]
    """Add Σ_b k(z_a, z_b) K_ab to ``joint`` and Σ_b k(z_a, z_b) to ``latent``, b ≠ a.

    Only the pairs a < b with ``first ≤ a < last`` are visited.
    """
    n = Z.shape[1]
    squared = np.empty(BLOCK)
    for a in range(first, last):
        row = a * n - (a * (a + 1)) // 2 - a - 1
        own_joint, own_latent = 0.0, 0.0
        for left in range(a + 1, n, BLOCK):
            width = min(BLOCK, n - left)
            distances(Z, a, left, width, squared)
            values = K[row + left : row + left + width]
            columns_joint = joint[left : left + width]
            columns_latent = latent[left : left + width]
            for i in range(width):
                k = exp_minus(squared[i])
                both = k * values[i]
                columns_joint[i] += both
                columns_latent[i] += k
                own_joint += both
                own_latent += k
        joint[a] += own_joint
        latent[a] += own_latent


@njit(cache=True, nogil=True, fastmath=ANY_ORDER)
def pair_forces(Z, K, u, v, first, last, forces):  # type: ignore[no-untyped-def]
    """Add Σ_b k(z_a, z_b) ((u_a + u_b) K_ab − v_a − v_b) (z_b − z_a) to ``forces``, d × n."""
    q, n = Z.shape
    squared = np.empty(BLOCK)
    pull = np.empty(BLOCK)
    for a in range(first, last):
        row = a * n - (a * (a + 1)) // 2 - a - 1
        for left in range(a + 1, n, BLOCK):
            width = min(BLOCK, n - left)
            distances(Z, a, left, width, squared)
            values = K[row + left : row + left + width]
            us, vs = u[left : left + width], v[left : left + width]
            for i in range(width):
                k = exp_minus(squared[i])
                pull[i] = k * ((u[a] + us[i]) * values[i] - v[a] - vs[i])
            for j in range(q):
                zs, column = Z[j, left : left + width], forces[j, left : left + width]
                z, own = Z[j, a], 0.0
                for i in range(width):
                    step = pull[i] * (zs[i] - z)
                    own += step
                    column[i] -= step
                forces[j, a] += own


@njit(cache=True, nogil=True, fastmath=ANY_ORDER)
def distances(Z, a, left, width, squared):  # type: ignore[no-untyped-def]
    """Squared distances of point a to the points ``left : left + width``."""
    z, zs = Z[0, a], Z[0, left : left + width]
    for i in range(width):
        squared[i] = (zs[i] - z) ** 2
    for j in range(1, Z.shape[0]):
        z, zs = Z[j, a], Z[j, left : left + width]
        for i in range(width):
            squared[i] += (zs[i] - z) ** 2


@njit(cache=True, nogil=True)
def packed_kernel(squared, bandwidth, first, last, K):  # type: ignore[no-untyped-def]
    """Write exp(−squared / bandwidth) of packed squared distances, entries ``first : last``."""
    scale = 1.0 / bandwidth
    for i in range(first, last):
        K[i] = exp_minus(squared[i] * scale)


def log_ratios(joint, latent):  # type: ignore[no-untyped-def]
    """Compute log P_a − log Q_a."""
    return np.log(joint) - np.log(latent)
