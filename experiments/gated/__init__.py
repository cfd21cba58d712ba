"""How things change, learned from pairs."""
