"""Every item picks the same neighbours in the map."""
