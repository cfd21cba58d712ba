"""Models that are densities of rows: new ones are drawn from them, and any are scored by them."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sidelight.core import FloatArray, Whole, random_generator
from sidelight.estimator.listening import behind_front


class RowDensity(Protocol):
    """A density of rows, behind whatever acts in front."""

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Rows, independent of one another."""
        ...

    def log_density(self, X: FloatArray) -> FloatArray:
        """log p(x) of every row, each by itself."""
        ...


class ModelOfRows(Protocol):
    """What an estimator says of its density; its methods are then the functions below."""

    _front: tuple[Any, ...]

    @property
    def _name(self) -> str: ...

    def _density_of_rows(self, method: str) -> RowDensity:
        """The density that was fitted; refused in words that name the method where none was."""
        ...

    def _rows_to_score(self, X: Any, condition: Any) -> FloatArray:
        """Rows, checked and behind what acts in front."""
        ...


def sample_rows(self: ModelOfRows, n_samples: int = 1, random_state: Any = None) -> FloatArray:
    """Draw new rows from the density of the data.

    Parameters
    ----------
    n_samples : int
        How many rows.
    random_state : int, Generator, RandomState or None
        For the draws.

    Returns
    -------
    ndarray of shape (n_samples, n_features)
        Rows, in the columns and units of the data.
    """
    if not Whole(1).admits(n_samples):
        raise ValueError(
            f"The 'n_samples' argument of {self._name}.sample must be an int of at least 1. "
            f"Got {n_samples!r}."
        )
    check_is_fitted(self)
    density = self._density_of_rows("sample")
    drawn = density.draw(int(n_samples), random_generator(random_state))
    try:
        return np.asarray(behind_front(drawn, self._front))
    except ValueError as error:  # of a metric in front that is singular
        raise ValueError(f"{self._name} cannot draw rows of X. {error}") from error


def score_rows(self: ModelOfRows, X: Any, *, condition: Any = None) -> FloatArray:
    """Compute the log density of each row.

    Where something acts in front it is that of the rows behind it.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Rows; NaN where an entry is missing, of models that admit it: what is observed counts.
    condition : Condition or list of them, optional
        As in ``transform``.

    Returns
    -------
    ndarray of shape (n_samples,)
        log p(x).
    """
    rows = self._rows_to_score(X, condition)
    return self._density_of_rows("score_samples").log_density(rows)


def mean_score(self: ModelOfRows, X: Any, y: Any = None, *, condition: Any = None) -> float:
    """Compute the mean log density of the rows.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Rows.
    y : object
        Ignored.
    condition : Condition or list of them, optional
        As in ``transform``.

    Returns
    -------
    float
        The mean of ``score_samples``.
    """
    return float(score_rows(self, X, condition=condition).mean())
