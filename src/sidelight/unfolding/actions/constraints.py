"""What equal actions say about a kernel: the same action keeps distances (section 4.2.2).

D(i+1, j+1) = D(i, j) wherever a_i = a_j.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from sidelight.core import IntArray
from sidelight.solvers.semidefinite import PairConstraints


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


def equal_distances(nodes: IntArray, transitions: IntArray, labels: Any) -> PairConstraints:
    """State every action constraint (4.4), D(i', j') = D(i, j) for i →a i' and j →a j', once.

    Examples
    --------
    Four frames, the same action between them: three distances of one step, two of two steps.

    >>> import numpy as np
    >>> walk = np.array([[0, 1], [1, 2], [2, 3]])
    >>> found = equal_distances(np.arange(4), walk, ["on", "on", "on"])
    >>> found.pairs.tolist()
    [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]
    >>> found.combine.toarray().astype(int).tolist()
    [[1, 0, -1, 0, 0], [0, 1, 0, -1, 0], [0, 0, 1, 0, -1]]
    """
    before, after = all_equalities(nodes, transitions, labels)
    q = len(before)
    pairs, index = np.unique(np.vstack([before, after]), axis=0, return_inverse=True)
    place = (np.tile(np.arange(q), 2), index.ravel())
    combine = sp.csr_array((np.repeat([1.0, -1.0], q), place), shape=(q, len(pairs)))
    return PairConstraints(
        pairs.reshape(-1, 2), combine, np.zeros(q), np.ones(q, dtype=bool), np.zeros(q)
    )


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


def _in_order(nodes: IntArray) -> IntArray:
    """Number nodes in the order in which they first occur."""
    _, first, inverse = np.unique(nodes, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return np.asarray(rank[inverse])
