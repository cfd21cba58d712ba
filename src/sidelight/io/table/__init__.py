"""Tables, graphs and knowledge from files and back."""

from __future__ import annotations

from sidelight.io.table.blocks import comes_in_blocks, table_blocks
from sidelight.io.table.columns import (
    is_missing,
    lacks_word,
    pixel_names,
    said_of_texts,
    shape_in,
    with_gaps,
)
from sidelight.io.table.frames import column_of_frame, columns_of_frame, read_frame
from sidelight.io.table.graphs import holds_graph, read_graph
from sidelight.io.table.knowledge import condition_of_column, read_knowledge
from sidelight.io.table.missing import POLICIES, settle_missing
from sidelight.io.table.names import names_of_rows
from sidelight.io.table.reading import (
    ENDINGS,
    Table,
    check_known,
    is_one_table,
    read_columns,
    read_table,
    require_table,
    said_of_row_numbers,
)
from sidelight.io.table.writing import table_writer, write_table, writing_blocks

__all__ = [
    "ENDINGS",
    "POLICIES",
    "Table",
    "check_known",
    "column_of_frame",
    "columns_of_frame",
    "comes_in_blocks",
    "condition_of_column",
    "holds_graph",
    "is_missing",
    "is_one_table",
    "lacks_word",
    "names_of_rows",
    "pixel_names",
    "read_columns",
    "read_frame",
    "read_graph",
    "read_knowledge",
    "read_table",
    "require_table",
    "said_of_row_numbers",
    "said_of_texts",
    "settle_missing",
    "shape_in",
    "table_blocks",
    "table_writer",
    "with_gaps",
    "write_table",
    "writing_blocks",
]
