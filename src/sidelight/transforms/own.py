"""Transformations of one's own: a function, tangent vectors, or several transformations at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import FloatArray, Real
from sidelight.transforms.pictures import read_rows
from sidelight.transforms.transformation import Shape, Transformation, parameters_of_rows


@dataclass(frozen=True, eq=False)
class Custom:
    """Any function T(x, θ) of an item and its parameters; tangents by central differences.

    Parameters
    ----------
    function : callable
        From an item, in the shape of its image where that is given, and θ of shape (q,) to the
        transformed item, of the same size.
    rest : array-like of shape (q,)
        The θ that leaves every item as it is.
    step : float
        How far θ is moved to either side for the tangents.

    Examples
    --------
    >>> Custom(lambda x, theta: x + theta[0], rest=[0.0]).apply([[1.0, 2.0]], [0.5]).tolist()
    [[1.5, 2.5]]
    """

    function: Callable[[Any, FloatArray], Any]
    rest: Any
    step: float = 1e-3

    def __post_init__(self) -> None:
        rest = np.atleast_1d(np.asarray(self.rest, dtype=np.float64))
        if rest.ndim != 1 or not rest.size or not np.isfinite(rest).all():
            raise ValueError(
                f"The 'rest' argument of Custom must be the parameters that leave an item as it "
                f"is, an array of shape (q,). Got {self.rest!r}."
            )
        if not callable(self.function):
            raise ValueError(
                f"The 'function' argument of Custom must be callable, T(x, theta). "
                f"Got {self.function!r}."
            )
        if not Real(0.0, open_below=True).admits(self.step):
            raise ValueError(f"The 'step' argument of Custom must be above 0. Got {self.step!r}.")
        object.__setattr__(self, "rest", rest)

    def identity(self) -> FloatArray:
        """The parameters at rest."""
        return np.array(self.rest)

    def apply(self, X: Any, theta: Any, image_shape: Shape = None) -> FloatArray:
        """Every row transformed, one after the other: a function of one item knows no more."""
        rows = read_rows(X, who="Custom")
        given = parameters_of_rows(self, theta, len(rows), who="Custom")
        given = np.broadcast_to(given, (len(rows), given.shape[1]))
        return _each(lambda i, x: self.function(x, given[i]), rows, image_shape, "Custom")

    def tangents(self, X: Any, image_shape: Shape = None) -> FloatArray:
        """(T(x, θ₀ + h e_k) − T(x, θ₀ − h e_k)) / 2h."""
        moves = self.step * np.eye(len(self.rest))
        apart = [
            self.apply(X, self.rest + move, image_shape)
            - self.apply(X, self.rest - move, image_shape)
            for move in moves
        ]
        return np.stack(apart, axis=1) / (2 * self.step)


@dataclass(frozen=True, eq=False)
class Step:
    """A function of an item that takes one step along the transformation: a pixel, a degree.

    T(x, θ) = x + θ (f(x) − x), so that the tangent is the way from an item to its virtual point.

    Parameters
    ----------
    function : callable
        From an item, in the shape of its image where that is given, to the next.
    """

    function: Callable[[Any], Any]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ValueError(
                f"The 'function' argument of Step must be callable. Got {self.function!r}."
            )

    def identity(self) -> FloatArray:
        """No step."""
        return np.zeros(1)

    def apply(self, X: Any, theta: Any, image_shape: Shape = None) -> FloatArray:
        """Every row, so much of the way to the next."""
        rows = read_rows(X, who="Step")
        theta = parameters_of_rows(self, theta, len(rows), who="Step")
        return np.asarray(rows + theta * self.tangents(X, image_shape)[:, 0], dtype=rows.dtype)

    def tangents(self, X: Any, image_shape: Shape = None) -> FloatArray:
        """f(x) − x."""
        rows = read_rows(X, who="Step")
        return (_each(lambda _, x: self.function(x), rows, image_shape, "Step") - rows)[:, None]


@dataclass(frozen=True, eq=False)
class Tangents:
    """Tangent vectors of one's own: T(x, θ) = x + Σ θ_k t_k(x).

    Parameters
    ----------
    vectors : array-like of shape (q, n_features), or callable
        The same for all rows, or a function of rows (n, n_features) that gives (n, q, n_features).

    Examples
    --------
    >>> Tangents([[1.0, 1.0]]).apply([[0.0, 2.0]], [0.5]).tolist()
    [[0.5, 2.5]]
    """

    vectors: Any

    def __post_init__(self) -> None:
        if callable(self.vectors):
            return
        vectors = np.atleast_2d(np.asarray(self.vectors, dtype=np.float64))
        if vectors.ndim != 2 or not np.isfinite(vectors).all():
            raise ValueError(
                f"The 'vectors' argument of Tangents must be finite, of shape (q, n_features), or "
                f"a function of rows. Got an array of shape {np.shape(self.vectors)}."
            )
        object.__setattr__(self, "vectors", vectors)

    def identity(self) -> FloatArray:
        """No way along any of them."""
        if callable(self.vectors):
            raise ValueError(
                "Tangents of a function have a number of parameters that only rows tell. Take the "
                "tangents of rows."
            )
        return np.zeros(len(self.vectors))

    def apply(self, X: Any, theta: Any, image_shape: Shape = None) -> FloatArray:
        """Every row moved along its tangents."""
        rows = read_rows(X, who="Tangents")
        ways = self.tangents(rows, image_shape)
        theta = np.atleast_2d(np.asarray(theta, dtype=np.float64))
        if theta.shape[1] != ways.shape[1] or len(theta) not in (1, len(rows)):
            raise ValueError(
                f"The 'theta' argument of Tangents.apply must have shape ({ways.shape[1]},). "
                f"Got shape {theta.shape}."
            )
        return np.asarray(rows + np.matmul(theta[:, None, :], ways)[:, 0], dtype=rows.dtype)

    def tangents(self, X: Any, image_shape: Shape = None) -> FloatArray:
        """The vectors at every row."""
        rows = read_rows(X, who="Tangents")
        given = np.asarray(
            self.vectors(rows) if callable(self.vectors) else self.vectors, dtype=rows.dtype
        )
        wanted = (len(rows), given.shape[-2] if given.ndim > 1 else 1, rows.shape[1])
        if given.shape not in (wanted, wanted[1:]) or given.ndim < 2:
            raise ValueError(
                f"Tangents must have as many entries as X has columns, {rows.shape[1]}, for each "
                f"row or for all. Got shape {given.shape}."
            )
        return np.broadcast_to(given, wanted)


@dataclass(frozen=True, eq=False)
class Several:
    """Several transformations, one after the other; θ is theirs end to end.

    Parameters
    ----------
    members : sequence of transformations
        The first is applied first.
    """

    members: tuple[Any, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "members", tuple(transformation_of(m) for m in self.members))
        if not self.members:
            raise ValueError("The 'members' argument of Several must not be empty.")

    def identity(self) -> FloatArray:
        """All at rest."""
        return np.concatenate([member.identity() for member in self.members])

    def seen(self, X: Any, image_shape: Shape = None) -> FloatArray:
        """The rows as the member compares them that smooths the most.

        Parameters
        ----------
        X : array of shape (n, n_features)
            The items.
        image_shape : tuple of int, optional
            What a row holds.

        Returns
        -------
        ndarray of shape (n, n_features)
            The items, smoothed.
        """
        smoothing = [getattr(member, "smoothing", 0.0) for member in self.members]
        return seen_by(self.members[int(np.argmax(smoothing))], X, image_shape)

    def apply(self, X: Any, theta: Any, image_shape: Shape = None) -> FloatArray:
        """Every row by each in turn."""
        rows = read_rows(X, who="Several")
        given = parameters_of_rows(self, theta, len(rows), who="Several")
        ends = np.cumsum([len(member.identity()) for member in self.members])[:-1]
        for member, share in zip(self.members, np.split(given, ends, axis=1), strict=True):
            rows = member.apply(rows, share if len(share) > 1 else share[0], image_shape)
        return rows

    def tangents(self, X: Any, image_shape: Shape = None) -> FloatArray:
        """Those of all."""
        return np.concatenate([m.tangents(X, image_shape) for m in self.members], axis=1)


def transformation_of(given: Any) -> Transformation:
    """A transformation as it is, a list of them as :class:`Several`, a function as a step."""
    if isinstance(given, (list, tuple)):
        return transformation_of(given[0]) if len(given) == 1 else Several(tuple(given))
    if isinstance(given, Transformation):
        return given
    if callable(given):
        return Step(given)
    raise ValueError(
        f"A transformation is a member of sidelight.transforms, a function of an item, or a list "
        f"of them. Got {given!r}."
    )


def seen_by(transformation: Any, X: Any, image_shape: Shape = None) -> FloatArray:
    """The rows as distances compare them: smoothed by those transformations that ask for it."""
    rows = read_rows(X, who=type(transformation).__name__)
    seen = getattr(transformation, "seen", None)
    return rows if seen is None else np.asarray(seen(rows, image_shape))


def _each(
    function: Callable[[int, FloatArray], Any], rows: FloatArray, image_shape: Shape, who: str
) -> FloatArray:
    """A function of one item, of every row; another size is refused."""
    shape = (rows.shape[1],) if image_shape is None else tuple(image_shape)
    found = np.empty_like(rows)
    for i, row in enumerate(rows):
        item = np.asarray(function(i, row.reshape(shape)))
        if item.size != row.size:
            raise ValueError(
                f"The function of {who} must give an item of the size that it takes, {shape}. "
                f"Got one of shape {item.shape}."
            )
        found[i] = item.reshape(-1)
    return found
