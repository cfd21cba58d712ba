"""A condition and data in, a map without the condition out."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from sidelight.core.arrays import FloatArray
from sidelight.core.memory import require_memory
from sidelight.latent.conditioning.factor import KnownFactor
from sidelight.latent.conditioning.gate import shows_among_neighbors
from sidelight.latent.conditioning.map import ConditionalMap, map_without_factor
from sidelight.latent.conditioning.thesis import map_as_printed
from sidelight.latent.density.bandwidth import regression_reach
from sidelight.latent.density.kernels import squared_distances

FORMS = {"matching": map_without_factor, "information": map_as_printed}
#: The final penalty of each form, where none is given.
PENALTIES_OF_FORMS = {"matching": 0.05, "information": 1e-3}


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
