"""What is known about rows, as linear constraints on the kernel of their distinct points.

A distance that is known is an equality on K_ii − 2K_ij + K_jj, a similar pair is an upper bound on
it and a dissimilar pair a lower one, and equal actions keep distances, D(i+1, j+1) = D(i, j) (4.4).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import dijkstra

from sidelight.core import LARGEST, FloatArray, IntArray, for_walks
from sidelight.solvers.semidefinite import PairConstraints, essential
from sidelight.unfolding.actions import equal_distances, merge_by_actions

#: The kinds of side information that constrain a kernel.
KINDS = ("Pairs", "Distances", "Actions")
#: "auto": similar rows come as close as this many typical neighbours, and dissimilar ones stay as
#: far apart as this share of the longest way that the bounds leave between them.
_SIMILAR_STEPS, _DISSIMILAR_SHARE = 1.0, 0.5


@dataclass(frozen=True)
class Asked:
    """Constraints on points, and what the user said that they come from.

    Parameters
    ----------
    constraints : PairConstraints
        On the points.
    kinds : ndarray of str of shape (q,)
        ``"Distances"``, ``"similar"``, ``"dissimilar"``, ``"action"`` or ``"one place"``.
    rows : ndarray of shape (q, 2)
        The rows that the user named; for actions the first pair of points that is made equal.
    lengths : ndarray of shape (q,)
        Distances, not squared; zero for actions.
    """

    constraints: PairConstraints
    kinds: Any
    rows: IntArray
    lengths: FloatArray

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def upper(self) -> Any:
        """Which constraints keep two points within a length."""
        return np.isin(self.kinds, ["Distances", "similar", "one place"])

    @property
    def lower(self) -> Any:
        """Which constraints keep two points a length apart."""
        return np.isin(self.kinds, ["Distances", "dissimilar"])

    def ends(self, chosen: Any) -> IntArray:
        """Give the two points of constraints on single pairs."""
        A = sp.csr_array(self.constraints.combine)
        return np.asarray(self.constraints.pairs[A.indices[A.indptr[:-1]]][chosen])

    def take(self, chosen: Any) -> Asked:
        """Keep some of the constraints."""
        if np.all(chosen):
            return self
        kept = np.flatnonzero(chosen)
        return Asked(
            self.constraints.take(kept), self.kinds[kept], self.rows[kept], self.lengths[kept]
        )

    def words(self, q: int) -> str:
        """Say a constraint in the user's words."""
        i, j = self.rows[q].tolist()
        length = f"{self.lengths[q]:.4g}"
        return {
            "Distances": f"the Distances pair ({i}, {j}) = {length}",
            "similar": f"the similar pair ({i}, {j}), at most {length} apart",
            "dissimilar": f"the dissimilar pair ({i}, {j}), at least {length} apart",
            "action": f"the Actions at rows {i} and {j}",
            "one place": f"the Actions, by which rows {i} and {j} are one place",
        }[str(self.kinds[q])]


def constrain_kernel(
    known: Mapping[str, Any],
    graph: sp.csr_array,
    nodes: IntArray,
    *,
    similar_within: float | str = "auto",
    dissimilar_beyond: float | str = "auto",
) -> Asked | None:
    """Write side information as constraints on the kernel of the points."""
    parts: list[Asked] = []
    if "Distances" in known:
        said = known["Distances"]
        parts.append(_on_rows("Distances", said.pairs, said.values, "equal", nodes))
    pairs = known.get("Pairs")
    if pairs is not None and len(pairs.similar):
        within = similar_within
        if isinstance(within, str):
            within = _SIMILAR_STEPS * float(np.median(graph.data)) if graph.nnz else 1.0
        lengths = np.full(len(pairs.similar), float(within))
        parts.append(_on_rows("similar", pairs.similar, lengths, "at_most", nodes))
    if pairs is not None and len(pairs.dissimilar):
        if isinstance(dissimilar_beyond, str):
            bounded = _with_upper(graph, parts)
            lengths = _DISSIMILAR_SHARE * ways_between(bounded, nodes[pairs.dissimilar])
            lengths = np.where(np.isfinite(lengths), lengths, 0.0)
        else:
            lengths = np.full(len(pairs.dissimilar), float(dissimilar_beyond))
        parts.append(_on_rows("dissimilar", pairs.dissimilar, lengths, "at_least", nodes))
    if "Actions" in known:
        parts += _of_actions(known["Actions"], nodes)
    if not parts:
        return None
    return Asked(
        PairConstraints.join([part.constraints for part in parts]),
        np.concatenate([part.kinds for part in parts]),
        np.vstack([part.rows for part in parts]),
        np.concatenate([part.lengths for part in parts]),
    )


def ways_between(bounded: sp.csr_array, ends: IntArray) -> FloatArray:
    """Measure the shortest ways along bounded pairs."""
    sources, place = np.unique(ends[:, 0], return_inverse=True)
    out = np.empty(len(ends))
    step = max(1, 4_000_000 // max(1, bounded.shape[0]))
    graph = for_walks(bounded)
    for start in range(0, len(sources), step):
        lengths = dijkstra(graph, directed=False, indices=sources[start : start + step])
        here = np.flatnonzero((place >= start) & (place < start + step))
        out[here] = lengths[place[here] - start, ends[here, 1]]
    return out


def with_upper_bounds(graph: sp.csr_array, asked: Asked) -> sp.csr_array:
    """Add the pairs that side information keeps within a length to the neighbours."""
    return _with_upper(graph, [asked])


def _with_upper(graph: sp.csr_array, parts: list[Asked]) -> sp.csr_array:
    n = graph.shape[0]
    upper = sp.coo_array(sp.triu(graph, 1))
    ends, lengths = [np.column_stack(upper.coords)], [upper.data]
    for part in parts:
        ends.append(np.sort(part.ends(part.upper), axis=1))
        lengths.append(part.lengths[part.upper])
    where, values = np.vstack(ends), np.concatenate(lengths)
    apart = where[:, 0] != where[:, 1]
    where, values = where[apart], values[apart]
    order = np.lexsort((values, where[:, 1], where[:, 0]))
    where, values = where[order], values[order]
    first = np.ones(len(where), dtype=bool)
    first[1:] = np.any(np.diff(where, axis=0) != 0, axis=1)
    # a length of zero would be no edge at all
    values = np.maximum(values[first], 1e-300)
    return sp.csr_array((values, (where[first, 0], where[first, 1])), shape=(n, n))


def _on_rows(
    kind: str,
    rows: IntArray,
    lengths: FloatArray,
    how: str,
    nodes: IntArray,
) -> Asked:
    lengths = np.minimum(lengths, LARGEST)  # whose square can still be squared
    constraints = PairConstraints.on_pairs(nodes[rows], lengths**2, how)
    return Asked(constraints, np.full(len(rows), kind), np.asarray(rows), np.asarray(lengths))


def _of_actions(actions: Any, nodes: IntArray) -> list[Asked]:
    """Rows that the actions make one place, and distances that they make equal."""
    transitions = actions.transitions(len(nodes))
    places = merge_by_actions(nodes, transitions, actions.labels)
    _, first = np.unique(places, return_index=True)  # the first row of each place
    point_of_place = nodes[first]
    joined = np.flatnonzero(point_of_place[places] != nodes)
    rows = np.column_stack([first[places[joined]], joined]).astype(np.intp)
    parts = []
    if len(joined):
        parts.append(_on_rows("one place", rows, np.zeros(len(rows)), "equal", nodes))
    equal, _ = essential(equal_distances(places, transitions, actions.labels))
    if len(equal):
        named = first[equal.pairs[sp.csr_array(equal.combine).indices[::2]]].astype(np.intp)
        on_points = replace(equal, pairs=point_of_place[equal.pairs])
        q = len(equal)
        parts.append(Asked(on_points, np.full(q, "action"), named, np.zeros(q)))
    return parts
