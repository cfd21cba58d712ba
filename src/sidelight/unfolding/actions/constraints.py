"""What equal actions say about a kernel: the same action keeps distances (section 4.2.2).

D(i+1, j+1) = D(i, j) wherever a_i = a_j.  That is an equivalence relation on pairs of points, so
that a spanning forest of equalities says all of it, and one bound per class bounds all its pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from sidelight.core.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class ActionEqualities:
    """Pairs of nodes whose distances the actions make equal.

    Parameters
    ----------
    pairs : ndarray of shape (m, 2)
        Different nodes, the smaller first; no pair twice.
    combine : sparse array of shape (q, m)
        Every row has one 1 and one −1: the two squared distances are equal.
    classes : ndarray of shape (m,)
        Pairs of one class have one distance.
    """

    pairs: IntArray
    combine: sp.csr_array
    classes: IntArray


def merge_by_actions(nodes: IntArray, transitions: IntArray, labels: Any) -> IntArray:
    """Merge what must be one place when actions keep distances.

    The same action leads from one place to one place, and to one place from one place only: where
    two rows are one node, so are the rows that the same action leads to, and the rows that it
    comes from.

    Examples
    --------
    Rows 0 and 2 are one place, and "up" led from both.

    >>> import numpy as np
    >>> walk = np.array([[0, 1], [1, 2], [2, 3]])
    >>> merge_by_actions(np.array([0, 1, 0, 2]), walk, ["up", "down", "up"])
    array([0, 1, 0, 1])
    """
    kinds = np.unique(np.asarray(labels), return_inverse=True)[1].tolist()
    nodes = _in_order(np.asarray(nodes))
    ends = nodes[transitions].tolist()
    return _in_order(_close(int(nodes.max()) + 1, kinds, ends)[nodes])


def _close(n: int, kinds: list[int], ends: list[list[int]]) -> IntArray:
    """Congruence closure: a merge is passed on along the steps of both places until none is left.

    One merge may follow from another all along a walk, which is why this is no array operation.
    """
    parent = list(range(n))
    exits: list[dict[tuple[int, bool], int]] = [{} for _ in range(n)]
    waiting: list[tuple[int, int]] = []

    def root(u: int) -> int:
        while parent[u] != u:
            parent[u] = parent[parent[u]]
            u = parent[u]
        return u

    for kind, (u, v) in zip(kinds, ends, strict=True):
        for here, there, forwards in ((u, v, True), (v, u, False)):
            known = exits[here].setdefault((kind, forwards), there)
            if known != there:
                waiting.append((known, there))
    while waiting:
        u, v = (root(end) for end in waiting.pop())
        if u == v:
            continue
        if len(exits[u]) < len(exits[v]):
            u, v = v, u
        parent[v] = u
        for key, there in exits[v].items():
            known = exits[u].setdefault(key, there)
            if known != there:
                waiting.append((known, there))
        exits[v] = {}
    return np.array([root(u) for u in range(n)], dtype=np.intp)


def action_equalities(nodes: IntArray, transitions: IntArray, labels: Any) -> ActionEqualities:
    """Reduce the action constraints (4.4) to a spanning forest of equalities.

    Examples
    --------
    Four frames, the same action between them: three distances of one step, two of two steps.

    >>> import numpy as np
    >>> walk = np.array([[0, 1], [1, 2], [2, 3]])
    >>> found = action_equalities(np.arange(4), walk, ["on", "on", "on"])
    >>> found.pairs[found.classes == 0].tolist(), found.combine.shape
    ([[0, 1], [1, 2], [2, 3]], (3, 5))
    """
    before, after = all_equalities(nodes, transitions, labels)
    n = int(np.max(nodes)) + 1
    return equalities_between(before, after, n)


def all_equalities(
    nodes: IntArray, transitions: IntArray, labels: Any
) -> tuple[IntArray, IntArray]:
    """List every action constraint: the pair before and the pair after."""
    names, kinds = np.unique(np.asarray(labels), return_inverse=True)
    steps = np.unique(np.column_stack([kinds, nodes[transitions]]), axis=0)
    befores, afters = [], []
    for kind, name in enumerate(names):
        ends = steps[steps[:, 0] == kind, 1:]
        i, j = np.triu_indices(len(ends), 1)
        before, after = ends[:, 0][np.column_stack([i, j])], ends[:, 1][np.column_stack([i, j])]
        if np.any((before[:, 0] == before[:, 1]) != (after[:, 0] == after[:, 1])):
            raise ValueError(
                f"The action {name!s} leads from one node to two, or from two to one, and an "
                f"action that keeps distances cannot. Merge the nodes with merge_by_actions first."
            )
        befores.append(before)
        afters.append(after)
    before = np.sort(np.vstack([*befores, np.empty((0, 2), dtype=np.intp)]), axis=1)
    after = np.sort(np.vstack([*afters, np.empty((0, 2), dtype=np.intp)]), axis=1)
    return distinct_equalities(before.astype(np.intp), after.astype(np.intp))


def distinct_equalities(before: IntArray, after: IntArray) -> tuple[IntArray, IntArray]:
    """Leave out equalities that say nothing or were said before, in either direction."""
    swap = (before[:, 0] > after[:, 0]) | (
        (before[:, 0] == after[:, 0]) & (before[:, 1] > after[:, 1])
    )
    both = np.where(swap[:, None], np.hstack([after, before]), np.hstack([before, after]))
    both = np.unique(both[np.any(before != after, axis=1)], axis=0)
    return both[:, :2], both[:, 2:]


def equalities_between(before: IntArray, after: IntArray, n: int) -> ActionEqualities:
    """Reduce equalities between distances to a spanning forest."""
    codes = np.concatenate([before[:, 0] * n + before[:, 1], after[:, 0] * n + after[:, 1]])
    distinct, index = np.unique(codes, return_inverse=True)
    m, half = len(distinct), len(before)
    graph = sp.csr_array((np.ones(half), (index[:half], index[half:])), shape=(m, m))
    graph.data[:] = 1.0  # an equality that was found twice is one
    _, classes = connected_components(graph, directed=False)
    forest = sp.coo_array(minimum_spanning_tree(graph))
    q = forest.nnz
    rows = np.arange(q)
    combine = sp.csr_array(
        (np.repeat([1.0, -1.0], q), (np.tile(rows, 2), np.concatenate(forest.coords))),
        shape=(q, m),
    )
    pairs = np.column_stack([distinct // n, distinct % n]).astype(np.intp)
    return ActionEqualities(pairs, combine, classes.astype(np.intp))


def with_bounds(
    equalities: ActionEqualities, edges: IntArray, squares: FloatArray, *, mean: bool = False
) -> tuple[IntArray, FloatArray, BoolArray, sp.csr_array]:
    """Join the equalities to bounds on pairs: the tightest of its class for as few as will do.

    One bound per class says all of it; a spanning tree of the bounded pairs has its bounds too, for
    a solver wants to see that the points hang together.

    Examples
    --------
    >>> import numpy as np
    >>> found = action_equalities(np.arange(3), np.array([[0, 1], [1, 2]]), ["on", "on"])
    >>> edges = np.array([[0, 1], [1, 2], [0, 2]])
    >>> pairs, bounds, equal, combine = with_bounds(found, edges, np.array([2.0, 1.0, 9.0]))
    >>> bounds.tolist(), equal.tolist()
    ([1.0, 9.0, 1.0, 0.0], [False, False, False, True])
    """
    edges = np.sort(np.asarray(edges, dtype=np.intp).reshape(-1, 2), axis=1)
    edges, index = np.unique(edges, axis=0, return_inverse=True)
    shortest = np.full(len(edges), np.inf)
    np.minimum.at(shortest, index, squares)
    base = int(max(edges.max(initial=0), equalities.pairs.max(initial=0))) + 1
    known = equalities.pairs[:, 0] * base + equalities.pairs[:, 1]  # sorted, as pairs are
    codes = edges[:, 0] * base + edges[:, 1]
    new = np.setdiff1d(codes, known)
    everything = np.concatenate([known, new])
    order = np.argsort(everything)
    place = order[np.searchsorted(everything, codes, sorter=order)]
    m = len(everything)
    last = int(equalities.classes.max(initial=-1)) + 1
    classes = np.concatenate([equalities.classes, last + np.arange(len(new))])[place]
    tightest = np.lexsort((shortest, classes))
    first = np.ones(len(tightest), dtype=bool)
    first[1:] = np.diff(classes[tightest]) != 0
    least = np.full(int(classes.max(initial=-1)) + 1, np.inf)
    np.minimum.at(least, classes, shortest)
    if mean:
        least = np.bincount(classes, weights=shortest) / np.maximum(np.bincount(classes), 1)
    tree = sp.csr_array((1.0 + np.arange(len(edges)), edges.T), shape=(base, base))
    spanning = np.rint(minimum_spanning_tree(tree).data - 1.0).astype(np.intp)
    kept = np.union1d(tightest[first], spanning)
    q = equalities.combine.shape[0]
    singles = sp.csr_array(
        (np.ones(len(kept)), (np.arange(len(kept)), place[kept])), shape=(len(kept), m)
    )
    wide = equalities.combine
    wide = sp.csr_array((wide.data, wide.indices, wide.indptr), shape=(q, m))
    combine = sp.csr_array(sp.vstack([singles, wide]))
    pairs = np.column_stack([everything // base, everything % base]).astype(np.intp)
    bounds = np.concatenate([least[classes[kept]], np.zeros(q)])
    return pairs, bounds, np.arange(len(bounds)) >= len(kept), combine


def _in_order(nodes: IntArray) -> IntArray:
    """Number nodes in the order in which they first occur."""
    _, first, inverse = np.unique(nodes, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return np.asarray(rank[inverse])
