"""What is known, inside a neighbour embedding: in its graph, as springs, as pins.

Rows find neighbours across the values of a condition that a shift in front has not undone
(``balance``), pairs change the affinities (``territory``), distances are springs that are held in
the end (``holding``), and anchors pin rows: the map without pins is brought to them, bent until
they are where they go, and laid out again around them.  Beside pins, which no distance may move,
distances pull to the end.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from sidelight.core import FloatArray, Threads, counted
from sidelight.estimator import Points, in_order
from sidelight.estimator.territory import pairs_of_points
from sidelight.latent.descending import pins_of
from sidelight.latent.neighbor_embedding.affinities import Affinities, Listed, affinities
from sidelight.latent.neighbor_embedding.descent import Layout, Moving, Pace, Springs, lay_out
from sidelight.latent.neighbor_embedding.divergence import Divergence
from sidelight.latent.neighbor_embedding.known.balance import (
    balanced_affinities,
    neighbors_across,
    values_of,
)
from sidelight.latent.neighbor_embedding.known.holding import hold_distances, settled_after
from sidelight.latent.neighbor_embedding.known.lengths import springs_of
from sidelight.latent.neighbor_embedding.known.territory import (
    PULLS,
    in_territories,
    pulled_together,
)
from sidelight.latent.neighbor_embedding.start import rounded
from sidelight.neighbors import DistinctRows, Neighbors
from sidelight.quality import procrustes

#: What acts inside.
INSIDE = ("Pairs", "Distances", "Sequence", "Anchors")
#: A finished map is rounded to this share of its spread, as by single precision.
_SINGLE = 2.0**-24
#: Anchors that a similarity misses by less of their spread are met.
_MET = 1e-9


@dataclass(frozen=True)
class Inside:
    """Affinities, springs and pins of the distinct points, and what was made of each kind.

    Parameters
    ----------
    affinities : Affinities
        With what pairs say.
    springs : Springs, optional
        Known distances.
    anchors : Anchors, optional
        As they were given.
    report : dict
        What each kind changed, in words.
    """

    affinities: Affinities
    springs: Springs | None
    anchors: Any
    report: dict[str, str]


def hear_inside(
    near: Listed,
    perplexities: FloatArray,
    known: dict[str, Any],
    points: Points,
    distinct: DistinctRows,
    pool: Threads,
    *,
    who: str,
) -> Inside:
    """Take what is known of rows to the graph of distinct points."""
    report: dict[str, str] = {}
    found = None
    if "Condition" in known and isinstance(near, Neighbors):  # and taken out of features, before
        found = neighbors_across(points, near, values_of(known["Condition"], distinct.rows))
    if found is not None:
        report["Condition"] = f"in the graph {found.said}"
    if found is not None and found.portions:
        P = balanced_affinities(found, perplexities, pool)
        paths = None
    else:
        P = affinities(near, perplexities, pool)
        paths = partial(affinities, near, np.minimum(perplexities, PULLS.near), pool)
    if "Pairs" in known:
        pairs = pairs_of_points(known["Pairs"], distinct.inverse)
        if pairs is not None:
            P, report["Pairs"] = in_territories(P, pairs, paths)
        else:
            report["Pairs"] = "not used: the rows of a pair are copies, which are one point"
    if "Sequence" in known:
        order = in_order(known["Sequence"], points, distinct)
        report["Sequence"] = order.said
        if len(order.pairs):
            P = pulled_together(P, order.pairs)
    springs, anchors = None, known.get("Anchors")
    if "Distances" in known:
        springs, together, report["Distances"] = springs_of(
            known["Distances"], distinct, pinned=anchors is not None, who=who
        )
        if len(together):
            P = pulled_together(P, together)
    if anchors is not None:
        report["Anchors"] = f"{counted(len(anchors.index), 'row')} pinned"
    return Inside(P, springs, anchors, report)


def lay_out_informed(
    divergence: Divergence,
    start: Moving,
    pace: Pace,
    heard: Inside,
    distinct: DistinctRows,
    **told: Any,
) -> tuple[Layout, float]:
    """Lay points out with what is known, in its unit; give the length of the kernel's unit too."""
    found = lay_out(divergence, start, pace, springs=heard.springs, **told)
    if heard.anchors is not None:
        return _around_pins(divergence, found, pace, heard, distinct, **told)
    if heard.springs is not None:
        return hold_distances(divergence, found, pace, heard.springs, **told)
    return found, 1.0


def _around_pins(
    divergence: Divergence,
    plain: Layout,
    pace: Pace,
    heard: Inside,
    distinct: DistinctRows,
    **told: Any,
) -> tuple[Layout, float]:
    d = plain.Y.shape[1]
    pins = pins_of(heard.anchors, distinct, d, copies=False, who=told["who"])
    # bent, whatever that costs at first: a pin takes its neighbours with it
    x = pins.start(plain.Y)
    # one or two anchors, or those of this very map, are met without bending it
    bent = pins.sized and procrustes(plain.Y[pins.rows], pins.positions).residual > _MET
    if bent and plain.left is None:  # an interrupted map is bent, and settles when it goes on
        begin = Moving.at_rest(rounded(pins.points(x)))
        settled = lay_out(
            divergence, begin, pace.settling(), pinned=pins.rows, springs=heard.springs, **told
        )
        x = np.append(settled.Y[pins.free].ravel(), x[-1])
        plain = settled_after(plain, settled)
    Y, unit = pins.settle(x)
    # to what processors agree on: the turn and the scale are made by products and exponentials
    Y = rounded(Y, _SINGLE)
    Y[pins.rows] = pins.positions
    return replace(plain, Y=Y), float(np.float32(unit))
