"""The estimators of the library, by name."""

from __future__ import annotations

from sidelight.registry.entry import IN_DISTANCES, IN_FRONT, Entry
from sidelight.registry.estimators import ESTIMATORS, MAPS
from sidelight.registry.finding import entry_for, entry_of, understood_by
from sidelight.registry.gated import SAVED

__all__ = [
    "ESTIMATORS",
    "IN_DISTANCES",
    "IN_FRONT",
    "MAPS",
    "SAVED",
    "Entry",
    "entry_for",
    "entry_of",
    "understood_by",
]
