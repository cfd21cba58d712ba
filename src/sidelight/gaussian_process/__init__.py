"""Gaussian processes over a map: covariances, likelihoods with gradients, predictions."""

from __future__ import annotations

from sidelight.gaussian_process.covariance import COVARIANCES, Covariance
from sidelight.gaussian_process.inducing import inducing_bound
from sidelight.gaussian_process.likelihood import exact_likelihood
from sidelight.gaussian_process.marginal import log_marginal
from sidelight.gaussian_process.observed import ObservedTable
from sidelight.gaussian_process.placing import N_LOOKED_AT, Rows, place_rows, positive_part
from sidelight.gaussian_process.prediction import Prediction

__all__ = [
    "COVARIANCES",
    "N_LOOKED_AT",
    "Covariance",
    "ObservedTable",
    "Prediction",
    "Rows",
    "exact_likelihood",
    "inducing_bound",
    "log_marginal",
    "place_rows",
    "positive_part",
]
