"""Maps beside a known factor: what they tell of the data that the factor does not."""

from __future__ import annotations

from sidelight.latent.information.conditional.information import (
    kernel_of_all_values,
    kernel_of_values,
    map_by_conditional_information,
)
from sidelight.latent.information.conditional.map import (
    ConditionalMap,
    first_steps,
    in_given_order,
    with_reach,
)

__all__ = [
    "ConditionalMap",
    "first_steps",
    "in_given_order",
    "kernel_of_all_values",
    "kernel_of_values",
    "map_by_conditional_information",
    "with_reach",
]
