"""Numerical work that knows no data and no models: eigenpairs, shortest paths."""

from __future__ import annotations

from sidelight.solvers.choosing import best_of, first_least
from sidelight.solvers.expectation_maximisation import (
    LatentPosterior,
    fit_with_missing,
    latent_posterior,
)
from sidelight.solvers.ridge import RidgeSystem
from sidelight.solvers.white_noise import hard_threshold, noise_level

__all__ = [
    "LatentPosterior",
    "RidgeSystem",
    "best_of",
    "first_least",
    "fit_with_missing",
    "hard_threshold",
    "latent_posterior",
    "noise_level",
]
