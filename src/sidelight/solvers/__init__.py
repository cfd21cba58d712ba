"""Numerical work that knows no data and no models: eigenpairs, descents, programs, paths."""

from __future__ import annotations

from sidelight.solvers.agreement import (
    agreement_beyond_chance,
    agreement_in_codes,
    association_in_codes,
)
from sidelight.solvers.choosing import (
    best_of,
    first_least,
    first_within,
    improves,
    ranks_to_rounding,
)
from sidelight.solvers.expectation_maximisation import (
    LatentPosterior,
    fit_with_missing,
    latent_posterior,
)
from sidelight.solvers.noise_shrinkage import shrink_noise
from sidelight.solvers.ridge import RidgeSystem
from sidelight.solvers.white_noise import hard_threshold, noise_level

__all__ = [
    "LatentPosterior",
    "RidgeSystem",
    "agreement_beyond_chance",
    "agreement_in_codes",
    "association_in_codes",
    "best_of",
    "first_least",
    "first_within",
    "fit_with_missing",
    "hard_threshold",
    "improves",
    "latent_posterior",
    "noise_level",
    "ranks_to_rounding",
    "shrink_noise",
]
