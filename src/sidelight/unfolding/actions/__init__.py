"""Every action one rigid motion of the map."""
