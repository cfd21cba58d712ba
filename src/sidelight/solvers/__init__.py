"""Numerical work that knows no data and no models: eigenpairs, shortest paths."""

from __future__ import annotations

from sidelight.solvers.expectation_maximisation import (
    LatentPosterior,
    fit_with_missing,
    latent_posterior,
)

__all__ = [
    "LatentPosterior",
    "fit_with_missing",
    "latent_posterior",
]
