"""A condition and data in, a map without the condition out: by matching, or as it is printed."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from sidelight.core import FloatArray, require_memory
from sidelight.latent.conditioning.gate import shows_among_neighbors
from sidelight.latent.conditioning.map import ConditionalMap, first_steps, map_without_factor
from sidelight.latent.conditioning.objective import PrintedInformation
from sidelight.latent.density import KnownFactor, regression_reach, squared_distances
from sidelight.latent.information import START_SPREAD, Path, Penalty, find_onset, first_penalty
from sidelight.solvers.descent import follow

_PRINTED_STEPS = 15
#: The last bandwidth, as a share of the mean squared distance of two items.
_PRINTED_SHARE = 8.0


def map_as_printed(
    Y: FloatArray,
    factor: KnownFactor,
    n_components: int,
    *,
    alpha: float,
    penalty: Penalty,
    max_iter: int,
    tol: float,
    who: str,
) -> ConditionalMap:
    """Maximise the estimate of I(Y; Z | X) with a Gaussian kernel of width one between values.

    Notes
    -----
    Across values of the factor the data's kernel vanishes, so that this objective only pushes the
    values apart or leaves each of them free to turn; matching does better on fresh data.
    """
    x = factor.coordinates
    pairs = PrintedInformation(squared_distances(Y, Y), np.exp(-squared_distances(x, x)))
    scale = float(pairs.dissimilarities.mean())
    onset = find_onset(
        pairs, pairs.kernel(scale), len(Y), n_components, leave_one_out=False, who=who
    )
    path = Path.between(
        (scale, first_penalty(onset, alpha)), (scale / _PRINTED_SHARE, alpha), _PRINTED_STEPS
    )
    found = follow(
        path.objectives(pairs, (len(Y), n_components), penalty, leave_one_out=False),
        path.n_steps,
        START_SPREAD * onset.directions.ravel(),
        max_iter=25,
        final_max_iter=max_iter,
        tol=tol,
        stage="the map without the factor",
        who=who,
    )
    none = np.zeros((len(Y), n_components))

    def information(Z: FloatArray, h: float = float(path.bandwidths[found.step])) -> float:
        K = pairs.kernel(h)
        told, nothing = (pairs.information(points, K)[0] for points in (Z, none))
        return told - nothing

    taken = first_steps(path, len(found.values))
    nothing = [pairs.information(none, pairs.kernel(float(h)))[0] for h in taken.bandwidths]
    return ConditionalMap(
        found.x.reshape(none.shape),
        information,
        taken,
        -found.values - np.array(nothing),
        found.n_iter,
        found.interrupted,
    )


FORMS = {"matching": map_without_factor, "information": map_as_printed}
#: The final penalty of each form, where none is given.
PENALTIES_OF_FORMS = {"matching": 0.05, "information": 1e-3}
#: What has no say where a condition is left out.
_ONLY_WITHOUT_CONDITION = (
    "continuation",
    "n_steps",
    "leave_one_out",
    "init",
    "validation_fraction",
    "warm_start",
)


def fit_conditional(
    Y: FloatArray, factor: KnownFactor, form: str, n_components: int, *, who: str, **options: Any
) -> tuple[ConditionalMap, KnownFactor] | None:
    """Leave a known factor out of the map, whatever the order of the rows.

    None where items are to be matched and the factor does not show in the data: the plain map has
    nothing of it.
    """
    n = len(Y)
    require_memory(
        96.0 * n * n,
        what=f"the matches of {n} × {n} pairs",
        who=who,
        instead="Fit a part of the rows, and place the others with transform.",
    )
    order = np.lexsort(Y.T[::-1])
    in_order = replace(factor, coordinates=factor.coordinates[order])
    if form == "matching" and not shows_among_neighbors(Y[order], in_order):
        warnings.warn(
            f"The Condition given to {who} does not show in X: its values agree no better among "
            f"near rows than shuffled ones do. The map is the plain one.",
            UserWarning,
            stacklevel=4,
        )
        return None
    sorted_map = FORMS[form](Y[order], in_order, n_components, who=who, **options)
    found = replace(
        sorted_map,
        points=sorted_map.points[np.argsort(order)],
        information=lambda Z: sorted_map.information(Z[order]),
    )
    if factor.kind != "classes":
        x = factor.coordinates
        reach = regression_reach(Y, found.points, squared_distances(x, x), factor.reach)
        factor = replace(factor, reach=reach)
    return found, factor


def refuse_without_effect(
    estimator: BaseEstimator, *, conditioned: bool, validation: FloatArray | None
) -> None:
    """Refuse parameters that do nothing with a condition, or without one."""
    given, default = (model.get_params(deep=False) for model in (estimator, type(estimator)()))
    who = type(estimator).__name__
    idle = [
        f"'{name}' parameter"
        for name in (_ONLY_WITHOUT_CONDITION if conditioned else ("conditioning",))
        if np.ndim(given[name]) > 0 or given[name] != default[name]
    ]
    if conditioned and validation is not None:
        idle.append("'validation' argument")
    if idle:
        raise ValueError(
            f"The {idle[0]} of {who} does nothing with{'' if conditioned else 'out'} a Condition "
            f"in 'side'. Leave it as it is by default."
        )
