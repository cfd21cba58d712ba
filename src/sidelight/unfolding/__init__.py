"""Estimators that learn the kernel: the map is the kernel's, and the kernel is an optimum."""
