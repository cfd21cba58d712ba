"""Distances that forgive a transformation: between tangent planes, by their angle, by paths."""

from __future__ import annotations

from sidelight.transforms.distances.frames import Frames
from sidelight.transforms.distances.learned import INFERRED, LearnedDistance
from sidelight.transforms.distances.measure import KINDS, InvariantDistance
from sidelight.transforms.distances.paths import along_steps, along_steps_of_new
from sidelight.transforms.distances.tables import invariant_distances

#: Between rows, up to something.
Measure = InvariantDistance | LearnedDistance

__all__ = [
    "INFERRED",
    "KINDS",
    "Frames",
    "InvariantDistance",
    "LearnedDistance",
    "Measure",
    "along_steps",
    "along_steps_of_new",
    "invariant_distances",
]
