"""Latent points from which the items can be told."""
