"""How soft a soft constraint is, in the data's own units, and how much was used of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import dijkstra

from sidelight.core import FloatArray, IntArray, evenly_spaced, for_walks

#: Ways are measured from so many points at most.
_SOURCES = 100


@dataclass(frozen=True)
class Softness:
    """How soft constraints on squared lengths are, for a unit of slack.

    The tensions have Σ y d² = tr K, which is about T = Σ_ij c_i c_j D_ij² / 2 Σ_i c_i of the path
    lengths D, so that T / m is the load y d² of an average edge.  With s = σ d⁴ m / T such an edge
    misses its square by σ d².  Lengths above that of the average neighbours count as that: what is
    said about a large distance is not softer than what is said about a small one.

    Parameters
    ----------
    mean : float
        The mean squared length of neighbours.
    load : float
        T / m.

    Examples
    --------
    A chain of three steps has T = 5.

    >>> import numpy as np
    >>> edges = np.array([[0, 1], [1, 2], [2, 3]])
    >>> Softness.of(edges, np.ones(3), np.ones(4))(0.01, np.array([1.0, 9.0]))
    array([0.006, 0.006])
    """

    mean: float
    load: float

    @classmethod
    def of(cls, edges: IntArray, lengths: FloatArray, mass: FloatArray) -> Softness:
        """Measure a graph."""
        n = len(mass)
        if not np.any(lengths > 0):
            return cls(1.0, 1.0)
        graph = sp.csr_array(
            (np.maximum(lengths, 1e-300), (edges[:, 0], edges[:, 1])), shape=(n, n)
        )
        sources = evenly_spaced(n, _SOURCES)
        D = dijkstra(for_walks(graph), directed=False, indices=sources)
        D = np.where(np.isfinite(D), D, 0.0)
        weight = mass[sources] / mass[sources].sum()
        trace = float(weight @ (D**2 @ mass)) / 2
        return cls(float(np.mean(lengths**2)), trace / len(lengths))

    def __call__(self, slack: float, squares: FloatArray) -> FloatArray:
        """Find the softness of constraints."""
        size = np.where(squares == 0, self.mean, np.minimum(np.abs(squares), self.mean))
        return np.asarray(slack * size**2 / self.load)
