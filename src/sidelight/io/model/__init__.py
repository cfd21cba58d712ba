"""Models in files."""

from __future__ import annotations

from sidelight.io.model.files import ModelFile, load, read_model, save

__all__ = [
    "ModelFile",
    "load",
    "read_model",
    "save",
]
