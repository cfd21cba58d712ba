"""The conditionals of a folded machine, and chains of draws from one to the other (5.5), (5.6)."""

from __future__ import annotations

import torch

from sidelight.gated.boltzmann.energy import Folded
from sidelight.gated.units import Tensor


def mapping_given(folded: Folded, y: Tensor) -> Tensor:
    """p(z_k = 1 | x, y) = σ(Σ_j f_j Ŵ_jk + c_k) (5.5)."""
    return torch.sigmoid(folded.onto_mapping(y))


def output_given(folded: Folded, z: Tensor) -> Tensor:
    """E[y | x, z] (5.6), (5.12), (5.14)."""
    return folded.units.mean(folded.onto_output(z), folded.b)


def likeliest_output(folded: Folded, z: Tensor) -> Tensor:
    """The y of largest p(y | x, z)."""
    return folded.units.most_likely(folded.onto_output(z), folded.b)


def gibbs(
    folded: Folded, y: Tensor, n_steps: int, generator: torch.Generator, *, to_mean: bool = False
) -> Tensor:
    """The end of a chain from y: mapping units given outputs, outputs given mapping units, …

    With ``to_mean`` the last outputs are not drawn: their mean, which is without their noise.
    """
    for step in range(1, n_steps + 1):
        z = torch.bernoulli(mapping_given(folded, y), generator=generator)
        if to_mean and step == n_steps:
            return output_given(folded, z)
        y = folded.units.sample(folded.onto_output(z), folded.b, generator)
    return y
