"""What actions do in a map: where they lead, ways to a goal, and where one is."""

from __future__ import annotations

from sidelight.unfolding.actions.moving.motions import ActionMap, Motions
from sidelight.unfolding.actions.moving.naming import names_kept
from sidelight.unfolding.actions.moving.on_any_map import LearnedActions, learn_actions
from sidelight.unfolding.actions.moving.rigid_motions import (
    TOLD_APART,
    fit_rigid_actions,
    significant_axes,
    step_length,
)

__all__ = [
    "TOLD_APART",
    "ActionMap",
    "LearnedActions",
    "Motions",
    "fit_rigid_actions",
    "learn_actions",
    "names_kept",
    "significant_axes",
    "step_length",
]
