"""Backward maps take new data to the map, forward maps take the map back to data."""

from __future__ import annotations

from sidelight.mapping.by_kernel import ByKernel, CentredKernel, ComparedRows, KernelTable, Preimage
from sidelight.mapping.leave_one_out import best_predicting, prediction_error
from sidelight.mapping.linear import GramKernel, LinearBack, Projection
from sidelight.mapping.nystrom import Nystrom, kernel_coordinates, scale_kernel
from sidelight.mapping.packing import lay_out
from sidelight.mapping.smoother import KernelSmoother
from sidelight.mapping.warp import Pull, Similarity, Warp

__all__ = [
    "ByKernel",
    "CentredKernel",
    "ComparedRows",
    "GramKernel",
    "KernelSmoother",
    "KernelTable",
    "LinearBack",
    "Nystrom",
    "Preimage",
    "Projection",
    "Pull",
    "Similarity",
    "Warp",
    "best_predicting",
    "kernel_coordinates",
    "lay_out",
    "prediction_error",
    "scale_kernel",
]
