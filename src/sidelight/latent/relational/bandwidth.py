"""How wide the similarity of the data should be, so that relations reach rows they do not name.

Of the rows that relations speak of every third is withheld, and placed by the others.  A narrow
bandwidth keeps more of the data's detail.  But where a relation has to do with a small part of
their variance (the ink of digits), detail is all that it keeps, and what was withheld lands where
it would without the relation, or farther off; then a wide one does.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from sidelight.core import BoolArray, FloatArray, IntArray, evenly_spaced, whole_or_nothing
from sidelight.latent.neighbors import NeighborMismatch
from sidelight.latent.relational.objective import Related, RelationalObjective
from sidelight.latent.relational.starts import informed_start
from sidelight.side import Relation
from sidelight.similarity import (
    WIDE,
    choice_probabilities,
    normalise_rows,
    wide_bandwidth,
)
from sidelight.solvers.descent import minimise

#: The wide bandwidth, in units of the narrow one: twice the mean squared distance.
_WIDER = 2.0 / WIDE
#: Wide is taken where it places what was withheld so many times as well.
_CLEARLY = 2.0
#: Rows that relations must name, of which a third is withheld.
_LEAST_NAMED = 9
#: Most rows of the trial: named ones, and others besides.
_NAMED, _OTHERS = 200, 100
_TOL, _MAX_ITER = 1e-6, 1000


def relational_bandwidth(
    D: FloatArray, relations: Sequence[Relation], d: int, *, penalty: float, who: str
) -> float:
    """Choose between a narrow and a wide bandwidth by placing rows that were withheld."""
    n, narrow = len(D), wide_bandwidth(D)
    named = np.unique(np.concatenate([np.empty(0, np.intp), *(r.rows(n) for r in relations)]))
    if len(named) < _LEAST_NAMED or len(named) == n:
        return narrow
    named = named[evenly_spaced(len(named), _NAMED)]
    others = np.setdiff1d(np.arange(n), named)
    rows = np.concatenate([named, others[evenly_spaced(len(others), _OTHERS)]])
    D = D[np.ix_(rows, rows)]
    withheld = np.zeros(n, dtype=bool)
    withheld[named[::3]] = True
    told = [_among(relation, rows, n) for relation in relations]
    missed = [
        _missed(D, told, withheld[rows], d, bandwidth=width * narrow, penalty=penalty, who=who)
        for width in (1.0, _WIDER)
    ]
    return narrow if missed[0] < _CLEARLY * missed[1] else _WIDER * narrow


def _among(relation: Relation, rows: IntArray, n: int) -> tuple[IntArray, FloatArray]:
    """What a relation says of some rows: where they are among them, and their similarities."""
    where = np.full(n, -1)
    where[rows] = np.arange(len(rows))
    places = where[relation.rows(n)]
    kept = places >= 0
    return places[kept], relation.similarity[np.ix_(kept, kept)]


def _missed(
    D: FloatArray,
    told: list[tuple[IntArray, FloatArray]],
    withheld: BoolArray,
    d: int,
    *,
    bandwidth: float,
    penalty: float,
    who: str,
) -> float:
    """The mismatch of withheld rows in a map made without them, over that of a map of one place."""
    n = len(D)
    relations = [Related(np.arange(n), NeighborMismatch(choice_probabilities(D, bandwidth)))]
    judged: list[tuple[int, IntArray, FloatArray]] = []
    for rows, S in told:
        kept = ~withheld[rows]
        if kept.sum() > 2 and not kept.all():
            judged.append((len(relations), rows, normalise_rows(S)))
            P = normalise_rows(S[np.ix_(kept, kept)])
            relations.append(Related(rows[kept], NeighborMismatch(P)))
    if not judged:
        return 0.0
    objective = RelationalObjective(relations, n, d, penalty=penalty)
    start = objective.pack(*informed_start(D, relations, d, unit=np.sqrt(bandwidth), who=who))
    with warnings.catch_warnings(), whole_or_nothing():  # nothing is there yet to be kept
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = minimise(
            objective, start, max_iter=_MAX_ITER, tol=_TOL, stage="choosing the bandwidth", who=who
        )
    Z, R = objective.unpack(found.x)
    shares = [
        _divergence(P, Z[rows] * R[c], withheld[rows]) / _divergence(P, 0 * Z[rows], withheld[rows])
        for c, rows, P in judged
    ]
    return float(np.mean(shares))


def _divergence(P: FloatArray, Y: FloatArray, rows: BoolArray) -> float:
    """Σ_ij P_ij log(P_ij / Q_ij) over some rows i, Q the choices of points."""
    exponents = -np.sum((Y[rows, None] - Y[None]) ** 2, axis=2)
    if not np.diagonal(P).any():
        exponents[np.arange(int(rows.sum())), np.flatnonzero(rows)] = -np.inf
    log_sums = np.logaddexp.reduce(exponents, axis=1)
    P = P[rows]
    picked = P > 0
    log_ratio = np.log(P[picked]) - (exponents - log_sums[:, None])[picked]
    return max(float(P[picked] @ log_ratio), 1e-300)
