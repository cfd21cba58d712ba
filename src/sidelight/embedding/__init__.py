"""The one door: data and what is known about them in, a map and all that belongs to it out."""

from __future__ import annotations

from sidelight.embedding.choice import Choice, choose_method
from sidelight.embedding.door import embed, warn_of_distances
from sidelight.embedding.result import Embedding, distances_along

__all__ = [
    "Choice",
    "Embedding",
    "choose_method",
    "distances_along",
    "embed",
    "warn_of_distances",
]
