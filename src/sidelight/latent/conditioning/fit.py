"""A condition and data in, a map without the condition out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from sidelight.core.arrays import FloatArray
from sidelight.core.memory import require_memory
from sidelight.latent.conditioning.factor import KnownFactor
from sidelight.latent.conditioning.map import ConditionalMap, map_without_factor
from sidelight.latent.conditioning.thesis import map_as_printed
from sidelight.latent.density.bandwidth import regression_reach
from sidelight.latent.density.kernels import squared_distances
from sidelight.side.condition import Condition

FORMS = {"matching": map_without_factor, "information": map_as_printed}
#: The final penalty of each form, where none is given.
PENALTIES_OF_FORMS = {"matching": 0.05, "information": 1e-3}


def fit_conditional(
    Y: FloatArray, condition: Condition, form: str, n_components: int, *, who: str, **options: Any
) -> tuple[ConditionalMap, KnownFactor]:
    """Leave a known factor out of the map, whatever the order of the rows."""
    n = len(Y)
    require_memory(
        96.0 * n * n,
        what=f"the matches of {n} × {n} pairs",
        who=who,
        instead="Fit a part of the rows, and place the others with transform.",
    )
    factor = KnownFactor.of(condition, who=who)
    order = np.lexsort(Y.T[::-1])
    in_order = replace(factor, coordinates=factor.coordinates[order])
    found = FORMS[form](Y[order], in_order, n_components, who=who, **options)
    found = replace(found, points=found.points[np.argsort(order)])
    if factor.kind != "classes":
        x = factor.coordinates
        reach = regression_reach(Y, found.points, squared_distances(x, x), factor.reach)
        factor = replace(factor, reach=reach)
    return found, factor
