"""Where latent points begin."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core import Expected, FloatArray, IntArray, OneOf
from sidelight.latent.descending import (
    MADE_OR_GIVEN,
    principal_points,
    random_points,
    starting_points,
)

INIT: tuple[Expected, ...] = (OneOf(("spectral", "pca", "random")), *MADE_OR_GIVEN)


def first_points(
    init: Any,
    Y: FloatArray,
    spectral: FloatArray,
    *,
    order: IntArray,
    spread: float | None,
    random_state: Any,
    who: str,
) -> FloatArray:
    """Make the first latent points: about the origin with a spread, where a path leads from it."""
    n, d = spectral.shape
    ways = {
        "spectral": lambda: spectral,
        "pca": lambda: principal_points(Y, d),
        "random": lambda: random_points(n, d, random_state),
    }
    Z = starting_points(init, ways, (n, d), rows=Y, order=order, who=who)
    if spread is None:
        return Z / Z.std() if isinstance(init, str) else Z
    centred = Z - Z.mean(axis=0)
    return np.asarray(spread * centred / max(float(centred.std()), 1e-300))
