"""The data pulled apart as far as neighbours allow."""

from __future__ import annotations

from sidelight.unfolding.semidefinite.slack import Softness
from sidelight.unfolding.semidefinite.unfolding import (
    FactorKernel,
    UnfoldingSettings,
    unfold_neighborhood,
)

__all__ = [
    "FactorKernel",
    "Softness",
    "UnfoldingSettings",
    "unfold_neighborhood",
]
