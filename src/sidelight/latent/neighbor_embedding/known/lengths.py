"""Known distances of rows as springs between distinct points, and which of them cannot be.

A spring of no length has no direction to push in: a zero is held at a small part of the shortest.
Where all are zero nothing says how long a unit is, and the rows pull one another as similar ones
do.  Rows that are copies of one another are one point, which is no distance from itself.
"""

from __future__ import annotations

import numpy as np

from sidelight.core import IntArray, warn
from sidelight.latent.neighbor_embedding.descent import Springs
from sidelight.neighbors import DistinctRows
from sidelight.side import Distances, name_rows

#: A distance of zero, as a part of the shortest other one.
_AS_GOOD_AS_ZERO = 0.01


def springs_of(
    known: Distances, distinct: DistinctRows, *, pinned: bool, who: str
) -> tuple[Springs | None, IntArray, str]:
    """Springs, pairs of points that are known to be in one place without any, and what was done."""
    ends = distinct.inverse[known.pairs]
    copies = ends[:, 0] == ends[:, 1]
    left_out = copies & (known.values > 0)
    if left_out.any():
        warn(
            f"{who} leaves out {left_out.sum()} of {len(ends)} known distances: the rows "
            f"{name_rows(known.pairs[left_out])} are copies of one another, which are one point of "
            f"the map. Give columns that tell them apart, or leave these distances out."
        )
    pairs, lengths = ends[~copies], known.values[~copies].astype(np.float64)
    zero = lengths == 0
    said = []
    springs, together = None, pairs[:0]
    if len(pairs) and zero.all():
        together = pairs
        said.append(f"{len(pairs)} of zero: their rows are pulled together")
    elif len(pairs):
        lengths[zero] = _AS_GOOD_AS_ZERO * lengths[~zero].min()
        springs = Springs.between(pairs, lengths, len(distinct.rows))
        held = "pull, for the anchors are held" if pinned else "held"
        said.append(f"{len(pairs)} {held}, in a unit of their own")
        if zero.any():
            said.append(f"{zero.sum()} of zero as {_AS_GOOD_AS_ZERO:.0%} of the shortest")
    if left_out.any():
        said.append(f"{left_out.sum()} left out, between copies of one row")
    if (copies & ~left_out).any():
        said.append(f"{np.sum(copies & ~left_out)} of zero met, between copies of one row")
    return springs, together, ", ".join(said)
