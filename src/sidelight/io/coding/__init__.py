"""Columns that are no numbers as numbers: of mixed kinds, and texts."""

from __future__ import annotations

from sidelight.io.coding.mixed import MixedColumns
from sidelight.io.coding.reading import coder_of, read_coded, read_for
from sidelight.io.coding.texts import TextColumn

__all__ = ["MixedColumns", "TextColumn", "coder_of", "read_coded", "read_for"]
