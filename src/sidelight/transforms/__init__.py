"""What can be done to an item without making another of it, and the distances that forgive it."""

from __future__ import annotations

from sidelight.transforms.distances import INFERRED as INFERRED
from sidelight.transforms.distances import KINDS as KINDS
from sidelight.transforms.distances import (
    InvariantDistance,
    LearnedDistance,
    Measure,
    invariant_distances,
)
from sidelight.transforms.local_filter import LocalFilter
from sidelight.transforms.own import Custom, Several, Step, Tangents
from sidelight.transforms.own import transformation_of as transformation_of
from sidelight.transforms.plane import Affine, Rotation, Scaling, Shift, TimeScaling, TimeShift
from sidelight.transforms.reconstruction import best_parameters
from sidelight.transforms.signals import Baseline, Gain
from sidelight.transforms.transformation import Bilinear, Transformation
from sidelight.transforms.virtual_points import VirtualPoints, virtual_points

#: For users; what is imported "as" itself is for other rooms alone.
__all__ = [
    "Affine",
    "Baseline",
    "Bilinear",
    "Custom",
    "Gain",
    "InvariantDistance",
    "LearnedDistance",
    "LocalFilter",
    "Measure",
    "Rotation",
    "Scaling",
    "Several",
    "Shift",
    "Step",
    "Tangents",
    "TimeScaling",
    "TimeShift",
    "Transformation",
    "VirtualPoints",
    "best_parameters",
    "invariant_distances",
    "virtual_points",
]
