"""Estimators that move the latent points themselves to the optimum of an objective."""
