"""Eigenpairs, dense, sparse and of operators."""
