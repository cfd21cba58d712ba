"""The transformation reconstruction distance: shortest paths over the errors of single steps."""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray, IntArray
from sidelight.neighbors import edge_matrix
from sidelight.solvers.paths import all_pairs_shortest_paths

#: A path goes from an item to one of the so many that it becomes most easily.
_STEPS = 8


def easiest_steps(errors: FloatArray) -> tuple[IntArray, FloatArray]:
    """The items that each becomes most easily, itself left out, and the errors."""
    k = min(_STEPS, errors.shape[1] - 1)
    masked = errors.copy()
    np.fill_diagonal(masked, np.inf)
    steps = np.argsort(masked, axis=1, kind="stable")[:, :k]
    return steps, np.take_along_axis(masked, steps, axis=1)


def along_steps(errors: FloatArray) -> FloatArray:
    """The sum of errors along the best path of steps; in one step where no path is shorter."""
    steps, lengths = easiest_steps(errors)
    n, k = steps.shape
    rows = np.repeat(np.arange(n), k)
    graph = edge_matrix(rows, steps.ravel(), lengths.ravel(), (n, n))
    paths = all_pairs_shortest_paths(graph, dtype=np.float64)
    return np.asarray(np.minimum(paths, errors))


def along_steps_of_new(errors: FloatArray, table: FloatArray) -> FloatArray:
    """From new items: the first step to one of the nearest, then on along the paths that are."""
    k = min(_STEPS, errors.shape[1])
    first = np.argsort(errors, axis=1, kind="stable")[:, :k]
    lengths = np.take_along_axis(errors, first, axis=1)
    found = errors.copy()
    for step in range(k):
        np.minimum(found, lengths[:, step, None] + table[first[:, step]], out=found)
    return found
