"""Taking a known factor out: what it says of rows, kinds of items, shifts, and three decisions."""

from __future__ import annotations

from sidelight.metric.factor.basis import read_bases, said_by
from sidelight.metric.factor.removal import FittedRows, Removal, choose_ridge, learn_removal
from sidelight.metric.factor.settings import SETTINGS

__all__ = [
    "SETTINGS",
    "FittedRows",
    "Removal",
    "choose_ridge",
    "learn_removal",
    "read_bases",
    "said_by",
]
