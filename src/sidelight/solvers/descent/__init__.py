"""Descent on smooth functions, along paths and from several starts."""
