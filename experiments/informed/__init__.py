"""Metrics learned from pairs and distances."""
