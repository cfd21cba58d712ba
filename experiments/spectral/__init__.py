"""Maps by eigenvectors: the tutorial's methods, and what the slides show of them."""
