"""A smaller problem with the same kernels: without what follows from the rest.

Equalities of two distances, D_p = D_q, are an equivalence relation on pairs, so that a spanning
forest of them says all of it, and one bound per class bounds all its pairs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from sidelight.core import BoolArray, ContradictionError, FloatArray, IntArray, for_walks
from sidelight.solvers.semidefinite.constraints import PairConstraints
from sidelight.solvers.semidefinite.program import KernelProgram
from sidelight.solvers.semidefinite.reach import upper_limits

#: Squares below this share of the median one are lost: a length of 3e-11.
_NEGLIGIBLE = 1e-21


@dataclass(frozen=True)
class Merged:
    """A problem on the distinct points of another.

    ``node`` is the point that each point became, ``kept`` the constraints that are left.
    """

    program: KernelProgram
    node: IntArray
    kept: IntArray


def merge_points(program: KernelProgram, *, who: str) -> Merged:
    """Make points one that hard constraints leave no distance, and drop what that settles.

    A distance that is lost in the rounding of others is none.
    """
    constraints, n = program.constraints, program.n
    hard = constraints.take(np.flatnonzero(constraints.softness == 0))
    limit = upper_limits(hard.pairs, hard.combine, hard.bounds, hard.equal)
    real = limit[np.isfinite(limit) & (limit > 0)]
    negligible = _NEGLIGIBLE * float(np.median(real)) if len(real) else 0.0
    i, j = hard.pairs[limit <= negligible].T
    together = sp.coo_array((np.ones(len(i)), (i, j)), shape=(n, n))
    _, node = connected_components(together, directed=False)
    merged, kept, broken = constraints.merged(node, negligible=negligible)
    if len(broken):
        certificate = np.zeros(len(constraints))
        certificate[broken] = 1.0
        raise ContradictionError(
            f"The constraints of {who} contradict one another: points that must be in one place "
            f"must be apart. Take some of them out.",
            certificate,
        )
    tightest = _tightest_of_parallel(merged)
    if not tightest.all():
        merged, kept = merged.take(np.flatnonzero(tightest)), kept[tightest]
    first = None if program.first is None else program.first[kept]
    objective = program.objective.merged(node)
    smaller = KernelProgram(int(node.max()) + 1, objective, merged, first)
    return Merged(smaller, node, kept)


def essential(constraints: PairConstraints) -> tuple[PairConstraints, IntArray]:
    """Keep a spanning forest of the equalities of two distances, and one bound per class.

    A spanning tree of the bounded pairs has its bounds too, for a solver wants to see that the
    points hang together.  The second result are the rows that are kept.

    Examples
    --------
    Three distances that are equal need two equalities, and the tightest bound of them.

    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> equal = PairConstraints(
    ...     np.array([[0, 1], [1, 2], [2, 3]]),
    ...     sp.csr_array([[1.0, -1, 0], [0, 1, -1], [1, 0, -1]]),
    ...     np.zeros(3), np.ones(3, bool), np.zeros(3))
    >>> within = PairConstraints.on_pairs([[0, 1], [1, 2], [2, 3], [0, 1]], [4, 1, 9, 8], "at_most")
    >>> found, rows = essential(PairConstraints.join([within, equal]))
    >>> found.bounds.tolist(), rows.tolist()
    ([1.0, 1.0, 1.0, 0.0, 0.0], [0, 1, 2, 4, 5])
    """
    A = sp.csr_array(constraints.combine)
    same = balanced(constraints)
    if not same.any():
        return constraints, np.arange(len(constraints))
    rows = np.flatnonzero(same)
    m = len(constraints.pairs)
    left, right = A.indices[A.indptr[rows]], A.indices[A.indptr[rows] + 1]
    forest = _spanning(left, right, m)
    graph = sp.coo_array((np.ones(len(left)), (left, right)), shape=(m, m))
    classes = connected_components(graph, directed=False)[1]
    kept = ~same
    kept[rows[forest]] = True
    bounds = constraints.bounds.copy()
    upper = np.flatnonzero(single_bounds(constraints))
    if len(upper):
        pair = A.indices[A.indptr[upper]]
        values = bounds[upper] / A.data[A.indptr[upper]]
        least = np.full(int(classes.max()) + 1, np.inf)
        np.minimum.at(least, classes[pair], values)
        tightest = np.lexsort((values, classes[pair]))
        one = np.ones(len(upper), dtype=bool)
        one[1:] = np.diff(classes[pair][tightest]) != 0
        needed = np.union1d(tightest[one], _spanning(*constraints.pairs[pair].T))
        kept[upper] = False
        kept[upper[needed]] = True
        bounds[upper] = least[classes[pair]] * A.data[A.indptr[upper]]
    chosen = np.flatnonzero(kept)
    return replace(constraints, bounds=bounds).take(chosen), chosen


def balanced(constraints: PairConstraints) -> BoolArray:
    """Find the hard equalities of two distances."""
    A = sp.csr_array(constraints.combine)
    same = (np.diff(A.indptr) == 2) & constraints.equal & (constraints.bounds == 0)
    same &= constraints.softness == 0
    at = A.indptr[:-1][same]
    same[same] = A.data[at] == -A.data[at + 1]
    return np.asarray(same)


def single_bounds(constraints: PairConstraints) -> BoolArray:
    """Find the hard bounds from above on one pair."""
    A = sp.csr_array(constraints.combine)
    upper = (np.diff(A.indptr) == 1) & ~constraints.equal & (constraints.softness == 0)
    upper[upper] = A.data[A.indptr[:-1][upper]] > 0
    return np.asarray(upper)


def _tightest_of_parallel(constraints: PairConstraints) -> BoolArray:
    """All constraints but the hard bounds on a pair that has a tighter one."""
    kept = np.ones(len(constraints), dtype=bool)
    A = sp.csr_array(constraints.combine)
    upper = np.flatnonzero(single_bounds(constraints))
    pair = A.indices[A.indptr[upper]]
    values = constraints.bounds[upper] / A.data[A.indptr[upper]]
    order = np.lexsort((values, pair))
    again = np.zeros(len(upper), dtype=bool)
    again[1:] = np.diff(pair[order]) == 0
    kept[upper[order[again]]] = False
    return kept


def _spanning(left: IntArray, right: IntArray, n: int | None = None) -> IntArray:
    """The edges of a spanning forest, the earlier before the later."""
    low, high = np.minimum(left, right), np.maximum(left, right)
    size = int(high.max()) + 1 if n is None else n
    _, first = np.unique(low.astype(np.int64) * size + high, return_index=True)
    weights: FloatArray = 1.0 + first
    graph = sp.csr_array((weights, (low[first], high[first])), shape=(size, size))
    return np.asarray(np.rint(minimum_spanning_tree(for_walks(graph)).data - 1.0).astype(np.intp))
