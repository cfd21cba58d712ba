"""How many dimensions a map has where the user leaves it to the data."""

from __future__ import annotations

from sidelight.estimator.dimensions.intrinsic import dimensions_of_points, intrinsic_dimensions
from sidelight.estimator.dimensions.left_out import (
    BY_LIKELIHOOD,
    BY_SLOW_LIKELIHOOD,
    LeftOut,
    asks_rows_left_out,
    dimensions_left_out,
)

__all__ = [
    "BY_LIKELIHOOD",
    "BY_SLOW_LIKELIHOOD",
    "LeftOut",
    "asks_rows_left_out",
    "dimensions_left_out",
    "dimensions_of_points",
    "intrinsic_dimensions",
]
