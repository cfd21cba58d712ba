"""Features of the inputs that are learned together with what is made of them (§5.3.2)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import torch

from sidelight.core import FloatArray, Matching, Whole
from sidelight.gated.units import Tensor

#: By name; those of the layers of a premapping are "map 0", "shift 0", …
Weights: TypeAlias = Mapping[str, Tensor]


#: Sizes of layers, as a parameter.
LAYERS = Matching(
    lambda value: isinstance(value, tuple) and bool(value) and all(map(Whole(1).admits, value)),
    "a tuple of ints",
)


def layers_of(premapping: int | tuple[int, ...] | None) -> tuple[int, ...]:
    """The sizes of the layers, as they are said in a parameter."""
    if premapping is None:
        return ()
    return premapping if isinstance(premapping, tuple) else (int(premapping),)


def first_layers(sizes: tuple[int, ...], rng: np.random.Generator) -> dict[str, Any]:
    """Random layers that keep the size of what goes through."""
    made: dict[str, FloatArray] = {}
    for number, (here, there) in enumerate(pairwise(sizes)):
        made[f"map {number}"] = rng.standard_normal((here, there)) / np.sqrt(max(here, 1))
        made[f"shift {number}"] = np.zeros(there)
    return made


def premapped(weights: Weights, x: Tensor) -> Tensor:
    """φ(x): layers of tanh, the last one linear (5.18); x itself where there are none."""
    layers = sum(name.startswith("map ") for name in weights)
    for number in range(layers):
        x = x @ weights[f"map {number}"] + weights[f"shift {number}"]
        x = torch.tanh(x) if number < layers - 1 else x
    return x
