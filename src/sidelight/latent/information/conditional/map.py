"""A map that leaves a known factor out, and what is told of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sidelight.core import FloatArray, IntArray
from sidelight.latent.density import KnownFactor, regression_reach, squared_distances
from sidelight.latent.information.path import Path
from sidelight.latent.information.penalties import Penalty


@dataclass(frozen=True)
class ConditionalMap:
    """A map without a known factor.

    Parameters
    ----------
    points : ndarray of shape (n, d)
        Latent points, for a kernel of bandwidth one.
    information : callable
        From points to N times what they tell, nought for points that all coincide.
    path : Path
        The steps that led there; none where a spectral map is the result.
    history : ndarray of shape (n_steps,)
        N times the objective at the end of each.
    n_iter : int
        Iterations, of all maps that were tried.
    interrupted : bool
        Whether the user stopped it.
    compared : ndarray of shape (n,), optional
        Groups of rows that are compared with one another alone, where there are several.
    """

    points: FloatArray
    information: Callable[[FloatArray], float]
    path: Path
    history: FloatArray
    n_iter: int
    interrupted: bool = False
    compared: IntArray | None = None

    def facts(
        self, Z: FloatArray, bandwidth: float, alpha: float, penalty: Penalty
    ) -> dict[str, Any]:
        """What was found, by the names it has on the estimator, of the points as they are shown."""
        told = self.information(Z) / len(Z)
        objective = told - alpha * penalty(Z)[0] / len(Z)
        return {
            "bandwidth_": bandwidth,
            "alpha_": alpha,
            "mutual_information_": told,
            "objective_": objective,
            "history_": np.append(self.history / len(Z), objective),
            "path_": {"bandwidth": self.path.bandwidths, "alpha": self.path.penalties},
            "n_steps_": self.path.n_steps,
            "n_iter_": self.n_iter,
            "onset_": None,
        }


def in_given_order(found: ConditionalMap, order: IntArray) -> ConditionalMap:
    """The map of rows that were sorted, as they were given."""
    back = np.argsort(order)
    return replace(
        found,
        points=found.points[back],
        compared=None if found.compared is None else found.compared[back],
        information=lambda Z: found.information(Z[order]),
    )


def first_steps(path: Path, n_steps: int) -> Path:
    """The part of a path that was taken."""
    return Path(path.bandwidths[:n_steps], path.penalties[:n_steps])


def with_reach(factor: KnownFactor, Y: FloatArray, Z: FloatArray) -> KnownFactor:
    """A number's values compared as far apart as predicts items best, beside the map."""
    if factor.kind == "classes":
        return factor
    x = factor.coordinates
    return replace(factor, reach=regression_reach(Y, Z, squared_distances(x, x), factor.reach))
