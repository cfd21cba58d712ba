"""One latent space for several kinds of similarity."""
