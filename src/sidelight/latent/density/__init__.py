"""Kernel densities of data and latent points together, and the mappings that follow from them."""
