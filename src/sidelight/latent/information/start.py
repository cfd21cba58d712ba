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
    """Make the first latent points.

    Parameters
    ----------
    init : {"spectral", "pca", "random"}, array of shape (n, d) or estimator
        What to begin with.
    Y : ndarray of shape (n, p)
        The data, in the order of work.
    n_components : int
        d.
    spectral : ndarray of shape (n, d)
        The method's own spectral start.
    order : ndarray of shape (n,)
        From the order of work to that in which an array is given.
    spread : float or None
        The standard deviation to give them in all; None to take an array or an estimator's map as
        it is, and the others with variance one.
    random_state : int, RandomState or None
        For ``"random"``.
    who : str
        The estimator, for messages.

    Returns
    -------
    ndarray of shape (n, d)
        In the order of work.

    Raises
    ------
    ValueError
        If an array or an estimator's map has another shape.
    """
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
