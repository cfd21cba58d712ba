"""Actions that undo one another though no step was ever taken back: what closed loops give away.

A walk round a block comes back to where it began, and nothing else says that west undoes east.  Of
four directions that add up to nothing the kernel knows no more than that, and is a skew
quadrilateral in three dimensions.  Suppose that west undoes east: the value is the same, no two
places become one, and now south undoes north as well, which nobody supposed.  A supposition that
costs nothing and explains a coincidence is taken for true; one that explains nothing (east, north
and up, and no way back) is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from sidelight.core import FloatArray, Interruption
from sidelight.solvers.semidefinite import KernelProgram, SemidefiniteResult, warn_of_the_end
from sidelight.unfolding.actions.moving import (
    TOLD_APART,
    fit_rigid_actions,
    significant_axes,
    step_length,
)
from sidelight.unfolding.actions.places import Places, settle
from sidelight.unfolding.actions.walk import Walk

#: So many suppositions are tried at most, the most likely first.
_TRIED = 6


@dataclass(frozen=True)
class UnfoldedWalk:
    """The places of a walk, what was asked of their kernel, and the kernel that was found."""

    places: Places
    program: KernelProgram
    found: SemidefiniteResult
    factor: FloatArray

    def undone(self) -> set[tuple[int, int]]:
        """Find the pairs of actions that undo one another all over the map, in all its axes."""
        Z = significant_axes(self.factor, self.places.steps)
        rigid = fit_rigid_actions(Z, self.places.steps, len(self.places.inverses))
        inverses = rigid.inverses(Z, TOLD_APART * step_length(Z, self.places.steps))
        return {(a, b) for a, b in enumerate(inverses.tolist()) if b >= 0 and inverses[b] == a}

    def errors(self) -> FloatArray:
        """Measure how far each action is from undoing each other one, all over the map."""
        Z = significant_axes(self.factor, self.places.steps)
        rigid = fit_rigid_actions(Z, self.places.steps, len(self.places.inverses))
        return rigid.left_over(Z)


def suppose_inverses(
    plain: UnfoldedWalk, walk: Walk, unfold: Callable[[Places], UnfoldedWalk], *, tol: float
) -> UnfoldedWalk:
    """Suppose that actions undo one another where that costs nothing and explains a coincidence."""
    known = plain.undone()
    for supposed in _suppositions(plain, walk, known):
        with Interruption() as stopped:
            tried = unfold(supposed)
        if stopped:  # there is a map to keep
            kept = replace(plain.found, stopped=stopped)
            warn_of_the_end(kept, tol=tol, who=walk.who)
            return replace(plain, found=kept)
        if tried.found.stopped:
            return replace(plain, found=replace(plain.found, stopped=tried.found.stopped))
        imposed = {(a, b) for a, b in enumerate(supposed.inverses.tolist()) if b >= 0}
        costless = tried.found.objective >= plain.found.objective * (1 - 10 * tol)
        if costless and tried.undone() - known - imposed:
            return tried
    return plain


def _suppositions(plain: UnfoldedWalk, walk: Walk, known: set[tuple[int, int]]) -> Iterator[Places]:
    """Pairs of actions that may undo one another: no two places become one by it."""
    places = plain.places
    free = [a for a, b in enumerate(places.inverses.tolist()) if b < 0]
    free = [a for a in free if not any(a in pair for pair in known)]
    if len(free) < 3:  # nothing would be left to be explained
        return
    errors = plain.errors()
    pairs = [(errors[a, b] + errors[b, a], a, b) for a in free for b in free if a < b]
    for _, a, b in sorted(pairs)[:_TRIED]:
        inverses = places.inverses.copy()
        inverses[a], inverses[b] = b, a
        supposed = settle(
            places.nodes, walk.transitions, walk.kinds, invert=True, inverses=inverses
        )
        if supposed.n_places == places.n_places:
            yield replace(supposed, tolerance=places.tolerance)
