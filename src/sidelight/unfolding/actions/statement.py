"""A walk stated as a problem about its kernel (section 4.2 and table 4.1).

max_K ⟨C, K⟩  over  K ⪰ 0,  D(e) ≤ d_e²,  D(i', j') = D(i, j) for i →a i' and j →a j'
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from sidelight.core import BoolArray, FloatArray, IntArray, evenly_spaced
from sidelight.solvers.semidefinite import KernelProgram, Objective, PairConstraints
from sidelight.unfolding.actions.constraints import distinct_equalities, equal_distances
from sidelight.unfolding.actions.places import Places

#: Up to so many independent equalities all of them are solved for at once.
_ALL_UP_TO = 900
#: Steps of each action that are compared with all its others: as many as fix a plane.
_ANCHORS = 3


def state_walk(
    objective: Objective,
    places: Places,
    edges: IntArray,
    squares: FloatArray,
    *,
    mean_bounds: bool = False,
    softness: Callable[[FloatArray], FloatArray] | None = None,
) -> KernelProgram:
    """State what actions and bounded distances ask of the kernel of the places.

    Long walks have many more equalities than a kernel has degrees of freedom.  Of each action a few
    steps, its anchors, are compared with all others, and successive ones with each other; an
    isometry that keeps the distances to d + 1 points in general position keeps them all.  These are
    what a solver begins with.  With ``mean_bounds`` distances that must be equal are bounded in the
    mean, and not by the tightest of their bounds.  With a ``softness`` of squared lengths the
    bounds give way.
    """
    n, steps = places.n_places, places.steps
    equal = equal_distances(np.arange(n), steps[:, 1:], steps[:, 0])
    if mean_bounds:
        edges, squares = _mean_of_classes(edges, squares, equal)
    soft = 0.0 if softness is None else softness(squares)
    bounds = PairConstraints.on_pairs(edges, squares, "at_most", softness=soft)
    first = np.ones(len(bounds) + len(equal), dtype=bool)
    if _n_independent(equal) > _ALL_UP_TO:
        first[len(bounds) :] = _anchored(steps, equal)
    return KernelProgram(n, objective, PairConstraints.join([bounds, equal]), first)


def bounds_are_one(program: KernelProgram, steps: IntArray) -> bool:
    """Whether each of the steps between places, (m, 2), may be one long, and no longer."""
    stated = program.constraints
    alone = sp.csr_array(stated.combine[~stated.equal])
    base = program.n
    codes, wanted = (np.sort(pairs, axis=1) @ [base, 1] for pairs in (stated.pairs, steps))
    of_steps = np.isin(codes[alone.indices], wanted)
    return bool(np.allclose(stated.bounds[~stated.equal][of_steps], 1.0, rtol=1e-9, atol=0.0))


def _n_independent(equal: PairConstraints) -> int:
    return len(equal.pairs) - int(_classes(equal).max(initial=-1)) - 1


def _classes(equal: PairConstraints) -> IntArray:
    """The class of each pair: pairs of one class have one distance."""
    A, m = sp.csr_array(equal.combine), len(equal.pairs)
    ends = A.indices.reshape(-1, 2)
    graph = sp.coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(m, m))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.intp)


def _mean_of_classes(
    edges: IntArray, squares: FloatArray, equal: PairConstraints
) -> tuple[IntArray, FloatArray]:
    """Bound each edge by the mean over those that must be as long."""
    edges, index = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True)
    shortest = np.full(len(edges), np.inf)  # of parallel ones
    np.minimum.at(shortest, index.ravel(), squares)
    base = int(max(edges.max(initial=0), equal.pairs.max(initial=0))) + 1
    known, codes = equal.pairs @ np.array([base, 1]), edges @ np.array([base, 1])
    classes = _classes(equal)
    own = len(equal.pairs) + np.arange(len(edges))  # of an edge that equals no other
    if len(known):
        at = np.minimum(np.searchsorted(known, codes), len(known) - 1)  # pairs are sorted
        own = np.where(known[at] == codes, classes[at], own)
    _, number = np.unique(own, return_inverse=True)
    mean = np.bincount(number, weights=shortest) / np.bincount(number)
    return edges, np.asarray(mean[number])


def _anchored(steps: IntArray, equal: PairConstraints) -> BoolArray:
    """The equalities between an anchor of each action and its other steps, and successive steps.

    Steps are sorted by action and by the place before, which is numbered as first seen: equally
    spaced anchors are spread over the walk.
    """
    n = int(steps[:, 1:].max()) + 1
    chosen: list[IntArray] = []
    for kind in np.unique(steps[:, 0]):
        ends = steps[steps[:, 0] == kind, 1:]
        s = np.arange(len(ends))
        anchors = evenly_spaced(len(ends), _ANCHORS)
        i = np.concatenate([np.repeat(anchors, len(ends)), s[:-1]])
        j = np.concatenate([np.tile(s, len(anchors)), s[1:]])
        old = np.sort(np.column_stack([ends[i, 0], ends[j, 0]]), axis=1)
        new = np.sort(np.column_stack([ends[i, 1], ends[j, 1]]), axis=1)
        chosen.append(_code(*distinct_equalities(old, new), n))
    ends = equal.pairs[sp.csr_array(equal.combine).indices.reshape(-1, 2)]
    return np.isin(_code(ends[:, 0], ends[:, 1], n), np.concatenate(chosen))


def _code(before: IntArray, after: IntArray, n: int) -> IntArray:
    old, new = before[:, 0] * n + before[:, 1], after[:, 0] * n + after[:, 1]
    return np.asarray(old.astype(np.int64) * (n * n) + new)
