"""Tables in, models and maps out: plain files, nothing that runs when it is opened."""

from __future__ import annotations

from sidelight.io.models import ModelFile, load, read_model, save
from sidelight.io.table import Table, read_table
from sidelight.io.writing import write_table

__all__ = ["ModelFile", "Table", "load", "read_model", "read_table", "save", "write_table"]
