"""Invariance: transforming an item this way does not change what it is."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from sklearn.utils.validation import check_is_fitted

from sidelight.core import OneOf, Whole, counted
from sidelight.side.rows import SideInformation
from sidelight.transforms import (
    INFERRED,
    KINDS,
    Bilinear,
    InvariantDistance,
    LearnedDistance,
    Measure,
    transformation_of,
)

#: So many channels are colours.
_COLOURS = (1, 3, 4)
_DISTANCES, _LEARNED = OneOf(("auto", *KINDS)), OneOf(("auto", *INFERRED))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Invariance(SideInformation):
    """A transformation under which an item stays what it is (thesis chapter 2).

    Parameters
    ----------
    transformation : transformation or list of them, or fitted model
        A member of :mod:`sidelight.transforms`, or a function of an item that returns the
        transformed item.  Or a model that has learned from pairs of items what can become of one,
        as :class:`sidelight.gated.GatedBoltzmannMachine`: its ``distances``, the mean of both ways,
        are then those between rows (latent-factor thesis, section 5.4.2).
    image_shape : tuple of int, optional
        (height, width) or (height, width, channels) of the image that a row of X holds, row by
        row; ``embed`` knows it where images come as an array of that shape.
    distance : {"auto", "tangent", "correction", "reconstruction", "mean", "likeliest"}
        The distance that forgives it.  ``"tangent"`` is the distance between tangent planes,
        ``"correction"`` sin² of the smallest angle between them, ``"reconstruction"`` the error of
        the best step from one item to the other, along the best path of steps.  ``"auto"`` is
        ``"tangent"``, but ``"reconstruction"`` for a transformation that is linear in its
        parameters and could turn every item into nothing, as a filter or a gain.  With a fitted
        model ``"mean"`` (``"auto"``) or ``"likeliest"``: how it infers what was done to an item.

    Examples
    --------
    >>> from sidelight.transforms import Shift
    >>> Invariance([Shift(), abs], image_shape=(28, 28))
    Invariance([Shift, abs], image_shape=(28, 28))
    """

    transformation: Any
    image_shape: tuple[int, ...] | None = None
    distance: str = "auto"

    def __post_init__(self) -> None:
        several = isinstance(self.transformation, (list, tuple))
        given = tuple(self.transformation) if several else (self.transformation,)
        for transformation in given:
            known = callable(transformation) or hasattr(transformation, "tangents")
            if not (known or _is_learned(transformation)):
                raise ValueError(
                    f"The 'transformation' argument of Invariance must be a transformation or a "
                    f"callable, or a list of them. Got {transformation!r} instead."
                )
        if not given:
            raise ValueError("The 'transformation' argument of Invariance must not be empty.")
        object.__setattr__(self, "transformation", given if several else given[0])
        learned = any(map(_is_learned, given))
        if learned:
            self._check_learned(several)
        admitted = _LEARNED if learned else _DISTANCES
        if not admitted.admits(self.distance):
            of = " with a learned model" if learned else ""
            raise ValueError(
                f"The 'distance' argument of Invariance must be {admitted}{of}. "
                f"Got {self.distance!r} instead."
            )
        shape = self.image_shape
        if shape is not None:
            sizes = tuple(shape) if isinstance(shape, (list, tuple)) else ()
            if len(sizes) not in (2, 3) or not all(Whole(1).admits(size) for size in sizes):
                raise ValueError(
                    f"The 'image_shape' argument of Invariance must be (height, width) or "
                    f"(height, width, channels). Got {shape!r} instead."
                )
            object.__setattr__(self, "image_shape", tuple(int(size) for size in sizes))

    def measure(self) -> Measure:
        """Name the distance that forgives it.

        Returns
        -------
        InvariantDistance or LearnedDistance
            Between rows of X.
        """
        if _is_learned(self.transformation):
            model = copy(self.transformation)  # it may be fitted again
            return LearnedDistance(model, self.distance)
        change, kind = transformation_of(self.transformation), self.distance
        if kind == "auto":
            members = getattr(change, "members", (change,))
            bilinear = any(isinstance(member, Bilinear) for member in members)
            kind = "reconstruction" if bilinear else "tangent"
        return InvariantDistance(change, self.image_shape, kind)

    def within(self, rows: Any) -> Invariance:
        """Keep what is said about some rows: all of it, for it holds for any.

        Parameters
        ----------
        rows : array-like
            Any.

        Returns
        -------
        Invariance
            Itself.
        """
        return self

    def _of_images(self, shape: tuple[int, ...]) -> Invariance:
        """With the shape that images came in, where none was said."""
        if self.image_shape is not None or _is_learned(self.transformation):
            return self
        if len(shape) == 3 and shape[0] in _COLOURS and shape[-1] not in _COLOURS:
            raise ValueError(
                f"Invariance expects images of (height, width, channels). Got {shape}, with the "
                f"channels in front. Put them behind: np.moveaxis(X, 1, -1)."
            )
        return replace(self, image_shape=shape)

    @property
    def shape(self) -> tuple[int]:
        """Not there: it is not cut together with X.

        Returns
        -------
        tuple of int
            Never.
        """
        raise AttributeError("An Invariance speaks of any rows, so that it has no shape.")

    def check(self, n_samples: int, *, who: str, n_features: int | None = None) -> None:
        """Compare the shape of the images with X.

        Parameters
        ----------
        n_samples : int
            Rows of X: an invariance holds for any number of them.
        who : str
            The estimator, named in an error.
        n_features : int, optional
            Columns of X.

        Raises
        ------
        ValueError
            If the images, or the pairs that a model has learned from, have another number of
            columns than X.
        """
        if _is_learned(self.transformation):
            self._check_columns(n_features, who)
        shape = self.image_shape
        if shape is not None and n_features is not None and prod(shape) != n_features:
            raise ValueError(
                f"The 'image_shape' of the Invariance given to {who} must have as many pixels as "
                f"X has columns, {n_features}. Got {shape}, which is {prod(shape)}."
            )

    def _check_learned(self, several: bool) -> None:
        if several:
            raise ValueError(
                "The 'transformation' argument of Invariance must be one learned model, for its "
                "distances forgive all that it has learned. Got a list with one in it."
            )
        if self.image_shape is not None:
            raise ValueError(
                "The 'image_shape' argument of Invariance has no effect with a learned model, "
                "which has distances of its own. Leave it out."
            )

    def _check_columns(self, n_features: int | None, who: str) -> None:
        model = self.transformation
        check_is_fitted(model)
        sizes = (model.n_features_in_, getattr(model, "n_outputs_", None))
        if sizes[0] != sizes[1]:
            raise ValueError(
                f"The {type(model).__name__} of the Invariance given to {who} must have learned "
                "from pairs (x, y) of items of one kind. Got x with "
                f"{counted(sizes[0], 'column')} and y with {sizes[1]}."
            )
        if n_features is not None and n_features != sizes[0]:
            raise ValueError(
                f"The {type(model).__name__} of the Invariance given to {who} has learned from "
                f"items of {counted(sizes[0], 'column')}. X has {n_features}."
            )

    def __repr__(self) -> str:
        given = self.transformation
        several = given if isinstance(given, tuple) else (given,)
        names = [getattr(one, "__name__", type(one).__name__) for one in several]
        words = f"[{', '.join(names)}]" if isinstance(given, tuple) else names[0]
        how = "" if self.distance == "auto" else f", distance={self.distance!r}"
        shape = "" if _is_learned(given) else f", image_shape={self.image_shape}"
        return f"Invariance({words}{shape}{how})"


def _is_learned(transformation: Any) -> bool:
    """Whether it is a model with distances of its own."""
    return hasattr(transformation, "distances") and hasattr(transformation, "get_params")


def of_images(side: Any, shape: tuple[int, ...] | None) -> Any:
    """What is known, with the shape that images came in where it asks for one."""
    if shape is None:
        return side
    if isinstance(side, (list, tuple)):
        return [of_images(value, shape) for value in side]
    return side._of_images(shape) if isinstance(side, Invariance) else side
