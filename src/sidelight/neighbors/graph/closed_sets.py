"""Sets of points whose neighbours all lie within the set."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from sidelight.core import IntArray


def closed_classes(directed: sp.csr_array) -> list[IntArray]:
    """Find the minimal sets of points that no arrow leaves.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> arrows = sp.csr_array((np.ones(4), ([0, 1, 2, 3], [1, 0, 3, 2])), shape=(4, 4))
    >>> closed_classes(arrows)
    [array([0, 1]), array([2, 3])]
    """
    n_classes, labels = connected_components(directed, directed=True, connection="strong")
    source = np.repeat(np.arange(directed.shape[0]), np.diff(directed.indptr))
    leaves = labels[source] != labels[directed.indices]
    is_open = np.zeros(n_classes, dtype=bool)
    is_open[labels[source[leaves]]] = True
    order = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[order], np.arange(n_classes + 1))
    return [order[starts[c] : starts[c + 1]] for c in np.flatnonzero(~is_open)]


def open_closed_classes(
    directed: sp.csr_array, shortest_way: Callable[[IntArray, IntArray], tuple[int, int]]
) -> tuple[sp.csr_array, int]:
    """Give every closed set its shortest way to another, until there is only one.

    ``shortest_way`` finds the closest pair of a member and a goal.
    """
    n_opened = 0
    while len(classes := closed_classes(directed)) > 1:
        # all but the largest find a way that leads to another: each round leaves fewer of them
        classes.sort(key=len, reverse=True)
        backwards = sp.csr_array(directed.T)
        ways = []
        for members in classes[1:]:
            others = np.concatenate([c for c in classes if c is not members])
            ways.append(shortest_way(members, _leading_to(others, backwards)))
        rows, columns = np.array(ways).T
        extra = sp.csr_array((np.ones(len(ways)), (rows, columns)), shape=directed.shape)
        ones = sp.csr_array(
            (np.ones(len(directed.indices)), directed.indices, directed.indptr),
            shape=directed.shape,
        )
        directed = sp.csr_array(ones + extra)
        n_opened += len(ways)
    return directed, n_opened


def _leading_to(goals: IntArray, backwards: sp.csr_array) -> IntArray:
    """The points from which arrows lead to a goal, found against the arrows."""
    reached = np.zeros(backwards.shape[0], dtype=bool)
    reached[goals] = True
    front = goals
    while len(front):
        following = np.unique(backwards[front].indices)
        front = following[~reached[following]]
        reached[front] = True
    return np.flatnonzero(reached)
