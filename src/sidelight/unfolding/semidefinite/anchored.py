"""Anchors of points whose distances are known: so are the distances between the anchors.

Kept as equalities of the kernel they make it that of the points themselves wherever these can be
told from what is known: sensors are found from the distances of those in reach and a few positions,
with the certificate of the kernel (P. Biswas and Y. Ye (2004), "Semidefinite programming for ad hoc
wireless sensor network localization").
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from sidelight.core import FloatArray, IntArray, farthest_first, first_farthest
from sidelight.estimator import Neighborhood
from sidelight.side import Anchors, Distances
from sidelight.similarity import geodesic_distances

#: So many anchors are held by all distances between them, more by those to a few.
_ALL_PAIRS = 32
#: Anchors in the unit of the distances are no farther apart than the way between them, and that is
#: no longer than twice as far for most of them.
_ROUNDING, _LEAST = 1e-9, 0.5


def distances_between(anchors: Anchors, near: Neighborhood) -> Distances | None:
    """How far anchors are from one another, if they are in the unit of the distances."""
    points = near.distinct.inverse[anchors.index]
    left, right = _pairs(anchors.positions)
    lengths = np.linalg.norm(anchors.positions[left] - anchors.positions[right], axis=1)
    apart = (points[left] != points[right]) & (lengths > 0)
    left, right, lengths = left[apart], right[apart], lengths[apart]
    if not len(lengths):
        return None
    sources, of = np.unique(points[left], return_inverse=True)
    ways = geodesic_distances(near.graph, sources, who=near.who)[of, points[right]]
    straight = lengths / ways
    if straight.max() > 1.0 + _ROUNDING or np.median(straight) < _LEAST:
        return None
    return Distances(np.column_stack([anchors.index[left], anchors.index[right]]), lengths)


def _pairs(positions: FloatArray) -> tuple[IntArray, IntArray]:
    """All pairs of few anchors; of many, each with a few that lie far apart, which say the same."""
    m, d = positions.shape
    if m <= _ALL_PAIRS:
        left, right = np.array(list(combinations(range(m), 2)), dtype=np.intp).reshape(-1, 2).T
        return left, right
    rim = first_farthest(np.linalg.norm(positions - positions.mean(axis=0), axis=1))
    far = farthest_first(
        lambda i: np.linalg.norm(positions - positions[i], axis=1), rim, d + 2
    ).tolist()
    pairs = [(i, j) for n, i in enumerate(far) for j in range(m) if j not in far[: n + 1]]
    left, right = np.array(pairs, dtype=np.intp).T
    return left, right
