"""How known factors are read, and what they are found to do to rows.

A curve through numbers says little of batches that are numbered.  Where every number comes again,
and neighbours agree in numbers that no curve shows, or do so still once the curve is taken out,
numbers are read one by one, as classes are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sidelight.core import FloatArray, IntArray
from sidelight.metric.factor.basis import Basis
from sidelight.metric.factor.removal import FittedRows, Removal, choose_ridge, learn_removal
from sidelight.metric.factor.settings import RemovalSettings
from sidelight.side import Condition


@dataclass(frozen=True)
class Said:
    """What a condition says of the fitted rows.

    Parameters
    ----------
    condition : Condition
        As it was given.
    basis : Basis
        How it is read.
    phi : ndarray of shape (n, f)
        What it says.
    seen : float
        By how many standard deviations neighbours agree in it more than shuffled ones.
    """

    condition: Condition
    basis: Basis
    phi: FloatArray
    seen: float

    @classmethod
    def of(
        cls, condition: Condition, some: FittedRows, settings: RemovalSettings, *, who: str
    ) -> Said:
        """Read a condition; numbers smoothly, unless single ones alone show among neighbours."""
        smooth = cls._read(condition, Basis.of(condition), some, settings, who)
        if smooth.seen > settings.gate:
            return smooth
        single = smooth.one_by_one(some, settings, who=who)
        return single if single is not None and single.seen > settings.gate else smooth

    def one_by_one(self, some: FittedRows, settings: RemovalSettings, *, who: str) -> Said | None:
        """The same with its numbers read one by one; None where that is no other reading."""
        levels = self.basis.by_levels(self.condition)
        return None if levels is None else self._read(self.condition, levels, some, settings, who)

    @property
    def groups(self) -> list[IntArray]:
        """Its values put together, so that they can be compared."""
        return self.basis.groups(self.condition)

    @classmethod
    def _read(
        cls,
        condition: Condition,
        basis: Basis,
        some: FittedRows,
        settings: RemovalSettings,
        who: str,
    ) -> Said:
        phi = basis.columns(condition, who=who)
        return cls(condition, basis, phi, some.see(phi, settings))


@dataclass(frozen=True)
class Effect:
    """What factors are found to do to rows.

    Parameters
    ----------
    said : tuple of Said
        What was known, as it was read.
    removal : Removal
        What they do.
    ridge : float
        The λ used.
    """

    said: tuple[Said, ...]
    removal: Removal
    ridge: float

    @property
    def phi(self) -> FloatArray:
        """All that is said, side by side."""
        return np.hstack([one.phi for one in self.said])

    def left(self, X: FloatArray, some: FittedRows, one: Said, settings: RemovalSettings) -> float:
        """By how many standard deviations neighbours agree in a factor that was taken out."""
        rows = some.rows
        clean = self.removal.without(X[rows], self.phi[rows])
        return FittedRows.placed(rows, clean, self.removal).see(one.phi, settings)


def find_effect(
    X: FloatArray,
    some: FittedRows,
    said: Sequence[Said],
    taken: Sequence[bool],
    ridge: float | str,
    settings: RemovalSettings,
    *,
    who: str,
) -> Effect:
    """Learn what the factors do that are taken out; numbers are read one by one where that helps.

    It helps where it undoes at least so much of what the curve through them leaves to be seen as a
    shift has to undo.
    """
    found = _learned(X, some, said, taken, ridge, settings)
    single = [
        one.one_by_one(some, settings, who=who) if goes else None
        for one, goes in zip(said, taken, strict=True)
    ]
    left = [0.0 if one is None else found.left(X, some, one, settings) for one in single]
    better = [
        other if other is not None and much > settings.gate else one
        for one, other, much in zip(said, single, left, strict=True)
    ]
    if all(one is other for one, other in zip(said, better, strict=True)):
        return found
    again = _learned(X, some, better, taken, ridge, settings)
    undone = all(
        again.left(X, some, other, settings) <= (1 - settings.undone) * much
        for one, other, much in zip(said, better, left, strict=True)
        if one is not other
    )
    return again if undone else found


def _learned(
    X: FloatArray,
    some: FittedRows,
    said: Sequence[Said],
    taken: Sequence[bool],
    ridge: float | str,
    settings: RemovalSettings,
) -> Effect:
    phi = np.hstack([one.phi for one in said])
    columns = np.repeat(taken, [one.phi.shape[1] for one in said])
    if isinstance(ridge, str):
        shows = max(one.seen for one in said) > settings.gate
        groups = [g for one, goes in zip(said, taken, strict=True) if goes for g in one.groups]
        asked = (some, phi[:, columns], groups, settings)
        ridge = choose_ridge(*asked) if shows else settings.ridges[0]
    bases = tuple(one.basis for one in said)
    removal = learn_removal(X, phi, columns, bases, ridge, settings)
    return Effect(tuple(said), removal, ridge)
