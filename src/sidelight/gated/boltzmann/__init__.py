"""Gated Boltzmann machines: score, conditionals, contrastive divergence, and what they measure."""

from __future__ import annotations

from sidelight.gated.boltzmann.by_rows import (
    bytes_of_draws,
    draws_of,
    expected_of,
    hidden_of,
    log_densities_of,
    mappings_of,
    outputs_of,
)
from sidelight.gated.boltzmann.contrast import Contrast
from sidelight.gated.boltzmann.learning import (
    RATES,
    arranged,
    divergence,
    first_chains,
    given_batches,
    judging_parts,
    shuffled_batches,
)
from sidelight.gated.boltzmann.machine import NOTHING, Machine, first_machine, require_room
from sidelight.gated.boltzmann.sites import Sites, fold_field
from sidelight.gated.boltzmann.tiles import Field
from sidelight.gated.boltzmann.transformation_distance import (
    KINDS,
    distance_table,
    distances_of_pairs,
)
from sidelight.gated.boltzmann.views import basis_flow_of, filters_of, strongest_outputs

__all__ = [
    "KINDS",
    "NOTHING",
    "RATES",
    "Contrast",
    "Field",
    "Machine",
    "Sites",
    "arranged",
    "basis_flow_of",
    "bytes_of_draws",
    "distance_table",
    "distances_of_pairs",
    "divergence",
    "draws_of",
    "expected_of",
    "filters_of",
    "first_chains",
    "first_machine",
    "fold_field",
    "given_batches",
    "hidden_of",
    "judging_parts",
    "log_densities_of",
    "mappings_of",
    "outputs_of",
    "require_room",
    "shuffled_batches",
    "strongest_outputs",
]
