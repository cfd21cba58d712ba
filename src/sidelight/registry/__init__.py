"""The estimators of the library, by name."""

from __future__ import annotations

from sidelight.registry.entry import Entry
from sidelight.registry.estimators import ESTIMATORS, MAPS
from sidelight.registry.finding import entry_for, understood_by

__all__ = ["ESTIMATORS", "MAPS", "Entry", "entry_for", "understood_by"]
