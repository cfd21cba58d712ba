"""Columns that are no numbers as numbers: of mixed kinds, and texts."""

from __future__ import annotations

from sidelight.io.coding.mixed import MixedColumns, are_classes
from sidelight.io.coding.reading import coder_of, learn_coder, read_coded, read_for, settled
from sidelight.io.coding.texts import TextColumn

__all__ = [
    "MixedColumns",
    "TextColumn",
    "are_classes",
    "coder_of",
    "learn_coder",
    "read_coded",
    "read_for",
    "settled",
]
