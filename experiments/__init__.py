"""The experiments of the texts, measured again: ``sidelight reproduce rotated_six``."""
