"""Compiled loops between two meshes of cubic B-splines, one coarser than the other.

Lines of a mesh lie side by side, so that as many are worked on at once.
"""

from __future__ import annotations

from sidelight.core.compiler import njit


@njit(cache=True, nogil=True)
def gather(fine, mask, factor, coarse):  # type: ignore[no-untyped-def]
    """Add up coarse_J = Σ_k c_k fine_{F(J − 1) + k − 2(F − 1)}."""
    margin = 3 * factor - 2
    for node in range(coarse.shape[0]):
        line = coarse[node]
        for k in range(len(mask)):
            place = factor * node + k - margin
            if 0 <= place < fine.shape[0]:
                weight, other = mask[k], fine[place]
                for i in range(len(line)):
                    line[i] += weight * other[i]


@njit(cache=True, nogil=True)
def scatter(coarse, mask, factor, fine):  # type: ignore[no-untyped-def]
    """Add up fine_m = Σ_J c_{m − F(J − 1) + 2(F − 1)} coarse_J."""
    margin = 3 * factor - 2
    for node in range(fine.shape[0]):
        line = fine[node]
        k = (node + margin) % factor
        while k < len(mask):
            weight, other = mask[k], coarse[(node + margin - k) // factor]
            for i in range(len(line)):
                line[i] += weight * other[i]
            k += factor
