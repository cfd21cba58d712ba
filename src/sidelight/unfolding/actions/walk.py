"""A walk: the distances of its frames and the actions between them; and the map of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sidelight.core import FloatArray, IntArray, require_memory
from sidelight.estimator import Barycentric, KernelOfRows, Map, OfRows, Reach
from sidelight.neighbors import DistinctRows
from sidelight.unfolding.actions.moving import (
    Motions,
    fit_rigid_actions,
    significant_axes,
    step_length,
)
from sidelight.unfolding.semidefinite import FactorKernel

if TYPE_CHECKING:
    from sidelight.unfolding.actions.inverses import UnfoldedWalk


@dataclass(frozen=True)
class Walk:
    """Frames and the actions between them.

    Parameters
    ----------
    D : ndarray of shape (n, n)
        Distances of frames, those of equal ones exactly zero.
    transitions : ndarray of shape (t, 2)
        The rows before and after.
    kinds : ndarray of shape (t,)
        The number of the action that led from one to the other.
    names : ndarray of shape (n_actions,)
        The names of the actions.
    who : str
        The estimator, for messages.
    """

    D: FloatArray
    transitions: IntArray
    kinds: IntArray
    names: Any
    who: str


def walk_of(points: Any, distinct: DistinctRows, actions: Any) -> Walk:
    """Measure all distances of frames, and number the actions."""
    n, who = points.n, points.who
    require_memory(
        24.0 * n * n,
        what=f"the {n} × {n} table of distances between frames",
        who=who,
        instead="Use fewer rows: an episode at a time.",
    )
    table = points.merged(distinct).table()
    table = np.minimum(table, table.T)
    np.fill_diagonal(table, 0.0)
    names, kinds = np.unique(actions.labels, return_inverse=True)
    D = table[np.ix_(distinct.inverse, distinct.inverse)]  # identical rows are at zero exactly
    return Walk(D, actions.transitions(n), kinds, names, who)


@dataclass(frozen=True)
class OfNewFrames:
    """By which frames a new one is placed: the distinct ones that are near it."""

    points: Any
    distinct: DistinctRows
    reach: Reach

    def placed(self, Z: FloatArray) -> OfRows:
        """Place new rows, given the places of all rows."""
        rule = Barycentric(self.points, self.reach, Z[self.distinct.rows])
        return OfRows(self.points, self.distinct, rule)


def lay_out_walk(
    walk: Walk,
    unfolded: UnfoldedWalk,
    new: OfNewFrames,
    n_components: int,
    *,
    printed: bool,
) -> Map:
    """Make the map of a walk: its leading axes, where frames go, and what each action is there."""
    places, factor, found = unfolded.places, unfolded.factor, unfolded.found
    kept = min(n_components, factor.shape[1])
    Z = np.zeros((places.n_places, n_components))
    Z[:, :kept] = factor[:, :kept]
    moved = significant_axes(Z, places.steps)
    rigid = fit_rigid_actions(moved, places.steps, len(walk.names))
    first = np.unique(places.nodes, return_index=True)[1]
    step = step_length(moved, places.steps)
    constraints = unfolded.program.constraints
    missed = constraints.relative_misses(found.factor)[constraints.equal]
    facts = {
        "eigenvalues_": np.asarray(np.bincount(places.nodes) @ Z**2),
        "objective_": found.objective,
        "dual_bound_": found.dual_bound,
        "gap_": found.gap,
        "violation_": float(missed.max(initial=0.0)),
        "n_constraints_": len(missed),
        "n_iter_": found.n_iter,
        "history_": found.history,
        "actions_": walk.names,
        "places_": places.nodes,
        "tolerance_": places.tolerance,
        "residuals_": rigid.residuals,
        "pieces_": np.zeros(len(places.nodes), dtype=np.intp),
        "neighbors_recall_": 1.0,
        "_motions": Motions(moved, places.nodes, first, places.steps, rigid, step, printed),
    }
    return Map(
        Z[places.nodes],
        new.placed(Z[places.nodes]),
        facts,
        KernelOfRows(FactorKernel(factor), places.nodes, walk.who),
    )
