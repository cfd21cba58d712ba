"""A known factor of the data: its values as classes or as coordinates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sidelight.core import FloatArray, IntArray, farthest_first, first_farthest
from sidelight.latent.density.kernels import squared_distances
from sidelight.side import Condition
from sidelight.similarity import gaussian_similarity

#: Numbers without a period are classes where every value is shared by this many rows on average,
#: and combinations of several classes have to be.
ROWS_PER_CLASS = 5
#: Numbers with one are repeated where every value is shared by this many rows on average.
_REPEATED = 3
#: Anchors that stand for the values of a factor whose values do not repeat.
_ANCHORS = 12


@dataclass(frozen=True)
class KnownFactor:
    """The values of a condition, in a form to compute with.

    Parameters
    ----------
    kind : {"classes", "repeated", "different"}
        Classes; angles that come again; numbers that hardly do.
    coordinates : ndarray of shape (n, c)
        One-hot codes of classes, or numbers in units of their spread (on a circle where they are
        periodic).
    names : tuple
        The classes, in the order of the codes; empty for numbers.
    period : float or None
        Of the numbers.
    centre, unit : tuple of float
        Numbers become coordinates by subtraction and division.
    reach : float
        Gaussian similarity of two values is exp(−‖difference of coordinates‖² / reach).
    """

    kind: str
    coordinates: FloatArray
    names: tuple[Any, ...]
    period: float | None
    centre: tuple[float, ...]
    unit: tuple[float, ...]
    reach: float

    @classmethod
    def of(cls, condition: Condition, *, who: str) -> KnownFactor:
        """Read a condition."""
        values = np.asarray(condition.values)
        distinct = np.unique(values, axis=0)
        if len(distinct) < 2:
            raise ValueError(
                f"The Condition given to {who} has the same value, {distinct.tolist()[0]!r}, in "
                f"all {len(values)} rows: there is nothing to leave out. Fit without it."
            )
        named = values.dtype.kind != "f"
        if named and len(distinct) == len(values):
            raise ValueError(
                f"The Condition given to {who} has a class of its own for each of {len(values)} "
                f"rows: nothing of the rows would be left. Give classes that come again, or "
                f"numbers as numbers."
            )
        several = len(values) >= ROWS_PER_CLASS * len(distinct) or len(distinct) == 2
        if named or (several and values.ndim == 1 and condition.period is None):
            codes = np.searchsorted(distinct, values)
            one_hot = np.eye(len(distinct))[codes]
            return cls("classes", one_hot, tuple(distinct.tolist()), None, (), (), 1e-3)
        numbers = values.reshape(len(values), -1)
        if condition.period is None:
            centre, unit = numbers.mean(axis=0), numbers.std(axis=0)
            unit = np.where(unit > 0, unit, 1.0)
        else:
            centre, unit = np.zeros(1), np.ones(1)
        comes_again = condition.period is not None and len(distinct) <= len(values) / _REPEATED
        kind = "repeated" if comes_again else "different"
        coordinates = _coordinates(numbers, condition.period, centre, unit)
        spacing = _anchors(coordinates, min(_ANCHORS, len(distinct)))[1]
        return cls(
            kind,
            coordinates,
            (),
            condition.period,
            tuple(centre.tolist()),
            tuple(unit.tolist()),
            spacing**2,
        )

    def of_rows(self, rows: IntArray) -> KnownFactor:
        """The values of some of the rows, or of all in another order."""
        return replace(self, coordinates=self.coordinates[rows])

    def coordinates_of(self, values: Any, n: int, *, who: str) -> FloatArray:
        """Read further values of the factor."""
        given = np.asarray(_stated(values))
        one = given.ndim == 0 or (
            self.kind != "classes" and given.shape == np.shape(self.centre) and n != len(given)
        )
        given = np.repeat(given[None], n, axis=0) if one else given
        if len(given) != n:
            raise ValueError(
                f"The 'condition' argument of {who} must be one value, or one per row, {n}. Got "
                f"{len(given)}."
            )
        if self.kind == "classes":
            unknown = sorted({str(v) for v in given.tolist()} - {str(v) for v in self.names})
            if unknown:
                raise ValueError(
                    f"The 'condition' argument of {who} must hold classes of the fit, "
                    f"{list(self.names)}. Got {unknown[0]!r}."
                )
            place = {str(name): i for i, name in enumerate(self.names)}
            return np.eye(len(self.names))[[place[str(v)] for v in given.tolist()]]
        try:
            numbers = given.astype(np.float64).reshape(n, len(self.centre))
        except ValueError:
            numbers = np.full((n, 1), np.nan)
        if not np.isfinite(numbers).all():
            raise ValueError(
                f"The 'condition' argument of {who} must hold {len(self.centre)} finite numbers "
                f"for every row, as in the fit. Got values of shape {given.shape}."
            )
        return _coordinates(numbers, self.period, np.array(self.centre), np.array(self.unit))

    def similarity(self, coordinates: FloatArray) -> FloatArray:
        """Compare values with those of the training items."""
        return _relative_similarity(self.gaps(coordinates))

    def gaps(self, coordinates: FloatArray) -> FloatArray:
        """‖difference of coordinates‖² / reach, to the training items."""
        return np.asarray(squared_distances(coordinates, self.coordinates) / self.reach)

    @property
    def positions(self) -> FloatArray | None:
        """One number per item, where the factor is one number."""
        if self.period is not None:
            return np.asarray(np.arctan2(self.coordinates[:, 1], self.coordinates[:, 0]))
        return self.coordinates[:, 0] if self.coordinates.shape[1] == 1 else None

    def differences(self) -> FloatArray:
        """Subtract the values of all items from each other."""
        if self.period is None:
            return np.asarray(self.coordinates[None] - self.coordinates[:, None])
        angles = self.positions
        assert angles is not None
        apart = angles[None] - angles[:, None]
        return np.asarray(apart - 2 * np.pi * np.rint(apart / (2 * np.pi)))[:, :, None]

    def memberships(self) -> FloatArray:
        """Say to which of a few values every item belongs."""
        if self.kind == "classes":
            return self.coordinates
        if self.kind == "repeated":
            _, codes = np.unique(self.coordinates.round(9), axis=0, return_inverse=True)
            return np.eye(int(codes.max()) + 1)[codes.ravel()]
        anchors, spacing = _anchors(self.coordinates, _ANCHORS)
        squared = squared_distances(self.coordinates, self.coordinates[anchors])
        M = gaussian_similarity(squared, spacing**2)
        return np.asarray(M / M.sum(axis=1, keepdims=True))


@dataclass(frozen=True)
class KnownFactors:
    """Several known factors: rows are as alike as the product over them says.

    Parameters
    ----------
    parts : tuple of KnownFactor
        One of each.
    """

    parts: tuple[KnownFactor, ...]

    @property
    def coordinates(self) -> FloatArray:
        """Those of all factors, side by side."""
        return np.hstack([part.coordinates for part in self.parts])

    def coordinates_of(self, values: Any, n: int, *, who: str) -> FloatArray:
        """Read further values, a list with those of one factor after another."""
        if not isinstance(values, (list, tuple)) or len(values) != len(self.parts):
            got = len(values) if isinstance(values, (list, tuple)) else type(values).__name__
            raise ValueError(
                f"The 'condition' argument of {who} must be a list with the values of each of "
                f"{len(self.parts)} factors, in the order of the fit. Got {got}."
            )
        read = zip(self.parts, values, strict=True)
        return np.hstack([part.coordinates_of(given, n, who=who) for part, given in read])

    def similarity(self, coordinates: FloatArray) -> FloatArray:
        """Compare values with those of the training items."""
        ends = np.cumsum([part.coordinates.shape[1] for part in self.parts])[:-1]
        pieces = zip(self.parts, np.split(coordinates, ends, axis=1), strict=True)
        return _relative_similarity(np.sum([part.gaps(own) for part, own in pieces], axis=0))


def together(factors: Iterable[KnownFactor]) -> KnownFactor | KnownFactors:
    """One factor as it is, several as one."""
    parts = tuple(factors)
    return parts[0] if len(parts) == 1 else KnownFactors(parts)


def _relative_similarity(gaps: FloatArray) -> FloatArray:
    # relative to the nearest value, so that one that was never seen is compared as well
    return gaussian_similarity(np.minimum(gaps - gaps.min(axis=1, keepdims=True), 700.0))


def _stated(values: Any) -> Any:
    """The values of a Condition, also where it is the only one of a list."""
    if isinstance(values, (list, tuple)) and len(values) == 1:
        values = values[0] if isinstance(values[0], Condition) else values
    return values.values if isinstance(values, Condition) else values


def _coordinates(
    numbers: FloatArray, period: float | None, centre: FloatArray, unit: FloatArray
) -> FloatArray:
    if period is None:
        return np.asarray((numbers - centre) / unit)
    angle = 2 * np.pi * numbers[:, 0] / period
    return np.column_stack([np.cos(angle), np.sin(angle)])


def _anchors(coordinates: FloatArray, n_anchors: int) -> tuple[IntArray, float]:
    """Values far from each other, and how far the next one is on average."""
    start = first_farthest(((coordinates - coordinates.mean(axis=0)) ** 2).sum(axis=1))
    chosen = farthest_first(
        lambda i: ((coordinates - coordinates[i]) ** 2).sum(axis=1), start, n_anchors
    )
    between = squared_distances(coordinates[chosen], coordinates[chosen])
    np.fill_diagonal(between, np.inf)
    return chosen, float(np.sqrt(between.min(axis=1)).mean())
