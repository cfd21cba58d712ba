"""Where a GP-LVM begins: the first map, and the places from which new rows look for theirs."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core import FloatArray
from sidelight.gaussian_process import N_LOOKED_AT, Rows
from sidelight.latent.descending import principal_points, starting_points
from sidelight.latent.gplvm.table import StandardTable


def first_map(
    init: Any, X: FloatArray, table: StandardTable, n_components: int, *, who: str
) -> FloatArray:
    """Make the map that latent points begin with, of unit variance."""
    Y, order = table.Y, table.order

    def principal() -> FloatArray:
        if Y.shape[1] < n_components:
            raise ValueError(
                f"init='pca' of {who} needs as many columns that vary as n_components="
                f"{n_components}. Got n_features={X.shape[1]}, of which {Y.shape[1]} vary. Ask for "
                f"fewer components, or give an array as 'init'."
            )
        return principal_points(Y, n_components)

    shape = (len(Y), n_components)
    Z = starting_points(init, {"pca": principal}, shape, rows=X[order], order=order, who=who)
    Z = Z - Z.mean(axis=0)
    return np.ascontiguousarray(Z / float(Z.std()))


def places_to_begin(rows: Rows, latent: FloatArray, training: FloatArray) -> FloatArray:
    """Find where new rows begin: at the training rows nearest in what is observed of them."""
    training = np.where(np.isnan(training), rows.prediction.mean(latent), training)
    squares = rows.observed @ (training**2).T - 2 * (rows.Y @ training.T)
    count = min(N_LOOKED_AT, len(training))
    nearest = np.argpartition(squares, count - 1, axis=1)[:, :count]
    ranked = np.take_along_axis(squares, nearest, axis=1).argsort(axis=1, kind="stable")
    return np.asarray(latent[np.take_along_axis(nearest, ranked, axis=1)])
