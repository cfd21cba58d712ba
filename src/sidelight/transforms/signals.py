"""What instruments do to signals and spectra: another baseline, another gain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import FloatArray, Whole
from sidelight.transforms.pictures import read_rows
from sidelight.transforms.transformation import Shape, parameters_of_rows


@dataclass(frozen=True)
class Baseline:
    """A smooth curve added to each signal: T(x, θ) = x + Σ θ_k P_k, Legendre polynomials.

    Parameters
    ----------
    degree : int
        The highest degree; 0 is a constant, 1 a line.

    Examples
    --------
    >>> Baseline().apply([[0.0, 0.0, 5.0]], [1.0, 0.5]).tolist()
    [[0.5, 1.0, 6.5]]
    """

    degree: int = 1

    def __post_init__(self) -> None:
        if not Whole(0).admits(self.degree):
            raise ValueError(
                f"The 'degree' argument of Baseline must be {Whole(0)}. Got {self.degree!r}."
            )

    def identity(self) -> FloatArray:
        """No curve."""
        return np.zeros(self.degree + 1)

    def apply(self, X: Any, theta: Any, image_shape: Shape = None) -> FloatArray:
        """Every row with its curve added."""
        rows = read_rows(X, who="Baseline")
        theta = parameters_of_rows(self, theta, len(rows), who="Baseline")
        return np.asarray(rows + theta @ self._curves(rows), dtype=rows.dtype)

    def tangents(self, X: Any, image_shape: Shape = None) -> FloatArray:
        """The curves, the same for every row."""
        rows = read_rows(X, who="Baseline")
        curves = self._curves(rows).astype(rows.dtype)
        return np.broadcast_to(curves, (len(rows), *curves.shape))

    def _curves(self, rows: FloatArray) -> FloatArray:
        along = np.linspace(-1.0, 1.0, rows.shape[1])
        return np.polynomial.legendre.legvander(along, self.degree).T


@dataclass(frozen=True)
class Gain:
    """Every number of an item times θ: T(x, θ) = θ x.

    Examples
    --------
    >>> Gain().apply([[1.0, 2.0]], [3.0]).tolist()
    [[3.0, 6.0]]
    """

    def identity(self) -> FloatArray:
        """Once."""
        return np.ones(1)

    def apply(self, X: Any, theta: Any, image_shape: Shape = None) -> FloatArray:
        """Every row times θ."""
        rows = read_rows(X, who="Gain")
        theta = parameters_of_rows(self, theta, len(rows), who="Gain")
        return np.asarray(rows * theta, dtype=rows.dtype)

    def tangents(self, X: Any, image_shape: Shape = None) -> FloatArray:
        """The rows themselves."""
        return read_rows(X, who="Gain")[:, None, :]

    def design(self, X: Any, image_shape: Shape = None) -> FloatArray:
        """The rows themselves: T(x, ω) = x ω."""
        return read_rows(X, who="Gain")[:, :, None]
