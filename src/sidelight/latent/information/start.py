"""Where latent points begin."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_array, check_random_state

from sidelight.core.arrays import FloatArray, IntArray


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
            Z = check_random_state(random_state).standard_normal((n, n_components))
    elif hasattr(init, "fit_transform"):
        Z = np.asarray(clone(init).fit_transform(Y), dtype=np.float64)
    else:
        Z = check_array(init, dtype=np.float64, input_name="init", estimator=who)
        if Z.shape[0] == n:
            Z = Z[order]
    if Z.shape != (n, n_components):
        raise ValueError(
            f"The 'init' parameter of {who} must give one row per row of X and n_components "
            f"columns, {(n, n_components)}. Got {Z.shape}."
        )
    if spread is None:
        return Z / Z.std() if isinstance(init, str) else np.array(Z)
    centred = Z - Z.mean(axis=0)
    return np.asarray(spread * centred / max(float(centred.std()), 1e-300))
