"""How many rows a method is fitted to, and how it comes to a million.

``python -m benchmarks.cost_curves`` measures what a method costs.  Up to ``rows``, what it fits
within about a minute of one processor (deformed digits, 50 columns), it is fitted to all; beyond,
to a sample, and the rest are placed.  To place a row costs some methods in proportion to the
sample, which is then smaller.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

#: Up to this many rows Isomap measures every geodesic distance; beyond, from landmarks.
ALL_PAIRS_UP_TO = 4000
#: Distances from landmarks to all rows, about.
_LANDMARK_DISTANCES = 50_000_000


@dataclass(frozen=True)
class Reach:
    """How far a method goes, and how it goes further.

    Parameters
    ----------
    rows : int or None
        Up to how many rows it is fitted to all; None for as many as fit into memory.
    way : str
        How it comes to a million rows.
    sample : int, optional
        How many it is fitted to beyond; by default ``rows``.
    settings : callable, optional
        From the number of rows to parameters that it gets, unless the user sets them.
    """

    rows: int | None
    way: str
    sample: int | None = None
    settings: Callable[[int], dict[str, Any]] = lambda n: {}

    def of(self, n: int) -> int:
        """To how many of n rows it is fitted.

        Examples
        --------
        >>> reach = Reach(5000, "a sample", 1000)
        >>> reach.of(4000), reach.of(6000)
        (4000, 1000)
        """
        if self.rows is None or n <= self.rows:
            return n
        return self.rows if self.sample is None else self.sample


def landmarks_for(n: int) -> dict[str, Any]:
    """How many landmarks Isomap measures from: none up to a few thousand rows.

    Examples
    --------
    >>> landmarks_for(4000), landmarks_for(10_000), landmarks_for(1_000_000)
    ({}, {'n_landmarks': 1000}, {'n_landmarks': 100})
    """
    if n <= ALL_PAIRS_UP_TO:
        return {}
    return {"n_landmarks": int(min(1000, max(100, _LANDMARK_DISTANCES // n)))}


_PLACED = "fitted to a sample, `transform` places the rest"
_BY_INDUCING = f"{_PLACED}; of the sample, inducing points"
_SCATTER = "all rows: mean and scatter, block by block"

REACH: Mapping[str, Reach] = {
    "PCA": Reach(None, _SCATTER),
    "ProbabilisticPCA": Reach(None, _SCATTER),
    "KernelPCA": Reach(16_000, f"{_PLACED} (the Nyström formula)", 4000),
    "ClassicalMDS": Reach(None, "all rows: classical scaling of Euclidean distances is PCA"),
    "Isomap": Reach(
        None, "all rows: distances along the graph from landmarks", settings=landmarks_for
    ),
    "LocallyLinearEmbedding": Reach(20_000, _PLACED, 8000),
    "LaplacianEigenmaps": Reach(200_000, _PLACED, 50_000),
    "SpectralBackwardMapping": Reach(8000, _PLACED, 4000),
    "HybridEmbedding": Reach(20_000, _PLACED, 8000, landmarks_for),
    "LocalTangentSpaceEmbedding": Reach(2000, _PLACED, 1000),
    "SemidefiniteEmbedding": Reach(2000, _PLACED, 1000),
    "ActionRespectingEmbedding": Reach(None, "all rows: a walk cannot be sampled"),
    "MaximumEntropyUnfolding": Reach(2000, _PLACED),
    "AcyclicLocallyLinearEmbedding": Reach(16_000, _PLACED),
    "GPLVM": Reach(8000, _BY_INDUCING),
    "NeighborEmbedding": Reach(None, "all rows: a sparse graph, and repulsion on a mesh"),
    "StochasticNeighborEmbedding": Reach(5000, _PLACED, 1000),
    "MultipleRelationalEmbedding": Reach(5000, _PLACED, 1000),
    "UnsupervisedKernelRegression": Reach(1000, _PLACED, 500),
    "SammonMapping": Reach(5000, _PLACED, 1000),
    "ConditionalEmbedding": Reach(2000, _PLACED),
    "KernelInformationEmbedding": Reach(2000, _PLACED),
}


def reach_of(name: str) -> Reach:
    """How far the method of that name goes; what is not stated goes all the way."""
    return REACH.get(name, Reach(None, "all rows"))
