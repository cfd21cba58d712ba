"""The semidefinite program of actions: few of its equalities are solved for, all are checked."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sidelight.core.arrays import BoolArray, FloatArray, IntArray
from sidelight.solvers.semidefinite.dense import solve_dense
from sidelight.solvers.semidefinite.result import SemidefiniteResult
from sidelight.unfolding.actions.constraints import (
    all_equalities,
    distinct_equalities,
    equalities_between,
    with_bounds,
)

#: Up to so many independent equalities all of them are solved for.
_ALL_UP_TO = 900
#: Steps of each action that are compared with all its others: as many as fix a plane.
_ANCHORS = 3
#: Rounds of adding what was violated.
_ROUNDS = 6
#: Up to this violation, of what was not asked for yet, an interrupted kernel respects the actions.
_RESPECTED = 0.01


@dataclass(frozen=True)
class ActionSolution:
    """A kernel that respects the actions.

    Parameters
    ----------
    found : SemidefiniteResult
        Factor, value, bound.
    violation : float
        The worst of all action constraints: the difference of the two squared distances, relative
        to the larger of them and of the mean bound.
    n_equalities : int
        How many there are.
    n_kept : int
        How many independent ones were solved for.
    """

    found: SemidefiniteResult
    violation: float
    n_equalities: int
    n_kept: int


def solve_action_program(
    C: FloatArray,
    edges: IntArray,
    squares: FloatArray,
    steps: IntArray,
    *,
    tol: float,
    max_iter: int,
    who: str,
    violation: float = 1e-5,
    mean_bounds: bool = False,
) -> ActionSolution:
    """Maximise ⟨C, K⟩ where actions keep distances and some distances are bounded.

    max_K ⟨C, K⟩  over  K ⪰ 0, D(e) ≤ squares_e, D(i', j') = D(i, j) for i →a i' and j →a j'

    Long walks have many more equalities than a kernel has degrees of freedom.  Of each action a few
    steps, its anchors, are compared with all others, and successive ones with each other; an
    isometry that keeps the distances to d + 1 points in general position keeps them all.  The rest
    is checked, and what is violated is added until nothing is.
    """
    n = len(C)
    before, after = all_equalities(np.arange(n), steps[:, 1:], steps[:, 0])
    everything = equalities_between(before, after, n)
    kept = np.ones(len(before), dtype=bool)
    if everything.combine.shape[0] > _ALL_UP_TO:
        kept = _anchored(steps, before, after)
    unit = float(np.mean(squares))
    solution: ActionSolution | None = None
    for _ in range(_ROUNDS):
        chosen = everything if kept.all() else equalities_between(before[kept], after[kept], n)
        pairs, bounds, equal, combine = with_bounds(chosen, edges, squares, mean=mean_bounds)
        try:
            found = solve_dense(
                C, pairs, bounds, equal=equal, combine=combine, tol=tol, max_iter=max_iter, who=who
            )
        except KeyboardInterrupt:
            return _best_of_interrupted([solution])
        missed = _missed(found.factor, before, after, unit)
        worst = float(missed.max(initial=0.0))
        last = solution
        solution = ActionSolution(found, worst, len(before), chosen.combine.shape[0])
        if found.interrupted:
            return _best_of_interrupted([last, solution])
        add = ~kept & (missed > violation)
        if not add.any():
            break
        # the worst first: each of them mends many others
        order = np.argsort(-np.where(add, missed, -1.0))[: min(int(add.sum()), 2 * n)]
        kept = kept.copy()
        kept[order] = True
    assert solution is not None
    return solution


def _best_of_interrupted(rounds: list[ActionSolution | None]) -> ActionSolution:
    """The round that is closest to an optimum that respects the actions, where there is one."""
    usable = [each for each in rounds if each is not None and each.violation <= _RESPECTED]
    if not usable:
        raise KeyboardInterrupt
    best = min(usable, key=lambda each: max(each.found.gap, each.violation))
    return replace(best, found=replace(best.found, interrupted=True))


def _missed(R: FloatArray, before: IntArray, after: IntArray, unit: float) -> FloatArray:
    old, new = _squares(R, before), _squares(R, after)
    return np.asarray(np.abs(new - old) / np.maximum(np.maximum(new, old), unit))


def _squares(R: FloatArray, pairs: IntArray) -> FloatArray:
    spans = R[pairs[:, 0]] - R[pairs[:, 1]]
    return np.asarray(np.einsum("ij,ij->i", spans, spans))


def _anchored(steps: IntArray, before: IntArray, after: IntArray) -> BoolArray:
    """The equalities between an anchor of each action and its other steps, and successive steps.

    Steps are sorted by action and by the place before, which is numbered as first seen: equally
    spaced anchors are spread over the walk.
    """
    n = int(steps[:, 1:].max()) + 1
    chosen: list[IntArray] = []
    for kind in np.unique(steps[:, 0]):
        ends = steps[steps[:, 0] == kind, 1:]
        s = np.arange(len(ends))
        anchors = np.unique(np.linspace(0, len(ends) - 1, _ANCHORS).astype(np.intp))
        i = np.concatenate([np.repeat(anchors, len(ends)), s[:-1]])
        j = np.concatenate([np.tile(s, len(anchors)), s[1:]])
        old = np.sort(np.column_stack([ends[i, 0], ends[j, 0]]), axis=1)
        new = np.sort(np.column_stack([ends[i, 1], ends[j, 1]]), axis=1)
        chosen.append(_code(*distinct_equalities(old, new), n))
    return np.isin(_code(before, after, n), np.concatenate(chosen))


def _code(before: IntArray, after: IntArray, n: int) -> IntArray:
    old, new = before[:, 0] * n + before[:, 1], after[:, 0] * n + after[:, 1]
    return np.asarray(old.astype(np.int64) * (n * n) + new)
