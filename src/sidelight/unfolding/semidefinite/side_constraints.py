"""Side information on its way to a kernel: checked, cut to pieces, carried to landmarks."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from sidelight.core.arrays import FloatArray, IntArray
from sidelight.neighbors.duplicates import DistinctRows
from sidelight.side import Distances, Pairs
from sidelight.unfolding.semidefinite.conflicts import refuse_identical, refuse_ways
from sidelight.unfolding.semidefinite.kernel_constraints import Told, constrain_kernel
from sidelight.unfolding.semidefinite.slack import Softness

#: Distances that are missed by more than this share of themselves are worth a warning.
_WORTH_SAYING = 0.1


def tell(
    known: Mapping[str, Any],
    graph: sp.csr_array,
    distinct: DistinctRows,
    *,
    similar_within: float | str,
    dissimilar_beyond: float | str,
    equal: bool,
    slack: bool,
    who: str,
) -> Told | None:
    """Write side information as constraints, and refuse by name what cannot be."""
    told = constrain_kernel(
        known,
        graph,
        distinct.inverse,
        similar_within=similar_within,
        dissimilar_beyond=dissimilar_beyond,
    )
    if told is None:
        return None
    told = told.take(refuse_identical(told, distinct.inverse, slack=slack, who=who))
    if not len(told):
        return None
    if not slack:
        refuse_ways(told, graph, distinct.rows, equal=equal, who=who)
    return told


def ties_between(known: Mapping[str, Any], nodes: IntArray, pieces: IntArray) -> IntArray:
    """Find the pairs of points in different pieces that are kept within a distance."""
    rows: IntArray = np.empty((0, 2), dtype=np.intp)
    if "Distances" in known:
        rows = np.vstack([rows, known["Distances"].pairs])
    if "Pairs" in known:
        rows = np.vstack([rows, known["Pairs"].similar])
    ends = np.sort(nodes[rows], axis=1)
    return np.asarray(np.unique(ends[pieces[ends[:, 0]] != pieces[ends[:, 1]]], axis=0))


def known_within(known: Mapping[str, Any], rows: IntArray) -> list[Any]:
    """Keep what is known about some rows among themselves, renumbered.

    Examples
    --------
    >>> import numpy as np
    >>> known_within({"Pairs": Pairs(similar=[(0, 4), (2, 4)])}, np.array([2, 4]))
    [Pairs(1 similar, 0 dissimilar)]
    """

    def inside(pairs: IntArray) -> Any:
        return np.isin(pairs, rows).all(axis=1)

    found: list[Any] = []
    if "Pairs" in known:
        said = known["Pairs"]
        like, unlike = (each[inside(each)] for each in (said.similar, said.dissimilar))
        if len(like) + len(unlike):
            found.append(Pairs(np.searchsorted(rows, like), np.searchsorted(rows, unlike)))
    if "Distances" in known:
        said = known["Distances"]
        here = inside(said.pairs)
        if here.any():
            found.append(Distances(np.searchsorted(rows, said.pairs[here]), said.values[here]))
    return found


def among_landmarks(told: Told, landmarks: IntArray, n_points: int) -> Told:
    """Say the constraints of the landmarks that they name."""
    number = np.full(n_points, -1, dtype=np.intp)
    number[landmarks] = np.arange(len(landmarks))
    pairs = number[told.constraints.pairs]
    return replace(told, constraints=replace(told.constraints, pairs=pairs))


def with_slack(told: Told, softness: Softness, slack: float) -> Told:
    """Let constraints give way."""
    soft = softness(slack, told.constraints.bounds)
    soft = np.where(told.kinds == "one place", 0.0, soft)
    return replace(told, constraints=replace(told.constraints, softness=soft))


def say_what_is_missed(told: Told, factor: FloatArray, *, who: str) -> None:
    """Warn where a known distance is missed by a good part of itself."""
    given = np.flatnonzero((told.kinds == "Distances") & (told.lengths > 0))
    if not len(given):
        return
    ends = told.ends(given)
    reached = np.linalg.norm(factor[ends[:, 0]] - factor[ends[:, 1]], axis=1)
    off = np.abs(reached - told.lengths[given]) / told.lengths[given]
    worst = int(np.argmax(off))
    if off[worst] > _WORTH_SAYING:
        many = np.count_nonzero(off > _WORTH_SAYING)
        warnings.warn(
            f"{who} used its slack: {told.words(int(given[worst]))} is {reached[worst]:.4g} in "
            f"the kernel, and {many} of {len(given)} known distances are missed by more than "
            f"{_WORTH_SAYING:.0%}. Lower slack, or correct what is wrong.",
            UserWarning,
            stacklevel=5,
        )
