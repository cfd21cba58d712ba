"""A known factor left out of the map."""
