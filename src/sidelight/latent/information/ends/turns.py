"""Maps that are followed one from the other, in turns, and what is told of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sidelight.core import Interruption
from sidelight.estimator import Map
from sidelight.latent.information.followed import Followed


def in_turns(
    begun: Followed, rounds: int, turn: Callable[[Map], Followed | None], *, who: str
) -> tuple[Map, bool]:
    """Make a map of the last one, round by round, until a turn has nothing to change.

    Gives the last map, with the steps of all as one path, and whether the user stopped it there.
    """
    taken, stopped = [begun.map], begun.interrupted
    with Interruption() as interruption:
        while not stopped and len(taken) <= rounds:
            found = turn(taken[-1])
            if found is None:
                break
            taken.append(found.map)
            stopped = found.interrupted
    if interruption:
        interruption.warn(
            f"{who} was interrupted after {len(taken) - 1} rounds; the last map is kept.",
            stacklevel=4,
        )
    return _together(taken), stopped or bool(interruption)


def _together(maps: Sequence[Map]) -> Map:
    """The last of them, with the steps of all as one path."""
    paths = [each.facts["path_"] for each in maps]
    names = ("bandwidth", "alpha")
    path = {name: np.concatenate([each[name] for each in paths]) for name in names}
    facts: dict[str, Any] = {
        "path_": path,
        "history_": np.concatenate([each.facts["history_"] for each in maps]),
        "n_iter_": sum(int(each.facts["n_iter_"]) for each in maps),
        "n_steps_": len(path["alpha"]),
    }
    return maps[-1].with_facts(**facts)
