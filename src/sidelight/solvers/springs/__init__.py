"""The most likely springs of a Gaussian field."""
