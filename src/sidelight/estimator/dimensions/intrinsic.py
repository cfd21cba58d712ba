"""As many dimensions as the data have."""

from __future__ import annotations

from typing import Any

import numpy as np


def intrinsic_dimensions(X: Any, metric: Any, *, holes: bool, who: str) -> int:
    """The intrinsic dimension of rows; where entries are missing, of their linear model."""
    from sidelight.quality import components_of_missing, components_of_neighborhoods

    if X is None:
        raise ValueError(
            f"n_components='auto' of {who} is the intrinsic dimension of X, and there is no X. "
            f"Give a number."
        )
    if holes and np.isnan(X).any():
        return components_of_missing(np.asarray(X, dtype=np.float64))
    return components_of_neighborhoods(X, metric=metric, who=who)
