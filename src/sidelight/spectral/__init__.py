"""Estimators solved by eigenvectors: every one of them is kernel PCA on its own kernel."""
