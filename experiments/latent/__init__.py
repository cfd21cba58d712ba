"""Points that are moved: information, Gaussian processes, neighbours, relations."""
