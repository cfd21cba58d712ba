"""What a transformation is: T(x, θ), the θ that leaves an item as it is, and dT/dθ there."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from sidelight.core import FloatArray

#: (height, width), (height, width, channels), for signals (length,) or (length, channels).
Shape = tuple[int, ...] | None


@runtime_checkable
class Transformation(Protocol):
    """What can be done to an item without making another of it: T(x, θ), at rest where θ = θ₀."""

    def identity(self) -> FloatArray:
        """The θ₀ that leaves every item as it is.

        Returns
        -------
        ndarray of shape (q,)
            One number for each parameter.
        """
        ...

    def apply(self, X: Any, theta: Any, image_shape: Shape = None) -> FloatArray:
        """T(x, θ) of every row.

        Parameters
        ----------
        X : array of shape (n, n_features)
            The items.
        theta : array of shape (q,) or (n, q)
            One θ for all rows, or one for each.
        image_shape : tuple of int, optional
            What a row holds: (height, width), (height, width, channels), of signals (length,) or
            (length, channels).

        Returns
        -------
        ndarray of shape (n, n_features)
            The items, transformed.
        """
        ...

    def tangents(self, X: Any, image_shape: Shape = None) -> FloatArray:
        """∂T(x, θ)/∂θ at rest.

        Parameters
        ----------
        X : array of shape (n, n_features)
            The items.
        image_shape : tuple of int, optional
            What a row holds.

        Returns
        -------
        ndarray of shape (n, q, n_features)
            Where each parameter moves each item.
        """
        ...


@runtime_checkable
class Bilinear(Transformation, Protocol):
    """A transformation that is linear in the item and in its parameters: T(x, ω) = design(x) ω."""

    def design(self, X: Any, image_shape: Shape = None) -> FloatArray:
        """The matrix that ω is multiplied by, of every row.

        Parameters
        ----------
        X : array of shape (n, n_features)
            The items.
        image_shape : tuple of int, optional
            What a row holds.

        Returns
        -------
        ndarray of shape (n, n_features, q)
            One matrix for each item.
        """
        ...


def parameters_of_rows(
    transformation: Transformation, theta: Any, n_rows: int, *, who: str
) -> FloatArray:
    """Parameters as one row for all items, (1, q), or one for each, (n, q)."""
    given = np.asarray(theta, dtype=np.float64)
    table = given.reshape(1, -1) if given.ndim < 2 else given
    q = len(transformation.identity())
    if table.ndim != 2 or table.shape[1] != q or len(table) not in (1, n_rows):
        raise ValueError(
            f"The 'theta' argument of {who}.apply must have shape ({q},), or ({n_rows}, {q}) with "
            f"one row for each row of X. Got shape {given.shape}."
        )
    if not np.isfinite(table).all():
        raise ValueError(f"The 'theta' argument of {who}.apply must be finite.")
    return table
