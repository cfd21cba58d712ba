"""Rows on their way to a model and back: read and refused, scaled, brought to where it computes."""

from __future__ import annotations

from sidelight.gated.rows.device import (
    DEVICE,
    NOT_SAVED,
    PROCESSOR,
    array_of,
    device_of,
    generator_of,
    in_double,
)
from sidelight.gated.rows.reading import (
    ReadBatches,
    admitted_values,
    check_whole,
    is_stream,
    read_batch,
    read_mappings,
    read_outputs,
    read_row_pairs,
    read_table,
    refuse_idle_parameters,
    refuse_idle_patience,
    without_labels,
)
from sidelight.gated.rows.scale import Scale

__all__ = [
    "DEVICE",
    "NOT_SAVED",
    "PROCESSOR",
    "ReadBatches",
    "Scale",
    "admitted_values",
    "array_of",
    "check_whole",
    "device_of",
    "generator_of",
    "in_double",
    "is_stream",
    "read_batch",
    "read_mappings",
    "read_outputs",
    "read_row_pairs",
    "read_table",
    "refuse_idle_parameters",
    "refuse_idle_patience",
    "without_labels",
]
