"""The factors that a map is made beside: which of them show, and how alike values are."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sidelight.core import FloatArray
from sidelight.latent.density import KnownFactor, KnownFactors, shows_or_said, together
from sidelight.latent.information.conditional.information import kernel_of_values
from sidelight.latent.information.conditional.map import with_reach
from sidelight.side import Condition


@dataclass(frozen=True)
class Factors:
    """Known factors, one of each condition.

    Parameters
    ----------
    conditions : tuple of Condition
        As they were given.
    known : tuple of KnownFactor
        In a form to compute with.
    shown : tuple of bool
        Whether each shows in the data; a warning said where it does not.
    """

    conditions: tuple[Condition, ...]
    known: tuple[KnownFactor, ...]
    shown: tuple[bool, ...]

    @classmethod
    def of(cls, conditions: tuple[Condition, ...], Y: FloatArray, *, who: str) -> Factors:
        """Read conditions."""
        known = tuple(KnownFactor.of(condition, who=who) for condition in conditions)
        shown = tuple(shows_or_said(Y, factor, len(known), who=who) for factor in known)
        return cls(conditions, known, shown)

    @property
    def that_show(self) -> tuple[KnownFactor, ...]:
        """Those that show in the data."""
        return tuple(known for known, shows in zip(self.known, self.shown, strict=True) if shows)

    def said(self, what: str) -> tuple[str, ...]:
        """What becomes of each: what is made of those that show, in words, or nothing."""
        nothing = "not used: its values agree no better among near rows than shuffled ones do"
        return tuple(what if shows else nothing for shows in self.shown)

    def as_one(self) -> KnownFactor | KnownFactors:
        """All of them, as they were given."""
        return together(self.known)

    def beside(self, Y: FloatArray, Z: FloatArray) -> KnownFactor | KnownFactors:
        """All of them, by what they tell of items beside the map; what does not show is alike."""
        return together(
            with_reach(factor, Y, Z) if shows else replace(factor, reach=np.inf)
            for factor, shows in zip(self.known, self.shown, strict=True)
        )

    def kernel(self) -> FloatArray:
        """V of those that show: the product of those of each."""
        tables = [
            kernel_of_values(condition, factor)
            for condition, factor, shows in zip(
                self.conditions, self.known, self.shown, strict=True
            )
            if shows
        ]
        return np.asarray(np.prod(tables, axis=0)) if len(tables) > 1 else tables[0]
