"""Semidefinite embedding of a neighbourhood: stated, solved, laid out (section 1.7).

max_K tr K  over  K ⪰ 0, Σ_ij K_ij = 0, K_ii − 2K_ij + K_jj ≤ ‖x_i − x_j‖²
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from sidelight.core import ContradictionError, FloatArray, IntArray
from sidelight.estimator import Barycentric, Map, Neighborhood
from sidelight.neighbors import Neighbors
from sidelight.similarity import barycentre_weights
from sidelight.solvers.semidefinite import KernelProgram, SemidefiniteResult, principal_axes, solve
from sidelight.unfolding.semidefinite.common_neighbors import join_common_neighbors
from sidelight.unfolding.semidefinite.conflicts import explain
from sidelight.unfolding.semidefinite.kernel_constraints import Asked
from sidelight.unfolding.semidefinite.landmark_graph import (
    choose_landmarks,
    landmark_graph,
    place_between_landmarks,
)
from sidelight.unfolding.semidefinite.side_constraints import (
    among_landmarks,
    say_what_is_missed,
    tell,
    with_slack,
)
from sidelight.unfolding.semidefinite.slack import Softness

#: "auto" for distances of neighbours that are to be kept: exactly leaves the solver no interior.
_SLACK = 1e-3


@dataclass(frozen=True)
class UnfoldingSettings:
    """What is asked of an unfolding besides the data; see SemidefiniteEmbedding."""

    n_components: int
    tol: float = 1e-4
    max_iter: int = 500
    constraint: str = "at_most"
    slack: float | str = "auto"
    common_neighbors: bool = False
    n_landmarks: int | None = None
    similar_within: float | str = "auto"
    dissimilar_beyond: float | str = "auto"

    @property
    def side_slack(self) -> float:
        """What is known is kept exactly, unless the user says otherwise."""
        return 0.0 if isinstance(self.slack, str) else float(self.slack)


@dataclass(frozen=True)
class FactorKernel:
    """K = R Rᵀ."""

    factor: FloatArray

    def __call__(self) -> FloatArray:
        """Compute it."""
        return np.asarray(self.factor @ self.factor.T)


def unfold_neighborhood(
    near: Neighborhood, known: Mapping[str, Any], settings: UnfoldingSettings
) -> Map:
    """Learn the kernel of largest variance that keeps neighbours near; the map is its PCA."""
    graph = _bounded_pairs(near, settings)
    asked = _ask(near, graph, known, settings)
    mass = near.counts.astype(np.float64)
    landmarks = choose_landmarks(near.points, asked, settings.n_landmarks, settings.n_components)
    if landmarks is None:
        upper = sp.coo_array(sp.triu(graph, 1))
        edges = np.column_stack(upper.coords).astype(np.intp)
        stated = state_unfolding(edges, upper.data, mass, asked, settings, who=near.who)
        found, facts = _solve(stated, edges, asked, near.rows, settings, near.who)
        factor, facts = found.factor, {**facts, "landmarks_": near.rows}
    else:
        factor, facts = _unfold_landmarks(near, graph, landmarks, asked, settings)
    return lay_out(near, factor, mass, settings.n_components).with_facts(**facts)


def state_unfolding(
    edges: IntArray,
    lengths: FloatArray,
    mass: FloatArray,
    asked: Asked | None,
    settings: UnfoldingSettings,
    *,
    who: str,
) -> KernelProgram:
    """State the problem: bounds or equalities of edges, and what else is asked beside them."""
    softness = Softness.of(edges, lengths, mass)
    of_neighbors = _SLACK if isinstance(settings.slack, str) else settings.slack
    if asked is not None and settings.side_slack > 0:
        asked = with_slack(asked, softness, settings.side_slack)
    return KernelProgram.unfolding(
        edges,
        lengths,
        len(mass),
        mass=mass,
        constraint=settings.constraint,
        softness=softness(float(of_neighbors), lengths**2),
        beside=None if asked is None else asked.constraints,
        who=who,
    )


def lay_out(near: Neighborhood, factor: FloatArray, mass: FloatArray, n_components: int) -> Map:
    """Take the leading axes of a kernel for the map, and place new points by barycentres."""
    values = mass @ factor**2
    kept = min(n_components, len(values))
    places, eigenvalues = np.zeros((len(mass), n_components)), np.zeros(n_components)
    places[:, :kept], eigenvalues[:kept] = factor[:, :kept], values[:kept]
    place = Barycentric(near.points, near.reach, places)
    return Map(places, place, {"eigenvalues_": eigenvalues}, FactorKernel(factor))


def _solve(
    stated: KernelProgram,
    edges: IntArray,
    asked: Asked | None,
    rows: IntArray,
    settings: UnfoldingSettings,
    who: str,
) -> tuple[SemidefiniteResult, dict[str, Any]]:
    """Solve the problem, and say what is contradictory or missed in the user's words."""
    try:
        found = solve(stated, tol=settings.tol, max_iter=settings.max_iter, who=who)
    except ContradictionError as error:
        raise ContradictionError(
            explain(error, asked, edges, rows, who=who), error.certificate
        ) from error
    if asked is not None:
        say_what_is_missed(asked, found.factor, who=who)
    missed = stated.constraints.relative_misses(found.factor)
    return found, {
        "edges_": edges,
        "objective_": found.objective,
        "dual_bound_": found.dual_bound,
        "gap_": found.gap,
        "violation_": float(missed.max(initial=0.0)),
        "multipliers_": found.multipliers[: len(edges)],
        "n_iter_": found.n_iter,
        "history_": found.history,
    }


def _unfold_landmarks(
    near: Neighborhood,
    graph: sp.csr_array,
    landmarks: IntArray,
    asked: Asked | None,
    settings: UnfoldingSettings,
) -> tuple[FloatArray, dict[str, Any]]:
    """Unfold landmarks, and place all points between them: K = Q L Qᵀ."""
    k = near.reach.k or max(1, near.arrows.nnz // near.n)
    few = landmark_graph(graph, near.points, near.counts, landmarks, k)
    among = None if asked is None else among_landmarks(asked, landmarks, near.n)
    rows, edges = near.rows[landmarks], few.edges.astype(np.intp)
    stated = state_unfolding(edges, few.lengths, few.mass, among, settings, who=near.who)
    found, facts = _solve(stated, edges, among, rows, settings, near.who)

    def gram(items: IntArray, indices: IntArray) -> FloatArray:
        return np.asarray(near.points.grams(Neighbors(indices, np.empty(0)), at=items))

    W = barycentre_weights(near.arrows, gram, reg=1e-3)
    factor = place_between_landmarks(W, landmarks, found.factor)
    factor = principal_axes(factor, near.counts.astype(np.float64))
    return factor, {**facts, "landmarks_": rows}


def _bounded_pairs(near: Neighborhood, settings: UnfoldingSettings) -> sp.csr_array:
    if settings.common_neighbors:
        return join_common_neighbors(near.graph, near.arrows, near.points)
    return near.graph


def _ask(
    near: Neighborhood, graph: sp.csr_array, known: Mapping[str, Any], settings: UnfoldingSettings
) -> Asked | None:
    if not known:
        return None
    return tell(
        known,
        graph,
        near.distinct,
        similar_within=settings.similar_within,
        dissimilar_beyond=settings.dissimilar_beyond,
        equal=settings.constraint == "equal",
        slack=settings.side_slack > 0,
        who=near.who,
    )
