"""How many rows a method is fitted to, and how it comes to a million.

``python -m benchmarks.cost_curves`` measures what a method costs.  Up to ``rows``, what it fits
within about a minute of one processor (deformed digits, 50 columns), it is fitted to all; beyond,
to a sample, and the rest are placed.  To place a row costs some methods in proportion to the
sample, which is then smaller.

That is so of dense rows and Euclidean distances or angles.  Neighbours by other metrics and of
sparse rows are looked for among all pairs, and in more than three dimensions all points of a
neighbour embedding repel each other one by one: methods go less far then.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

#: Up to this many rows Isomap measures every geodesic distance; beyond, from landmarks.
ALL_PAIRS_UP_TO = 4000
#: Up to this many rows semidefinite embedding unfolds every one; beyond, so many landmarks.
_UNFOLDED_UP_TO, _UNFOLDED_LANDMARKS = 500, 200
#: Rows that are compared with all others, and how many of them beyond: by a metric in compiled
#: loops, by a function of the user's; and points that repel each other one by one.
_ALL_PAIRS, _BY_FUNCTION, _EXACT_REPULSION = (20_000, 4000), (3000, 1000), (3000, 1500)
#: Metrics by which neighbours are found without looking at all pairs.
_BY_ANGLES_OR_LENGTHS = ("euclidean", "l2", "cosine")
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
    by_neighbors : bool
        Whether it starts from the neighbours of rows.
    held_back : str
        Why it goes less far than it could, in words.
    """

    rows: int | None
    way: str
    sample: int | None = None
    settings: Callable[[int], dict[str, Any]] = lambda n: {}
    by_neighbors: bool = False
    held_back: str = ""

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

    def within(self, rows: int, sample: int, why: str) -> Reach:
        """The same, if something else keeps it from going further than so many rows.

        Examples
        --------
        >>> reach = Reach(5000, "a sample", 1000)
        >>> reach.within(8000, 2000, "too many pairs") is reach
        True
        >>> reach.within(2000, 1500, "too many pairs").of(6000)
        1000
        """
        if self.rows is not None and self.rows <= rows:
            return self
        few = sample if self.rows is None else min(sample, self.of(self.rows + 1))
        return replace(self, rows=rows, sample=few, held_back=why)


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


def _landmarks_unfolded(n: int) -> dict[str, Any]:
    return {"n_landmarks": _UNFOLDED_LANDMARKS} if n > _UNFOLDED_UP_TO else {}


_PLACED = "fitted to a sample, `transform` places the rest"
_BY_INDUCING = f"{_PLACED}; of the sample, inducing points"
_SCATTER = "all rows: mean and scatter, block by block"

REACH: Mapping[str, Reach] = {
    "PCA": Reach(None, _SCATTER),
    "ProbabilisticPCA": Reach(None, _SCATTER),
    "KernelPCA": Reach(16_000, f"{_PLACED} (the Nyström formula)", 4000),
    "ClassicalMDS": Reach(None, "all rows: classical scaling of Euclidean distances is PCA"),
    "Isomap": Reach(
        None, "all rows: distances along the graph from landmarks", None, landmarks_for, True
    ),
    "LocallyLinearEmbedding": Reach(20_000, _PLACED, 8000, by_neighbors=True),
    "LaplacianEigenmaps": Reach(200_000, _PLACED, 50_000, by_neighbors=True),
    "SpectralBackwardMapping": Reach(8000, _PLACED, 4000),
    "HybridEmbedding": Reach(20_000, _PLACED, 8000, landmarks_for, True),
    "LocalTangentSpaceEmbedding": Reach(2000, _PLACED, 1000),
    "SemidefiniteEmbedding": Reach(
        16_000,
        f"landmarks, and the rest between them; beyond, {_PLACED}",
        8000,
        _landmarks_unfolded,
    ),
    "ActionRespectingEmbedding": Reach(None, "all rows: a walk cannot be sampled"),
    "MaximumEntropyUnfolding": Reach(2000, _PLACED),
    "AcyclicLocallyLinearEmbedding": Reach(16_000, _PLACED),
    "GPLVM": Reach(8000, _BY_INDUCING),
    "NeighborEmbedding": Reach(
        None, "all rows: a sparse graph, and repulsion on a mesh", by_neighbors=True
    ),
    "StochasticNeighborEmbedding": Reach(5000, _PLACED, 1000),
    "MultipleRelationalEmbedding": Reach(5000, _PLACED, 1000),
    "UnsupervisedKernelRegression": Reach(1000, _PLACED, 500),
    "SammonMapping": Reach(5000, _PLACED, 1000),
    "ConditionalEmbedding": Reach(2000, _PLACED),
    "KernelInformationEmbedding": Reach(2000, _PLACED),
}


def reach_of(
    name: str,
    parameters: Mapping[str, Any] | None = None,
    *,
    sparse: bool = False,
    kinds: Collection[str] = (),
) -> Reach:
    """How far the method of that name goes, with these parameters, such rows and what is known.

    What is not stated goes all the way.

    Examples
    --------
    >>> reach_of("Isomap").of(1_000_000), reach_of("Isomap", {"metric": "l1"}).of(1_000_000)
    (1000000, 4000)
    """
    reach, given = REACH.get(name, Reach(None, "all rows")), parameters or {}
    metric = given.get("metric", "euclidean")
    if callable(metric):
        reach = reach.within(*_BY_FUNCTION, "a function compares rows pair by pair")
    elif metric not in _BY_ANGLES_OR_LENGTHS:
        reach = reach.within(*_ALL_PAIRS, f"metric={metric!r} compares all pairs of rows")
    elif sparse and reach.by_neighbors:
        reach = reach.within(*_ALL_PAIRS, "neighbours of sparse rows are found among all pairs")
    if name == "SemidefiniteEmbedding" and "Actions" in kinds:
        reach = replace(reach, settings=lambda n: {})  # actions speak of every row
    if name == "NeighborEmbedding" and _one_by_one(given):
        reach = reach.within(*_EXACT_REPULSION, "each point repels every other one by itself")
    return reach


def _one_by_one(given: Mapping[str, Any]) -> bool:
    """Whether neither mesh nor tree sums up the repulsion of a neighbour embedding."""
    d = given.get("n_components", 2)
    return given.get("repulsion", "auto") == "exact" or (not isinstance(d, str) and d > 3)
