"""Every action one rigid motion of the map."""

from __future__ import annotations

from sidelight.unfolding.actions.constraints import equal_distances, merge_by_actions

__all__ = [
    "equal_distances",
    "merge_by_actions",
]
