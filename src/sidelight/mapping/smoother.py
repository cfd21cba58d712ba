"""The forward map that any embedding has: a kernel smoother from the map back to data.

x(z) = Σ_i w_i(z) x_i, w_i(z) ∝ exp(−‖z − z_i‖² / 2h²), over the nearest points of the map.  The
bandwidth h is the one with which every point is best predicted from all others (leave-one-out).

References
----------
E. A. Nadaraya (1964), "On estimating regression"; G. S. Watson (1964).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from sidelight.core import FloatArray, IntArray, evenly_spaced, is_sparse
from sidelight.mapping.leave_one_out import best_predicting
from sidelight.neighbors import nearest_neighbors
from sidelight.similarity import gaussian_shares

#: The smoother looks at this many of the nearest points.
SUPPORT = 48
#: Bandwidths are judged on at most this many points.
JUDGED = 1500


@dataclass(frozen=True)
class KernelSmoother:
    """A fitted smoother.

    Parameters
    ----------
    points : ndarray of shape (n, q)
        Positions in the map.
    items : array or sparse array of shape (n, p)
        What lies there.
    bandwidth : float
        h.
    """

    points: FloatArray
    items: Any
    bandwidth: float

    @classmethod
    def fit(cls, points: FloatArray, items: Any) -> KernelSmoother:
        """Choose the bandwidth by leave-one-out."""
        n = points.shape[0]
        points = np.asarray(points, dtype=np.float64)
        judged = evenly_spaced(n, JUDGED)
        k = min(SUPPORT, n - 1)
        if k == 0:
            return cls(points, items, 1.0)
        near = nearest_neighbors(points, min(k + 1, n), queries=points[judged])
        # the point itself is left out, wherever ties have put it
        self_rank = np.argmax(near.indices == judged[:, None], axis=1)
        rows = np.arange(len(judged))
        absent = near.indices[rows, self_rank] != judged
        self_rank[absent] = near.indices.shape[1] - 1
        others = np.ones(near.indices.shape, dtype=bool)
        others[rows, self_rank] = False
        indices = near.indices[others].reshape(len(judged), -1)
        squared = near.distances[others].reshape(len(judged), -1) ** 2
        scale = float(np.sqrt(np.median(squared[:, 0]))) or float(np.sqrt(squared.mean())) or 1.0
        widths = scale * np.geomspace(0.1, 30, 24)

        def weights_of(width: float) -> sp.csr_array:
            return _weights(squared, indices, width, n)

        best = best_predicting(widths, weights_of, items, items[judged])
        return cls(points, items, float(best))

    def __call__(self, Z: FloatArray) -> FloatArray:
        """Predict the items at new positions."""
        n = self.points.shape[0]
        near = nearest_neighbors(self.points, min(SUPPORT, n), queries=np.asarray(Z, np.float64))
        predicted = _weights(near.distances**2, near.indices, self.bandwidth, n) @ self.items
        return np.asarray(predicted.toarray() if is_sparse(predicted) else predicted)


def _weights(squared: FloatArray, indices: IntArray, bandwidth: float, n: int) -> sp.csr_array:
    m, k = indices.shape
    w = gaussian_shares(squared, 2 * bandwidth**2)
    return sp.csr_array((w.ravel(), indices.ravel(), np.arange(0, m * k + 1, k)), shape=(m, n))
