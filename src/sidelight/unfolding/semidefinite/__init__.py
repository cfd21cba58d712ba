"""The data pulled apart as far as neighbours allow."""

from __future__ import annotations

from sidelight.unfolding.semidefinite.unfolding import (
    FactorKernel,
    UnfoldingSettings,
    unfold_neighborhood,
)

__all__ = [
    "FactorKernel",
    "UnfoldingSettings",
    "unfold_neighborhood",
]
