"""Whom the items of a data set pick, among themselves and as new items."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import FloatArray
from sidelight.similarity import (
    choice_probabilities,
    perplexity_bandwidths,
    wide_bandwidth,
)

#: A new item that never picks itself picks every training item at least so often in all: its
#: picks then lie inside the hull of the points, where it has a place.
_ANY = 1e-3
#: exp(−36) is what rounding leaves of one.
_NOBODY = 36.0


@dataclass(frozen=True)
class Choices:
    """Whom new items pick.

    Parameters
    ----------
    others : ndarray of shape (m, n)
        The probability of each training item.
    preferences : ndarray of shape (m, n)
        The same among the training items alone: rows sum to one, also where an item is so far
        from all of them that it picks nobody but itself.
    itself : bool
        Whether a new item may pick itself, with the probability that is left.
    """

    others: FloatArray
    preferences: FloatArray
    itself: bool


@dataclass(frozen=True)
class NeighborChoices:
    """The rule by which distances become choices.

    Parameters
    ----------
    bandwidth : float or ndarray of shape (n,)
        σ², of all items or of each.
    perplexity : float or None
        Effective neighbours, where each item has its own bandwidth.
    """

    bandwidth: Any
    perplexity: float | None

    @classmethod
    def of(cls, D: FloatArray, bandwidth: Any, perplexity: Any, *, who: str) -> NeighborChoices:
        """Resolve the parameters of an estimator."""
        if perplexity is None:
            return cls(wide_bandwidth(D) if bandwidth == "auto" else float(bandwidth), None)
        if bandwidth != "auto":
            raise ValueError(
                f"{who} takes 'bandwidth' or 'perplexity', not both. Got bandwidth={bandwidth!r} "
                f"and perplexity={perplexity!r}. Leave one out."
            )
        if perplexity >= len(D) - 1:
            raise ValueError(
                f"The 'perplexity' parameter of {who} must be below the number of other items, "
                f"{len(D) - 1}. Got {perplexity!r} instead."
            )
        bandwidths = perplexity_bandwidths(_without_itself(D), perplexity)
        crowded = (D == 0).sum(axis=1) - 1 > perplexity
        if crowded.any():
            # any small enough has them pick nobody else: the largest leaves the map a unit
            others = np.where(D[crowded] == 0, np.inf, D[crowded])
            bandwidths[crowded] = others.min(axis=1) ** 2 / _NOBODY
            warnings.warn(
                f"{int(crowded.sum())} rows given to {who} have more copies than "
                f"perplexity={perplexity:g}, and pick nobody but them: how far they are "
                f"from other rows is lost. Raise perplexity, or leave copies out.",
                UserWarning,
                stacklevel=4,
            )
        return cls(bandwidths, float(perplexity))

    @property
    def unit(self) -> float:
        """The bandwidth that stands for all: the square of the map's unit of length."""
        return float(np.median(self.bandwidth))

    def among(self, D: FloatArray) -> FloatArray:
        """Compute whom the items pick among themselves."""
        if self.perplexity is None:
            return choice_probabilities(D, self.bandwidth)
        return choice_probabilities(_without_itself(D), self.bandwidth)

    def of_new(self, D: FloatArray) -> Choices:
        """Compute whom new items pick among the training items."""
        if self.perplexity is None:
            with_itself = np.column_stack([D, np.zeros(len(D))])
            others = choice_probabilities(with_itself, self.bandwidth)[:, :-1]
            return Choices(others, choice_probabilities(D, self.bandwidth), True)
        P = choice_probabilities(D, perplexity_bandwidths(D, self.perplexity))
        P = (1 - _ANY) * P + _ANY / P.shape[1]
        return Choices(P, P, False)


def _without_itself(D: FloatArray) -> FloatArray:
    D = D.copy()
    np.fill_diagonal(D, np.inf)
    return D
