"""Where latent points begin."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core import Expected, FloatArray, IntArray, OneOf
from sidelight.latent.descending import MADE_OR_GIVEN, given_points, random_points

INIT: tuple[Expected, ...] = (OneOf(("spectral", "pca", "random")), *MADE_OR_GIVEN)


def starting_points(
    init: Any,
    Y: FloatArray,
    n_components: int,
    *,
    spectral: FloatArray,
    order: IntArray,
    spread: float | None,
    random_state: Any,
    who: str,
) -> FloatArray:
    """Make the first latent points."""
    n = len(Y)
    if isinstance(init, str):
        if init == "spectral":
            Z = spectral
        elif init == "pca":
            U, lengths, _ = np.linalg.svd(Y - Y.mean(axis=0), full_matrices=False)
            kept = min(n_components, U.shape[1])
            Z = np.zeros((n, n_components))
            Z[:, :kept] = U[:, :kept] * lengths[:kept]
        else:
            Z = random_points(n, n_components, random_state)
    else:
        Z = given_points(init, (n, n_components), rows=Y, order=order, who=who)
    if spread is None:
        return Z / Z.std() if isinstance(init, str) else np.array(Z)
    centred = Z - Z.mean(axis=0)
    return np.asarray(spread * centred / max(float(centred.std()), 1e-300))
