"""The most likely springs between neighbours."""
