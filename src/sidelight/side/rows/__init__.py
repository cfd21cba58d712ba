"""Whom side information speaks of: rows by number or by label, all of them or some."""

from __future__ import annotations

from sidelight.side.rows.called import (
    list_numbers,
    name_rows,
    row_name,
    rows_called,
    rows_called_as_in,
    rows_called_within,
)
from sidelight.side.rows.moments import days_since_1970, is_moment, read_order
from sidelight.side.rows.naming import (
    Naming,
    RowNames,
    labels_of_index,
    listed_labels,
    read_names,
)
from sidelight.side.rows.one_each import names_of_values, place_of_every, require_known
from sidelight.side.rows.reading import (
    frozen,
    read_labels,
    read_numbers,
    require_rows_in_range,
)
from sidelight.side.rows.value import NamesRows, SideInformation, named_alike

__all__ = [
    "NamesRows",
    "Naming",
    "RowNames",
    "SideInformation",
    "days_since_1970",
    "frozen",
    "is_moment",
    "labels_of_index",
    "list_numbers",
    "listed_labels",
    "name_rows",
    "named_alike",
    "names_of_values",
    "place_of_every",
    "read_labels",
    "read_names",
    "read_numbers",
    "read_order",
    "require_known",
    "require_rows_in_range",
    "row_name",
    "rows_called",
    "rows_called_as_in",
    "rows_called_within",
]
