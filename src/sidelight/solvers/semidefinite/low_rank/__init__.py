"""The unfolding in a low-rank factor of the kernel."""
