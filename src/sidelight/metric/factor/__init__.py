"""Taking a known factor out: what it says of rows, kinds of items, shifts, and three decisions."""

from __future__ import annotations

from sidelight.metric.factor.basis import said_by
from sidelight.metric.factor.effect import Effect, Said, find_effect
from sidelight.metric.factor.removal import FittedRows, Removal
from sidelight.metric.factor.settings import SETTINGS

__all__ = [
    "SETTINGS",
    "Effect",
    "FittedRows",
    "Removal",
    "Said",
    "find_effect",
    "said_by",
]
