"""Every feature a smooth random function of the map."""
