"""The models of pairs, which live in their own room, ask for torch and make no map."""

from __future__ import annotations

from sidelight.registry.entry import Entry
from sidelight.registry.estimators import ESTIMATORS

GATED: tuple[Entry, ...] = (
    Entry(
        "GatedBoltzmannMachine",
        "gated",
        "how an item becomes another",
        "sidelight.gated.gated_boltzmann_machine",
        "gbm",
        understands=(),
        gives=("density",),
    ),
)
#: What a model file may hold.
SAVED: tuple[Entry, ...] = ESTIMATORS + GATED
