"""What can be done to an item without making another of it, and the distances that forgive it."""

from __future__ import annotations

from sidelight.transforms.local_filter import LocalFilter
from sidelight.transforms.plane import Affine, Rotation, Scaling, Shift, TimeScaling, TimeShift
from sidelight.transforms.reconstruction import best_parameters
from sidelight.transforms.transformation import Bilinear, Transformation

__all__ = [
    "Affine",
    "Bilinear",
    "LocalFilter",
    "Rotation",
    "Scaling",
    "Shift",
    "TimeScaling",
    "TimeShift",
    "Transformation",
    "best_parameters",
]
