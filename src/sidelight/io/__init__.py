"""Tables in, models and maps out: plain files, nothing that runs when it is opened."""

from __future__ import annotations

from sidelight.io.model.files import ModelFile, load, read_model, save
from sidelight.io.table.reading import Table, read_table
from sidelight.io.table.writing import write_table

__all__ = ["ModelFile", "Table", "load", "read_model", "read_table", "save", "write_table"]
