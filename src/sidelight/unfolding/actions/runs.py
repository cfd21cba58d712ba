"""The variance within runs: what action respecting embedding maximises."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from sidelight.core import BoolArray, FloatArray, IntArray
from sidelight.solvers.semidefinite import VarianceWithin


def run_variance(nodes: IntArray, transitions: IntArray, kinds: IntArray) -> VarianceWithin:
    """State the variance within maximal runs of one action: Σ_r Σ_{i ∈ r} ‖z_i − z̄_r‖².

    A run r is a stretch of a walk along which one action is repeated.

    Examples
    --------
    Two steps on and one aside: runs of three frames and of two.

    >>> import numpy as np
    >>> walk = np.array([[0, 1], [1, 2], [2, 3]])
    >>> run_variance(np.arange(4), walk, np.array([0, 0, 1])).groups.toarray().astype(int).tolist()
    [[1, 1, 1, 0], [0, 0, 1, 1]]
    """
    new = _begins(transitions, kinds)
    run = np.cumsum(new) - 1
    rows = np.concatenate([transitions[new, 0], transitions[:, 1]])
    runs = np.concatenate([np.arange(int(run[-1]) + 1), run])
    shape = (int(run[-1]) + 1, int(nodes.max()) + 1)
    return VarianceWithin(sp.csr_array((np.ones(len(rows)), (runs, nodes[rows])), shape=shape))


def straight_scatter(transitions: IntArray, kinds: IntArray, lengths: FloatArray) -> float:
    """Bound the scatter within runs whose steps have these lengths: that of straight runs.

    Examples
    --------
    Three frames a step apart scatter by 2, and two by a half.

    >>> import numpy as np
    >>> walk = np.array([[0, 1], [1, 2], [2, 3]])
    >>> straight_scatter(walk, np.array([0, 0, 1]), np.ones(3))
    2.5
    """
    new = _begins(transitions, kinds)
    run = np.cumsum(new) - 1
    way = np.cumsum(lengths)
    way = way - (way - lengths)[new][run]  # from the beginning of the run, where one is at zero
    sizes, sums = np.bincount(run) + 1.0, np.bincount(run, weights=way)
    return float(way @ way - (sums**2 / sizes).sum())


def _begins(transitions: IntArray, kinds: IntArray) -> BoolArray:
    """Which steps begin a run: another action than before, or another walk."""
    new = np.ones(len(kinds), dtype=bool)
    new[1:] = (np.diff(kinds) != 0) | (transitions[1:, 0] != transitions[:-1, 1])
    return new
