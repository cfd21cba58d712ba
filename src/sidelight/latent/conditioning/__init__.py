"""Items matched across the values of a known factor, which is left out of the map."""
