"""Latent points that tell as much as possible about the data."""
