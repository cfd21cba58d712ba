"""Shortest paths in graphs."""
