"""Every item picks the same neighbours in the map."""

from __future__ import annotations

from sidelight.latent.neighbors.choices import Choices, NeighborChoices
from sidelight.latent.neighbors.mismatch import NeighborMismatch
from sidelight.latent.neighbors.placement import place_by_choices

__all__ = [
    "Choices",
    "NeighborChoices",
    "NeighborMismatch",
    "place_by_choices",
]
