"""Gaussian processes over a map: covariances, likelihoods with gradients, predictions."""
