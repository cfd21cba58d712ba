"""Maps beside a known factor: what they tell of the data that the factor does not."""

from __future__ import annotations

from sidelight.latent.information.conditional.factors import Factors
from sidelight.latent.information.conditional.information import map_by_conditional_information
from sidelight.latent.information.conditional.map import (
    ConditionalMap,
    first_steps,
    in_given_order,
)

__all__ = [
    "ConditionalMap",
    "Factors",
    "first_steps",
    "in_given_order",
    "map_by_conditional_information",
]
