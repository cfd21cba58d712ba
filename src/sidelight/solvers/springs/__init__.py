"""The most likely springs of a Gaussian field."""

from __future__ import annotations

from sidelight.solvers.springs.strengths import SIGNS, Springs, fit_springs

__all__ = [
    "SIGNS",
    "Springs",
    "fit_springs",
]
