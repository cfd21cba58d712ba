"""What the methods that descend share: where they begin, pins, sums over pairs."""

from __future__ import annotations

from sidelight.latent.descending.adjacent import ADJACENT, NOTHING_ADJACENT, Adjacent, adjacent_in
from sidelight.latent.descending.by_distances import (
    DISTANCE_PARAMETERS,
    AmongPlaced,
    check_components,
    distance_table,
)
from sidelight.latent.descending.held import Held, descend_held
from sidelight.latent.descending.pinned import Pins, pins_of
from sidelight.latent.descending.pinned_descent import descend_pinned
from sidelight.latent.descending.starts import (
    INIT,
    MADE_OR_GIVEN,
    classical_start,
    principal_points,
    principal_turn,
    random_points,
    starting_points,
    step_aside,
    ways_by_distances,
)

__all__ = [
    "ADJACENT",
    "DISTANCE_PARAMETERS",
    "INIT",
    "MADE_OR_GIVEN",
    "NOTHING_ADJACENT",
    "Adjacent",
    "AmongPlaced",
    "Held",
    "Pins",
    "adjacent_in",
    "check_components",
    "classical_start",
    "descend_held",
    "descend_pinned",
    "distance_table",
    "pins_of",
    "principal_points",
    "principal_turn",
    "random_points",
    "starting_points",
    "step_aside",
    "ways_by_distances",
]
