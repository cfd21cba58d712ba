"""What a known factor says of a row, as numbers φ(x) that a shift can be linear in.

Classes: one column for each; numbers: Legendre polynomials of the mid-rank; levels, numbers each of
which comes again and that no curve goes through: one column for each, and between two of them parts
of both; angles: cos and sin of θ, 2θ, 3θ.  Columns are centred over the fitted rows, and several
conditions stand side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.polynomial import legendre

from sidelight.core import FloatArray, IntArray
from sidelight.side import Condition

#: Polynomials of numbers with many values; of few values, as many as tell them apart.
DEGREE = 5
FEW_VALUES = 8
#: Numbers may be levels where every value has so many rows on average.
ROWS_PER_LEVEL = 5
#: Harmonics of angles.
HARMONICS = 3


@dataclass(frozen=True)
class Basis:
    """φ of one condition.

    Parameters
    ----------
    kind : str
        ``"classes"``, ``"numbers"``, ``"levels"`` or ``"angles"``.
    values : ndarray
        The classes; of numbers the distinct values in each column, one after another.
    ranks : ndarray
        Of numbers: the mid-rank of each value, in [−1, 1].
    splits : ndarray of int
        Where the values of the next column of numbers begin.
    period : float
        Of angles.
    means : ndarray
        Subtracted from the columns.
    """

    kind: str
    values: Any
    ranks: FloatArray
    splits: Any
    period: float
    means: FloatArray

    @classmethod
    def of(cls, condition: Condition) -> Basis:
        """Read a condition."""
        values = condition.values
        nothing = np.empty(0)
        if values.dtype.kind != "f":
            basis = cls("classes", np.unique(values), nothing, nothing, 0.0, nothing)
        elif condition.period is not None:
            basis = cls("angles", nothing, nothing, nothing, float(condition.period), nothing)
        else:
            columns = [np.unique(v, return_counts=True) for v in values.reshape(len(values), -1).T]
            ranks = [2 * (np.cumsum(c) - c / 2) / c.sum() - 1 for _, c in columns]
            splits = np.cumsum([len(v) for v, _ in columns])[:-1]
            basis = cls(
                "numbers",
                np.concatenate([v for v, _ in columns]),
                np.concatenate(ranks),
                splits,
                0.0,
                nothing,
            )
        return basis._centred(values)

    def by_levels(self, condition: Condition) -> Basis | None:
        """The same with a column for each of many numbers; None where they hardly come again."""
        several = [len(values) for values in np.split(self.values, self.splits)]
        many = [count for count in several if count > FEW_VALUES]
        if self.kind != "numbers" or not many:
            return None
        if max(many) * ROWS_PER_LEVEL > len(condition.values):
            return None
        return replace(self, kind="levels")._centred(condition.values)

    def _centred(self, values: Any) -> Basis:
        return replace(self, means=self._columns(values).mean(axis=0))

    def columns(self, condition: Condition, *, who: str) -> FloatArray:
        """φ of rows, fitted ones or new ones."""
        values = condition.values
        if (values.dtype.kind != "f") != (self.kind == "classes"):
            got = "names" if values.dtype.kind != "f" else "numbers"
            raise ValueError(
                f"The condition given to {who} must hold {self._words}, as it was fitted with. Got "
                f"{got}."
            )
        if self.kind == "classes":
            strange = np.setdiff1d(values, self.values)
            if len(strange):
                raise ValueError(
                    f"The condition given to {who} must name classes that were fitted. Got "
                    f"{strange.tolist()[0]!r}, which was not: what it does to an item is not known."
                )
        if self._words == "numbers" and values.reshape(len(values), -1).shape[1] != (
            len(self.splits) + 1
        ):
            raise ValueError(
                f"The condition given to {who} must hold {len(self.splits) + 1} numbers per row, "
                f"as it was fitted with. Got values of shape {values.shape}."
            )
        return np.asarray(self._columns(values) - self.means)

    def groups(self, condition: Condition) -> list[IntArray]:
        """Values put together, so that each has rows enough to be compared; of every column."""
        if self.kind == "classes":
            return [np.searchsorted(self.values, condition.values)]
        if self.kind == "angles":
            turns = np.mod(condition.values, self.period) / self.period
            return [np.floor(FEW_VALUES * turns).astype(np.int64)]
        columns = condition.values.reshape(len(condition.values), -1).T
        if self.kind == "levels":
            return [np.unique(column, return_inverse=True)[1].ravel() for column in columns]
        parts = [FEW_VALUES * (self._ranks(v, k) + 1) / 2 for k, v in enumerate(columns)]
        return [np.minimum(np.floor(part), FEW_VALUES - 1).astype(np.int64) for part in parts]

    def _columns(self, values: Any) -> FloatArray:
        if self.kind == "classes":
            return np.asarray((values[:, None] == self.values[None, :]).astype(np.float64))
        if self.kind == "angles":
            angles = 2 * np.pi * values / self.period
            turns = np.outer(angles, np.arange(1, HARMONICS + 1))
            return np.hstack([np.cos(turns), np.sin(turns)])
        found = []
        for number, column in enumerate(values.reshape(len(values), -1).T):
            n_values = len(np.split(self.values, self.splits)[number])
            if self.kind == "levels" and n_values > FEW_VALUES:
                found.append(self._hats(column, number))
                continue
            degree = n_values - 1 if n_values <= FEW_VALUES else DEGREE
            found.append(legendre.legvander(self._ranks(column, number), degree)[:, 1:])
        return np.hstack(found)

    def _hats(self, column: FloatArray, number: int) -> FloatArray:
        """One at each of the fitted values, and in parts at the two around any other."""
        values = np.split(self.values, self.splits)[number]
        place = np.interp(column, values, np.arange(len(values)))
        return np.asarray(np.maximum(1 - np.abs(place[:, None] - np.arange(len(values))), 0.0))

    @property
    def _words(self) -> str:
        return "numbers" if self.kind == "levels" else self.kind

    def _ranks(self, column: FloatArray, number: int) -> FloatArray:
        values = np.split(self.values, self.splits)[number]
        return np.asarray(np.interp(column, values, np.split(self.ranks, self.splits)[number]))


def said_by(bases: Sequence[Basis], conditions: Sequence[Condition], *, who: str) -> FloatArray:
    """φ of several conditions side by side."""
    pairs = zip(bases, conditions, strict=True)
    return np.hstack([basis.columns(condition, who=who) for basis, condition in pairs])
