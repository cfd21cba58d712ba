"""The best transformation of one item into another, in closed form where it is bilinear."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core import FloatArray
from sidelight.transforms.transformation import Bilinear, Shape

#: Eigenvalues of the normal equations below this share of the largest are directions that change
#: nothing but rounding: the smallest ω is taken.
_RANK = 1e-12


def best_parameters(
    transformation: Bilinear, X: Any, targets: Any, image_shape: Shape = None
) -> FloatArray:
    """Find ω_i = argmin ‖design(x_i) ω − target_i‖² for every row, the smallest of them.

    Parameters
    ----------
    transformation : Bilinear
        Linear in its parameters ω.
    X : array of shape (n, n_features)
        The items.
    targets : array of shape (n, n_features)
        What is to come of each.
    image_shape : tuple of int, optional
        What a row holds.

    Returns
    -------
    ndarray of shape (n, q)
        The parameters, row by row.
    """
    taps = np.asarray(
        np.swapaxes(transformation.design(X, image_shape), 1, 2), dtype=np.float64
    )  # (n, q, p)
    wanted = np.atleast_2d(np.asarray(targets, dtype=np.float64))
    if wanted.shape != (len(taps), taps.shape[2]):
        raise ValueError(
            f"The 'targets' of best_parameters must have one row for each row of X, of shape "
            f"{(len(taps), taps.shape[2])}. Got {wanted.shape}."
        )
    grams = taps @ np.swapaxes(taps, 1, 2)
    onto = np.matmul(taps, wanted[:, :, None])
    found = np.linalg.pinv(grams, rcond=_RANK, hermitian=True) @ onto
    return np.asarray(found[..., 0])
