"""New rows by their similarity to the data, and the way back in the data's own metric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sidelight.core import FloatArray
from sidelight.estimator import SmoothBack
from sidelight.latent.neighbors import Choices, NeighborChoices, place_by_choices

#: A direction that the data scale by less than this share of their largest is not theirs.
_NOTHING = 1e-6


def seen_through(R: FloatArray, Z: FloatArray) -> FloatArray:
    """Points as a relation sees them, R z: of a diagonal R only the diagonal is given."""
    return np.asarray(Z * R if R.ndim == 1 else Z @ R.T)


class Sight(NamedTuple):
    """What the data see of a map: z ↦ w = z·forward keeps their distances, w·back is what they see.

    z·rest is what they do not see.
    """

    forward: FloatArray
    back: FloatArray
    rest: FloatArray

    @classmethod
    def of(cls, R: FloatArray, Z: FloatArray) -> Sight:
        """From R of the data: its singular directions, in units of the map's own spread."""
        spread = Z.std(axis=0)
        if R.ndim == 1:
            sizes, directions = R * spread, np.eye(len(R))
        else:
            _, sizes, directions = np.linalg.svd(R * spread)
        seen = sizes > _NOTHING * sizes.max()
        unit = np.maximum(spread, 1e-300)
        theirs, others = directions[seen], directions[~seen]
        forward = (theirs * sizes[seen, None] / unit).T
        back = theirs * unit / sizes[seen, None]
        return cls(forward, back, (others.T @ others) * unit / unit[:, None])


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
    scales : ndarray of shape (d,) or (d, d)
        R of the data, or its diagonal where it is diagonal.
    """

    choices: NeighborChoices
    places: FloatArray
    scales: FloatArray

    def __call__(self, D: FloatArray) -> FloatArray:
        """Place points by their distances to all."""
        choices, sight = self.choices.of_new(D), Sight.of(self.scales, self.places)
        return self.beside(choices, place_by_choices(choices, self.places @ sight.forward), sight)

    def beside(self, choices: Choices, seen: FloatArray, sight: Sight) -> FloatArray:
        """What the data see of places, and beside it what those that are picked have."""
        return np.asarray(seen @ sight.back + choices.preferences @ self.places @ sight.rest)


@dataclass(frozen=True)
class ByMixture:
    """New points at E[z | y]: the mean of the places, by the similarity of the items (eq. 3.23).

    Parameters
    ----------
    choices : NeighborChoices
        How distances become similarities.
    places : ndarray of shape (n, d)
        Those of the training points.
    """

    choices: NeighborChoices
    places: FloatArray

    def __call__(self, D: FloatArray) -> FloatArray:
        """Place points by their distances to all."""
        return np.asarray(self.choices.of_new(D).preferences @ self.places)


@dataclass(frozen=True)
class ByStrain:
    """New points whose inner products with all are nearest to those in the data.

    With k_i = −½(d_i² − m_i) of the squared distances d² to all and their means m over the data,
    and Y what the data see of the map, y = (YᵀY)⁻¹Yᵀk.

    Parameters
    ----------
    similarity : BySimilarity
        The places, and what is beside what the data see.
    mean_squares : ndarray of shape (n,)
        m: the mean squared distance of each training point to all.
    unit : float
        The unit of inner products.
    """

    similarity: BySimilarity
    mean_squares: FloatArray
    unit: float

    def __call__(self, D: FloatArray) -> FloatArray:
        """Place points by their distances to all."""
        places = self.similarity.places
        sight = Sight.of(self.similarity.scales, places)
        Y = places @ sight.forward
        middle = Y.mean(axis=0)
        Y = Y - middle  # whose columns sum to zero: what all k_i share does not matter
        products = -0.5 * (D**2 - self.mean_squares) / self.unit
        seen = np.linalg.solve(Y.T @ Y, Y.T @ products.T).T + middle
        return self.similarity.beside(self.similarity.choices.of_new(D), seen, sight)


@dataclass(frozen=True)
class ScaledBack:
    """A way back in scaled coordinates.

    Parameters
    ----------
    scales : ndarray of shape (d,) or (d, d)
        R of the data, or its diagonal where it is diagonal.
    back : SmoothBack
        From scaled places to data.
    """

    scales: FloatArray
    back: SmoothBack

    def __call__(self, Z: FloatArray) -> FloatArray:
        """What would lie at places of the map."""
        return self.back(seen_through(self.scales, Z))
