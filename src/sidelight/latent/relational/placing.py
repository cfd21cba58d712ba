"""New rows by their similarity to the data, and the way back in the data's own metric."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidelight.core import FloatArray
from sidelight.estimator import SmoothBack
from sidelight.latent.neighbors import NeighborChoices, place_by_choices

#: A dimension that the data scale by less than this share of their largest is not theirs.
_NOTHING = 1e-6


@dataclass(frozen=True)
class BySimilarity:
    """New points where they pick those in the map that they pick in the data.

    In dimensions that the data do not see, they are at the mean of those that they pick.

    Parameters
    ----------
    choices : NeighborChoices
        How distances become choices.
    places : ndarray of shape (n, d)
        Those of the training points.
    scales : ndarray of shape (d,)
        R of the data.
    """

    choices: NeighborChoices
    places: FloatArray
    scales: FloatArray

    def __call__(self, D: FloatArray) -> FloatArray:
        """Place points by their distances to all."""
        scales, Z = self.scales, self.places
        choices = self.choices.of_new(D)
        seen = scales * Z.std(axis=0) > _NOTHING * np.max(scales * Z.std(axis=0))
        places = choices.preferences @ Z
        places[:, seen] = place_by_choices(choices, Z[:, seen] * scales[seen]) / scales[seen]
        return np.asarray(places)


@dataclass(frozen=True)
class ScaledBack:
    """A way back in scaled coordinates.

    Parameters
    ----------
    scales : ndarray of shape (d,)
        The scales.
    back : SmoothBack
        From scaled places to data.
    """

    scales: FloatArray
    back: SmoothBack

    def __call__(self, Z: FloatArray) -> FloatArray:
        """What would lie at places of the map."""
        return self.back(Z * self.scales)
