"""Gated Boltzmann machines: score, conditionals, contrastive divergence, and what they measure."""

from __future__ import annotations

from sidelight.gated.boltzmann.conditionals import gibbs, mapping_given, output_given
from sidelight.gated.boltzmann.contrast import Contrast
from sidelight.gated.boltzmann.learning import (
    RATES,
    arranged,
    divergence,
    first_chains,
    given_batches,
    shuffled_batches,
)
from sidelight.gated.boltzmann.likelihood import log_likelihood
from sidelight.gated.boltzmann.machine import NOTHING, Machine, first_machine, require_room
from sidelight.gated.boltzmann.sites import Sites, fold_field
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
    "Machine",
    "Sites",
    "arranged",
    "basis_flow_of",
    "distance_table",
    "distances_of_pairs",
    "divergence",
    "filters_of",
    "first_chains",
    "first_machine",
    "fold_field",
    "gibbs",
    "given_batches",
    "log_likelihood",
    "mapping_given",
    "output_given",
    "require_room",
    "shuffled_batches",
    "strongest_outputs",
]
