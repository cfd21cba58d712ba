"""Ways to a map of latent points, and what is told of the one that was followed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import FloatArray
from sidelight.estimator import Map
from sidelight.latent.information.path import Information, Path
from sidelight.latent.information.penalties import Penalty, nothing_beside
from sidelight.solvers.descent import Continuation


@dataclass(frozen=True)
class Way:
    """A path, where it begins, and λ where the points begin to unfold on it.

    Parameters
    ----------
    path : Path
        Of bandwidths and penalties.
    start : ndarray of shape (n, d)
        The points that it begins with.
    onset : float
        λ where they begin to unfold.
    """

    path: Path
    start: FloatArray
    onset: float


@dataclass(frozen=True)
class Followed:
    """Where the best of several paths led.

    Parameters
    ----------
    path : Path
        The path.
    map : Map
        Its end.
    left : tuple or None
        Which path, the step of it and the points, where it was not finished.
    interrupted : bool
        Whether the user left it early.
    """

    path: Path
    map: Map
    left: tuple[int, int, FloatArray] | None
    interrupted: bool


def facts_of_path(way: Way, first: int, found: Continuation) -> dict[str, Any]:
    """What a path found, by the names it has on the estimator."""
    taken = slice(first, first + len(found.values))
    path = {"bandwidth": way.path.bandwidths[taken], "alpha": way.path.penalties[taken]}
    return {
        "bandwidth_": float(way.path.bandwidths[found.step]),
        "alpha_": float(way.path.penalties[found.step]),
        "n_steps_": found.step + 1,
        "n_iter_": found.n_iter,
        "path_": path | ({"error": found.errors} if len(found.errors) else {}),
        "history_": -found.values / len(way.start),
        "onset_": way.onset,
    }


def facts_of_end(
    Z: FloatArray,
    pairs: Information,
    bandwidth: float,
    alpha: float,
    penalty: Penalty,
    beside: Penalty = nothing_beside,
) -> dict[str, Any]:
    """Î(Y; Z) and the objective where a path ended."""
    n, K = len(Z), pairs.kernel(bandwidth)
    gained = pairs.information(Z, K)[0] / n
    # R_a is P_a where all latent points coincide, and then Q_a = n
    told = gained - pairs.information(np.zeros_like(Z), K)[0] / n
    paid = (alpha * penalty(Z)[0] + beside(Z)[0]) / n
    return {"mutual_information_": told, "objective_": told - paid}
