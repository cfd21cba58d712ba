"""Estimators that keep anchors: the descent of all rows that are not pinned."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from sidelight.core.arrays import FloatArray
from sidelight.estimator.resuming import Resumable
from sidelight.latent.descending.pinned import OfPoints, Pins
from sidelight.solvers.descent.quasi_newton import Descent


class Anchored(Resumable):
    """The part of an estimator that keeps rows where anchors say, exactly.

    ``warm_start`` means what it means without anchors.
    """

    n_components_: int
    #: The length of the method's own unit in the map.
    unit_: float

    @property
    def _side_checks(self) -> dict[str, Any]:
        return {"n_components": self.n_components_}

    def _descend_pinned(
        self,
        function: OfPoints,
        times: float,
        begin: Callable[[], FloatArray],
        pins: Pins,
        told: Any,
        *,
        stage: str,
    ) -> Descent:
        """Descend with pinned rows; where pins have a size, the map without them is found first."""
        left: FloatArray | None = self._left_off(pins.n_variables, told)
        objective, stopped = pins.objective(function, times), False
        start = left
        if start is None:
            plain = begin()
            if pins.sized:
                found = self._without_pins(function, times, plain, stage)
                plain, stopped = found.x.reshape(pins.shape), found.interrupted
            start = pins.start(plain, function)
        if stopped:
            value = objective(start)[0]
            found = Descent(start, value, np.array([value]), 0, 1, False, True)
        else:
            found = self._minimise(objective, start, stage)
        self._leave_off(None if found.converged else found.x, pins.n_variables, told)
        return found

    def _without_pins(
        self, function: OfPoints, times: float, start: FloatArray, stage: str
    ) -> Descent:
        free = Pins(start.shape, np.empty(0, np.intp), np.empty((0, start.shape[1])))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # it says how large rows are
            return self._minimise(
                free.objective(function, times), start.ravel(), f"{stage} without anchors"
            )
