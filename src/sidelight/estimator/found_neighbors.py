"""How many of the nearest neighbours a fit works with, and a word where they are too few."""

from __future__ import annotations

from typing import Any

from sidelight.core import warn
from sidelight.estimator.points import Points

#: Below this share a graph is no longer that of the nearest.
_TOO_FEW = 0.8


def share_found(points: Points, near: Any) -> float:
    """Measure the share of the nearest neighbours that a search found, and warn where it is low."""
    share = points.recall(near)
    if share < _TOO_FEW:
        warn(
            f"{points.who} works with about {100 * share:.0f} % of the nearest neighbours of the "
            f"rows, measured on a sample: in so many dimensions the search for nearly all of them "
            f"misses the others. Give neighbors='blocked' to find all, which takes longer, or "
            f"reduce the columns with PCA first."
        )
    return share
