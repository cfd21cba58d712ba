"""The place of a new row among points that stay: its neighbours pull, the field of all pushes.

With p_j the choices of the row among its neighbours, e the exaggeration, and Z of the map, its
share of the objective is

    c(y) = e Σ_j p_j ν log(1 + ‖y − y_j‖²/ν) + (n/Z) φ(y).

From the best of its nearest neighbours' places and their mean, y goes where pulls and push meet:
with a_j = p_j / (1 + ‖y − y_j‖²/ν), y ← (e Σ a_j y_j − ½ (n/Z) ∇φ(y)) / (e Σ a_j), half as far each
time that does not lower c.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from sidelight.core import FloatArray, Threads, count_threads
from sidelight.estimator import keep_matches
from sidelight.latent.neighbor_embedding.affinities import choices
from sidelight.latent.neighbor_embedding.divergence import cuts
from sidelight.latent.neighbor_embedding.repulsion import Field, field_by
from sidelight.neighbors import Neighbors

#: Neighbours whose places are tried, and steps.
_TRIED, _STEPS = 4, 15


@dataclass(frozen=True)
class ByNeighbors:
    """New points where their neighbours pull them, in the field of the map.

    Parameters
    ----------
    among : Points
        The points of the map.
    places : ndarray of shape (n, d)
        Where they are.
    perplexities : ndarray
        Of the choices of new points,
    reach : Reach
        among these.
    dof : float
        ν.
    exaggeration : float
        e.
    repulsion : str
        How the field is summed up.
    unit : float
        The length of the kernel's unit in the map.
    """

    among: Any
    places: FloatArray
    perplexities: FloatArray
    reach: Any
    dof: float
    exaggeration: float
    repulsion: str
    unit: float = 1.0
    by_neighbors: ClassVar[bool] = True

    @cached_property
    def _points(self) -> FloatArray:
        """The places, in the kernel's unit."""
        return self.places / self.unit

    @cached_property
    def _field(self) -> tuple[Field, float]:
        """The field of the map, and n/Z."""
        with Threads(count_threads(None, who="transform")) as pool:
            field_of = field_by(self.repulsion, self.places.shape[1], len(self.places))
            field: Field = field_of(self._points, self.dof, pool)
            values, _ = field.among(self._points, pool)
        return field, len(self.places) / float(values.sum())

    def __call__(self, new: Any) -> FloatArray:
        """Place new points, each by itself."""
        near = self.reach.of_new(self.among, new)
        with Threads(count_threads(None, who="transform")) as pool:
            P = choices(near, self.perplexities, pool).astype(np.float64)
            placed = self.unit * self._place(near, P, pool)
        return keep_matches(placed, near, self.places)

    def _place(self, near: Neighbors, P: FloatArray, pool: Threads) -> FloatArray:
        field, _ = self._field
        Y: FloatArray = np.einsum("ij,ijk->ik", P, self._points[near.indices])
        cost, wanted = self._look(Y, near, P, pool)
        for nearest in range(min(_TRIED, near.indices.shape[1])):
            other = self._points[near.indices[:, nearest]]
            its_cost, its_wanted = self._look(other, near, P, pool)
            better = its_cost < cost
            Y, cost = np.where(better[:, None], other, Y), np.where(better, its_cost, cost)
            wanted = np.where(better[:, None], its_wanted, wanted)
        share = np.ones(len(Y))
        for _ in range(_STEPS):
            ahead = field.within(Y + share[:, None] * (wanted - Y))
            its_cost, its_wanted = self._look(ahead, near, P, pool)
            better = its_cost < cost
            Y, cost = np.where(better[:, None], ahead, Y), np.where(better, its_cost, cost)
            wanted = np.where(better[:, None], its_wanted, wanted)
            share = np.where(better, np.minimum(1.0, 1.5 * share), 0.5 * share)
        return Y

    def _look(
        self, Y: FloatArray, near: Neighbors, P: FloatArray, pool: Threads
    ) -> tuple[FloatArray, FloatArray]:
        """c at places, and where pulls and push would meet."""
        from sidelight.latent.neighbor_embedding._pairs_compiled import pull_together

        field, per_z = self._field
        values, slopes = field.at(Y, pool)
        m, d = Y.shape
        cost, weight, middle = np.empty(m), np.empty(m), np.empty((m, d))
        told = (near.indices, P, self._points, Y, self.dof)
        pool.run([(pull_together, (*told, s.start, s.stop, cost, weight, middle)) for s in cuts(m)])
        weight = np.maximum(self.exaggeration * weight, 1e-300)
        wanted = middle * self.exaggeration - 0.5 * per_z * slopes
        return self.exaggeration * cost + per_z * values, wanted / weight[:, None]
