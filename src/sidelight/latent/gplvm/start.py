"""Where a GP-LVM begins: the first map, and the places from which new rows look for theirs."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from sidelight.core import FloatArray
from sidelight.gaussian_process import N_LOOKED_AT, Rows
from sidelight.latent.descending import given_points
from sidelight.latent.gplvm.table import StandardTable
from sidelight.spectral import PCA, ProbabilisticPCA


def first_map(
    init: Any, X: FloatArray, table: StandardTable, n_components: int, *, who: str
) -> FloatArray:
    """Make the map that latent points begin with."""
    Y = table.Y
    if isinstance(init, str):
        Z = _principal_map(X, Y, n_components, who)
    else:
        shape, order = (len(Y), n_components), table.order
        Z = given_points(init, shape, rows=X[order], order=order, who=who)
    Z = Z - Z.mean(axis=0)
    return np.ascontiguousarray(Z / float(Z.std()))


def _principal_map(X: FloatArray, Y: FloatArray, n_components: int, who: str) -> FloatArray:
    if Y.shape[1] < n_components:
        raise ValueError(
            f"init='pca' of {who} needs as many columns that vary as n_components={n_components}. "
            f"Got n_features={X.shape[1]}, of which {Y.shape[1]} vary. Ask for fewer components, "
            f"or give an array as 'init'."
        )
    method = ProbabilisticPCA if np.isnan(Y).any() else PCA
    with warnings.catch_warnings():  # a start need not have converged
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", UserWarning)
        return np.asarray(method(n_components).fit_transform(Y))


def places_to_begin(rows: Rows, latent: FloatArray, training: FloatArray) -> FloatArray:
    """Find where new rows begin: at the training rows nearest in what is observed of them."""
    training = np.where(np.isnan(training), rows.prediction.mean(latent), training)
    squares = rows.observed @ (training**2).T - 2 * (rows.Y @ training.T)
    count = min(N_LOOKED_AT, len(training))
    nearest = np.argpartition(squares, count - 1, axis=1)[:, :count]
    ranked = np.take_along_axis(squares, nearest, axis=1).argsort(axis=1, kind="stable")
    return np.asarray(latent[np.take_along_axis(nearest, ranked, axis=1)])
