"""What is known, inside a neighbour embedding: in the graph, as springs, as pins."""

from __future__ import annotations

from sidelight.latent.neighbor_embedding.known.balance import balanced_affinities, neighbors_across
from sidelight.latent.neighbor_embedding.known.holding import say_how_far
from sidelight.latent.neighbor_embedding.known.inside import (
    INSIDE,
    Inside,
    hear_inside,
    lay_out_informed,
)
from sidelight.latent.neighbor_embedding.known.territory import in_territories

__all__ = [
    "INSIDE",
    "Inside",
    "balanced_affinities",
    "hear_inside",
    "in_territories",
    "lay_out_informed",
    "neighbors_across",
    "say_how_far",
]
