"""The objective of matching, which leaves a known factor out of the map.

J(Z) = Σ_a Σ_l ω_al [log Σ_b M_bl W_ab k_ab − log Σ_b M_bl k_ab], k_ab = k(z_a, z_b).
A match is told from other items *at the same value of the factor*, so that separating the values
gains nothing.  With ω the indicator of an item's own value it is the estimate of I(Y; Z | X) with
a kernel that tells values apart completely.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import FloatArray
from sidelight.latent.conditioning.matches import Matching
from sidelight.latent.density import squared_distances
from sidelight.similarity import gaussian_similarity

_FLOOR = 1e-12
_BAND = 64


@dataclass(frozen=True)
class MatchedInformation:
    """The objective of matching.

    Parameters
    ----------
    matching : Matching
        W, M and ω.
    """

    matching: Matching

    def kernel(self, bandwidth: float) -> None:
        """Prepare nothing: the matches do not depend on a bandwidth."""

    def information(
        self, Z: FloatArray, K: Any = None, *, leave_one_out: bool = True
    ) -> tuple[float, FloatArray]:
        """Compute J and its gradient."""
        W, M, trust = self.matching.W, self.matching.M, self.matching.trust
        n, value = len(Z), 0.0
        with_one = np.column_stack([Z, np.ones(n)])
        forces = np.zeros_like(with_one)
        for first in range(0, n, _BAND):
            # a band of rows stays in the cache from the kernel to its forces
            band = slice(first, min(first + _BAND, n))
            k = gaussian_similarity(squared_distances(Z[band], Z))
            if leave_one_out:
                k[np.arange(band.stop - first), np.arange(first, band.stop)] = 0.0
            kW = k * W[band]
            matched, all_there = kW @ M + _FLOOR, k @ M + _FLOOR
            value += float(np.sum(trust[band] * (np.log(matched) - np.log(all_there))))
            kW *= (trust[band] / matched) @ M.T
            k *= (trust[band] / all_there) @ M.T
            kW -= k
            forces[band] += kW @ with_one
            forces += kW.T @ with_one[band]
        return value, np.asarray(2 * (forces[:, :-1] - forces[:, -1:] * Z))
