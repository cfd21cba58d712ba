"""The one door: data and what is known about them in, a map and all that belongs to it out."""

from __future__ import annotations

from sidelight.embedding.choice import Choice, choose_method
from sidelight.embedding.door import embed
from sidelight.embedding.hints import hints_for
from sidelight.embedding.reach import reach_of
from sidelight.embedding.result import Embedding, distances_along
from sidelight.embedding.sample import Sample, draw_sample
from sidelight.neighbors import as_distances, said_of_distances, warn_of_distances

__all__ = [
    "Choice",
    "Embedding",
    "Sample",
    "as_distances",
    "choose_method",
    "distances_along",
    "draw_sample",
    "embed",
    "hints_for",
    "reach_of",
    "said_of_distances",
    "warn_of_distances",
]
