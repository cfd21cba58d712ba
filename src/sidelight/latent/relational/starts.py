"""Where multiple relational embedding begins: from what the relations say, or at random."""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray
from sidelight.latent.descending import classical_start, random_points
from sidelight.latent.relational.objective import Related
from sidelight.similarity import gaussian_similarity, wide_bandwidth
from sidelight.solvers import RidgeSystem
from sidelight.solvers.eigen import largest_eigenpairs

#: Scales that a relation begins with in dimensions that are not its own: small, and not zero,
#: where the gradient would vanish for ever.
_FAINT = 0.1
_RIDGES = np.geomspace(1e-4, 10.0, 12)


def random_start(
    n: int, d: int, n_relations: int, rng: np.random.Generator, *, full: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Draw small points and transformations, as in the thesis (section 4.2, footnote 1)."""
    Z = 0.1 * random_points(n, d, rng)
    if not full:
        return Z, 0.1 * random_points(n_relations, d, rng)
    return Z, 0.1 * random_points(n_relations * d, d, rng).reshape(n_relations, d, d)


def written_out(R: FloatArray) -> FloatArray:
    """Diagonals as matrices, (n_relations, d, d)."""
    return np.asarray(R[:, :, None] * np.eye(R.shape[1]))


def informed_start(
    D: FloatArray, relations: list[Related], d: int, *, unit: float, who: str
) -> tuple[FloatArray, FloatArray]:
    """Give each relation a dimension, guessed for all items from those that it speaks of.

    A relation's own coordinate is the leading eigenvector of its similarities; kernel ridge
    regression on the data, its ridge chosen by leave-one-out, extends it to the other items.
    Dimensions that are left over come from classical scaling.
    """
    K = gaussian_similarity(D**2, wide_bandwidth(D))
    own = [_extended(K, relation, who) for relation in relations[1 : d + 1]]
    columns = [column for column in own if column is not None]
    if len(columns) < d:
        rest = classical_start(D, d, who=who) / unit
        columns += list(rest.T[: d - len(columns)])
    Z = np.column_stack(columns)
    R = np.full((len(relations), d), _FAINT)
    R[0] = 0.5
    for c in range(1, len(relations)):
        R[c, (c - 1) % d] = 1.0
    return Z, R


def _extended(K: FloatArray, relation: Related, who: str) -> FloatArray | None:
    S = relation.mismatch.choices
    m = len(S)
    if m < 3:
        return None
    u = largest_eigenpairs(S, 2, who=who).vectors[:, 1]
    u = u - u.mean()
    system = RidgeSystem.of(K[np.ix_(relation.rows, relation.rows)])
    ridge = system.best_ridge(u, _RIDGES * system.mean_eigenvalue)
    fit = K[:, relation.rows] @ system.solve(u, ridge)
    fit = fit - fit.mean()
    spread = float(fit.std())
    return np.asarray(fit / spread) if spread > 0 else None
