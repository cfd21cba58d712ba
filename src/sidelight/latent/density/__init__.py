"""Kernel densities of data and latent points together, and the mappings that follow from them."""

from __future__ import annotations

from sidelight.latent.density.bandwidth import (
    JUDGED,
    PER_PAIR,
    bandwidth_of_placing,
    leave_one_out_bandwidth,
    placing_bandwidth,
    regression_bandwidth,
    regression_reach,
)
from sidelight.latent.density.gate import shows_or_said
from sidelight.latent.density.joint import JointDensity, differing_columns
from sidelight.latent.density.kernels import (
    KERNELS,
    DataKernel,
    GaussianKernel,
    QuarticKernel,
    kernel_for,
    squared_distances,
)
from sidelight.latent.density.known_factor import (
    ROWS_PER_CLASS,
    KnownFactor,
    KnownFactors,
    together,
)
from sidelight.latent.density.mappings import ByDensity, DensityEmbedder
from sidelight.latent.density.table import TableKernel

__all__ = [
    "JUDGED",
    "KERNELS",
    "PER_PAIR",
    "ROWS_PER_CLASS",
    "ByDensity",
    "DataKernel",
    "DensityEmbedder",
    "GaussianKernel",
    "JointDensity",
    "KnownFactor",
    "KnownFactors",
    "QuarticKernel",
    "TableKernel",
    "bandwidth_of_placing",
    "differing_columns",
    "kernel_for",
    "leave_one_out_bandwidth",
    "placing_bandwidth",
    "regression_bandwidth",
    "regression_reach",
    "shows_or_said",
    "squared_distances",
    "together",
]
