"""Tables of text: separators, names of columns, and marks in numbers, as people write them."""

from __future__ import annotations

from sidelight.io.table.text.delimited import delimited_blocks, read_delimited

__all__ = ["delimited_blocks", "read_delimited"]
