"""Backward maps take new data to the map, forward maps take the map back to data."""
