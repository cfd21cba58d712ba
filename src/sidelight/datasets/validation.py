"""The checks that the generators share."""

from __future__ import annotations

import numpy as np


def require_count(who: str, parameter: str, value: int, *, least: int = 1) -> int:
    """Accept a whole number that is large enough."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(
            f"The {parameter!r} parameter of {who} must be an int in [{least}, inf). "
            f"Got {value!r} instead."
        )
    return int(value)


def require_scale(who: str, parameter: str, value: float, *, positive: bool = True) -> float:
    """Accept a finite length, or a standard deviation where zero is allowed."""
    if not np.isfinite(value) or value < 0 or (positive and value == 0):
        interval = "(0, inf)" if positive else "[0, inf)"
        raise ValueError(
            f"The {parameter!r} parameter of {who} must be a float in {interval}. "
            f"Got {value!r} instead."
        )
    return float(value)
