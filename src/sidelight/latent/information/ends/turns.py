"""What is told of maps that were followed one from the other, in turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sidelight.estimator import Map


def taken_together(maps: Sequence[Map]) -> dict[str, Any]:
    """The steps of all of them as one path."""
    paths = [each.facts["path_"] for each in maps]
    names = ("bandwidth", "alpha")
    path = {name: np.concatenate([each[name] for each in paths]) for name in names}
    return {
        "path_": path,
        "history_": np.concatenate([each.facts["history_"] for each in maps]),
        "n_iter_": sum(int(each.facts["n_iter_"]) for each in maps),
        "n_steps_": len(path["alpha"]),
    }
