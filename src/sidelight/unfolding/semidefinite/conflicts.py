"""Constraints that cannot hold together, said in the user's words."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import dijkstra

from sidelight.core import BoolArray, ContradictionError, IntArray, for_walks, warn
from sidelight.unfolding.semidefinite.kernel_constraints import (
    Asked,
    ways_between,
    with_upper_bounds,
)

#: A length may exceed a way by this fraction of itself: rounding is no contradiction.
_TOLERANCE = 1e-6
#: How many contradictions, and legs of a way, are written out.
_SHOWN, _LEGS = 3, 6

_REMEDY = "Allow slack (slack=0.01, say), or correct or leave out what is wrong."
_UNIT = " Known distances are taken in the unit of X."


def refuse_identical(asked: Asked, nodes: IntArray, *, slack: bool, who: str) -> BoolArray:
    """Find what is said of two rows that are one point, and refuse what such rows cannot be."""
    single = asked.kinds != "action"
    inside = single & (nodes[asked.rows[:, 0]] == nodes[asked.rows[:, 1]])
    wrong = np.flatnonzero(inside & asked.lower & (asked.lengths > 0))
    if len(wrong):
        said = "; ".join(asked.words(q) for q in wrong[:_SHOWN])
        same = "identical in X, so that they are one point of the map"
        if not slack:
            raise ContradictionError(
                f"{who} cannot separate rows that are {same}: {said}. Leave that out, or add a "
                f"column in which the rows differ."
            )
        warn(
            f"{who} leaves out what is said of rows that are {same}: {said}"
            f"{' …' if len(wrong) > _SHOWN else ''}."
        )
    return np.asarray(~inside)


def refuse_ways(
    asked: Asked, graph: sp.csr_array, rows: IntArray, *, equal: bool, who: str
) -> None:
    """Refuse lengths that are longer than a way of upper bounds between the same two points."""
    bounded = with_upper_bounds(graph, asked)
    lower = np.flatnonzero(asked.lower)
    found = []
    if len(lower):
        ends, lengths = asked.ends(lower), asked.lengths[lower]
        ways = ways_between(bounded, ends)
        found += [
            (asked.words(int(lower[at])), ends[at], float(ways[at]))
            for at in np.flatnonzero(lengths - ways > _TOLERANCE * lengths)[: _SHOWN + 1]
        ]
    if equal and not found:
        edges = sp.coo_array(sp.triu(graph, 1))
        ends = np.column_stack(edges.coords)
        ways = ways_between(bounded, ends)
        for at in np.flatnonzero(edges.data - ways > _TOLERANCE * edges.data)[: _SHOWN + 1]:
            i, j = rows[ends[at]].tolist()
            words = f"the distance of the neighbours ({i}, {j}) = {edges.data[at]:.4g}"
            found.append((words, ends[at], float(ways[at])))
    if not found:
        return
    said = "; ".join(
        f"{words} contradicts {_way(asked, bounded, graph, ends, rows)}, at most {way:.4g} long"
        for words, ends, way in found[:_SHOWN]
    )
    more = "; and more" if len(found) > _SHOWN else ""
    raise ContradictionError(
        f"The constraints of {who} contradict one another: {said}{more}. {_REMEDY}"
        f"{_UNIT * bool((asked.kinds == 'Distances').any())}"
    )


def explain(
    error: ContradictionError, asked: Asked | None, edges: IntArray, rows: IntArray, *, who: str
) -> str:
    """Say in the user's words what a solver's certificate proves to be impossible."""
    weight = np.abs(error.certificate)
    of_edges, of_asked = weight[: len(edges)], weight[len(edges) :]
    clauses = [
        asked.words(int(q))
        for q in np.argsort(-of_asked)[:_LEGS]
        if asked is not None and of_asked[q] > 1e-3 * weight.max()
    ]
    taut = [e for e in np.argsort(-of_edges)[:_LEGS] if of_edges[e] > 1e-3 * weight.max()]
    if taut:
        named = ", ".join("–".join(map(str, rows[edges[e]].tolist())) for e in taut)
        clauses.append(f"the distances of neighbours ({named} …)")
    return (
        f"The constraints of {who} contradict one another: no kernel has, heaviest first, "
        f"{'; '.join(clauses)}. {_REMEDY}"
    )


def _way(
    asked: Asked, bounded: sp.csr_array, graph: sp.csr_array, ends: IntArray, rows: IntArray
) -> str:
    _, before = dijkstra(
        for_walks(bounded), directed=False, indices=ends[:1], return_predecessors=True
    )
    path = [int(ends[1])]
    while path[-1] != ends[0]:
        path.append(int(before[0, path[-1]]))
    path.reverse()
    legs = list(pairwise(path))
    neighbours = [0 < graph[i, j] <= max(bounded[i, j], bounded[j, i]) for i, j in legs]
    shown = path if len(path) <= _LEGS + 1 else [*path[: _LEGS // 2], None, *path[-_LEGS // 2 :]]
    along = "–".join("…" if p is None else str(rows[p]) for p in shown)
    whose = "the neighbours' bounds" if all(neighbours) else "bounds"
    asked_legs = [legs[at] for at in range(len(legs)) if not neighbours[at]]
    through = ""
    if asked_legs:
        through = " by way of " + " and ".join(_leg(asked, leg) for leg in asked_legs[:2])
    return f"{whose} along {along}{through}"


def _leg(asked: Asked, leg: tuple[int, int]) -> str:
    upper = np.flatnonzero(asked.upper)
    ends = np.sort(asked.ends(upper), axis=1)
    match = upper[np.all(ends == np.sort(leg), axis=1)]
    return asked.words(int(match[np.argmin(asked.lengths[match])]))
