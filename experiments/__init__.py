"""The experiments of the texts, measured again: ``python -m experiments.rotated_six``."""
