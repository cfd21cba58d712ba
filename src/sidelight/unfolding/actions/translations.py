"""Walks whose actions may all be translations: the best kernel at once, and the proof that it is.

No run of an action is longer than its steps together, so that no kernel has more scatter within
runs than straight ones.  If every action is a translation by a vector v_a as long as its steps may
be, and the v_a close all loops of the walk, every run is straight: the bound is reached, however
long the walk.  What such vectors leave open, their angles, is what an interior point would choose:

    max log|H|  over  H ⪰ 0 with  ‖v_a‖² = n_aᵀ H n_a = ℓ_a²,

n_a the coordinates of v_a in a basis of the vectors that close all loops.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.sparse.linalg import spsolve

from sidelight.core import FloatArray, IntArray, for_walks
from sidelight.solvers.semidefinite import KernelProgram, SemidefiniteResult, VarianceWithin
from sidelight.unfolding.actions.places import Places
from sidelight.unfolding.actions.runs import straight_scatter
from sidelight.unfolding.actions.walk import Walk

#: Loops that are open by less than this, in steps, are closed.
_CLOSED = 1e-9
#: Most Newton steps for the angles, and how exact the lengths must be then.
_STEPS, _EXACT = 60, 1e-10


def translated(
    program: KernelProgram, places: Places, walk: Walk, *, tol: float
) -> SemidefiniteResult | None:
    """Lay a walk out by translations; None where that is not proven to be the best."""
    assert isinstance(program.objective, VarianceWithin)
    limits = _limits(program, places.nodes[walk.transitions])
    longest = np.full(len(walk.names), np.inf)
    np.minimum.at(longest, walk.kinds, limits)
    counts = coordinates(places, len(walk.names))
    if counts is None or not np.all((longest > 0) & np.isfinite(longest)):
        return None
    basis = loop_free(counts, places.steps)
    H = angles(basis / longest[:, None])
    if H is None:
        return None
    factor = counts @ basis @ np.linalg.cholesky(H)
    value = _scatter(program.objective.groups, factor)
    bound = straight_scatter(walk.transitions, walk.kinds, limits)
    gap = abs(bound - value) / value if value else np.inf
    if gap > tol:
        return None
    nothing = np.zeros(len(program.constraints))
    found = np.array([[value, gap]])
    return SemidefiniteResult(factor, value, max(bound, value), gap, nothing, 1, True, found)


def coordinates(places: Places, n_actions: int) -> FloatArray | None:
    """Count by which actions each place is reached from the first, along a spanning tree.

    None where steps alone do not join all places.

    Examples
    --------
    Two steps of one action and one of another.

    >>> import numpy as np
    >>> steps = np.array([[0, 0, 1], [0, 1, 2], [1, 2, 3]])
    >>> coordinates(Places(np.arange(4), steps, np.array([-1, -1]), 0.0), 2).tolist()
    [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 1.0]]
    """
    n, (kind, before, after) = places.n_places, places.steps.T
    moves = np.flatnonzero(before != after)
    low, high = np.minimum(before, after)[moves], np.maximum(before, after)[moves]
    _, first = np.unique(low * n + high, return_index=True)
    graph = sp.csr_array((first + 1.0, (low[first], high[first])), shape=(n, n))
    tree = moves[np.rint(minimum_spanning_tree(for_walks(graph)).data).astype(np.intp) - 1]
    if len(tree) < n - 1:
        return None
    ends = np.concatenate([before[tree], after[tree]])
    signs = np.repeat([-1.0, 1.0], n - 1)
    B = sp.csc_array((signs, (np.tile(np.arange(n - 1), 2), ends)), shape=(n - 1, n))
    counts = np.zeros((n, n_actions))
    asked = np.eye(n_actions)[kind[tree]]
    counts[1:] = np.rint(np.asarray(spsolve(sp.csc_array(B[:, 1:]), asked)).reshape(n - 1, -1))
    return counts


def loop_free(counts: FloatArray, steps: IntArray) -> FloatArray:
    """Find a basis N of the vectors of the actions that close all loops of a walk, V = N U.

    Examples
    --------
    There and back again: the second action undoes the first.

    >>> import numpy as np
    >>> steps = np.array([[0, 0, 1], [1, 1, 0]])
    >>> loop_free(np.array([[0.0, 0.0], [1.0, 0.0]]), steps).round(3).tolist()
    [[-0.707], [0.707]]
    """
    n_actions = counts.shape[1]
    kind, before, after = steps.T
    left_open = np.unique(counts[after] - counts[before] - np.eye(n_actions)[kind], axis=0)
    _, sizes, Vt = np.linalg.svd(np.vstack([left_open, np.zeros((n_actions, n_actions))]))
    rank = int(np.sum(sizes > _CLOSED * max(1.0, float(sizes[0]))))
    return np.asarray(Vt[rank:].T)


def angles(N: FloatArray) -> FloatArray | None:
    """Find the H of largest determinant with n_aᵀ H n_a = 1 for all rows n_a, or None.

    Newton's method on the dual problem, min_y Σ y_a − log|Σ_a y_a n_a n_aᵀ|, H the inverse.

    Examples
    --------
    Three directions that close a triangle stand at 120°.

    >>> import numpy as np
    >>> N = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
    >>> angles(N).round(6).tolist()
    [[1.0, -0.5], [-0.5, 1.0]]
    """
    count, k = N.shape
    if k == 0:
        return None
    y = np.full(count, k / max(float(np.sum(N**2)), 1e-300))

    def value(y: FloatArray) -> float:
        sign, log = np.linalg.slogdet((N.T * y) @ N)
        lowest = np.linalg.eigvalsh((N.T * y) @ N)[0]
        return float(y.sum() - log) if sign > 0 and lowest > 0 else np.inf

    for _ in range(_STEPS):
        H = np.linalg.inv((N.T * y) @ N)
        P = N @ H @ N.T
        off = 1.0 - np.diagonal(P)
        if float(np.abs(off).max()) <= _EXACT:
            return np.asarray((H + H.T) / 2)
        step = np.linalg.lstsq(P**2, off, rcond=1e-12)[0]
        now, size = value(y), 1.0
        rounding = 1e-12 * (1 + abs(now))
        while value(y - size * step) > now - 1e-4 * size * float(off @ step) + rounding:
            size /= 2
            if size < 1e-8:
                return None
        y = y - size * step
    return None


def _limits(program: KernelProgram, ends: IntArray) -> FloatArray:
    """The largest length of steps; none for one that stays where it is, and inf without a bound."""
    constraints, n = program.constraints, program.n
    A = sp.csr_array(constraints.combine)
    rows = np.flatnonzero(~constraints.equal & (np.diff(A.indptr) == 1))
    pairs = constraints.pairs[A.indices[A.indptr[rows]]]
    codes = pairs[:, 0] * n + pairs[:, 1]
    order = np.lexsort((constraints.bounds[rows], codes))  # the tightest of each first
    codes, squares = codes[order], constraints.bounds[rows][order]
    low, high = np.sort(ends, axis=1).T
    at = np.minimum(np.searchsorted(codes, low * n + high), len(codes) - 1)
    found = np.where(codes[at] == low * n + high, np.sqrt(squares[at]), np.inf)
    return np.asarray(np.where(low == high, 0.0, found))


def _scatter(groups: sp.csr_array, Z: FloatArray) -> float:
    """Σ_r Σ_{i ∈ r} ‖z_i − z̄_r‖²."""
    sizes = np.asarray(groups.sum(axis=1), dtype=np.float64)
    sums = np.asarray(groups @ Z)
    times = np.asarray(groups.sum(axis=0), dtype=np.float64)
    return float(times @ (Z**2).sum(axis=1) - (1 / sizes) @ (sums**2).sum(axis=1))
