"""What the metrics learned from pairs share: two losses, and where they are solved."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core import FloatArray, IntArray, OneOf, Real
from sidelight.metric.learning import FeatureSpace, Space, Spread, draw_background, open_features

PAIRWISE_PARAMETERS: dict[str, Any] = {
    "loss": (OneOf(("safe", "thesis")),),
    "strength": (OneOf(("auto",)), Real(0)),
}


def open_pairs(metric: Any, X: FloatArray, pairs: IntArray) -> tuple[Space, Spread]:
    """Choose the space for these pairs and measure the spread of the rows in it."""
    if metric.kernel is not None:
        kernel_space, Z = metric._open_kernel(X, np.unique(pairs))
        return kernel_space, Spread.of(Z)
    rng = metric._rng()
    background = draw_background(len(X), rng)
    space = open_features(X, pairs, background, rng, exact=metric.loss == "thesis")
    if isinstance(space, FeatureSpace):
        return space, Spread.of(X)
    return space, Spread.of(space.coordinates(X[background]), X[background])
