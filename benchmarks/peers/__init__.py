"""Comparisons with packages that need an environment of their own."""
