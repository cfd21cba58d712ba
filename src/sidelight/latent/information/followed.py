"""Ways to a map of latent points, and what is told of the one that was followed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import FloatArray
from sidelight.estimator import Map
from sidelight.latent.information.path import Information, Path
from sidelight.latent.information.penalties import Penalty, nothing_beside
from sidelight.solvers import improves
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
    end : tuple
        Which path, the step of it and the points.
    finished : bool
        Whether its descent came to rest there.
    interrupted : bool
        Whether the user left it early.
    """

    path: Path
    map: Map
    end: tuple[int, int, FloatArray]
    finished: bool
    interrupted: bool

    @property
    def left(self) -> tuple[int, int, FloatArray] | None:
        """Where to go on, if it was not finished."""
        return None if self.finished else self.end

    @property
    def last(self) -> Path:
        """The step that led to the map, as a path of its own."""
        facts = self.map.facts
        return Path(np.array([facts["bandwidth_"]]), np.array([facts["alpha_"]]))

    def gone_on(self, further: Map) -> Map:
        """The map of one more step that begins with this one, told with the steps before it."""
        facts, after = self.map.facts, further.facts
        path = {
            name: np.append(values[: facts["n_steps_"]], after["path_"].get(name, np.nan))
            for name, values in facts["path_"].items()
        }
        return further.with_facts(
            path_=path,
            history_=np.append(facts["history_"][: len(path["alpha"]) - 1], after["history_"]),
            n_iter_=facts["n_iter_"] + after["n_iter_"],
            n_steps_=facts["n_steps_"] + 1,
            onset_=facts["onset_"],
        )


def follow_best(
    ways: Sequence[Callable[[], Way]],
    follow: Callable[[Path, FloatArray, int], Continuation],
    left_off: tuple[int, int, FloatArray] | None,
) -> tuple[int, Way, int, Continuation]:
    """Follow each way, or the one that was left and those after it; give the best by rows held out.

    That is its number, the way, the step at which it was begun, and where it led.
    """
    best: tuple[int, Way, int, Continuation] | None = None
    begin = 0 if left_off is None else min(left_off[0], len(ways) - 1)
    for number in range(begin, len(ways)):
        way = ways[number]()
        first, start = 0, way.start
        if left_off is not None and number == begin:
            first, start = min(left_off[1], way.path.n_steps - 1), left_off[2]
        found = follow(way.path, start, first)
        if best is None or improves(_least(found), _least(best[3])):
            best = (number, way, first, found)
        if found.interrupted:
            break
    assert best is not None
    return best


def _least(found: Continuation) -> float:
    return float(np.min(found.errors, initial=np.inf))


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
