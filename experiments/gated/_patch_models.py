"""Models of what becomes of a patch, beside and around those of the library."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import Ridge
from sklearn.neighbors import NearestNeighbors

from sidelight.core import FloatArray

#: Axes whose variance is a smaller share of the largest are rounding.
_NOTHING = 1e-9
#: Rows that show the axes of what is left.
_ENOUGH = 20_000


class BeyondLinear(BaseEstimator):
    """A linear map, and a model that learns what it leaves.

    The model sees inputs turned to their principal axes and stretched to one length (pixels of
    photographs are alike, and steps along what they share would drown the rest), and gives the
    principal axes of what is left.
    """

    def __init__(self, model: Any, n_axes: int = 100) -> None:
        self.model, self.n_axes = model, n_axes

    def fit(self, X: FloatArray, Y: FloatArray) -> BeyondLinear:
        """Find the map and the axes, and learn."""
        self.linear_ = Ridge(0.1, fit_intercept=False).fit(X, Y)
        left = np.subtract(Y, self.linear_.predict(X), dtype=np.float32)
        values, vectors = np.linalg.eigh(X.T @ X / len(X))
        some = values > _NOTHING * values[-1]
        self.inputs_ = vectors[:, some] / np.sqrt(values[some])
        some_rows = left[:: 1 + len(left) // _ENOUGH]
        _, outward = np.linalg.eigh((some_rows.T @ some_rows).astype(np.float64))
        self.outputs_ = outward[:, -self.n_axes :]
        self.model_ = clone(self.model).fit(X @ self.inputs_, left @ self.outputs_)
        return self

    def predict(self, X: FloatArray) -> FloatArray:
        """The sum of both."""
        beyond = self.model_.predict(X @ self.inputs_) @ self.outputs_.T
        return np.asarray(self.linear_.predict(X) + beyond)


class Lookup:
    """The output of the nearest input that was learned from."""

    def fit(self, X: FloatArray, Y: FloatArray) -> Lookup:
        """Keep them."""
        self.near, self.Y = NearestNeighbors(n_neighbors=1).fit(X), Y
        return self

    def predict(self, X: FloatArray) -> FloatArray:
        """Look up."""
        return np.asarray(self.Y[self.near.kneighbors(X, return_distance=False)[:, 0]])
