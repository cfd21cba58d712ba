"""Numerical work that knows no data and no models: eigenpairs, shortest paths."""
