"""The transformation reconstruction distance: shortest paths over the errors of single steps."""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray
from sidelight.neighbors import component_labels, connect_components, symmetric_graph
from sidelight.solvers.paths import all_pairs_shortest_paths

#: A path goes on from an item to one of the so many that it becomes most easily.  From 5 to all
#: items the error of affine_digits (draws 100 and 101) falls by 0.01 to 0.04, in favour of few.
_STEPS = 8


def along_steps(errors: FloatArray) -> FloatArray:
    """The sum of errors along the best path of steps (§2.6)."""
    n, k = len(errors), min(_STEPS, len(errors) - 1)
    others = errors.copy()
    np.fill_diagonal(others, np.inf)
    steps = np.argsort(others, axis=1, kind="stable")[:, :k]
    lengths = np.take_along_axis(others, steps, axis=1)
    graph = symmetric_graph(np.repeat(np.arange(n), k), steps.ravel(), lengths.ravel(), n)
    if component_labels(graph).any():
        graph, _ = connect_components(graph, errors, metric="precomputed")
    return all_pairs_shortest_paths(graph, dtype=np.float64)


def along_steps_of_new(errors: FloatArray, table: FloatArray) -> FloatArray:
    """From new items, (m, n): a first step to one of the nearest, then on along known paths."""
    k = min(_STEPS, errors.shape[1])
    first = np.argsort(errors, axis=1, kind="stable")[:, :k]
    lengths = np.take_along_axis(errors, first, axis=1)
    found = np.full(errors.shape, np.inf)
    for step in range(k):
        np.minimum(found, lengths[:, step, None] + table[first[:, step]], out=found)
    return found
