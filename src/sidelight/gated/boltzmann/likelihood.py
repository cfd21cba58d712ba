"""Sums over mapping units, of all their states or by annealing: log p(y | x) and E[y | x]."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import torch

from sidelight.gated.boltzmann.conditionals import gibbs, mapping_given, output_given
from sidelight.gated.boltzmann.energy import Folded
from sidelight.gated.units import Tensor

#: So many mapping units have few enough states to go through.
ENUMERATED = 16
#: States that are looked at together, and chains that are annealed.
_STATES, _CHAINS = 4096, 100


def log_normaliser(folded: Folded, generator: torch.Generator) -> Tensor:
    """log Z(x), exactly where mapping units are few."""
    if _are_few(folded):
        return log_partition(folded)
    return annealed_log_partition(folded, generator)


def log_likelihood(folded: Folded, y: Tensor, log_z: Tensor) -> Tensor:
    """log p(y | x) = −F(y; x) − log Z(x), (inputs, outputs of each)."""
    return -folded.free_energy(y) - log_z.unsqueeze(1)


def expected_output(folded: Folded, generator: torch.Generator) -> Tensor:
    """E[y | x] = Σ_z p(z | x) E[y | x, z], exactly where mapping units are few."""
    if not _are_few(folded):
        y, log_weights = annealed(folded, generator)
        z = torch.bernoulli(mapping_given(folded, y), generator=generator)
        return _weighed(torch.softmax(log_weights, -1), output_given(folded, z))
    log_z, total = log_partition(folded), torch.zeros_like(folded.b[:, 0])
    for z in _states_of(folded):
        share = torch.exp(folded.log_weight(z) - log_z.unsqueeze(1))
        total += _weighed(share, output_given(folded, z))
    return total


def bytes_of_sums(n_outputs: int, n_mappings: int) -> float:
    """What the sums of an input take beside its machine."""
    few = n_mappings <= ENUMERATED
    together = min(2**n_mappings, _STATES) if few else _CHAINS
    coupled = 0 if few else 2 * n_outputs * n_mappings
    return 4.0 * (together * (4 * n_outputs + 2 * n_mappings) + coupled)


def all_states(n_units: int, like: Tensor) -> Tensor:
    """The 2ⁿ states of binary units, as numbers like others and where those are."""
    numbers, bits = (torch.arange(n, device=like.device) for n in (2**n_units, n_units))
    return ((numbers[:, None] >> bits) & 1).to(like.dtype)


def log_partition(folded: Folded) -> Tensor:
    """log Z(x) = log Σ_z Σ_y e^S (5.3), of every input."""
    parts = [torch.logsumexp(folded.log_weight(z), -1) for z in _states_of(folded)]
    return torch.logsumexp(torch.stack(parts), 0)


def annealed_log_partition(
    folded: Folded, generator: torch.Generator, *, n_chains: int = _CHAINS, n_steps: int = 1000
) -> Tensor:
    """log Z(x) by annealed importance sampling (Neal 2001; Salakhutdinov and Murray 2008)."""
    _, log_weights = annealed(folded, generator, n_chains=n_chains, n_steps=n_steps)
    known = folded.units.log_sum(torch.zeros_like(folded.b), folded.b)
    known = known + torch.nn.functional.softplus(folded.c).sum(-1)
    return known[:, 0] + torch.logsumexp(log_weights, -1) - math.log(n_chains)


def annealed(
    folded: Folded, generator: torch.Generator, *, n_chains: int = _CHAINS, n_steps: int = 1000
) -> tuple[Tensor, Tensor]:
    """Draws of y, and the logs of what each weighs.

    The couplings β Ŵ go from nothing, where Z is known, to all of them; each step is weighed by
    e^{F_β(y) − F_β'(y)} and then taken by one draw of z and y at β'.
    """
    b = folded.b.expand(-1, n_chains, -1)
    y = folded.units.sample(torch.zeros_like(b), b, generator)
    here, log_weights = _tempered(folded, 0.0), torch.zeros_like(y[..., 0])
    for step in range(1, n_steps + 1):
        there = _tempered(folded, step / n_steps)
        log_weights += here.free_energy(y) - there.free_energy(y)
        y, here = gibbs(there, y, 1, generator), there
    return y, log_weights


def _are_few(folded: Folded) -> bool:
    return bool(folded.c.shape[-1] <= ENUMERATED)


def _states_of(folded: Folded) -> Iterator[Tensor]:
    """All states of the mapping units, so many at a time."""
    states = all_states(folded.c.shape[-1], folded.c)
    return (some.unsqueeze(0) for some in states.split(_STATES))


def _weighed(share: Tensor, y: Tensor) -> Tensor:
    """Σ_s share_s y_s, of every input."""
    return (share.unsqueeze(1) @ y)[:, 0]


def _tempered(folded: Folded, beta: float) -> Folded:
    return replace(folded, coupling=folded.coupling.times(beta))
