"""New features of the rows, drawn from a Gaussian field over them.

Under a field the features are independent draws of y ~ N(0, K), a value for every row: a data set
is so many of them.  A new *row* is another question, and is answered by what a node of the field is
given all the others (:mod:`sidelight.unfolding.field_density`).
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from sidelight.core import FloatArray, Whole, random_generator, require_memory
from sidelight.estimator import KernelOfRows, Map


class FieldOverRows(Protocol):
    """What an estimator says of its field; its method is then the function below."""

    _map: Map

    @property
    def _name(self) -> str: ...

    def _require_kernel(self) -> None:
        """Refuse where there is no one field of all rows."""
        ...


def draw_features(self: FieldOverRows, n_features: int = 1, random_state: Any = None) -> FloatArray:
    """Draw new features of the rows from the field, each from N(0, K) with K = ``covariance()``.

    As many as X has are a data set of the same rows, as the field takes X to be one; new rows are
    drawn by ``sample``.

    Parameters
    ----------
    n_features : int
        How many features.
    random_state : int, Generator, RandomState or None
        For the draws.

    Returns
    -------
    ndarray of shape (n_samples, n_features)
        A feature in each column, independent of the others.
    """
    if not Whole(1).admits(n_features):
        raise ValueError(
            f"The 'n_features' argument of {self._name}.sample_features must be an int of at least "
            f"1. Got {n_features!r}."
        )
    self._require_kernel()
    rows, m = self._map.kernel, int(n_features)
    assert isinstance(rows, KernelOfRows)
    n = len(rows.inverse)
    require_memory(
        40.0 * n * m,
        what=f"{m:,} features of {n:,} rows",
        who=f"{self._name}.sample_features",
        instead="Draw fewer at a time.",
    )
    field: Any = rows.of_points
    return np.asarray(field.draw(m, random_generator(random_state))[rows.inverse])
