"""The one door: data and what is known about them in, a map and all that belongs to it out."""

from __future__ import annotations

from sidelight.embedding.choice import Choice, choose_method
from sidelight.embedding.door import embed
from sidelight.embedding.given import warn_of_distances
from sidelight.embedding.hints import hints_for
from sidelight.embedding.result import Embedding, distances_along
from sidelight.embedding.sample import Sample, draw_sample

__all__ = [
    "Choice",
    "Embedding",
    "Sample",
    "choose_method",
    "distances_along",
    "draw_sample",
    "embed",
    "hints_for",
    "warn_of_distances",
]
