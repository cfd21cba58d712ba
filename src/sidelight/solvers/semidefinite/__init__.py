"""Kernels of largest variance under linear constraints, certified."""
