"""Latent points from which the items can be predicted."""
