"""Side information on its way to a kernel: checked, cut to pieces, carried to landmarks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from sidelight.core import FloatArray, IntArray, counted, warn
from sidelight.estimator import Points, said_within
from sidelight.neighbors import DistinctRows
from sidelight.unfolding.semidefinite.conflicts import refuse_identical, refuse_ways
from sidelight.unfolding.semidefinite.kernel_constraints import Asked, constrain_kernel
from sidelight.unfolding.semidefinite.slack import Softness

#: Distances that are missed by more than this share of themselves are worth a warning.
_WORTH_SAYING = 0.1
#: Known distances that are all less than this share of those in X, and so many of them, are
#: probably in another unit.
_SHORT, _SEVERAL = 0.5, 3


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
) -> Asked | None:
    """Write side information as constraints, and refuse by name what cannot be."""
    asked = constrain_kernel(
        known,
        graph,
        distinct.inverse,
        similar_within=similar_within,
        dissimilar_beyond=dissimilar_beyond,
    )
    if asked is None:
        return None
    asked = asked.take(refuse_identical(asked, distinct.inverse, slack=slack, who=who))
    if not len(asked):
        return None
    if not slack:
        refuse_ways(asked, graph, distinct.rows, equal=equal, who=who)
    return asked


def tied_rows(known: Mapping[str, Any]) -> IntArray:
    """Find the pairs of rows that are kept within a distance."""
    rows: IntArray = np.empty((0, 2), dtype=np.intp)
    if "Distances" in known:
        rows = np.vstack([rows, known["Distances"].pairs])
    if "Pairs" in known:
        rows = np.vstack([rows, known["Pairs"].similar])
    return rows.astype(np.intp)


def known_within(known: Mapping[str, Any], rows: IntArray) -> dict[str, Any]:
    """Keep what is known about some rows among themselves, renumbered.

    Examples
    --------
    >>> from sidelight.side import Pairs
    >>> known_within({"Pairs": Pairs(similar=[(0, 4), (2, 4)])}, np.array([2, 4]))
    {'Pairs': Pairs(1 similar, 0 dissimilar)}
    """
    said = {
        kind: said_within(known[kind], rows) for kind in ("Pairs", "Distances") if kind in known
    }
    return {kind: value for kind, value in said.items() if value is not None}


def say_what_pieces_lose(known: Mapping[str, Any], pieces: IntArray, *, who: str) -> None:
    """Warn of what is known about rows that are embedded apart."""
    ties = tied_rows(known)
    lost = len(np.unique(np.sort(ties[pieces[ties[:, 0]] != pieces[ties[:, 1]]], axis=1), axis=0))
    if lost or "Actions" in known:
        left_out = f"{counted(lost, 'pair')} of rows in different pieces" if lost else "Actions"
        warn(
            f"{who} embedded the pieces of a graph one by one, and left out what is known about "
            f"{left_out}. Use on_disconnected='connect'."
        )


def among_landmarks(asked: Asked, landmarks: IntArray, n_points: int) -> Asked:
    """Say the constraints of the landmarks that they name."""
    number = np.full(n_points, -1, dtype=np.intp)
    number[landmarks] = np.arange(len(landmarks))
    pairs = number[asked.constraints.pairs]
    return replace(asked, constraints=replace(asked.constraints, pairs=pairs))


def with_slack(asked: Asked, softness: Softness, slack: float) -> Asked:
    """Let constraints give way."""
    soft = softness(slack, asked.constraints.bounds)
    soft = np.where(asked.kinds == "one place", 0.0, soft)
    return replace(asked, constraints=replace(asked.constraints, softness=soft))


def say_what_is_in_another_unit(known: Mapping[str, Any], points: Points, *, who: str) -> None:
    """Warn of known distances that are all much shorter than those of the data.

    They would draw rows together until the map is lost; those that are longer are contradictions.
    """
    distances = known.get("Distances")
    if distances is None or not points.complete or len(distances.values) < _SEVERAL:
        return
    lengths = points.lengths(*distances.pairs.T)
    apart = (lengths > 0) & (distances.values > 0)
    shares = distances.values[apart] / lengths[apart]
    if len(shares) >= _SEVERAL and shares.max() < _SHORT:
        warn(
            f"The Distances given to {who} are {np.median(shares):.2g} times as long as those "
            f"between the rows in X, and none is half as long. They are taken in the unit of X: "
            f"give them in it, or with side_as='metric', which learns the unit."
        )


def say_what_is_missed(asked: Asked, factor: FloatArray, *, who: str) -> None:
    """Warn where a known distance is missed by a good part of itself."""
    given = np.flatnonzero((asked.kinds == "Distances") & (asked.lengths > 0))
    if not len(given):
        return
    ends = asked.ends(given)
    reached = np.linalg.norm(factor[ends[:, 0]] - factor[ends[:, 1]], axis=1)
    off = np.abs(reached - asked.lengths[given]) / asked.lengths[given]
    worst = int(np.argmax(off))
    if off[worst] > _WORTH_SAYING:
        many = np.count_nonzero(off > _WORTH_SAYING)
        gives_way = bool(asked.constraints.softness[given[worst]] > 0)
        how, lower = ("used its slack", "slack") if gives_way else ("came near, not there", "tol")
        warn(
            f"{who} {how}: {asked.words(int(given[worst]))} is {reached[worst]:.4g} in the kernel, "
            f"and {many} of {len(given)} known distances are missed by more than "
            f"{_WORTH_SAYING:.0%}. Lower {lower}, or correct what is wrong."
        )
