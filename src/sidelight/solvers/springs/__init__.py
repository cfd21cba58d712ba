"""The most likely springs of a Gaussian field, and draws of it."""

from __future__ import annotations

from sidelight.solvers.springs.draws import field_from_noise
from sidelight.solvers.springs.strengths import SIGNS, Springs, fit_springs

__all__ = [
    "SIGNS",
    "Springs",
    "field_from_noise",
    "fit_springs",
]
