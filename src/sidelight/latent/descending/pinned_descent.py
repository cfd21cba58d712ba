"""The descent of all points that are not pinned."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from sidelight.core import FloatArray
from sidelight.estimator import Thread, Unfinished
from sidelight.latent.descending.pinned import OfPoints, Pins
from sidelight.solvers.descent import Descent, minimise


def descend_pinned(
    function: OfPoints,
    times: float,
    begin: Callable[[], FloatArray],
    pins: Pins,
    thread: Thread,
    *,
    stage: str,
    polished: bool = False,
    **options: Any,
) -> tuple[Descent, Unfinished | None]:
    """Descend with pinned rows; where pins have a size, the map without them is found first."""
    objective, start, stopped = pins.objective(function, times), thread.where, False
    if start is None:
        plain = begin()
        if pins.sized:
            unpinned = _without_pins(function, times, plain, f"{stage} without anchors", **options)
            plain, stopped = unpinned.x.reshape(pins.shape), unpinned.interrupted
        start = pins.start(plain, function)
    if stopped:
        value = objective(start)[0]
        found = Descent(start, value, np.array([value]), 0, 1, False, True)
    else:
        found = minimise(objective, start, stage=stage, polished=polished, **options)
    return found, thread.left_at(None if found.converged else found.x)


def _without_pins(
    function: OfPoints, times: float, start: FloatArray, stage: str, **options: Any
) -> Descent:
    free = Pins(start.shape, np.empty(0, np.intp), np.empty((0, start.shape[1])))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # it says how large rows are
        return minimise(free.objective(function, times), start.ravel(), stage=stage, **options)
